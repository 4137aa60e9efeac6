"""Impartial Clobber: move a stone onto a neighbouring stone of the other colour, which is removed.

Clobber is from [albert2005]; in this impartial form both players may move stones of either
colour. A land is a connected set of stones (`X`, `O`) of both colours, with the least
rectangle around it, in which all other squares are empty (`.`): empty squares stay empty.
Colours can be exchanged in each land.
"""

from __future__ import annotations

from typing import List, Tuple

from pns.game import Game, Land, Picture, Sum
from pns.games.board import (
    MOVE_WEIGHT,
    around,
    bounds,
    canonical,
    connected,
    count,
    format_boards,
    mask_of,
    parse_boards,
    parts,
    read_land,
    read_sum,
    sum_of,
)
from pns.games.board_svg import board_picture

EMPTY, BLACK, WHITE = b".XO"
SWAP = bytes.maketrans(b"XO", b"OX")


class Clobber:
    """The game contract for impartial Clobber."""

    name = "clobber"
    decomposes = True
    examples = ("XO", "XO|OX", "XOX|OXO", "XXO.OX", "XOXOX")

    def parse(self, text: str) -> Sum:
        """The parts of boards like XO.|OXX that have stones of both colours.

        >>> Clobber().parse("XOO.XX")
        (b'OOX',)
        """
        lands: List[Land] = []
        for board in parse_boards(text, ".XO#", "XO.|OXX"):
            stride = board.width + 1
            black = mask_of(board.cells, board.width, BLACK)
            white = mask_of(board.cells, board.width, WHITE)
            for part in parts(black | white, stride):
                if part & black and part & white:
                    lands.append(_text(part & black, part & white, stride))
        return read_sum(text, lands)

    def format(self, lands: Sum) -> str:
        return format_boards(lands)

    def draw(self, land: Land) -> Picture:
        return board_picture(land.decode())

    def children(self, land: Land) -> List[Sum]:
        """The positions after each move.

        >>> Clobber().children(b"OOX")
        [(b'OX',), ()]
        """
        cells, width = read_land(land)
        stride = width + 1
        black = mask_of(cells, width, BLACK)
        white = mask_of(cells, width, WHITE)
        found: List[Sum] = []
        for step in (1, stride):
            lower = black & white >> step | white & black >> step
            while lower:
                square = lower & -lower
                lower ^= square
                both = square | square << step
                mine, yours = black & both, white & both
                found.append(_left(black ^ both, white & ~yours, mine, stride))
                found.append(_left(black & ~mine, white ^ both, yours, stride))
        return list(dict.fromkeys(found))

    def estimate(self, land: Land) -> Tuple[int, int]:
        """(the stones less one, the weighted moves)."""
        cells, width = read_land(land)
        black = mask_of(cells, width, BLACK)
        white = mask_of(cells, width, WHITE)
        pairs = 0
        for step in (1, width + 1):
            pairs += count(black & white >> step | white & black >> step)
        return count(black | white) - 1, 2 * MOVE_WEIGHT * pairs


def _left(black: int, white: int, vacated: int, stride: int) -> Sum:
    """The lands after a move that vacated a square of a connected set of stones."""
    stones = black | white
    ends = around(vacated, stride) & stones
    lands: List[Land] = []
    while ends:
        part = connected(ends & -ends, stones, stride)
        ends &= ~part
        if part & black and part & white:
            lands.append(_text(part & black, part & white, stride))
    return sum_of(lands)


def _text(black: int, white: int, stride: int) -> Land:
    """The canonical text of a land."""
    stones = black | white
    first, height, width = bounds(stones, stride)
    cells = bytearray()
    for row in range(height):
        bit = 1 << first + row * stride
        for _ in range(width):
            cells.append(BLACK if black & bit else WHITE if white & bit else EMPTY)
            bit <<= 1
    return canonical(bytes(cells), width, SWAP)


GAME: Game = Clobber()
