"""The loops over the colourings of a shape, for `pns.games.stones`: plain ints and arrays.

A mask of n bits is looked up in two halves: `low[mask & ones] | high[mask >> half]`. `Halves` has
both tables. While a part of a slice is worked on, each entry has a byte: the best value found, or
CLOSED with the value at which no play goes on.
"""

from __future__ import annotations

from math import comb
from typing import Any, Callable, List, NamedTuple, Sequence

from pns.positions.ranking import DRAW, LOSS, OPEN, WIN

CLOSED = 4
"""Added to the code of an entry that no move changes."""
LOST, DRAWN, WON = CLOSED | LOSS, CLOSED | DRAW, CLOSED | WIN


class Halves(NamedTuple):
    """A function of masks that is an `or` or a sum of functions of their two halves."""

    low: List[int]
    high: List[int]
    half: int
    """Bits of the lower half."""


def moved_bits(places: Sequence[int], also: int = 0) -> Halves:
    """The masks with bit i moved to places[i], -1 to drop it, and with the bits of `also`.

    >>> low, high, half = moved_bits([0, 2, -1], also=0b10)
    >>> bin(low[0b1] | high[0b11])
    '0b111'
    """
    half = len(places) // 2
    return Halves(_subsets(places[:half], also), _subsets(places[half:], 0), half)


def _subsets(places: Sequence[int], also: int) -> List[int]:
    found = [also]
    for place in places:
        bit = 1 << place if place >= 0 else 0
        found += [mask | bit for mask in found]
    return found


def ranks(places: int, ones: int) -> Halves:
    """The combinatorial numbers of all masks with some bits set: their places in numeric order.

    The sum of comb(p, i + 1), where p is the place of the i-th bit from below.

    >>> low, high, half = ranks(4, 2)
    >>> [low[mask & 3] + high[mask >> 2] for mask in (0b0011, 0b0101, 0b0110, 0b1001)]
    [0, 1, 2, 3]
    """
    half = places // 2
    low = [_rank(mask, 0, 0) for mask in range(1 << half)]
    high = []
    for mask in range(1 << places - half):
        below = ones - bin(mask).count("1")
        high.append(_rank(mask, half, below) if below >= 0 else 0)
    return Halves(low, high, half)


def _rank(mask: int, first: int, count: int) -> int:
    total = 0
    while mask:
        bit = mask & -mask
        mask ^= bit
        count += 1
        total += comb(first + bit.bit_length() - 1, count)
    return total


def mask_at(rank: int, ones: int) -> int:
    """The mask that has a rank among those with some bits set.

    >>> bin(mask_at(3, 2))
    '0b1001'
    """
    found = 0
    for count in range(ones, 0, -1):
        place = count - 1
        while comb(place + 1, count) <= rank:
            place += 1
        rank -= comb(place, count)
        found |= 1 << place
    return found


