"""How many positions Pentago has, by counting and not by listing [irving2014].

Arrangements of stones are counted up to a group of symmetries by Burnside's lemma: the mean number
of arrangements that an element of the group leaves as they are. An element that permutes the
squares in cycles leaves those with one colour in each cycle, so their number with x stones of X
and o of O is the coefficient of X^x·O^o in the product of 1 + X^n + O^n over the lengths n of its
cycles. The two groups are the eight symmetries of the board, and the 2048 elements that these
and the turns of quadrants generate.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import product
from math import comb, prod
from typing import Dict, Iterable, List, Sequence, Tuple

from pns.games.pentago.quadrants import (
    StoneCounts,
    mirrored_squares,
    sections,
    squares_of_quadrants,
    states_by_counts,
    turned_squares,
)

BLOCK = 8
"""States of each quadrant in a block [irving2014, section IV]."""
BYTES_PER_CLASS = 64
"""Two bits for each of 256 rotations."""


@dataclass(frozen=True)
class SliceCounts:
    """What a slice has, every arrangement of stones counted, also those that no play reaches."""

    stones: int
    arrangements: int
    """X has half of the stones, rounded up."""
    positions: int
    """Arrangements up to the eight symmetries of the board."""
    classes: int
    """Arrangements up to these and the turns of quadrants."""
    sections: int
    """Counts of stones by quadrant, up to the symmetries of the board."""
    stored: int
    """Boards of standard quadrants in all sections: classes, some of them several times."""
    largest: int
    """Boards of the largest section."""
    blocks: int
    """Blocks of up to 8×8×8×8 boards."""
    lines: int
    """Rows of blocks, along each of the four quadrants."""

    @property
    def bytes(self) -> int:
        """Of all values, not compressed."""
        return self.stored * BYTES_PER_CLASS


def cycle_lengths(squares: Sequence[int]) -> Tuple[int, ...]:
    """The lengths of the cycles of a permutation, ascending.

    >>> cycle_lengths((1, 0, 2))
    (1, 2)
    """
    left = set(range(len(squares)))
    lengths = []
    while left:
        square, length = left.pop(), 1
        while squares[square] in left:
            square = squares[square]
            left.remove(square)
            length += 1
        lengths.append(length)
    return tuple(sorted(lengths))


def fixed_arrangements(lengths: Iterable[int], slices: int) -> List[int]:
    """How many arrangements of each slice have one colour, or no stone, in each cycle.

    >>> fixed_arrangements((1, 1), 3)
    [1, 2, 2]
    """
    found: Dict[StoneCounts, int] = {(0, 0): 1}
    for length in lengths:
        after: Dict[StoneCounts, int] = Counter(found)
        for (first, second), count in found.items():
            after[first + length, second] += count
            after[first, second + length] += count
        found = after
    return [found.get((stones - stones // 2, stones // 2), 0) for stones in range(slices)]


def orbits(group: Iterable[Sequence[int]], slices: int) -> List[int]:
    """The arrangements of each slice up to a group of permutations of the squares."""
    kinds = Counter(map(cycle_lengths, group))
    totals = [0] * slices
    for lengths, times in kinds.items():
        for stones, count in enumerate(fixed_arrangements(lengths, slices)):
            totals[stones] += times * count
    return [total // sum(kinds.values()) for total in totals]


def board_group(side: int) -> List[Tuple[int, ...]]:
    """The eight symmetries of a board, as where each square goes."""
    turned = turned_squares(side)
    found = []
    for squares in (tuple(range(side * side)), mirrored_squares(side)):
        for _ in range(4):
            found.append(squares)
            squares = tuple([turned[square] for square in squares])
    return found


def whole_group(side: int) -> List[Tuple[int, ...]]:
    """The 2048 elements that the symmetries of the board and the turns of quadrants generate."""
    quadrants = squares_of_quadrants(side)
    half = side // 2
    found = []
    for turns in product(range(4), repeat=len(quadrants)):
        local = [0] * (side * side)
        for squares, times in zip(quadrants, turns):
            places = list(range(half * half))
            for _ in range(times):
                places = [turned_squares(half)[place] for place in places]
            for i, place in enumerate(places):
                local[squares[i]] = squares[place]
        found += [tuple([local[square] for square in whole]) for whole in board_group(side)]
    return found


def pentago_counts(side: int) -> List[SliceCounts]:
    """The counts of all slices of the board with some squares a side, 4 or 6."""
    squares = side * side
    positions = orbits(board_group(side), squares + 1)
    classes = orbits(whole_group(side), squares + 1)
    found = []
    for stones in range(squares + 1):
        arrangements = comb(squares, stones) * comb(stones, stones // 2)
        laid_out = _sections(side // 2, stones)
        found.append(
            SliceCounts(stones, arrangements, positions[stones], classes[stones], *laid_out)
        )
    return found


def _sections(half: int, stones: int) -> Tuple[int, int, int, int, int]:
    """(sections, boards, those of the largest, blocks, lines) of a slice."""
    states = states_by_counts(half)
    number = boards = largest = blocks = lines = 0
    for section in sections(half, stones):
        sizes = [len(states[counts]) for counts in section]
        sides = [-(-size // BLOCK) for size in sizes]
        number += 1
        boards += prod(sizes)
        largest = max(largest, prod(sizes))
        blocks += prod(sides)
        lines += sum([prod(sides) // side for side in sides])
    return number, boards, largest, blocks, lines
