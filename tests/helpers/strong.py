"""Strong solutions in memory, by the passes of a ranking alone."""

from __future__ import annotations

from typing import List, Optional, Tuple

from pns.positions.ranking import Ranking, code_at, packed_bytes

PART = 256
"""Entries of a part: so small that tests have several."""


def parts(size: int) -> List[Tuple[int, int]]:
    """The parts of a slice: from, below."""
    return [(start, min(size, start + PART)) for start in range(0, size, PART)]


def fill(ranking: Ranking, number: int, after: bytearray, out: bytearray) -> List[int]:
    """Fill a slice; returns the number of positions by code."""
    counts = [0] * 4
    for start, stop in parts(ranking.sizes[number]):
        found = ranking.fill(number, start, stop, after, out)
        counts = [a + b for a, b in zip(counts, found)]
    return counts


def marked(ranking: Ranking) -> List[bytearray]:
    """The marks of all slices, empty ones for a ranking that needs none."""
    slices = [bytearray(packed_bytes(size)) for size in ranking.sizes]
    before = bytearray()
    for number, out in enumerate(slices):
        for start, stop in parts(ranking.sizes[number]) if ranking.needs_marks else ():
            ranking.mark(number, start, stop, before, out)
        before = out
    return slices


def solved(ranking: Ranking) -> Tuple[List[bytearray], List[List[int]]]:
    """(the codes of all slices, the number of positions by code)."""
    slices = marked(ranking)
    counts: List[List[int]] = []
    after = bytearray()
    for number in range(len(slices) - 1, -1, -1):
        counts.insert(0, fill(ranking, number, after, slices[number]))
        after = slices[number]
    return slices, counts


def value_of(ranking: Ranking, slices: List[bytearray], text: str) -> Optional[int]:
    """The code of a position, None if it has no entry."""
    place = ranking.rank(text)
    return None if place is None else code_at(slices[place[0]], place[1])
