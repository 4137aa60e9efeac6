"""Games of pieces that are placed on squares, or moved there: dominoes, stones, queens."""

from __future__ import annotations

import re
from typing import Callable, Iterator, List, Sequence, Tuple

from pns.game import NotationError, Scene, SceneMove, Sum
from pns.games.scenes.squares import (
    MARGIN,
    RADIUS,
    SIDE,
    Squares,
    SquareScenes,
    document,
    element,
    label,
    moved,
    square_picture,
    stone,
)

HALVES = {False: ("<", ">"), True: ("^", "v")}
"""The letters of a domino that lies, and of one that stands."""
TURNS = {"V:": "blue upright", "H:": "orange lying"}
OTHER = {"V:": "H:", "H:": "V:"}
FIRST, SECOND = "blue", "orange"


class DominoScenes(SquareScenes):
    """Dominoes on two free neighbours, touched in either order."""

    letters = ".#<>^v"

    def moves(self, board: Squares) -> Iterator[SceneMove]:
        after = OTHER.get(board.head, board.head)
        for one, other, is_upright in board.pairs():
            if board.cells[one] != "." or board.cells[other] != ".":
                continue
            if board.head and is_upright != (board.head == "V:"):
                continue
            first, second = HALVES[is_upright]
            placed = board.put({one: first, other: second}, after)
            for parts in ((one, other), (other, one)):
                yield moved(board, [str(part) for part in parts], placed)


class PartisanDominoScenes(DominoScenes):
    """One player's dominoes stand, the other's lie; `V:` or `H:` says whose move it is."""

    def head(self, text: str) -> str:
        return text[:2] if text[:2] in TURNS else ""

    def scene(self, text: str) -> Scene:
        return super().scene(text if self.head(text) else "V:" + text)

    def picture(self, board: Squares, moves: Sequence[SceneMove]) -> str:
        """The board, with the dominoes of both players in their colours."""
        svg = super().picture(board, moves)
        return svg.replace("domino upright", "domino X").replace("domino lying", "domino O")

    def turn(self, board: Squares) -> str:
        return TURNS[board.head]


class QueenScenes(SquareScenes):
    """Queens on squares that none attacks."""

    ghost = "Q"
    letters = ".#Q"

    def scene(self, text: str) -> Scene:
        """The scene of a board; 8 and 3x5 are empty ones."""
        size = re.fullmatch("([1-9][0-9]?)(?:x([1-9][0-9]?))?", text, re.ASCII)
        if size:
            text = "|".join(["." * int(size[2] or size[1])] * int(size[1]))
        return super().scene(text)

    def moves(self, board: Squares) -> Iterator[SceneMove]:
        for queen, cell in enumerate(board.cells):
            if cell == ".":
                seen = [i for i in range(len(board.cells)) if self._attacks(board, queen, i)]
                pieces = {i: "#" for i in seen if board.cells[i] == "."}
                yield moved(board, [str(queen)], board.put({**pieces, queen: "Q"}, ""))

    @staticmethod
    def _attacks(board: Squares, queen: int, other: int) -> bool:
        (row, column), (r, c) = board.at(queen), board.at(other)
        return row == r or column == c or abs(row - r) == abs(column - c)


class ClobberScenes(SquareScenes):
    """Stones that move onto a neighbour of the other colour: touch the stone, then that one."""

    letters = ".#XO"

    def start(self, values: Sequence[int]) -> str:
        """A board full of stones, their colours as on a chessboard."""
        rows, columns = values
        return "|".join(["".join(["XO"[(r + c) % 2] for c in range(columns)]) for r in range(rows)])

    def moves(self, board: Squares) -> Iterator[SceneMove]:
        for one, other, _ in board.pairs():
            if {board.cells[one], board.cells[other]} == {"X", "O"}:
                for source, goal in ((one, other), (other, one)):
                    after = board.put({source: ".", goal: board.cells[source]}, "")
                    yield moved(board, [str(source), str(goal)], after)


class CheckedScenes(SquareScenes):
    """Boards that the rules restrict: a text is a scene only where its game has the position."""

    def __init__(
        self, title: str, rules: str, sizes: Tuple[int, int], read: Callable[[str], Sum]
    ) -> None:
        """`read` raises NotationError for what is no position."""
        super().__init__(title, rules, sizes)
        self.read = read

    def scene(self, text: str) -> Scene:
        self.read(text)
        return super().scene(text)


class NoGoScenes(CheckedScenes):
    """Stones of either colour: each free square has a place for one of each."""

    letters = ".#XOxo-"

    def moves(self, board: Squares) -> Iterator[SceneMove]:
        for square, cell in enumerate(board.cells):
            for letter in "XO" if cell == "." else "":
                after = board.put({square: letter}, "")
                try:
                    self.read(after.position())
                except NotationError:
                    continue
                move = moved(board, ["%d%s" % (square, letter)], after)
                yield move._replace(changes=move.parts)

    def picture(self, board: Squares, moves: Sequence[SceneMove]) -> str:
        """The board, with two small stones on each free square."""
        parts = {part for move in moves for part in move.parts}
        inside: List[str] = []
        for square in range(len(board.cells)):
            row, column = board.at(square)
            for place, letter in enumerate("XO"):
                part = "%d%s" % (square, letter)
                if part in parts:
                    x = MARGIN + SIDE * (column + place / 2)
                    y = MARGIN + SIDE * row
                    box = '<rect class="half" x="%g" y="%g" width="%g" height="%g"/>'
                    area = box % (x, y, SIDE / 2, SIDE)
                    small = stone(letter, x + SIDE / 4, y + SIDE / 2, " choice")
                    small = small.replace('r="%g"' % RADIUS, 'r="%g"' % (RADIUS / 2))
                    name = "%s: %s stone" % (label(board, square), (FIRST, SECOND)[place])
                    inside.append(element(part, name, area + small))
        size = SIDE * board.width + 2 * MARGIN, SIDE * board.height + 2 * MARGIN
        return document(*size, board.text(), [square_picture(board, []), *inside])


class LineScenes(CheckedScenes):
    """Stones of two players in turn; the text begins as in `pns.games.mnk`."""

    letters = ".XO"

    def head(self, text: str) -> str:
        return text[: text.find(":") + 1]

    def start(self, values: Sequence[int]) -> str:
        """An empty board, for three in a row, or four where both sides have four squares."""
        k = 4 if min(values) > 3 else 3
        return "%d:%s" % (min(k, max(values)), super().start(values))

    def moves(self, board: Squares) -> Iterator[SceneMove]:
        letter = mover(board)
        for square, cell in enumerate(board.cells):
            below = board.cells[square + board.width : square + board.width + 1]
            if cell == "." and not ("v" in board.head and below == "."):
                after = board.put({square: letter}, board.head)
                yield moved(board, [str(square)], after)

    def picture(self, board: Squares, moves: Sequence[SceneMove]) -> str:
        return square_picture(board, moves, mover(board))

    def turn(self, board: Squares) -> str:
        return FIRST if mover(board) == "X" else SECOND


def mover(board: Squares) -> str:
    """The letter of the player to move; X begins."""
    return "X" if board.cells.count("X") == board.cells.count("O") else "O"
