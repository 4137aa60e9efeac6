"""Queens: place queens that do not attack each other; who cannot loses [noon2006].

It is Node Kayles on the queens' graph. A land is a set of free squares (`.`), connected by
attacks along rows, columns and diagonals over any squares, with the least rectangle around it;
the other squares are attacked (`#`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Dict, Iterator, List, Optional, Tuple

from pns.game import Game, Land, NotationError, Picture, Sum
from pns.games.board import (
    MOVE_WEIGHT,
    Board,
    TextCache,
    format_boards,
    mask_of,
    parse_board,
    read_land,
    read_sum,
    region_text,
    split_boards,
    sum_of,
)
from pns.games.board_svg import board_picture
from pns.games.graphs import bits, component

FREE = ord(".")
LARGEST = 30
"""The largest board that a single number stands for."""


@lru_cache(maxsize=1000)
def attacks(height: int, width: int) -> List[int]:
    """For each bit of a board the squares that a queen there attacks, and its own."""
    stride, line = width + 1, (1 << width) - 1
    found = [0] * (height * stride)
    for row in range(height):
        for column in range(width):
            mask, bit = line << row * stride, 1 << column
            for r in range(height):
                away = abs(r - row)
                mask |= ((bit | bit << away | bit >> away) & line) << r * stride
            found[row * stride + column] = mask
    return found


class Queens:
    """The game contract for Node Kayles on the queens' graph."""

    name = "queens"
    decomposes = True
    examples = ("4", "5", "3x6", "..#|...|#..")

    def __init__(self) -> None:
        self._cache = TextCache()

    def parse(self, text: str) -> Sum:
        """The parts of boards: 8 or 3x5 for empty ones, or free and attacked squares as ..#|...

        >>> Queens().parse("2x1+2")
        (b'..', b'..|..')
        """
        lands: List[Land] = []
        for board in _boards(text):
            free = mask_of(board.cells, board.width, FREE)
            lands += self._lands(free, len(board.cells) // board.width, board.width)
        return read_sum(text, lands)

    def format(self, lands: Sum) -> str:
        return format_boards(lands)

    def draw(self, land: Land) -> Picture:
        return board_picture(land.decode())

    def children(self, land: Land) -> List[Sum]:
        """The positions after each queen.

        >>> Queens().children(b"...")
        [()]
        """
        cells, width = read_land(land)
        height = len(cells) // width
        free = mask_of(cells, width, FREE)
        attacked = attacks(height, width)
        found: Dict[Sum, None] = {}
        for square in bits(free):
            left = free & ~attacked[square]
            found[sum_of(self._lands(left, height, width))] = None
        return list(found)

    def estimate(self, land: Land) -> Tuple[int, int]:
        """(the rows with free squares, or the columns if they are fewer; the weighted moves)."""
        rows = land.split(b"|")
        columns = [bytes(column) for column in zip(*rows)]
        size = min([sum([b"." in line for line in lines]) for lines in (rows, columns)])
        return size, MOVE_WEIGHT * land.count(b".")

    def limit_caches(self, most_bytes: Optional[int]) -> None:
        self._cache.limit(most_bytes)

    def _lands(self, free: int, height: int, width: int) -> List[Land]:
        """The connected parts of free squares."""
        lands = []
        attacked = attacks(height, width)
        while free:
            part = component(attacked, free)
            free ^= part
            lands.append(region_text(part, width + 1, self._cache))
        return lands


def _boards(text: str) -> Iterator[Board]:
    """The boards of a text, empty ones also by their size; raises NotationError."""
    offset = 0
    for part in split_boards(text):
        words = part.split("x")
        if part[:1].isdigit() and all([word.isascii() and word.isdigit() for word in words]):
            sizes = [int(word[:9]) for word in words]
            if len(sizes) > 2 or not all([0 < size <= LARGEST for size in sizes]):
                right = "write 8 or 3x5, with at most %d" % LARGEST
                raise NotationError(text, offset, "%s is no board" % ascii(part[:20]), right)
            yield Board(b"." * (sizes[0] * sizes[-1]), sizes[-1], offset)
        else:
            yield parse_board(text, part, offset, ".#", "..#|..., or 8")
        offset += len(part) + 1


GAME: Game = Queens()
