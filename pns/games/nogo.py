"""Impartial NoGo: place a stone of either colour so that no group loses its last liberty.

A group is a connected set of stones of one colour, a liberty an empty neighbour of it. After
each move every group must have a liberty. This is the impartial form of NoGo: both players may
place either colour.

Stones are never removed, so a move that is illegal stays so. What follows keeps the moves and
their sequels, and so the Grundy number:

- An empty square where neither colour may ever be placed is a liberty for good (`-`).
- A group next to such a square is safe. Its stones (`x`, `o`) matter only as neighbours:
  a stone of their colour next to them is safe too, and any may be placed beside them.
- Squares interact if they are neighbours, unless stones of different colours, or safe ones,
  are between them. So a board falls into parts. Of what is around a part only `-`, `x` and `o`
  matter; all else is blocked (`#`).
- A stone is blocked if its group has the same liberties without it. On a line, of a row of
  stones of one colour one is kept.

A land is a part with the least rectangle around it. Colours can be exchanged in each.
"""

from __future__ import annotations

import re
from typing import List, NamedTuple, Tuple

from pns.game import Game, Land, NotationError, Picture, Sum
from pns.games.board import (
    MOVE_WEIGHT,
    Board,
    around,
    bounds,
    canonical,
    connected,
    count,
    format_boards,
    mask_of,
    parse_boards,
    read_land,
    read_sum,
    sum_of,
)
from pns.games.board_svg import board_picture

LETTERS = ".XOxo-#"
EMPTY, BLACK, WHITE, SAFE_BLACK, SAFE_WHITE, LIBERTY, BLOCKED = LETTERS.encode()
SWAP = bytes.maketrans(b"XOxo", b"OXox")


class Masks(NamedTuple):
    """A board as masks of its empty squares, its stones, its safe stones and eternal liberties."""

    empty: int
    black: int
    white: int
    safe_black: int
    safe_white: int
    eternal: int
    stride: int


def groups(stones: int, stride: int) -> List[int]:
    """The groups of stones of one colour."""
    found = []
    while stones:
        group = connected(stones & -stones, stones, stride)
        stones ^= group
        found.append(group)
    return found


def lands_of(masks: Masks) -> List[Land]:
    """The lands of a board on which every group has a liberty."""
    empty, black, white, safe_black, safe_white, eternal, stride = masks
    black_groups, white_groups = groups(black, stride), groups(white, stride)
    while True:
        black_free, black_last, black_saved = _liberties(
            black_groups, empty, eternal | safe_black, stride
        )
        white_free, white_last, white_saved = _liberties(
            white_groups, empty, eternal | safe_white, stride
        )
        if black_saved or white_saved:
            black_groups = [group for group in black_groups if not group & black_saved]
            white_groups = [group for group in white_groups if not group & white_saved]
            black ^= black_saved
            white ^= white_saved
            safe_black |= black_saved
            safe_white |= white_saved
        breath = around(empty | eternal, stride)
        for_black = empty & ~white_last & (breath | black_free | around(safe_black, stride))
        for_white = empty & ~black_last & (breath | white_free | around(safe_white, stride))
        dead = empty & ~(for_black | for_white)
        if not dead and not black_saved and not white_saved:
            break
        empty ^= dead
        eternal |= dead
    found: List[Land] = []
    while empty:
        part = empty & -empty
        while True:
            inside = part & empty
            reached = around(inside, stride) & (empty | black | white)
            reached |= around(part & black, stride) & (empty | black)
            reached |= around(part & white, stride) & (empty | white)
            if not reached & ~part:
                break
            part |= reached
        inside = part & empty
        empty ^= inside
        near = around(inside, stride)
        alive = eternal & near
        near = around(inside & ~around(alive, stride), stride)
        own_black, own_white = part & black, part & white
        own_black = _without_needless(own_black, inside, stride)
        own_white = _without_needless(own_white, inside, stride)
        land = Masks(
            inside, own_black, own_white, safe_black & near, safe_white & near, alive, stride
        )
        found.append(_text(land))
    return found


