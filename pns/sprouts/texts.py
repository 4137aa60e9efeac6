"""Texts of lands from outside: whether one is canonical, and canonical texts of parsed lands."""

from __future__ import annotations

import re
from typing import Dict, List

from pns.sprouts.canonical import (
    canonical_text,
    connected,
    plan_of,
    reduce_region,
    region_key,
    remember,
    rename_two_region,
    sort_regions,
)
from pns.sprouts.code import (
    BARS,
    DOT,
    DOTS,
    NOT_TWO,
    ONE,
    TWO,
    TWO_LETTERS,
    decode,
    encode,
    split_prefix,
)

LONGEST = 300
"""The most bytes of a text that `is_canonical` decides."""
MOST_COUNTS = 10
"""The most counts of isolated spots, each below 100, in a text that `is_canonical` decides."""

_BOUNDARY = rb"[12a-lA-Y]+"
_REGION = re.compile(rb"(?:0(?:\*[1-9][0-9]?)?|%s)(?:\.%s)*" % (_BOUNDARY, _BOUNDARY))
_NOT_LINKS = bytes(c for c in range(256) if c not in TWO_LETTERS + b"|")
"""All other bytes: translate(None, _NOT_LINKS) leaves the two-region names of each region."""

_region_keys: Dict[bytes, bytes] = {}
"""The sort key of a region by its text, b"" if no canonical land has that region."""
_linked: Dict[bytes, bool] = {}
"""Whether regions with these two-region names, joined by a bar, form one land."""


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

    False for texts of no land, and for a few lands that only parsing decides: huge ones, those
    with numbered names, and those that another round of renaming and sorting would change. Most
    regions of a land occur in many others, so what is found about one is kept.

    >>> is_canonical(b"0*2.AB|AB"), is_canonical(b"0*2.BA|AB"), is_canonical(b"00")
    (True, False, False)
    """
    if len(land) > LONGEST or land.count(b"*") > MOST_COUNTS:
        return False
    before = b""
    for region in land.split(b"|"):
        key = _region_keys.get(region)
        if key is None:
            key = remember(_region_keys, region, _key_of(region))
        if not key or key < before:
            return False
        before = key
    links = land.translate(None, _NOT_LINKS)
    linked = _linked.get(links)
    return remember(_linked, links, _are_linked(links)) if linked is None else linked


def _key_of(region: bytes) -> bytes:
    """The sort key of a region by its text, b"" if no canonical land has that region."""
    if not _REGION.fullmatch(region):
        return b""
    code = encode(region)
    if not _is_sound(code) or decode(code) != region:
        return b""
    key = region_key(code)
    return key if key.endswith(BARS + code) else b""


def _are_linked(links: bytes) -> bool:
    """Whether regions with these two-region names form one land, its names without gaps.

    >>> _are_linked(b"AB|AB"), _are_linked(b"AB|A"), _are_linked(b"A|A|B|B"), _are_linked(b"B|B")
    (True, False, False, False)
    """
    names = sorted(links.replace(b"|", b""))
    pairs = [TWO_LETTERS[i // 2] for i in range(len(names))]
    if names != pairs or len(names) % 2:
        return False
    return len(connected(list(map(set, links.split(b"|"))))) == 1


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
