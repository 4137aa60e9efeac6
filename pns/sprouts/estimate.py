"""Cheap estimates of a land: the moves left and the number of children."""

from __future__ import annotations

import re
from typing import Dict, Tuple

from pns.sprouts.canonical import lives_of, remember
from pns.sprouts.code import DOTS, NOT_TWO, ONE_LETTERS, TWO_LETTERS, encode, split_prefix

ANONYMOUS = bytes.maketrans(
    ONE_LETTERS + TWO_LETTERS,
    ONE_LETTERS[:1] * len(ONE_LETTERS) + TWO_LETTERS[:1] * len(TWO_LETTERS),
)
"""The translation of a text that makes the names of one class equal."""

USUAL_SIZE = 20
"""The size of a position whose work in misère play is its number of children."""

_NUMBERED = re.compile(rb"[mnZ]\([0-9]+\)")
_regions: Dict[bytes, Tuple[int, int]] = {}


def estimate(land: bytes) -> Tuple[int, int]:
    """(lives, approximate number of moves) of a land.

    Every move costs at least one life, so lives bound the number of moves left.
    Moves are counted as curves, equal ones included: pairs of spots on different
    boundaries, and pairs on one boundary times the ways to distribute the other
    boundaries.

    >>> estimate(b"0*3")
    (9, 3)
    """
    twice_lives = 0
    moves = 0
    if b"(" in land:
        land = _NUMBERED.sub(lambda name: b"a" if name[0][:1] == b"m" else b"A", land)
    for region in land.translate(ANONYMOUS).split(b"|"):
        found = _regions.get(region)
        if found is None:
            found = remember(_regions, region, _estimate_region(encode(region)))
        twice_lives += found[0]
        moves += found[1]
    return twice_lives // 2, moves


def misere_work(size: int, branching: int) -> int:
    """The work for a position in misère play, from estimates of the moves left and of its children.

    Positions that are solved soon are tried first. (docs/lab/misere.md)

    >>> misere_work(20, 50), misere_work(40, 50)
    (50, 100)
    """
    return branching * size // USUAL_SIZE


def _estimate_region(region: bytes) -> Tuple[int, int]:
    """(twice the lives, a two-region name counting half; moves) of a region."""
    spots, rest = split_prefix(region)
    sizes = [len(boundary) for boundary in rest.split(DOTS)] if rest else []
    total = sum(sizes)
    ways = 1 << len(sizes)
    moves = (spots * ways + 1) // 2 + (spots > 1) + (total if spots else 0)
    for size in sizes:
        moves += size * (total - size) // 2
        moves += size * (size - 1) // 2 * (spots + 1) * ways // 2
    return half_lives(region), moves


def half_lives(region: bytes) -> int:
    """The half lives in a region of a land: one for a two-region name, whose other half is across.

    >>> half_lives(encode(b"0.1A"))
    11
    """
    return 2 * lives_of(region) - len(region.translate(None, NOT_TWO))
