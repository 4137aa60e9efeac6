"""Queens: place a queen that no other attacks; who cannot move loses [noon2006].

It is Node Kayles on the queens' graph. A land is a set of free squares (`.`), connected by
attacks along rows, columns and diagonals over any squares, with the least rectangle around it;
the other squares are attacked (`#`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

from pns.game import Game, Land, NotationError, Picture, Sum
from pns.games.board import (
    BYTES_PER_TEXT,
    CACHE_BYTES,
    MOVE_WEIGHT,
    ParsedBoard,
    canonical,
    distinct,
    format_boards,
    parse_board,
    read_land,
    read_sum,
    split_boards,
    sum_of,
)
from pns.games.board_svg import board_picture
from pns.games.scenes.placed import QueenScenes

FREE = ord(".")
LARGEST = 30
"""The largest board that a single number stands for."""


class AttackLines(NamedTuple):
    """For each square of a board its lines as bits of two words: two squares that share one attack.

    `first` has rows, columns and diagonals, `second` the other diagonals.
    """

    first: List[int]
    second: List[int]


@lru_cache(maxsize=1000)
def lines_of(height: int, width: int) -> AttackLines:
    """The lines of a board, whose squares are numbered row by row."""
    found = AttackLines([], [])
    for row in range(height):
        for column in range(width):
            across = 1 << row | 1 << height + column
            found.first.append(across | 1 << height + width + row + column)
            found.second.append(1 << row - column + width)
    return found


def parts(squares: List[int], lines: AttackLines) -> List[List[int]]:
    """Squares that are not connected by attacks, apart."""
    found = []
    while squares:
        first, second = lines.first[squares[0]], lines.second[squares[0]]
        part: List[int] = []
        while True:
            others: List[int] = []
            joined = len(part)
            for square in squares:
                if first & lines.first[square] or second & lines.second[square]:
                    first |= lines.first[square]
                    second |= lines.second[square]
                    part.append(square)
                else:
                    others.append(square)
            squares = others
            if not others or len(part) == joined:
                break
        found.append(part)
    return found


class Queens:
    """The game contract for Node Kayles on the queens' graph."""

    name = "queens"
    decomposes = True
    examples = ("4", "5", "3x6", "..#|...|#..")

    scenes = QueenScenes(
        "Queens",
        "Put a queen on a square that no other queen attacks along a row, column or diagonal. "
        "Who has no such square left loses.",
        (6, 6),
        10,
    )

    def __init__(self) -> None:
        self.limit_caches(None)

    def parse(self, text: str) -> Sum:
        """The parts of boards: 8 or 3x5 for empty ones, or free and attacked squares as ..#|...

        >>> Queens().parse("2x1+2")
        (b'..', b'..|..')
        """
        lands: List[Land] = []
        for board in _boards(text):
            squares = [i for i, cell in enumerate(board.cells) if cell == FREE]
            lands += self._lands(squares, len(board.cells) // board.width, board.width)
        return read_sum(text, lands)

    def format(self, lands: Sum) -> str:
        return format_boards(lands)

    def draw(self, land: Land) -> Picture:
        return board_picture(land.decode())

    def children(self, land: Land) -> Iterator[Sum]:
        """The positions after each queen.

        >>> list(Queens().children(b"..."))
        [()]
        """
        return distinct(self._children(land))

    def _children(self, land: Land) -> Iterator[Sum]:
        """The same, some repeatedly."""
        cells, width = read_land(land)
        height = len(cells) // width
        lines = lines_of(height, width)
        squares = [i for i, cell in enumerate(cells) if cell == FREE]
        for queen in squares:
            first, second = lines.first[queen], lines.second[queen]
            left = [
                square
                for square in squares
                if not first & lines.first[square] and not second & lines.second[square]
            ]
            yield sum_of(self._lands(left, height, width))

    def estimate(self, land: Land) -> Tuple[int, int]:
        """(the rows with free squares, or the columns if they are fewer; the weighted moves)."""
        rows = land.split(b"|")
        columns = [bytes(column) for column in zip(*rows)]
        size = min([sum([b"." in line for line in lines]) for lines in (rows, columns)])
        return size, MOVE_WEIGHT * land.count(b".")

    def limit_caches(self, most_bytes: Optional[int]) -> None:
        most_bytes = CACHE_BYTES if most_bytes is None else most_bytes
        self._most = max(1, most_bytes // (2 * BYTES_PER_TEXT))
        self._texts: Dict[Land, Land] = {}

    def _lands(self, squares: List[int], height: int, width: int) -> List[Land]:
        """The connected parts of free squares."""
        return [self._text(part, width) for part in parts(squares, lines_of(height, width))]

    def _text(self, squares: List[int], width: int) -> Land:
        """The canonical text of a connected part."""
        columns = [square % width for square in squares]
        left, right = min(columns), max(columns) + 1
        top, bottom = min(squares) // width, max(squares) // width + 1
        cells = bytearray(b"#" * ((bottom - top) * width))
        for square in squares:
            cells[square - top * width] = FREE
        found = bytes(cells)
        if right - left < width:
            starts = range(0, len(found), width)
            found = b"".join([found[start + left : start + right] for start in starts])
        key = b"%d|%s" % (right - left, found)
        text = self._texts.get(key)
        if text is None:
            if len(self._texts) >= self._most:
                self._texts.clear()
            text = self._texts[key] = canonical(found, right - left)
        return text


def _boards(text: str) -> Iterator[ParsedBoard]:
    """The boards of a text, empty ones also by their size; raises NotationError."""
    offset = 0
    for part in split_boards(text):
        words = part.split("x")
        if part[:1].isdigit() and all([word.isascii() and word.isdigit() for word in words]):
            sizes = [int(word[:9]) for word in words]
            if len(sizes) > 2 or not all([0 < size <= LARGEST for size in sizes]):
                right = "write 8 or 3x5, with at most %d" % LARGEST
                raise NotationError(text, offset, "invalid board %s" % ascii(part[:20]), right)
            yield ParsedBoard(b"." * (sizes[0] * sizes[-1]), sizes[-1], offset)
        else:
            yield parse_board(text, part, offset, ".#", "..#|..., or 8")
        offset += len(part) + 1


GAME: Game = Queens()