def _liberties(of_groups: List[int], empty: int, safety: int, stride: int) -> Tuple[int, int, int]:
    """(liberties of groups with others, last liberties, stones of groups next to `safety`)."""
    free = last = saved = 0
    for group in of_groups:
        beside = around(group, stride)
        if beside & safety:
            saved |= group
            continue
        beside &= empty
        if beside & beside - 1:
            free |= beside
        else:
            last |= beside
    return free, last, saved


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


def _text(masks: Masks) -> Land:
    """The canonical text of a part."""
    empty, black, white, safe_black, safe_white, eternal, stride = masks
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


def masks_of(cells: bytes, width: int) -> Masks:
    """A board as masks."""
    found = [mask_of(cells, width, letter) for letter in LETTERS.encode()[:-1]]
    return Masks._make([*found, width + 1])


def legal_moves(masks: Masks) -> Tuple[int, int]:
    """The squares where a black stone, and where a white one, may be placed."""
    empty, black, white, safe_black, safe_white, eternal, stride = masks
    black_free, black_last, _ = _liberties(groups(black, stride), empty, eternal, stride)
    white_free, white_last, _ = _liberties(groups(white, stride), empty, eternal, stride)
    breath = around(empty | eternal, stride)
    for_black = empty & ~white_last & (breath | black_free | around(safe_black, stride))
    for_white = empty & ~black_last & (breath | white_free | around(safe_white, stride))
    return for_black, for_white


class NoGo:
    """The game contract for impartial NoGo."""

    name = "nogo"
    decomposes = True
    examples = ("...", "......", "..X.O..", "...|...", "..O|X..|...")

    def parse(self, text: str) -> Sum:
        """The parts of boards like ..X|...; raises NotationError for a group without liberty.

        >>> NoGo().parse("..XO..")
        (b'..O', b'..O')
        """
        lands: List[Land] = []
        for board in parse_boards(text, LETTERS, "..X|..."):
            masks = masks_of(board.cells, board.width)
            _check_groups(text, board, masks)
            lands += lands_of(masks)
        return read_sum(text, lands)

    def format(self, lands: Sum) -> str:
        return format_boards(lands)

    def draw(self, land: Land) -> Picture:
        return board_picture(land.decode())

    def children(self, land: Land) -> List[Sum]:
        """The positions after each stone.

        >>> NoGo().children(b"..")
        [()]
        """
        cells, width = read_land(land)
        masks = masks_of(cells, width)
        for_black, for_white = legal_moves(masks)
        empty, black, white, safe_black, safe_white, eternal, stride = masks
        found: List[Sum] = []
        left = empty
        while left:
            square = left & -left
            left ^= square
            rest = empty ^ square
            if for_black & square:
                after = Masks(rest, black | square, white, safe_black, safe_white, eternal, stride)
                found.append(sum_of(lands_of(after)))
            if for_white & square:
                after = Masks(rest, black, white | square, safe_black, safe_white, eternal, stride)
                found.append(sum_of(lands_of(after)))
        return list(dict.fromkeys(found))

    def estimate(self, land: Land) -> Tuple[int, int]:
        """(the empty squares, the weighted moves)."""
        cells, width = read_land(land)
        moves = sum([count(squares) for squares in legal_moves(masks_of(cells, width))])
        return cells.count(EMPTY), MOVE_WEIGHT * moves


def _check_groups(text: str, board: Board, masks: Masks) -> None:
    """Raise NotationError for a group without liberty."""
    stride = masks.stride
    free = masks.empty | masks.eternal
    for stones, safe in ((masks.black, masks.safe_black), (masks.white, masks.safe_white)):
        for group in groups(stones, stride):
            if not around(group, stride) & (free | safe):
                bit = (group & -group).bit_length() - 1
                square = bit // stride * board.width + bit % stride
                right = "every group needs an empty neighbour"
                raise NotationError(text, board.at(square), "this group has no liberty", right)


GAME: Game = NoGo()
