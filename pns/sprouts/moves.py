"""The children of a land: moves inside one region, and their effect on the others.

A move changes one region, so the moves of a region with anonymous names are
generated once and cached. For a land it is enough to put its names in, to delete
dead spots from the other regions, and to split it into connected sets of regions.
"""

from __future__ import annotations

from typing import Dict, Iterable, Iterator, List, Sequence, Set, Tuple

from pns.game import TooLarge
from pns.sprouts import large
from pns.sprouts.canonical import (
    adopt,
    canonical_lands,
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
    MAX_ONE,
    MAX_TWO,
    NOT_TWO,
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
"""The number of moves at which their cache is emptied, unless `limit_caches` sets another."""

MOST_MOVES = 100_000
"""The most curves generated in a region; play from up to 60 spots rarely has 1,500."""

MOVE_BITS, REGION_BITS = 32, 16
"""The bits of a rank for a move's number in its region, and for the region's number."""
LAST_MOVE, LAST_REGION = (1 << MOVE_BITS) - 1, (1 << REGION_BITS) - 1

RegionMove = Tuple[bytes, bytes]
"""(two-region names that die, new regions joined by BAR)."""

RegionMoves = Tuple[int, List[RegionMove], List[int]]
"""(a bound on new two-region names, distinct moves, their ranks).

A rank is an int that orders the moves of a land: by the growth of the land, the
number of the region, the number of the move in its region. Moves ascend.
"""

UNMOVED: RegionMoves = (0, [], [])
_moves: Dict[bytes, RegionMoves] = {}
_cached_moves = 0
most_moves = CACHED_MOVES
"""The number of moves at which their cache is emptied now."""


def children(land: bytes) -> Iterable[Tuple[bytes, ...]]:
    """The children of a land in canonical text, distinct, each a sorted tuple of lands.

    Those that shrink the land most come first: they are the most likely to be
    known, and a caller that has seen enough need not generate the others.

    >>> list(children(b"0*2"))
    [(b'1a1a',), (b'0.AB|AB',)]
    """
    try:
        return distinct(map(canonical_lands, successors(encode(land).split(BARS))))
    except TooManyNames:
        return large.children(land)


def more_children(land: bytes, known: Sequence[Tuple[bytes, ...]]) -> Iterable[Tuple[bytes, ...]]:
    """The children that `children` gives after the first ones, which are known.

    >>> list(more_children(b"0*2", [(b"1a1a",)]))
    [(b'0.AB|AB',)]
    """
    try:
        found = successors(encode(land).split(BARS), skipped=len(known))
    except TooManyNames:
        return large.children(land)[len(known) :]
    return distinct(map(canonical_lands, found), known)


def distinct(
    found: Iterable[Tuple[bytes, ...]], known: Iterable[Tuple[bytes, ...]] = ()
) -> Iterator[Tuple[bytes, ...]]:
    """The children that differ from the known ones and all before them, each a sorted tuple."""
    seen: Set[bytes] = {b"+".join(lands) for lands in known}
    for lands in found:
        text = lands[0] if len(lands) == 1 else b"+".join(lands)
        if text not in seen:
            seen.add(text)
            yield lands


def successors(regions: List[bytes], first: int = 0, skipped: int = 0) -> Iterator[bytes]:
    """The living regions after each move in a region from the first on, with duplicates.

    A number of moves are skipped. Regions are in working form, those after a move joined by BAR.
    Raises TooManyNames.
    """
    free = max([c + 1 for region in regions for c in region if TWO <= c < DOT], default=TWO)
    order: List[int] = []
    found: List[RegionMoves] = [UNMOVED] * first
    for i in range(first, len(regions)):
        region = regions[i]
        moves = _region_moves(rename_two_region(region))
        if free + moves[0] > TWO + MAX_TWO:
            raise TooManyNames("a move leads to more than %d two-region names" % MAX_TWO)
        found.append(moves)
        shift = (i - (len(region) << REGION_BITS)) << MOVE_BITS
        order += [rank + shift for rank in moves[2]]
    order.sort()
    return _after(regions, free, found, order[skipped:])


def _after(
    regions: List[bytes], free: int, found: List[RegionMoves], order: List[int]
) -> Iterator[bytes]:
    """The living regions after each move, moves given by their ranks in order."""
    names: List[bytes] = [b""] * len(regions)
    rests: Dict[Tuple[int, bytes], Tuple[bytes, bytes]] = {}
    for rank in order:
        i = rank >> MOVE_BITS & LAST_REGION
        if not names[i]:
            names[i] = _actual_names(regions[i], free, found[i][0])
        dead, new = found[i][1][rank & LAST_MOVE]
        rest = rests.get((i, dead))
        if rest is None:
            others = regions[:i] + regions[i + 1 :]
            rest = rests[i, dead] = _without(others, dead.translate(names[i]))
        across, orphans = rest
        child = adopt(new.translate(names[i]), orphans)
        yield across + BARS + child if across and child else across or child


def _actual_names(region: bytes, free: int, new_names: int) -> bytes:
    """The translation from the names in a region's cached moves to those in its land."""
    names = region.translate(None, NOT_TWO)
    table = bytearray(IDENTITY)
    table[TWO : TWO + len(names)] = names
    for k in range(new_names):
        table[TWO + len(names) + k] = free + k
    return bytes(table)


def _without(regions: List[bytes], dead: bytes) -> Tuple[bytes, bytes]:
    """(the living regions without dead names, joined; the names that become orphans)."""
    if not dead:
        return BARS.join(regions), b""
    alive, orphans = remove_dead([region.translate(None, dead) for region in regions])
    return BARS.join(alive), orphans


def _region_moves(region: bytes) -> RegionMoves:
    """The moves of a region whose names are TWO, TWO + 1, …; new names follow these."""
    global _cached_moves
    found = _moves.get(region)
    if found is None:
        if _cached_moves >= most_moves:
            _moves.clear()
            _cached_moves = 0
        found = _moves[region] = _find_region_moves(region)
        _cached_moves += len(found[1])
    return found


def limit_caches(moves: int) -> None:
    """Set the number of moves at which their cache is emptied."""
    global most_moves
    most_moves = moves


def _find_region_moves(region: bytes) -> RegionMoves:
    if count_curves(region) > MOST_MOVES:
        raise TooLarge("a region with more than %d moves is too large" % MOST_MOVES)
    old = TWO + len(region.translate(None, NOT_TWO))
    found: Dict[Tuple[bytes, ...], RegionMove] = {}
    last = old
    for touched, parts in draw_curves(region, old):
        dead = bytes([c for c in touched if c < old])
        parts = [part for part in parts if part]
        key = (dead, *[region_key(part) for part in parts])
        if key not in found:
            found[key] = dead, BARS.join(parts)
            last = max([last, *[c + 1 for part in parts for c in part if c < DOT]])
    moves = sorted(found.values(), key=_growth)
    ranks = [(_growth(move) << REGION_BITS) << MOVE_BITS | k for k, move in enumerate(moves)]
    return last - old, moves, ranks


def _growth(move: RegionMove) -> int:
    """The approximate number of bytes that a land gains by a move, plus a constant of its region.

    A name that dies is deleted here, deleted across, and often merges neighbours there.
    """
    dead, new = move
    return len(new) - 3 * len(dead)


def draw_curves(  # noqa: C901  (a case for each kind of curve, in the search's inner loop)
    region: bytes, old: int
) -> Iterator[Tuple[bytes, List[bytes]]]:
    """(names that die, the one or two new regions, empty when dead) of every curve in a region.

    Names below `old` are shared with other regions, names from `old` on are new. A
    curve changes one or two boundaries; each other one goes to one side unchanged.
    """
    spots, rest = split_prefix(region)
    boundaries = rest.split(DOTS) if rest else []
    x, y = bytes([old]), bytes([old + 1])
    if spots >= 1:  # around an isolated spot
        for mine, theirs in _splits(boundaries):
            for k in range(spots):
                yield b"", [_region(k, [x + y, *mine]), _region(spots - 1 - k, [x + y, *theirs])]
    if spots >= 2:
        joined = _named([SPOT1 + x + SPOT1 + x], old)
        yield b"", [_region(spots - 2, [*joined, *boundaries])]
    for i, boundary in enumerate(boundaries):
        others = boundaries[:i] + boundaries[i + 1 :]
        for j in range(i + 1, len(boundaries)):
            rest_of = others[: j - 1] + others[j:]
            for touched, joined in _joins(boundary, boundaries[j], old):
                yield touched, [_region(spots, [*joined, *rest_of])]
        if spots:
            for touched, joined in _joins(boundary, b"", old):
                yield touched, [_region(spots - 1, [*joined, *others])]
        splits = list(_splits(others))
        for touched, both, inside, outside in _loops(boundary, old):
            for mine, theirs in splits:
                for k in range(spots + 1):
                    if len(both[0]) == 1 and not k and not mine:
                        sides = [_region(spots, [*outside, *theirs])]
                    elif len(both[1]) == 1 and k == spots and not theirs:
                        sides = [_region(spots, [*inside, *mine])]
                    else:
                        sides = [
                            _region(k, [both[0], *mine]),
                            _region(spots - k, [both[1], *theirs]),
                        ]
                    yield touched, sides


def count_curves(region: bytes) -> int:
    """An upper bound on the curves in a region, without distinguishing equal boundaries."""
    spots, rest = split_prefix(region)
    if not rest:
        return spots + 1
    boundaries = rest.split(DOTS)
    counts = [(boundary, boundaries.count(boundary)) for boundary in set(boundaries)]
    ways = 1
    for _, count in counts:
        ways *= count + 1
    total = len(rest) - len(boundaries) + 1
    curves = spots * ways + (spots > 1) + (spots > 0) * total
    for boundary, count in counts:
        size = len(boundary)
        total -= count * size
        curves += count * size * total + count * (count - 1) // 2 * size * size
        loops = size * (size - 1) // 2 + boundary.count(ONE_LIFE_LESS)
        curves += count * loops * (ways // (count + 1) * count) * (spots + 1)
    return curves


def _region(spots: int, boundaries: List[bytes]) -> bytes:
    region = count_prefix(spots) + DOTS.join([b for b in boundaries if b])
    return region if spots > 1 else reduce_region(region)


def _joins(first: bytes, second: bytes, old: int) -> Iterator[Tuple[bytes, List[bytes]]]:
    """(names that die, the new boundary) of curves between boundaries, or to an isolated spot."""
    (first, second), free = _unique_names([first, second], old)
    x, y, z = bytes([free]), bytes([free + 1]), bytes([free + 2])
    for p in range(len(first)):
        one, opened = _opened(first, p, x)
        if not second:
            yield one, _named([opened + z + SPOT1 + z], old, one)
        for q in range(len(second)):
            two, opened_two = _opened(second, q, y)
            yield one + two, _named([opened + z + opened_two + z], old, one + two)


def _loops(
    boundary: bytes, old: int
) -> Iterator[Tuple[bytes, List[bytes], List[bytes], List[bytes]]]:
    """Curves from a boundary to itself: the names that die, and the new boundaries.

    The boundaries are those inside and outside; then the one inside if the outside
    is dead, and the one outside if the inside is dead. A side without other spots
    is dead if its boundary has nothing but the new spot.
    """
    (boundary,), free = _unique_names([boundary], old)
    x, y, z = bytes([free]), bytes([free + 1]), bytes([free + 2])
    for p in range(len(boundary)):
        curves: List[Tuple[bytes, bytes, bytes]] = []
        if boundary[p] == ONE_LIFE_LESS:
            curves.append((b"", z, boundary[:p] + z + boundary[p + 1 :]))
        one, c = _end(boundary[p], x)
        for q in range(p + 1, len(boundary)):
            if boundary[q] != boundary[p] or boundary[p] < TWO:
                two, d = _end(boundary[q], y)
                inside = c + boundary[p + 1 : q] + d + z
                curves.append((one + two, inside, boundary[:p] + c + z + d + boundary[q + 1 :]))
        for touched, inside, outside in curves:
            yield (
                touched,
                _named([inside, outside], old, touched),
                _named([inside], old, touched),
                _named([outside], old, touched),
            )


def _named(boundaries: List[bytes], old: int, dead: bytes = b"") -> List[bytes]:
    """New boundaries without the names that die, the others made one- or two-region names."""
    merged = [merge_neighbours(boundary.translate(None, dead)) for boundary in boundaries]
    table = bytearray(IDENTITY)
    two, one = old, ONE
    for c in sorted({c for boundary in merged for c in boundary if c >= old}):
        counts = [boundary.count(c) for boundary in merged]
        if sum(counts) == 1:
            table[c] = TWO_LIVES_LESS
        elif 0 < counts[0] < 2:
            table[c] = two
            two += 1
        elif one < TWO:
            table[c] = one
            one += 1
        else:
            raise TooManyNames("a boundary with more than %d pairs is too large" % MAX_ONE)
    names = bytes(table)
    return [boundary.translate(names) for boundary in merged]


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
                table[c] = min(free, DOT)
                free += 1
        out.append(boundary.translate(bytes(table)))
    if free + 3 > DOT:
        raise TooManyNames("a region with more than %d names is too large" % MAX_TWO)
    return out, free


def _splits(boundaries: List[bytes]) -> Iterator[Tuple[List[bytes], List[bytes]]]:
    """Every way to distribute boundaries over two sides, without distinguishing equal ones."""
    parts: List[Tuple[List[bytes], List[bytes]]] = [([], [])]
    for boundary in sorted(set(boundaries)):
        count = boundaries.count(boundary)
        parts = [
            (mine + k * [boundary], theirs + (count - k) * [boundary])
            for mine, theirs in parts
            for k in range(count + 1)
        ]
    return iter(parts)
