"""Boards of NoGo as masks: legal moves, safe groups, the parts and their texts.

`pns.games.nogo` says what a part is and why it has the Grundy number of what it stands for. A
move changes only the groups beside it, so those of a land are found once for all its children.
"""

from __future__ import annotations

import re
from typing import Iterator, List, NamedTuple, Tuple

from pns.game import Land, Sum
from pns.games.board import (
    TextCache,
    around,
    bounds,
    canonical,
    connected,
    masks_of,
    sum_of,
)

LETTERS = ".XOxo-#"
EMPTY, BLACK, WHITE, SAFE_BLACK, SAFE_WHITE, LIBERTY, BLOCKED = LETTERS.encode()
FREE_LETTERS = LETTERS[:-1].encode()
"""The letters of squares that are not blocked, in the order of `Masks`."""
SWAP = bytes.maketrans(b"XOxo", b"OXox")
Planes = Tuple[int, int, int]
StoneGroup = Tuple[int, int]
"""The stones of a group, and the empty squares beside it."""


class Masks(NamedTuple):
    """A board as masks of its empty squares, its stones, its safe stones and eternal liberties."""

    empty: int
    black: int
    white: int
    safe_black: int
    safe_white: int
    eternal: int
    stride: int


def read_masks(cells: bytes, width: int) -> Masks:
    """A board as masks."""
    return Masks._make([*masks_of(cells, width, FREE_LETTERS), width + 1])


def groups(stones: int, empty: int, stride: int) -> List[StoneGroup]:
    """The groups of stones of one colour."""
    found = []
    while stones:
        group = connected(stones & -stones, stones, stride)
        stones ^= group
        found.append((group, around(group, stride) & empty))
    return found


def _breath(of_groups: List[StoneGroup]) -> Tuple[int, int]:
    """(liberties of groups that have others, liberties that are the last of a group)."""
    free = last = 0
    for _, liberties in of_groups:
        if liberties & liberties - 1:
            free |= liberties
        else:
            last |= liberties
    return free, last


def legal_moves(masks: Masks) -> Tuple[int, int]:
    """The squares where a black stone, and where a white one, may be placed, on a part."""
    empty, black, white, _, _, _, stride = masks
    return _legal(masks, groups(black, empty, stride), groups(white, empty, stride))


def _legal(masks: Masks, blacks: List[StoneGroup], whites: List[StoneGroup]) -> Tuple[int, int]:
    """The squares where a black stone, and where a white one, may be placed."""
    empty, _, _, safe_black, safe_white, eternal, stride = masks
    black_free, black_last = _breath(blacks)
    white_free, white_last = _breath(whites)
    breath = empty | eternal
    for_black = around(breath | safe_black, stride) | black_free
    for_white = around(breath | safe_white, stride) | white_free
    return empty & for_black & ~white_last, empty & for_white & ~black_last


def settled(masks: Masks, blacks: List[StoneGroup], whites: List[StoneGroup]) -> Masks:
    """A board with its safe groups and eternal liberties marked."""
    empty, black, white, safe_black, safe_white, eternal, stride = masks
    while True:
        for group, _ in blacks:
            if around(group, stride) & (eternal | safe_black):
                black ^= group
                safe_black |= group
        for group, _ in whites:
            if around(group, stride) & (eternal | safe_white):
                white ^= group
                safe_white |= group
        blacks = [(group, free & empty) for group, free in blacks if group & black]
        whites = [(group, free & empty) for group, free in whites if group & white]
        masks = Masks(empty, black, white, safe_black, safe_white, eternal, stride)
        for_black, for_white = _legal(masks, blacks, whites)
        dead = empty & ~(for_black | for_white)
        if not dead:
            return masks
        empty ^= dead
        eternal |= dead


def exchanged(masks: Masks) -> Masks:
    """A board with the colours exchanged."""
    empty, black, white, safe_black, safe_white, eternal, stride = masks
    return Masks(empty, white, black, safe_white, safe_black, eternal, stride)


def _after(masks: Masks, square: int, blacks: List[StoneGroup], whites: List[StoneGroup]) -> Masks:
    """A part after a black stone on a square where it may be placed, settled."""
    empty, black, white, safe_black, safe_white, eternal, stride = masks
    empty ^= square
    group = square
    others = []
    for stones, free in blacks:
        if free & square:
            group |= stones
        else:
            others.append((stones, free))
    near = around(group, stride)
    if near & (eternal | safe_black):
        black &= ~group
        safe_black |= group
    else:
        black |= square
        others.append((group, near & empty))
    whites = [(stones, free & empty) for stones, free in whites]
    masks = Masks(empty, black, white, safe_black, safe_white, eternal, stride)
    for_black, for_white = _legal(masks, others, whites)
    dead = empty & ~(for_black | for_white)
    if dead:
        masks = masks._replace(empty=empty ^ dead, eternal=eternal | dead)
        return settled(masks, others, whites)
    return masks