def masks_from(first: int, count: int) -> List[int]:
    """The next masks in numeric order with as many bits as the first one, which is included."""
    found = [first]
    mask = first
    for _ in range(count - 1):
        low = mask & -mask
        ripple = mask + low
        mask = ripple | ((mask ^ ripple) // low >> 2)
        found.append(mask)
    return found


def raise_values(
    colours: List[int],
    best: bytearray,
    at: int,
    after: Any,
    base: int,
    moved: Halves,
    rank: Halves,
) -> None:
    """Raise the best values by a move to the entries from `base` on, of `after`."""
    low, high, half = moved
    ones = (1 << half) - 1
    rank_low, rank_high, rank_half = rank
    rank_ones = (1 << rank_half) - 1
    for colour in colours:
        if best[at] < WIN:
            mask = low[colour & ones] | high[colour >> half]
            entry = base + rank_low[mask & rank_ones] + rank_high[mask >> rank_half]
            value = 4 - (after[entry >> 2] >> ((entry & 3) << 1) & 3)
            if value > best[at]:
                best[at] = value
        at += 1


def mark_reached(
    colours: List[int],
    best: bytearray,
    at: int,
    before: Any,
    base: int,
    moved: Halves,
    rank: Halves,
    place: int,
    is_one: int,
) -> None:
    """Set LOSS, the least value, where the stone at a place, of a colour, was put at an OPEN entry.

    `moved` drops that stone.
    """
    low, high, half = moved
    ones = (1 << half) - 1
    rank_low, rank_high, rank_half = rank
    rank_ones = (1 << rank_half) - 1
    for colour in colours:
        if not best[at] and colour >> place & 1 == is_one:
            mask = low[colour & ones] | high[colour >> half]
            entry = base + rank_low[mask & rank_ones] + rank_high[mask >> rank_half]
            if before[entry >> 2] >> ((entry & 3) << 1) & 3 == OPEN:
                best[at] = LOSS
        at += 1


class Stones(NamedTuple):
    """The stones of a shape on the board, for all its colourings."""

    squares: Halves
    """The new stones of X by the colouring."""
    all: int
    """All new stones."""
    last: bool
    """Whether X has moved last."""
    last_given: int
    next_given: int
    """The stones of the root, of the player who moved last and of the next one."""
    last_wins: Callable[[int], bool]
    next_wins: Callable[[int], bool]


def win_at_once(colours: List[int], best: bytearray, at: int, stones: Stones, placed: int) -> None:
    """Set WIN where the mover's stones win with the one that is placed."""
    (low, high, half), all, last, _, given, _, wins = stones
    ones = (1 << half) - 1
    flip = all if last else 0
    given |= placed
    for colour in colours:
        if best[at] < WIN and wins((low[colour & ones] | high[colour >> half]) ^ flip | given):
            best[at] = WIN
        at += 1


def judge_reached(
    colours: List[int], best: bytearray, at: int, stones: Stones, going_on: int
) -> None:
    """Give positions that are reached LOSS if the last mover has won, else `going_on`."""
    (low, high, half), all, last, given, _, wins, _ = stones
    ones = (1 << half) - 1
    flip = 0 if last else all
    for colour in colours:
        if best[at]:
            is_won = wins((low[colour & ones] | high[colour >> half]) ^ flip | given)
            best[at] = LOSS if is_won else going_on
        at += 1


def judge_positions(
    colours: List[int], best: bytearray, at: int, stones: Stones, is_full: bool
) -> None:
    """Begin with LOSS where play goes on, and with what is CLOSED elsewhere.

    A position in which the last mover has won is reached if without one new stone nobody has.
    """
    (low, high, half), all, last, last_given, next_given, last_wins, next_wins = stones
    ones = (1 << half) - 1
    flip = 0 if last else all
    going_on = DRAWN if is_full else LOSS
    for colour in colours:
        own = (low[colour & ones] | high[colour >> half]) ^ flip
        if next_wins(own ^ all | next_given):
            best[at] = CLOSED
        elif not last_wins(own | last_given):
            best[at] = going_on
        else:
            best[at] = CLOSED
            left = own
            while left:
                stone = left & -left
                left ^= stone
                if not last_wins(own ^ stone | last_given):
                    best[at] = LOST
                    break
        at += 1


def judge_arrangements(
    colours: List[int], best: bytearray, at: int, stones: Stones, is_full: bool
) -> None:
    """Begin with LOSS where play goes on, and with the value elsewhere: who has a row has won."""
    (low, high, half), all, last, last_given, next_given, last_wins, next_wins = stones
    ones = (1 << half) - 1
    flip = 0 if last else all
    going_on = DRAWN if is_full else LOSS
    for colour in colours:
        own = (low[colour & ones] | high[colour >> half]) ^ flip
        if last_wins(own | last_given):
            best[at] = DRAWN if next_wins(own ^ all | next_given) else LOST
        else:
            best[at] = WON if next_wins(own ^ all | next_given) else going_on
        at += 1
