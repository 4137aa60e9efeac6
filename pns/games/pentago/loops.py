"""The loops over boards of Pentago with half of the 256 rotations at once, for `pentago_late`.

A table is a function of the rotations of one parity, 128 of them, in four words of 64 bits. A
rotation is four numbers of quarter turns, a to d, each a high and a low bit, as in 2·ah + al. The
high bits of a and b choose the word, and ch, dh, al, bl, cl, from the highest to the lowest, the
entry in it. The low bit dl follows from the parity. Entries take two bits: codes of
`pns.positions.ranking`, or a truth value in the lower one, so that no shift reaches the sign of a
word.
"""

from __future__ import annotations

from typing import Any, List, NamedTuple, Sequence, Tuple

from pns.games.stone_loops import Halves

WORDS = 4
ENTRIES = 128
"""Of a table."""
EVEN = 0x5555555555555555
ODD = ~EVEN
CL, BL, AL = 0x1111111111111111, 0x0505050505050505, 0x0055005500550055
DH, CH = 0x0000555500005555, 0x0000000055555555
"""The entries in which a bit is 0."""
TOP = 1 << 62

LoopTable = Tuple[int, int, int, int]


def place_of(rotation: Sequence[int]) -> int:
    """The number of a rotation in the table of its parity.

    >>> place_of((2, 0, 0, 0)), place_of((0, 0, 1, 1))
    (64, 1)
    """
    a, b, c, d = rotation
    high = (a & 2) << 2 | (b & 2) << 1 | c & 2 | d >> 1
    return high << 3 | (a & 1) << 2 | (b & 1) << 1 | c & 1


def rotation_at(place: int, parity: int) -> Tuple[int, int, int, int]:
    """The rotation that has a number.

    >>> rotation_at(1, 0)
    (0, 0, 1, 1)
    """
    a, b, c = place >> 2 & 1, place >> 1 & 1, place & 1
    d = (parity + a + b + c) & 1
    high = place >> 3
    return high >> 2 & 2 | a, high >> 1 & 2 | b, high & 2 | c, high << 1 & 2 | d


def mixed(w0: int, w1: int, w2: int, w3: int) -> LoopTable:
    """Where a quarter turn of one quadrant leads to a true entry: `rmax` of [irving2014].

    The result is of the other parity. Both quarter turns change the low bit of a quadrant's
    number, and one of them the high bit.
    """
    a0, a1, b0, b1 = w0 | w2, w1 | w3, w0 | w1, w2 | w3
    a0 = a0 >> 8 & AL | (a0 & AL) << 8
    a1 = a1 >> 8 & AL | (a1 & AL) << 8
    b0 = b0 >> 4 & BL | (b0 & BL) << 4
    b1 = b1 >> 4 & BL | (b1 & BL) << 4
    return a0 | b0 | within(w0), a1 | b0 | within(w1), a0 | b1 | within(w2), a1 | b1 | within(w3)


def within(w: int) -> int:
    """The same for quarter turns of the last two quadrants, which stay in a word."""
    c = w | w >> 32 & CH | (w & CH) << 32
    return c >> 2 & CL | (c & CL) << 2 | w | w >> 16 & DH | (w & DH) << 16


def codes_of(best: int, won: int) -> int:
    """Codes by where the player to move draws at least, and where he wins: signed words."""
    return ((best ^ TOP) - TOP) << 1 | won | best ^ EVEN


class Moves(NamedTuple):
    """The moves from all boards in which X has some set of squares, with the sets of O in order."""

    free: int
    """How many squares are free: the moves of a board before the turn."""
    places: List[int]
    """For each move of each board, the number of the square among those that X leaves."""
    steps: List[int]
    """For each move of each board, the part of the number of the board after it."""
    masks: List[int]
    """The sets of O among the squares that X leaves."""


def fill_boards(  # noqa: PLR0913  (lists and ints, which PyPy keeps in registers)
    moves: Moves,
    first: int,
    last: int,
    base: List[int],
    bits: List[int],
    firsts: int,
    seconds: Halves,
    moves_first: bool,
    own_rows: List[int],
    other_rows: List[int],
    after: Any,
    out: Any,
    at: int,
) -> None:
    """Write the codes of the boards from `first` below `last` of `moves`, at the word `at` on.

    `base` is by the place of the stone the other part of the number of the board after it, and
    `bits` its square. `firsts` are the squares of X, `seconds` gives those of O. The tables of
    rotations with a row, by the squares of a player, are of the parity of these boards.
    """
    free, places, steps, masks = moves
    low, high, half = seconds
    ones = (1 << half) - 1
    is_full = EVEN if not free else 0
    for board in range(first, last):
        mask = masks[board]
        stones = low[mask & ones] | high[mask >> half]
        own, other = (firsts, stones) if moves_first else (stones, firsts)
        all0 = all1 = all2 = all3 = -1
        row0 = row1 = row2 = row3 = 0
        for i in range(board * free, (board + 1) * free):
            place = places[i]
            row = (own | bits[place]) << 2
            row0 |= own_rows[row]
            row1 |= own_rows[row + 1]
            row2 |= own_rows[row + 2]
            row3 |= own_rows[row + 3]
            child = (base[place] + steps[i]) << 2
            # the high bits stay where no child is lost, the low ones where all are won
            code = after[child]
            all0 &= code & (code >> 1 | ODD)
            code = after[child + 1]
            all1 &= code & (code >> 1 | ODD)
            code = after[child + 2]
            all2 &= code & (code >> 1 | ODD)
            code = after[child + 3]
            all3 &= code & (code >> 1 | ODD)
        all0, all1, all2, all3 = ~all0, ~all1, ~all2, ~all3
        won0, won1, won2, won3 = mixed(
            all0 >> 1 & EVEN, all1 >> 1 & EVEN, all2 >> 1 & EVEN, all3 >> 1 & EVEN
        )
        best0, best1, best2, best3 = mixed(all0 & EVEN, all1 & EVEN, all2 & EVEN, all3 & EVEN)
        own <<= 2
        other <<= 2
        out[at] = judged(won0, best0 | is_full, row0, own_rows[own], other_rows[other])
        out[at + 1] = judged(won1, best1 | is_full, row1, own_rows[own + 1], other_rows[other + 1])
        out[at + 2] = judged(won2, best2 | is_full, row2, own_rows[own + 2], other_rows[other + 2])
        out[at + 3] = judged(won3, best3 | is_full, row3, own_rows[own + 3], other_rows[other + 3])
        at += WORDS


def judged(won: int, best: int, row: int, own: int, other: int) -> int:
    """The codes by what a move wins or draws, where a stone alone wins, and who has a row."""
    going_on = ~(own | other)
    return codes_of((best | row) & going_on | own, (won | row) & going_on | own & ~other)


def count_codes(words: Any, first: int, last: int, counts: Sequence[int]) -> int:
    """The sum of the counts of 16-bit parts of words, from `first` below `last`."""
    total = 0
    for i in range(first, last):
        word = words[i]
        total += counts[word & 0xFFFF] + counts[word >> 16 & 0xFFFF]
        total += counts[word >> 32 & 0xFFFF] + counts[word >> 48 & 0xFFFF]
    return total
