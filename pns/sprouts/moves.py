"""The options of a land: moves inside one region, and what they do to the others.

A move changes one region, so the moves of a region, with its names anonymous,
are worked out once and kept; a land only puts its names in, deletes the spots
that died from the regions across, and splits into what is still connected.
"""

from __future__ import annotations

from typing import Dict, Iterator, List, Set, Tuple

from pns.sprouts.canonical import (
    adopt,
    canonical_lands,
    lives_of,
    merge_neighbours,
    reduce_region,
    region_key,
    remove_dead,
    rename_two_region,
)
from pns.sprouts.code import (
    BARS,
    DOT,
    DOTS,
    IDENTITY,
    NOT_TWO,
    MAX_ONE,
    MAX_TWO,
    ONE,
    ONE_LIFE_LESS,
    SPOT1,
    TWO,
    TWO_LIVES_LESS,
    TooManyNames,
    count_prefix,
    encode,
    split_prefix,
)

CACHED_MOVES = 2_000_000
"""Moves of anonymous regions after which their cache is emptied."""

Move = Tuple[bytes, bytes]
"""(two-region names that die, new regions joined by BAR)."""
Side = Tuple[int, List[bytes]]
"""(isolated spots, other boundaries) of a new region, all its names two-region codes."""

_moves: Dict[bytes, Tuple[int, List[Move]]] = {}
_cached_moves = 0


def children(land: bytes) -> List[Tuple[bytes, ...]]:
    """The options of a land in canonical text, distinct, each a sorted tuple of lands.

    >>> children(b"0*2")
    [(b'0.AB|AB',), (b'1a1a',)]
    """
    return list(dict.fromkeys([canonical_lands(child) for child in _successors(encode(land))]))


def _successors(land: bytes) -> Iterator[bytes]:
    """The living regions after each move, in working form, equal ones not yet removed."""
    regions = land.split(BARS)
    free = max([c + 1 for c in land if TWO <= c < DOT], default=TWO)
    for i, region in enumerate(regions):
        names = region.translate(None, NOT_TWO)
        new_names, moves = _region_moves(rename_two_region(region))
        if free + new_names > TWO + MAX_TWO:
            raise TooManyNames("a move leads to more than %d two-region names" % MAX_TWO)
        table = bytearray(IDENTITY)
        table[TWO : TWO + len(names)] = names
        for k in range(new_names):
            table[TWO + len(names) + k] = free + k
        actual = bytes(table)
        others = regions[:i] + regions[i + 1 :]
        rests: Dict[bytes, Tuple[bytes, bytes]] = {}
        for dead, new in moves:
            rest = rests.get(dead)
            if rest is None:
                rest = rests[dead] = _without(others, dead.translate(actual))
            across, orphans = rest
            child = adopt(new.translate(actual), orphans)
            yield across + BARS + child if across and child else across or child


def _without(regions: List[bytes], dead: bytes) -> Tuple[bytes, bytes]:
    """(what lives on without these names, joined; names that have lost their other occurrence)."""
    if not dead:
        return BARS.join(regions), b""
    alive, orphans = remove_dead([region.translate(None, dead) for region in regions])
    return BARS.join(alive), orphans


def _region_moves(region: bytes) -> Tuple[int, List[Move]]:
    """(new two-region names at most, distinct moves) of a region named TWO, TWO + 1, …

    New names follow those of the region.
    """
    global _cached_moves
    found = _moves.get(region)
    if found is None:
        if _cached_moves >= CACHED_MOVES:
            _moves.clear()
            _cached_moves = 0
        found = _moves[region] = _find_region_moves(region)
        _cached_moves += len(found[1])
    return found


def _find_region_moves(region: bytes) -> Tuple[int, List[Move]]:
    across = sum([1 for c in region if TWO <= c < DOT])
    seen: Set[Tuple[bytes, ...]] = set()
    moves: List[Move] = []
    new_names = 0
    for touched, sides in _curves(region, TWO + across):
        dead = bytes([c for c in touched if c < TWO + across])
        parts = _new_regions(touched, sides, TWO + across)
        key = tuple([dead] + [region_key(part) for part in parts])
        if key not in seen:
            seen.add(key)
            moves.append((dead, BARS.join(parts)))
            for part in parts:
                new_names = max([new_names] + [c + 1 - TWO - across for c in part if c < DOT])
    return new_names, moves


