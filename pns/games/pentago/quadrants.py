"""Quadrants of Pentago: their states, turns and mirror images, and sections [irving2014].

A state of a quadrant is a pair of masks, the stones of X and those of O; bit i is square i of the
quadrant, row by row. Quadrants are numbered top left, top right, bottom left, bottom right. Turns
are quarter turns clockwise. A section is the set of boards whose four quadrants have given counts
of stones (section IV).
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Dict, Iterator, List, NamedTuple, Sequence, Tuple

ROWS = {4: 4, 6: 5}
"""The length of a row by the side of the board."""
TURNS = 4
QUADRANTS = 4

QuadrantStones = Tuple[int, int]
"""The stones of X and of O in a quadrant."""
StoneCounts = Tuple[int, int]
"""How many there are."""
Section = Tuple[StoneCounts, ...]
"""The counts of the four quadrants."""


class Symmetry(NamedTuple):
    """A symmetry of the board: all quadrants are mirrored, if so, then turned, and moved."""

    is_mirrored: bool
    """Whether left and right are exchanged, first."""
    turns: int
    places: Tuple[int, ...]
    """Where each quadrant goes."""


class Standard(NamedTuple):
    """The least state that turns lead to, and how many turns lead back from it."""

    state: QuadrantStones
    turns: int


def turned_squares(side: int) -> Tuple[int, ...]:
    """Where each square of a square board goes by a quarter turn.

    >>> turned_squares(2)
    (1, 3, 0, 2)
    """
    return tuple([c * side + side - 1 - r for r in range(side) for c in range(side)])


def mirrored_squares(side: int) -> Tuple[int, ...]:
    """Where each square of a square board goes when left and right are exchanged."""
    return tuple([r * side + side - 1 - c for r in range(side) for c in range(side)])


@lru_cache(maxsize=None)
def squares_of_quadrants(side: int) -> List[List[int]]:
    """The squares of a board in each quadrant, in the order of its bits."""
    half = side // 2
    return [
        [(top + r) * side + left + c for r in range(half) for c in range(half)]
        for top in (0, half)
        for left in (0, half)
    ]


@lru_cache(maxsize=None)
def rows_of_board(side: int) -> List[List[Tuple[int, int]]]:
    """All rows that win: (quadrant, square of the quadrant) for each of their squares."""
    k = ROWS[side]
    names = {
        square: (quadrant, i)
        for quadrant, squares in enumerate(squares_of_quadrants(side))
        for i, square in enumerate(squares)
    }
    found = []
    for r, c, (down, right) in product(range(side), range(side), ((0, 1), (1, 0), (1, 1), (1, -1))):
        if r + (k - 1) * down < side and 0 <= c + (k - 1) * right < side:
            squares = [(r + i * down) * side + c + i * right for i in range(k)]
            found.append([names[square] for square in squares])
    return found


@lru_cache(maxsize=None)
def symmetries() -> List[Symmetry]:
    """The eight symmetries of the board, the identity first."""
    turned, mirrored = turned_squares(2), mirrored_squares(2)
    found = []
    for is_mirrored in (False, True):
        places = mirrored if is_mirrored else tuple(range(QUADRANTS))
        for turns in range(TURNS):
            found.append(Symmetry(is_mirrored, turns, places))
            places = tuple([turned[place] for place in places])
    return found


@lru_cache(maxsize=None)
def turned_masks(half: int) -> List[List[int]]:
    """By the number of turns, what each mask of a quadrant becomes."""
    squares = tuple(range(half * half))
    found = []
    for _ in range(TURNS):
        found.append(moved_masks(squares))
        squares = tuple([turned_squares(half)[square] for square in squares])
    return found


@lru_cache(maxsize=None)
def mirrored_masks(half: int) -> List[int]:
    """What each mask of a quadrant becomes when left and right are exchanged."""
    return moved_masks(mirrored_squares(half))


def moved_masks(squares: Sequence[int]) -> List[int]:
    """What each mask becomes when its bits move.

    >>> moved_masks((1, 0))
    [0, 2, 1, 3]
    """
    found = [0]
    for square in squares:
        found += [mask | 1 << square for mask in found]
    return found


@lru_cache(maxsize=None)
def standard_states(half: int) -> Dict[QuadrantStones, Standard]:
    """The standard of each state of a quadrant."""
    masks = turned_masks(half)
    found: Dict[QuadrantStones, Standard] = {}
    every = range(1 << half * half)
    for first, second in product(every, every):
        state = first, second
        if not first & second and state not in found:  # the least of its turns comes first
            for turns in range(TURNS):
                found.setdefault(
                    (masks[turns][first], masks[turns][second]), Standard(state, turns)
                )
    return found


@lru_cache(maxsize=None)
def states_by_counts(half: int) -> Dict[StoneCounts, List[QuadrantStones]]:
    """The standard states of a quadrant with each number of stones, in order."""
    found: Dict[StoneCounts, List[QuadrantStones]] = {}
    for first, second in sorted({known.state for known in standard_states(half).values()}):
        counts = bin(first).count("1"), bin(second).count("1")
        found.setdefault(counts, []).append((first, second))
    return found


@lru_cache(maxsize=None)
def fixed_turns(half: int) -> Dict[QuadrantStones, int]:
    """How many of the four turns leave each standard state as it is."""
    masks = turned_masks(half)
    return {
        (first, second): sum([(m[first], m[second]) == (first, second) for m in masks])
        for states in states_by_counts(half).values()
        for first, second in states
    }


def moved_section(section: Section, places: Sequence[int]) -> Section:
    """The counts after quadrants have moved."""
    found = list(section)
    for counts, place in zip(section, places):
        found[place] = counts
    return tuple(found)


def section_images(section: Section) -> List[Section]:
    """The counts after each of `symmetries`."""
    return [moved_section(section, symmetry.places) for symmetry in symmetries()]


def sections(half: int, stones: int) -> Iterator[Section]:
    """The sections with some stones, of which X has half, rounded up; the least of their images."""
    firsts, seconds = stones - stones // 2, stones // 2
    known = sorted(states_by_counts(half))
    size = half * half
    for i, a in enumerate(known):
        for b, c in product(known[i:], repeat=2):  # any quadrant can be moved to the first place
            first, second = firsts - a[0] - b[0] - c[0], seconds - a[1] - b[1] - c[1]
            if first >= 0 and second >= 0 and first + second <= size:
                section = a, b, c, (first, second)
                if section == min(section_images(section)):
                    yield section
