"""Reduction of regions and the canonical text of lands [applegate1991].

The canonical text is shared with other solvers, whose databases it must match
byte for byte, so the steps and their order are fixed: rename, sort, rename,
sort once more. Some equivalent lands keep different texts.
"""

from __future__ import annotations

from typing import Any, Dict, List, Set, Tuple, TypeVar

from pns.sprouts.code import (
    ANONYMOUS,
    BARS,
    COUNT,
    DOT,
    DOTS,
    IDENTITY,
    LAND_END,
    LAST,
    NOT_TWO,
    NOT_TWO_OR_BAR,
    ONE,
    ONE_LIFE_LESS,
    SPOT2,
    TWO,
    TWO_LIVES_LESS,
    TooManyNames,
    decode,
    encode,
    split_prefix,
)

CACHE_ENTRIES = 100_000
"""The size at which a cache is emptied, unless `limit_caches` sets another."""

RENAMINGS = 1 << 15
"""The size at which the cache of renamings is emptied; most renamings recur."""

T = TypeVar("T")
Plan = List[Tuple[List[int], bytes]]
"""For each land, its regions by number and the translation that renames its two-region names."""

most_entries = CACHE_ENTRIES
"""The size at which a cache is emptied now."""

_plans: Dict[bytes, Plan] = {}
_texts: Dict[bytes, bytes] = {}
_keys: Dict[bytes, bytes] = {}
_starts: Dict[bytes, List[int]] = {}
_renamings: Dict[bytes, bytes] = {}
_reduced: Dict[bytes, bytes] = {}


def canonical_lands(regions: bytes) -> Tuple[bytes, ...]:
    """The canonical texts, sorted, of the lands that reduced regions joined by BAR form."""
    lands = split_lands(regions)
    if len(lands) == 1:
        return (canonical_text(lands[0]),)
    return tuple(sorted(map(canonical_text, lands)))


def split_lands(regions: bytes) -> List[bytes]:
    """The lands that reduced regions joined by BAR form, names by their first appearance."""
    if not regions:
        return []
    names = regions.translate(None, NOT_TWO_OR_BAR)
    plan = _plans.get(names)
    if plan is None:
        plan = remember(_plans, names, plan_of(names.split(BARS)))
    if len(plan) == 1:
        return [regions.translate(plan[0][1])]
    parts = regions.split(BARS)
    return [BARS.join([parts[i] for i in some]).translate(table) for some, table in plan]


def canonical_text(land: bytes) -> bytes:
    """The canonical text of a land that `split_lands` gives."""
    text = _texts.get(land)
    return remember(_texts, land, decode(canonical_form(land))) if text is None else text


def remember(cache: Dict[bytes, T], key: bytes, value: T) -> T:
    """Store a value in a cache, which is emptied when it is full, and return it."""
    if len(cache) >= most_entries:
        cache.clear()
    cache[key] = value
    return value


def limit_caches(entries: int) -> None:
    """Set the size at which `remember` empties a cache; empty larger ones of this module."""
    global most_entries
    most_entries = entries
    caches: Tuple[Dict[bytes, Any], ...] = (_plans, _texts, _keys, _starts, _reduced)
    for cache in caches:
        if len(cache) > entries:
            cache.clear()


def canonical_form(land: bytes) -> bytes:
    """The working form that a land's canonical text has, from one that `split_lands` gives."""
    sorted_land = sort_regions(land)
    renamed = rename_two_region(_rename_one_region(sorted_land))
    return renamed if renamed == sorted_land else sort_regions(renamed)


