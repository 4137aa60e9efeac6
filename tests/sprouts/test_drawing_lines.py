"""The lines of a drawing, against all pairs of corners and all sides of other boundaries."""

from __future__ import annotations

import random
from itertools import chain, combinations
from typing import Dict, Iterator, Set, Tuple

import pytest

from pns.checker import sprouts as plain
from pns.sprouts.drawing.lines import alike, lines
from pns.sprouts.drawing.planemap import IllegalMove, Move, PlaneMap

pytestmark = pytest.mark.search

Key = Tuple[int, int, bool]


def key(drawn: PlaneMap, stands_for: Dict[int, int], first: int, second: int) -> Key:
    """What a pair of corners has in common with those that are interchangeable with it."""
    low, high = sorted((stands_for[first], stands_for[second]))
    return low, high, second not in drawn.boundary(first)


def exact(text: str) -> str:
    """One text for all that are equivalent: the shorter canonical form does not promise it."""
    return plain.canonical(plain.read(text))


def all_moves(drawn: PlaneMap) -> Iterator[Move]:
    """Every pair of corners of a face, with every set of other boundaries on the left."""
    for face in drawn.faces:
        for first, second in combinations(sorted(chain(*face)) * 2, 2):
            others = [b[0] for b in face if not {first, second} & set(b)]
            joins = second not in drawn.boundary(first)
            for size in range(1 if joins else len(others) + 1):
                for left in combinations(others, size):
                    yield Move(first, second, frozenset(left))


@pytest.mark.parametrize("seed", range(5))
def test_every_pair_of_corners_has_its_texts(seed: int) -> None:
    rng = random.Random(seed)
    drawn = PlaneMap.start([3] * rng.choice((3, 4)))
    while drawn.faces:
        stands_for = alike(drawn)
        assert all(stands_for[corner] == corner for corner in stands_for.values())
        found: Dict[Key, Set[str]] = {}
        drawn_lines = lines(drawn, 10_000)
        assert drawn_lines is not None
        for move, text in drawn_lines:
            found.setdefault(key(drawn, stands_for, *move[:2]), set()).add(exact(text))
        expected: Dict[Key, Set[str]] = {}
        for move in all_moves(drawn):
            try:
                text = drawn.played(move).text()
            except IllegalMove:
                continue
            expected.setdefault(key(drawn, stands_for, *move[:2]), set()).add(exact(text))
        assert found == expected
        if not drawn_lines:
            return
        drawn = drawn.played(rng.choice(drawn_lines)[0])


def test_too_many_lines_are_not_listed() -> None:
    drawn = PlaneMap.start([3] * 4)
    assert lines(drawn, 4) is None
    assert len(lines(drawn, 5) or ()) == 5  # to another spot, or a loop around 0 to 3 spots