def _curves(region: bytes, old: int) -> Iterator[Tuple[bytes, List[Side]]]:
    """(names that die, the one or two sides) of every curve in a region.

    Names below `old` are shared with other regions, the pairs of the region
    follow; then X and Y, for spots of degree 1 that keep two occurrences, and
    Z, the spot on the curve.
    """
    spots, rest = split_prefix(region)
    boundaries, free = _unique_names(rest.split(DOTS) if rest else [], old)
    x, y, z = bytes([free]), bytes([free + 1]), bytes([free + 2])
    if spots >= 1:
        for mine, theirs in _splits(boundaries):
            for k in range(spots):
                yield b"", [(k, [x + z] + mine), (spots - 1 - k, [x + z] + theirs)]
    if spots >= 2:
        yield b"", [(spots - 2, [SPOT1 + z + SPOT1 + z] + boundaries)]
    for i, boundary in enumerate(boundaries):
        others = boundaries[:i] + boundaries[i + 1 :]
        splits = list(_splits(others))
        for p in range(len(boundary)):
            one, opened = _opened(boundary, p, x)
            if spots:
                joined = opened + z + SPOT1 + z
                yield one, [(spots - 1, [joined] + others)]
            for j in range(i + 1, len(boundaries)):
                rest_of = others[: j - 1] + others[j:]
                for q in range(len(boundaries[j])):
                    two, opened_two = _opened(boundaries[j], q, y)
                    yield one + two, [(spots, [opened + z + opened_two + z] + rest_of)]
            for inside, outside, touched in _loops(boundary, p, x, y, z):
                for mine, theirs in splits:
                    for k in range(spots + 1):
                        yield touched, [(k, [inside] + mine), (spots - k, [outside] + theirs)]


def _loops(
    boundary: bytes, p: int, x: bytes, y: bytes, z: bytes
) -> Iterator[Tuple[bytes, bytes, bytes]]:
    """(boundary of one side, of the other, names that die) of curves from p to p or further on."""
    if boundary[p] == ONE_LIFE_LESS:
        yield z, boundary[:p] + z + boundary[p + 1 :], b""
    one, c = _end(boundary[p], x)
    for q in range(p + 1, len(boundary)):
        if boundary[q] != boundary[p] or boundary[p] < TWO:
            two, d = _end(boundary[q], y)
            inside = c + boundary[p + 1 : q] + d + z
            yield inside, boundary[:p] + c + z + d + boundary[q + 1 :], one + two


def _opened(boundary: bytes, p: int, new: bytes) -> Tuple[bytes, bytes]:
    """(the name that dies, the walk around a boundary that a curve enters at p)."""
    touched, c = _end(boundary[p], new)
    return touched, c + boundary[p + 1 :] + boundary[:p] + c


def _end(spot: int, new: bytes) -> Tuple[bytes, bytes]:
    """(the name that dies, the name that stays) where a curve ends: one of them is empty."""
    if spot == ONE_LIFE_LESS:
        return b"", new
    if spot == TWO_LIVES_LESS:
        return b"", b""
    return bytes([spot]), b""


def _unique_names(boundaries: List[bytes], free: int) -> Tuple[List[bytes], int]:
    """(the boundaries with their pairs renamed to `free` and on, the next free name)."""
    out: List[bytes] = []
    for boundary in boundaries:
        table = bytearray(IDENTITY)
        for c in boundary:
            if ONE <= c < TWO and table[c] == c:
                if free >= TWO + MAX_TWO:
                    raise TooManyNames("a region with more than %d names is too large" % MAX_TWO)
                table[c] = free
                free += 1
        out.append(boundary.translate(bytes(table)))
    if free + 3 > DOT:
        raise TooManyNames("a region with more than %d names is too large" % MAX_TWO)
    return out, free


def _splits(boundaries: List[bytes]) -> Iterator[Tuple[List[bytes], List[bytes]]]:
    """Every way to give boundaries to two sides; equal ones are counted, not told apart."""
    parts: List[Tuple[List[bytes], List[bytes]]] = [([], [])]
    for boundary in sorted(set(boundaries)):
        count = boundaries.count(boundary)
        parts = [
            (mine + k * [boundary], theirs + (count - k) * [boundary])
            for mine, theirs in parts
            for k in range(count + 1)
        ]
    return iter(parts)


def _new_regions(dead: bytes, sides: List[Side], old: int) -> List[bytes]:
    """The living sides of a curve as regions whose names are one- or two-region codes again."""
    living: List[Side] = []
    for spots, boundaries in sides:
        boundaries = [merge_neighbours(b.translate(None, dead)) for b in boundaries]
        boundaries = [b for b in boundaries if b]
        if lives_of(count_prefix(spots) + DOTS.join(boundaries)) >= 2:
            living.append((spots, boundaries))
    new = sorted({c for _, boundaries in living for b in boundaries for c in b if c >= old})
    table = bytearray(IDENTITY)
    next_new = old
    for c in new:
        sides_with = sum([1 for _, boundaries in living if any([c in b for b in boundaries])])
        if sides_with == 2:
            table[c] = next_new
            next_new += 1
        elif not any([b.count(c) == 2 for _, boundaries in living for b in boundaries]):
            table[c] = TWO_LIVES_LESS
        elif c - old < MAX_ONE:
            table[c] = ONE + c - old
        else:
            raise TooManyNames("a region with more than %d pairs is too large" % MAX_ONE)
    names = bytes(table)
    return [
        reduce_region(count_prefix(spots) + DOTS.join([b.translate(names) for b in boundaries]))
        for spots, boundaries in living
    ]
