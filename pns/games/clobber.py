"""Impartial Clobber: move a stone of either colour onto a neighbour of the other colour.

The stone that was there is removed. In Clobber itself, the partisan game of [albert2005], each
player moves the stones of one colour; that game is not here. A land is a connected set of stones
(`X`, `O`) of both colours, with the least rectangle around it, in which all other squares are empty
(`.`): empty squares stay empty.
Colours can be exchanged in each land.

Some symmetric lands are lost for the player to move, because the other one can repeat each move
in the image (`is_mirrored`). Such a land is still searched, so that a proof needs no more
than the rules, but it is tried first.
"""

from __future__ import annotations

from typing import Iterator, List, Optional, Tuple

from pns.game import Game, Land, Picture, Sum
from pns.games.board import (
    MOVE_WEIGHT,
    TextCache,
    around,
    board_text,
    bounds,
    canonical,
    connected,
    count,
    distinct,
    format_boards,
    parse_boards,
    parts,
    read_sum,
    sum_of,
)
from pns.games.board_svg import board_picture
from pns.games.scenes.placed import ClobberScenes

EMPTY, BLACK, WHITE = b".XO"
SWAP = bytes.maketrans(b"XO", b"OX")
BLACK_BITS, WHITE_BITS = bytes.maketrans(b".|XO", b"0010"), bytes.maketrans(b".|XO", b"0001")


class Clobber:
    """The game contract for impartial Clobber."""

    name = "clobber"
    decomposes = True
    examples = ("XO", "XO|OX", "XOX|OXO", "XXO.OX", "XOXOX")

    scenes = ClobberScenes(
        "Clobber",
        "Move a stone onto a neighbour of the other colour, which is removed. "
        "Both players may move either colour, and who cannot move loses.",
        (3, 4),
        6,
    )

    def __init__(self) -> None:
        self._cache: TextCache[int] = TextCache()

    def parse(self, text: str) -> Sum:
        """The parts of boards like XO.|OXX that have stones of both colours.

        >>> Clobber().parse("XOO.XX")
        (b'OOX',)
        """
        lands: List[Land] = []
        for board in parse_boards(text, ".XO#", "XO.|OXX"):
            stride = board.width + 1
            cells = board.cells.replace(b"#", b".")
            black, white = _stones(board_text(cells, board.width))
            for part in parts(black | white, stride):
                if part & black and part & white:
                    lands.append(self._text(part & black, part & white, stride))
        return read_sum(text, lands)

    def format(self, lands: Sum) -> str:
        return format_boards(lands)

    def draw(self, land: Land) -> Picture:
        return board_picture(land.decode())

    def children(self, land: Land) -> Iterator[Sum]:
        """The positions after each move.

        >>> list(Clobber().children(b"OOX"))
        [(b'OX',), ()]
        """
        return distinct(self._children(land))

    def _children(self, land: Land) -> Iterator[Sum]:
        """The same, some repeatedly."""
        stride = _stride(land)
        black, white = _stones(land)
        for step in (1, stride):
            lower = black & white >> step | white & black >> step
            while lower:
                square = lower & -lower
                lower ^= square
                both = square | square << step
                mine, yours = black & both, white & both
                yield self._left(black ^ both, white & ~yours, mine, stride)
                yield self._left(black & ~mine, white ^ both, yours, stride)

    def estimate(self, land: Land) -> Tuple[int, int]:
        """(the stones less one, the weighted moves, or 0 for a mirrored land)."""
        stride = _stride(land)
        black, white = _stones(land)
        size = count(black | white) - 1
        if is_mirrored(land):
            return size, 0
        pairs = 0
        for step in (1, stride):
            pairs += count(black & white >> step | white & black >> step)
        return size, 2 * MOVE_WEIGHT * pairs

    def limit_caches(self, most_bytes: Optional[int]) -> None:
        self._cache.limit(most_bytes)

    def _left(self, black: int, white: int, vacated: int, stride: int) -> Sum:
        """The lands after a move that vacated a square of a connected set of stones."""
        stones = black | white
        ends = around(vacated, stride) & stones
        lands: List[Land] = []
        while ends:
            part = connected(ends & -ends, stones, stride)
            ends &= ~part
            if part & black and part & white:
                lands.append(self._text(part & black, part & white, stride))
        return sum_of(lands) if len(lands) > 1 else tuple(lands)

    def _text(self, black: int, white: int, stride: int) -> Land:
        """The canonical text of a land."""
        stones = black | white
        first, height, width = bounds(stones, stride)
        stones >>= first
        white >>= first
        key = stones << stones.bit_length() | white
        texts = self._cache.texts.get(stride)
        text = texts.get(key) if texts else None
        if text is None:
            cells = bytearray()
            for start in range(0, height * stride, stride):
                row, white_row = stones >> start, white >> start
                for _ in range(width):
                    cells.append(WHITE if white_row & 1 else BLACK if row & 1 else EMPTY)
                    row >>= 1
                    white_row >>= 1
            text = canonical(bytes(cells), width, SWAP)
            self._cache.add(stride, key, text)
        return text


def is_mirrored(land: Land) -> bool:
    """Whether the player to move loses a land because each move can be repeated in the image.

    The image is the land reflected along an even side, or turned by half a turn. Turned, its
    colours may be exchanged. A move and its repetition must not meet. With the same
    colours they do not if no stone is its own image, for a stone never clobbers one of its colour.
    With exchanged colours no stone may be beside its own image, as two in the middle would be.

    >>> [is_mirrored(land) for land in (b"XOOX", b"OX", b".OX|XO.", b"OXO", b"XXO|XOO")]
    [True, False, True, False, False]
    """
    rows = land.split(b"|")
    height, width = len(rows), len(rows[0])
    if height % 2 == 0 and rows == rows[::-1]:
        return True
    if width % 2 == 0 and all([row == row[::-1] for row in rows]):
        return True
    turned = land[::-1]
    has_centre = height % 2 and width % 2
    if turned != land:
        if turned != land.translate(SWAP):
            return False
        has_centre = height % 2 != width % 2
    return not has_centre or rows[height // 2][width // 2] == EMPTY


def _stride(land: Land) -> int:
    """One more than the width of a land."""
    width = land.find(b"|")
    return 1 + (len(land) if width < 0 else width)


def _stones(land: Land) -> Tuple[int, int]:
    """The stones of both colours as bits, the last square first."""
    return int(land.translate(BLACK_BITS), 2), int(land.translate(WHITE_BITS), 2)


GAME: Game = Clobber()
