"""Impartial NoGo on a line: the same lands as `pns.games.nogo`, by a few shifts for each stone.

The text of a part has one stone for each row of stones, so every group is a single stone. A
stone beside one of its colour adds nothing: its square is left out, and if it joins two stones,
one of them as well. Bit i of a mask is square i. Safe stones and eternal liberties are at the
ends of a part only, since nothing reaches beyond them.

White stones are placed by exchanging the colours, which parts do not distinguish.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Dict, Iterator, List, Optional, Tuple

from pns.game import Land, Sum
from pns.games.board import BYTES_PER_TEXT, CACHE_BYTES
from pns.games.nogo_grid import (
    LIBERTY,
    SAFE_BLACK,
    SAFE_WHITE,
    SWAP,
    Masks,
    exchanged,
    read_masks,
)


def legal_moves(
    empty: int, black: int, white: int, safe_black: int, safe_white: int, eternal: int
) -> Tuple[int, int]:
    """The squares where a black stone, and where a white one, may be placed, on a part."""
    pairs = empty << 1 & empty >> 1
    two_black, two_white = black & pairs, white & pairs
    one_black, one_white = black ^ two_black, white ^ two_white
    breath = empty | eternal
    for_black = breath | two_black | safe_black
    for_white = breath | two_white | safe_white
    return (
        empty & (for_black << 1 | for_black >> 1) & ~(one_white << 1 | one_white >> 1),
        empty & (for_white << 1 | for_white >> 1) & ~(one_black << 1 | one_black >> 1),
    )


@lru_cache(maxsize=None)
def _from_the_middle(length: int) -> List[int]:
    """The squares of a line, those in the middle first.

    >>> _from_the_middle(5)
    [2, 1, 3, 0, 4]
    """
    return sorted(range(length), key=lambda square: abs(2 * square + 1 - length))


class LineMoves:
    """The children of lines, with a bounded cache of canonical texts by part."""

    def __init__(self) -> None:
        self._texts: Dict[bytes, Land] = {}
        self.limit(None)

    def limit(self, most_bytes: Optional[int]) -> None:
        """Keep the cache within a number of bytes; None restores the default."""
        most_bytes = CACHE_BYTES if most_bytes is None else most_bytes
        self._most = max(1, most_bytes // BYTES_PER_TEXT)
        self._texts.clear()

    def children(self, cells: bytes) -> Iterator[Sum]:
        """The positions after each stone on a part.

        Stones beside one of the other colour come first, since these split the part, and then
        those in the middle: small parts are soonest known. Some come repeatedly.
        """
        line = read_masks(cells, len(cells))
        swapped, swapped_cells = exchanged(line), cells.translate(SWAP)
        for_black, for_white = legal_moves(*line[:-1])
        first_black = for_black & (line.white << 1 | line.white >> 1)
        first_white = for_white & (line.black << 1 | line.black >> 1)
        batches = (first_black, first_white), (for_black ^ first_black, for_white ^ first_white)
        squares = _from_the_middle(len(cells))
        for black_moves, white_moves in batches:
            for square in squares:
                if black_moves >> square & 1:
                    yield self._after(cells, square, line)
                if white_moves >> square & 1:
                    yield self._after(swapped_cells, square, swapped)

    def _after(self, cells: bytes, square: int, line: Masks) -> Sum:
        """The parts after a black stone on a square where it may be placed."""
        empty, black, white, safe_black, safe_white, eternal, _ = line
        bit = 1 << square
        joined = black & (bit << 1 | bit >> 1)
        if joined:
            out = 2 if joined & joined - 1 else 1
            low = bit - 1
            cells = cells[:square] + cells[square + out :]
            empty = empty & low | empty >> out & ~low
            black = black & low | black >> out & ~low
            white = white & low | white >> out & ~low
            safe_black = safe_black & low | safe_black >> out & ~low
            safe_white = safe_white & low | safe_white >> out & ~low
            eternal = eternal & low | eternal >> out & ~low
        else:
            cells = cells[:square] + b"X" + cells[square + 1 :]
            empty ^= bit
            black |= bit
        before = eternal | safe_black | safe_white
        while True:
            safety = eternal | safe_black
            saved = black & (safety << 1 | safety >> 1)
            black ^= saved
            safe_black |= saved
            safety = eternal | safe_white
            saved = white & (safety << 1 | safety >> 1)
            white ^= saved
            safe_white |= saved
            for_black, for_white = legal_moves(empty, black, white, safe_black, safe_white, eternal)
            dead = empty & ~(for_black | for_white)
            if not dead:
                break
            empty ^= dead
            eternal |= dead
        fixed = eternal | safe_black | safe_white
        if fixed != before:
            cells = _with_fixed(cells, safe_black, safe_white, eternal)
        inside = empty | black | white
        links = inside & inside >> 1 & ~(black & white >> 1 | white & black >> 1)
        lands: List[Land] = []
        while inside:
            first = inside & -inside
            last = ~links & -first
            last &= -last
            inside &= -last << 1
            start, end = first.bit_length() - 1, last.bit_length()
            if empty & first and fixed & first >> 1:
                start -= 1
            if empty & last and fixed & last << 1:
                end += 1
            lands.append(self._text(cells[start:end]))
        if len(lands) > 1:
            lands.sort()
        return tuple(lands)

    def _text(self, part: bytes) -> Land:
        """The canonical text of a part."""
        text = self._texts.get(part)
        if text is None:
            cells = part.strip(b"xo") if len(part) == 3 and b"-" in part else part
            swapped = cells.translate(SWAP)
            text = min(cells, cells[::-1], swapped, swapped[::-1])
            if len(self._texts) >= self._most:
                self._texts.clear()
            self._texts[part] = text
        return text


def _with_fixed(cells: bytes, safe_black: int, safe_white: int, eternal: int) -> bytes:
    """The squares of a line with its safe stones and eternal liberties."""
    changed = bytearray(cells)
    for mask, letter in ((safe_black, SAFE_BLACK), (safe_white, SAFE_WHITE), (eternal, LIBERTY)):
        while mask:
            changed[(mask & -mask).bit_length() - 1] = letter
            mask &= mask - 1
    return bytes(changed)