class GridMoves:
    """The parts of boards and their children, with a bounded cache of texts by part."""

    def __init__(self) -> None:
        self.cache: TextCache[Planes] = TextCache()

    def lands(self, masks: Masks) -> List[Land]:
        """The lands of a board on which every group has a liberty."""
        blacks = groups(masks.black, masks.empty, masks.stride)
        whites = groups(masks.white, masks.empty, masks.stride)
        return self._lands(settled(masks, blacks, whites))

    def children(self, masks: Masks) -> Iterator[Sum]:
        """The positions after each stone on a part, first those beside one of the other colour.

        Some come repeatedly.
        """
        empty, black, white, _, _, _, stride = masks
        swapped = exchanged(masks)
        blacks, whites = groups(black, empty, stride), groups(white, empty, stride)
        for_black, for_white = _legal(masks, blacks, whites)
        first_black = for_black & around(white, stride)
        first_white = for_white & around(black, stride)
        batches = (first_black, first_white), (for_black ^ first_black, for_white ^ first_white)
        for black_moves, white_moves in batches:
            left = black_moves | white_moves
            while left:
                square = left & -left
                left ^= square
                if black_moves & square:
                    yield sum_of(self._lands(_after(masks, square, blacks, whites)))
                if white_moves & square:
                    after = exchanged(_after(swapped, square, whites, blacks))
                    yield sum_of(self._lands(after))

    def _lands(self, masks: Masks) -> List[Land]:
        """The lands of a settled board."""
        empty, black, white, safe_black, safe_white, eternal, stride = masks
        for_black, for_white = empty | black, empty | white
        found: List[Land] = []
        while empty:
            part = empty & -empty
            while True:
                near = around(part & empty, stride) & (for_black | for_white)
                near |= around(part & black, stride) & for_black
                near |= around(part & white, stride) & for_white
                if not near & ~part:
                    break
                part |= near
            inside = part & empty
            empty ^= inside
            near = around(inside, stride)
            alive = eternal & near
            if alive:
                near = around(inside & ~around(alive, stride), stride)
            safe = safe_black & near, safe_white & near
            found.append(
                self._text(Masks(inside, part & black, part & white, *safe, alive, stride))
            )
        return found

    def _text(self, part: Masks) -> Land:
        """The canonical text of a part."""
        empty, black, white, safe_black, safe_white, eternal, stride = part
        planes = (
            empty | white | safe_white,
            black | white | eternal,
            safe_black | safe_white | eternal,
        )
        union = planes[0] | planes[1] | planes[2]
        first = (union & -union).bit_length() - 1
        key = planes[0] >> first, planes[1] >> first, planes[2] >> first
        texts = self.cache.texts.get(stride)
        text = texts.get(key) if texts else None
        if text is None:
            text = part_text(part)
            self.cache.add(stride, key, text)
        return text


def part_text(part: Masks) -> Land:
    """The canonical text of a part, without needless stones."""
    empty, black, white, safe_black, safe_white, eternal, stride = part
    black = _without_needless(black, empty, stride)
    white = _without_needless(white, empty, stride)
    union = empty | black | white | safe_black | safe_white | eternal
    first, height, width = bounds(union, stride)
    cells = bytearray()
    for row in range(height):
        bit = 1 << first + row * stride
        for _ in range(width):
            if not union & bit:
                cells.append(BLOCKED)
            elif empty & bit:
                cells.append(EMPTY)
            elif black & bit:
                cells.append(BLACK)
            elif white & bit:
                cells.append(WHITE)
            elif safe_black & bit:
                cells.append(SAFE_BLACK)
            elif safe_white & bit:
                cells.append(SAFE_WHITE)
            else:
                cells.append(LIBERTY)
            bit <<= 1
    found = bytes(cells)
    if height == 1 or width == 1:
        found = re.sub(b"(?<=X)X+|(?<=O)O+", b"", found)
        width = len(found)
    return canonical(found, width, SWAP)


def _without_needless(stones: int, empty: int, stride: int) -> int:
    """The stones of one colour without those whose group keeps its liberties without them."""
    left = stones
    while left:
        stone = left & -left
        left ^= stone
        friends = around(stone, stride) & stones
        if not friends:
            continue
        beside = around(stone, stride) & empty
        rest = stones ^ stone
        group = connected(friends & -friends, rest, stride)
        if friends & ~group or beside & ~around(group, stride):
            continue
        stones = rest
        left |= friends
    return stones
