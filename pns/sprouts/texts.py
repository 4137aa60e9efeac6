"""Texts of lands from outside: whether one is canonical, and canonical texts of parsed lands."""

from __future__ import annotations

import re
from typing import Dict, List

from pns.sprouts.canonical import (
    canonical_text,
    plan_of,
    reduce_region,
    remember,
    rename_two_region,
    sort_regions,
    split_lands,
)
from pns.sprouts.code import (
    BARS,
    DOT,
    DOTS,
    NOT_TWO,
    ONE,
    TWO,
    TooManyNames,
    decode,
    encode,
    split_prefix,
)

LONGEST = 300
"""The most bytes of a text that `is_canonical` decides."""
MOST_COUNTS = 10
"""The most counts of isolated spots, each below 100, in a text that `is_canonical` decides."""

_BOUNDARY = rb"(?:[12a-lA-Y]|[mn]\([1-9][0-9]{0,2}\))+"
_REGION = rb"(?:0(?:\*[1-9][0-9]?)?|%s)(?:\.%s)*" % (_BOUNDARY, _BOUNDARY)
_LAND = re.compile(rb"%s(?:\|%s)*" % (_REGION, _REGION))

_sound: Dict[bytes, bool] = {}


def stable_lands(regions: List[bytes]) -> List[bytes]:
    """The texts of parsed lands: unchanged if their regions are sorted, else canonical.

    Another round of renaming and sorting, as in canonical_lands, may change one
    of its own results, which must be read back unchanged.
    """
    names = [region.translate(None, NOT_TWO) for region in regions]
    lands = [BARS.join([regions[i] for i in some]) for some, _ in plan_of(names)] if regions else []
    return [_stable_text(land) for land in lands]


def _stable_text(land: bytes) -> bytes:
    land = _close_ranks(land, TWO, DOT)
    land = BARS.join(
        [
            DOTS.join([_close_ranks(boundary, ONE, TWO) for boundary in region.split(DOTS)])
            for region in land.split(BARS)
        ]
    )
    return decode(land) if sort_regions(land) == land else canonical_text(rename_two_region(land))


def is_canonical(land: bytes) -> bool:
    """Whether a text is certainly the canonical text of a land; much faster than parsing.

    False for texts of no land, and for a few lands that only parsing decides: huge ones,
    and those that another round of renaming and sorting would change.

    >>> is_canonical(b"0*2.AB|AB"), is_canonical(b"0*2.BA|AB"), is_canonical(b"00")
    (True, False, False)
    """
    if len(land) > LONGEST or land.count(b"*") > MOST_COUNTS or not _LAND.fullmatch(land):
        return False
    try:
        code = encode(land)
    except TooManyNames:
        return False
    regions = code.split(BARS)
    for region in regions:
        sound = _sound.get(region)
        if not (remember(_sound, region, _is_sound(region)) if sound is None else sound):
            return False
    names = sorted(code.translate(None, NOT_TWO))
    if names[::2] != names[1::2] or len(set(names)) * 2 != len(names):
        return False
    if len(regions) > 1 and len(split_lands(code)) > 1:
        return False
    ranked = not names or names[-1] - TWO < len(names) // 2
    return ranked and sort_regions(code) == code and decode(code) == land


def _is_sound(region: bytes) -> bool:
    """Whether a region is reduced, with each one-region name twice on its boundary.

    Two-region names occur once; one-region names are numbered without gaps.
    """
    rest = split_prefix(region)[1]
    names = rest.translate(None, NOT_TWO)
    for boundary in rest.split(DOTS):
        pairs = sorted([c for c in boundary if ONE <= c < TWO])
        if pairs != [ONE + i // 2 for i in range(len(pairs))] or len(pairs) % 2:
            return False
    return len(set(names)) == len(names) and reduce_region(region) == region


def _close_ranks(text: bytes, first: int, limit: int) -> bytes:
    """The text with its names from first to limit renamed, in their order, without gaps."""
    names = bytes(sorted({c for c in text if first <= c < limit}))
    return text.translate(bytes.maketrans(names, bytes(range(first, first + len(names)))))
