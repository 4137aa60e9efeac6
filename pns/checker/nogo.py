"""NoGo, with the stones and squares that are decided."""

from __future__ import annotations

import re
from typing import Iterator, List, Set

from pns.checker.boards import Board, BoardGame, Square, beside, board_text


class NoGo(BoardGame):
    """Place a stone of either colour so that every group keeps a liberty.

    A group is a connected set of stones of one colour, a liberty an empty neighbour. Some
    letters keep what has been decided: `-` is an empty square where no stone may ever be placed,
    and `x` and `o` are stones of groups that have a liberty for good.
    """

    letters = ".XOxo-"
    swap = {"X": "O", "O": "X", "x": "o", "o": "x"}

    def moves(self, part: Board) -> Iterator[Board]:
        for square, letter in part.items():
            if letter == ".":
                for stone in "XO":
                    if self.is_legal(part, square, stone):
                        yield {**part, square: stone}

    def is_legal(self, board: Board, square: Square, stone: str) -> bool:
        """Whether all groups have a liberty after a move."""
        after = {**board, square: stone}
        changed = [square, *[other for other in beside(square) if board.get(other, ".") in "XO"]]
        return all(self.has_liberty(after, one) for one in changed)

    def group(self, board: Board, square: Square) -> List[Square]:
        """The stones of the colour of a stone, and not safe, that are connected with it."""
        queue = [square]
        for one in queue:
            queue += [s for s in beside(one) if board.get(s) == board[square] and s not in queue]
        return queue

    def liberties(self, board: Board, square: Square) -> Set[Square]:
        """The empty squares and the safe stones of its colour beside the group of a stone."""
        letters = ".-" + board[square].lower()
        return {
            other
            for one in self.group(board, square)
            for other in beside(one)
            if board.get(other, "#") in letters
        }

    def has_liberty(self, board: Board, square: Square) -> bool:
        """Whether the group of a stone has a liberty, or is safe."""
        return bool(self.liberties(board, square))

    def positions(self, text: str) -> List[Board]:
        boards = super().positions(text)
        for board in boards:
            for square, letter in board.items():
                if letter in "XO" and not self.has_liberty(board, square):
                    wrong = "invalid board %r; expected a liberty for every group"
                    raise ValueError(wrong % text[:60])
        return boards

    def parts(self, position: Board) -> List[Board]:
        """The parts of a board; what cannot matter is left out.

        Stones are never removed, so that an illegal move stays illegal. A group next to a
        square for good empty, or to a safe stone of its colour, is safe.
        """
        board = self.settled(position)
        found = []
        left = [square for square, letter in board.items() if letter == "."]
        while left:
            part = self.part_around(board, left[0])
            left = [square for square in left if square not in part]
            found.append(self.one_of_each_row(self.without_needless(part)))
        return found

    def settled(self, board: Board) -> Board:
        """The board with its safe groups, and with `-` where no stone may be placed."""
        board = dict(board)
        while True:
            before = dict(board)
            for square, letter in before.items():
                if letter in "XO" and board[square] == letter:
                    near = {board[other] for other in self.liberties(board, square)}
                    if near - {"."}:
                        for one in self.group(board, square):
                            board[one] = letter.lower()
            for square, letter in list(board.items()):
                if letter == "." and not any(self.is_legal(board, square, x) for x in "XO"):
                    board[square] = "-"
            if board == before:
                return board

    def part_around(self, board: Board, square: Square) -> Board:
        """The part of a settled board with an empty square.

        Empty squares reach their neighbours, stones empty neighbours and those of their colour.
        Safe stones beside an empty square matter unless it has an eternal liberty already.
        """
        queue = [square]
        for one in queue:
            letters = ".XO" if board[one] == "." else "." + board[one]
            queue += [s for s in beside(one) if board.get(s, "#") in letters and s not in queue]
        part = {one: board[one] for one in queue}
        for one in queue:
            if board[one] == ".":
                near = {other: board[other] for other in beside(one) if other in board}
                wanted = "-" if "-" in near.values() else "xo"
                part.update({s: x for s, x in near.items() if x in wanted})
        return part

    def without_needless(self, board: Board) -> Board:
        """The part without stones whose group has the same liberties without them.

        They are tried in reading order, and again when a neighbour was left out.
        """
        board = dict(board)
        for colour in "XO":
            left = {square for square, letter in board.items() if letter == colour}
            while left:
                square = min(left)
                left.remove(square)
                friends = [s for s in beside(square) if board.get(s) == colour]
                if friends:
                    rest = {s: x for s, x in board.items() if s != square}
                    group = self.group(rest, friends[0])
                    own = {s for s in beside(square) if board.get(s, "#") == "."}
                    if set(friends) <= set(group) and own <= self.liberties(rest, friends[0]):
                        board = rest
                        left.update(friends)
        return board

    def one_of_each_row(self, board: Board) -> Board:
        """On a line, the part with one stone for each row of stones of one colour."""
        text = board_text(board, {}, "#")
        if "|" in text:
            return board
        return {(0, c): x for c, x in enumerate(re.sub("(X)X+|(O)O+", r"\1\2", text)) if x != "#"}
