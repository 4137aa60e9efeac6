"""Games on boards, with their parts and their texts.

A board is a dictionary from squares, (row, column), to letters, without blocked squares (#).
Positions are read and written as in the entries, with rows separated by |.
"""

from __future__ import annotations

from collections import Counter
from typing import Dict, Iterable, Iterator, List, Set, Tuple

from pns.checker.sums import SumGame
from pns.checker.work import spend

Square = Tuple[int, int]
Board = Dict[Square, str]


def read_boards(text: str, letters: str) -> List[Board]:
    """The boards of a position; raises ValueError if the text denotes none."""
    boards: List[Board] = []
    for part in text.split("+"):
        rows = part.split("|")
        spend(len(part) + 1)
        if not rows[0] or any(len(row) != len(rows[0]) for row in rows):
            raise ValueError("invalid board %r; expected rows of one length" % part[:60])
        if not set(part) <= set(letters + "#|"):
            wrong = "invalid board %r; expected the squares %s, # and |"
            raise ValueError(wrong % (part[:60], letters))
        boards.append(
            {(r, c): x for r, row in enumerate(rows) for c, x in enumerate(row) if x != "#"}
        )
    return boards


def beside(square: Square) -> List[Square]:
    """The four neighbours of a square, on the board or not."""
    r, c = square
    return [(r - 1, c), (r, c - 1), (r, c + 1), (r + 1, c)]


def parts_of(squares: Iterable[Square]) -> List[Set[Square]]:
    """The connected parts of some squares."""
    left = set(squares)
    parts = []
    while left:
        queue = [left.pop()]
        for square in queue:
            near = [other for other in beside(square) if other in left]
            left.difference_update(near)
            queue += near
        parts.append(set(queue))
    return parts


def board_text(board: Board, swap: Dict[str, str], blank: str) -> str:
    """The least text of a board that is turned, reflected, or has its colours exchanged.

    It has the least rectangle around the squares, no higher than wide; the others in it are
    `blank`.
    """
    images = []
    for turned in (board, {(c, r): x for (r, c), x in board.items()}):
        top, left = min(r for r, _ in turned), min(c for _, c in turned)
        height = 1 + max(r for r, _ in turned) - top
        width = 1 + max(c for _, c in turned) - left
        if height > width:
            continue
        rows = [[blank] * width for _ in range(height)]
        for (r, c), x in turned.items():
            rows[r - top][c - left] = x
        text = "|".join("".join(row) for row in rows)
        mirrored = "|".join("".join(row[::-1]) for row in rows)
        images += [text, text[::-1], mirrored, mirrored[::-1]]
    swapped = str.maketrans(swap)
    return min(images + [image.translate(swapped) for image in images])


class BoardGame(SumGame[Board]):
    """What the games on boards have in common; they add their parts and moves."""

    letters = ""
    swap: Dict[str, str] = {}
    """Colours that can be exchanged."""
    blank = "#"
    """The letter of squares that do not matter."""

    def positions(self, text: str) -> List[Board]:
        return read_boards(text, self.letters)

    def part_text(self, part: Board) -> str:
        return board_text(part, self.swap, self.blank)

    def part_profile(self, part: Board) -> int:
        ends = Counter(
            sum(other in part for other in beside(square)) for square in part if part[square]
        )
        letters = Counter(part.values())
        pairs = sorted(sorted([letters[x], letters[y]]) for x, y in self.swap.items())
        return hash((len(part), letters["."], repr(pairs), tuple(sorted(ends.items()))))


class Cram(BoardGame):
    """Place a domino on two free neighbouring squares; who cannot move loses."""

    letters = "."

    def parts(self, position: Board) -> List[Board]:
        """Connected regions of two squares or more."""
        return [{s: "." for s in part} for part in parts_of(position) if len(part) > 1]

    def moves(self, part: Board) -> Iterator[Board]:
        for square in part:
            for other in beside(square):
                if square < other and other in part:
                    yield {s: x for s, x in part.items() if s not in (square, other)}


class Clobber(BoardGame):
    """Move a stone onto a neighbour of the other colour; who cannot move loses."""

    letters = ".XO"
    swap = {"X": "O", "O": "X"}
    blank = "."

    def parts(self, position: Board) -> List[Board]:
        """Connected sets of stones of both colours."""
        stones = {s: x for s, x in position.items() if x != "."}
        found = [{s: stones[s] for s in sorted(part)} for part in parts_of(stones)]
        return [part for part in found if len(set(part.values())) == 2]

    def moves(self, part: Board) -> Iterator[Board]:
        for square, stone in part.items():
            for other in beside(square):
                if part.get(other, stone) != stone:
                    yield {s: stone if s == other else x for s, x in part.items() if s != square}


class Queens(BoardGame):
    """Place a queen on a free square that no queen attacks; who cannot move loses.

    A queen attacks along rows, columns and diagonals, over any squares. What is attacked, or has
    a queen, is blocked.
    """

    letters = "."

    def attacks(self, square: Square, other: Square) -> bool:
        """Whether a queen on one square attacks another, or is there."""
        down, right = other[0] - square[0], other[1] - square[1]
        return down == 0 or right == 0 or abs(down) == abs(right)

    def parts(self, position: Board) -> List[Board]:
        """Free squares that attacks connect."""
        left = set(position)
        found = []
        while left:
            queue = [left.pop()]
            for square in queue:
                spend(len(left))
                near = {other for other in left if self.attacks(square, other)}
                left -= near
                queue += near
            found.append({square: "." for square in sorted(queue)})
        return found

    def moves(self, part: Board) -> Iterator[Board]:
        for square in part:
            yield {s: "." for s in part if not self.attacks(square, s)}
