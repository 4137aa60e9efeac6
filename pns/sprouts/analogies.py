"""Lands of Sprouts that probably have the same Grundy number, or one that differs by *1.

Six isolated spots more or fewer in a region rarely change the Grundy number of a land, nor do
six that move to another region; three more or fewer change it by *1. It is a conjecture from
facts (docs/theory.md), the surer the more isolated spots there are. Weights say how sure.
"""

from __future__ import annotations

from typing import Iterator, List, Tuple

from pns.game import Land
from pns.positions.analogy import Analogy
from pns.sprouts.canonical import canonical_lands
from pns.sprouts.code import BARS, TooManyNames, count_prefix, encode, split_prefix

REGIONS = 3
"""The regions whose isolated spots are changed, those that have most."""

Weights = Tuple[Tuple[int, float], ...]
"""(least number of isolated spots that a changed region has before and after, weight), falling."""

SIX: Weights = ((15, 4), (12, 3), (9, 2), (6, 1), (3, 0.5))
"""Six more or fewer in a region."""
THREE: Weights = ((15, 2.5), (12, 1.5), (9, 0.7), (6, 0.3))
"""Three more or fewer in a region, which change the number by *1."""
TWELVE_FEWER: Weights = ((12, 2), (9, 1), (6, 0.5))
SIX_MOVED: Weights = ((6, 3), (3, 1))
"""Six that move to another region."""
THREE_MOVED: Weights = ((9, 2), (6, 1), (3, 0.5))
FIRM = 6
"""Analogies by a multiple of six spots are firm."""
IN_A_REGION = ((-6, 0, SIX), (6, 0, SIX), (-3, 1, THREE), (3, 1, THREE), (-12, 0, TWELVE_FEWER))
MOVED = ((6, SIX_MOVED), (3, THREE_MOVED))


def analogies(land: Land) -> Iterator[Analogy]:
    """Lands like a land, with fewer or more isolated spots or with others in each region.

    >>> [alike.land for alike in analogies(b"0*13.A|2A")]
    [b'0*7.A|2A', b'0*19.A|2A', b'0*10.A|2A', b'0*16.A|2A']
    """
    try:
        regions = [split_prefix(region) for region in encode(land).split(BARS)]
    except TooManyNames:
        return
    largest = sorted(range(len(regions)), key=lambda i: -regions[i][0])[:REGIONS]
    for i in largest:
        for more, difference, weights in IN_A_REGION:
            weight = _weight(weights, regions[i][0], more)
            if weight:
                yield Analogy(_changed(regions, i, more), difference, weight, more % FIRM == 0)
        for j in largest:
            if i != j:
                for more, weights in MOVED:
                    least = min(regions[i][0], regions[j][0] - more)
                    weight = _weight(weights, least, 0)
                    alike = _changed(regions, i, more, j) if weight else land
                    if alike != land:
                        yield Analogy(alike, 0, weight, more % FIRM == 0)


def _weight(weights: Weights, spots: int, more: int) -> float:
    """The weight for a region whose number of isolated spots changes; 0 for too few."""
    least = min(spots, spots + more)
    return next((weight for bound, weight in weights if least >= bound), 0)


def _changed(regions: List[Tuple[int, bytes]], i: int, more: int, less: int = -1) -> Land:
    """The land with more isolated spots in region `i`, and as many fewer in region `less`."""
    texts = []
    for j, (spots, rest) in enumerate(regions):
        spots += more if j == i else -more if j == less else 0
        texts.append(count_prefix(spots) + rest)
    return canonical_lands(BARS.join(texts))[0]