def sort_regions(land: bytes) -> bytes:
    """The land with each region in its best arrangement, and the regions in order."""
    keys = [region_key(region) for region in land.split(BARS)]
    keys.sort()
    return BARS.join([key[len(key) // 2 + 1 :] for key in keys])


def region_key(region: bytes) -> bytes:
    """Sort key of a region, whose second half is the region in its best arrangement.

    The key is the anonymous region, BAR, the region: names decide only between
    regions that are equal without them.
    """
    key = _keys.get(region)
    if key is None:
        spots, rest = split_prefix(region)
        prefix = region[: len(region) - len(rest)]
        if rest:
            boundaries = rest.split(DOTS)
            key = _arrangement_key(prefix, boundaries)
            if len(rest) > 2:
                key = min(key, _arrangement_key(prefix, [b[::-1] for b in boundaries]))
        else:
            key = prefix + BARS + prefix
        remember(_keys, region, key)
    return key


def _arrangement_key(prefix: bytes, boundaries: List[bytes]) -> bytes:
    keys = []
    for boundary in boundaries:
        best = _best_rotation(boundary)
        keys.append(best.translate(ANONYMOUS) + DOTS + best)
    keys.sort()
    region = prefix + DOTS.join([key[len(key) // 2 + 1 :] for key in keys])
    return region.translate(ANONYMOUS) + BARS + region


def _best_rotation(boundary: bytes) -> bytes:
    anonymous = boundary.translate(ANONYMOUS)
    starts = _starts.get(anonymous)
    if starts is None:
        size = len(anonymous)
        twice = anonymous + anonymous
        best = min([twice[i : i + size] for i in range(size)])
        found = [i for i in range(size) if twice[i : i + size] == best]
        starts = remember(_starts, anonymous, found)
    if len(starts) == 1:
        i = starts[0]
        return boundary[i:] + boundary[:i]
    return min([boundary[i:] + boundary[:i] for i in starts])


def land_key(land: bytes) -> bytes:
    """Sort key of a canonical land's text among the lands of a position; large ones come last."""
    try:
        code = encode(land)
    except TooManyNames:
        return LAST + land
    return code.translate(ANONYMOUS) + LAND_END + code


def rename_two_region(land: bytes) -> bytes:
    """The land with its two-region names in order of first appearance."""
    names = land.translate(None, NOT_TWO)
    table = _renamings.get(names)
    if table is None:
        if len(_renamings) >= RENAMINGS:
            _renamings.clear()
        table = _renamings[names] = _first_appearance(names)
    return land.translate(table)


def _first_appearance(names: bytes) -> bytes:
    """The translation that renames two-region names by their first appearance in a sequence."""
    table = bytearray(IDENTITY)
    for i, c in enumerate(dict.fromkeys(names)):
        table[c] = TWO + i
    return bytes(table)


def _rename_one_region(land: bytes) -> bytes:
    for c in land:
        if ONE <= c < TWO:
            break
    else:
        return land
    out = bytearray(land)
    names: Dict[int, int] = {}
    for i, c in enumerate(land):
        if ONE <= c < TWO:
            if c not in names:
                names[c] = ONE + len(names)
            out[i] = names[c]
        elif c >= DOT or c <= COUNT:
            names.clear()
    return bytes(out)


def lives_of(region: bytes) -> int:
    """The lives in a region: 3, 2 or 1 for a spot that occurs once, 1 for a name."""
    spots, rest = split_prefix(region)
    twice = 6 * spots
    for c in rest:
        if c == ONE_LIFE_LESS:
            twice += 4
        elif c == TWO_LIVES_LESS or TWO <= c < DOT:
            twice += 2
        elif c < TWO:
            twice += 1
    return twice // 2


def reduce_region(region: bytes) -> bytes:
    """The reduced form of a region from which occurrences were deleted.

    Merges equal neighbours, turns a one-region name that occurs once into a spot of
    degree 2, drops empty boundaries. A region with 2 or 3 lives is one
    boundary without pairs. A region with fewer lives is dead: the result is
    then just its two-region name, if it has one, or empty.
    """
    reduced = _reduced.get(region)
    return remember(_reduced, region, _reduce(region)) if reduced is None else reduced


def _reduce(region: bytes) -> bytes:
    spots, rest = split_prefix(region)
    boundaries = [merge_neighbours(b) for b in rest.split(DOTS) if b]
    prefix = region[: len(region) - len(rest)]
    region = prefix + DOTS.join(boundaries)
    lives = lives_of(region)
    if lives < 2:
        return bytes([c for c in region if TWO <= c < DOT])
    if lives > 3 or not boundaries:
        return region
    return prefix + flatten(boundaries)


def remove_dead(regions: List[bytes]) -> Tuple[List[bytes], bytes]:
    """(the living regions, reduced; orphans) after occurrences were deleted.

    An orphan is a name whose other occurrence was in a dead region: it has become a
    spot of degree 2.
    """
    alive: List[bytes] = []
    orphans = b""
    for region in regions:
        rest = reduce_region(region)
        if rest and rest[0] >= TWO:
            orphans += rest
        elif rest:
            alive.append(rest)
    return [adopt(region, orphans) for region in alive], orphans


def adopt(region: bytes, orphans: bytes) -> bytes:
    """A region in which orphans are spots of degree 2."""
    return region.translate(bytes.maketrans(orphans, SPOT2 * len(orphans))) if orphans else region


def merge_neighbours(boundary: bytes) -> bytes:
    """The boundary with equal cyclic neighbours merged; a name left alone gets degree 2."""
    kept: List[int] = []
    for c in boundary:
        if c < ONE or not kept or kept[-1] != c:
            kept.append(c)
    while len(kept) > 1 and kept[0] >= ONE and kept[0] == kept[-1]:
        kept.pop()
    out = bytes(kept)
    for c in kept:
        if ONE <= c < TWO and out.count(c) == 1:
            out = out.replace(bytes([c]), SPOT2)
    return out


def flatten(boundaries: List[bytes]) -> bytes:
    """One boundary of all spots, each one-region pair a spot of degree 2."""
    out = bytearray()
    paired = 0
    for c in b"".join(boundaries):
        if ONE <= c < TWO:
            paired += 1
        else:
            out.append(c)
    return bytes(out) + SPOT2 * (paired // 2)


def plan_of(regions: List[bytes]) -> Plan:
    """The lands that regions form, given only their two-region names, which connect them.

    The order of regions inside a land decides between equivalent texts. A single land
    keeps its order; else it is that of `connected`.
    """
    groups = connected(list(map(set, regions)))
    orders = groups if len(groups) > 1 else [list(range(len(regions)))]
    return [(some, _first_appearance(b"".join([regions[i] for i in some]))) for some in orders]


def connected(regions: List[Set[int]]) -> List[List[int]]:
    """The numbers of the regions of each land, given what may connect them: their names.

    A region that connects earlier sets follows them, and their union moves behind the sets that it
    does not touch.
    """
    groups: List[Tuple[Set[int], List[int]]] = []
    for i, names in enumerate(regions):
        touched: List[int] = []
        apart: List[Tuple[Set[int], List[int]]] = []
        for group in groups:
            if names.isdisjoint(group[0]):
                apart.append(group)
            else:
                names = names | group[0]
                touched += group[1]
        groups = [*apart, (names, [*touched, i])]
    return [order for _, order in groups]
