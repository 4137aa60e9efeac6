"""Tails by the plain rules: which of them give way to others, proved slowly.

A part of a land that one spot on two regions, its joint, connects with the rest is a tail. Its
text is that of a land: the tail, and at the joint a region of MARKS isolated spots in place of
the rest. No move is made in that region. Two tails are equal but for a heap if play of both shows
it, whatever the rest is: are_equal looks for an answer to each move. Then one may give way to the
other and the heap, in any land, and the Grundy number stays. An exchange of a certificate is such
a pair, and is not trusted.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from typing import (
    Callable,
    Dict,
    FrozenSet,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Set,
    Tuple,
)

from pns.checker.sprouts import (
    FIRST,
    Land,
    Position,
    Region,
    Spot,
    canonical,
    grundy_of_sum,
    lands,
    moves,
    profile,
    read,
    reduced,
    times_passed,
)
from pns.checker.work import spend

MARKS = 9
MARK = "0*%d" % MARKS
HEAPS = ("!", "22", "2222", "12.2")
"""Positions with the Grundy numbers 0 to 3, to be put beside a land."""
MOST_LIVES = 7
"""Lives of the largest tails, with that of the joint."""
MOST_POSITIONS = 64
"""Positions that are followed up for one text."""

Tail = str
Proposals = Dict[Tail, Tail]
"""What may take the place of a tail, if it is proved, by the texts of both."""
HeapOf = Callable[[Tail, Tail], Optional[int]]
"""The heap that goes with what takes the place of a tail; None if it may not."""


class Played(NamedTuple):
    """A tail as the rest of a land sees it; values are Grundy numbers, or reduced games."""

    alone: int
    """The value of the tail without its joint."""
    at_joint: FrozenSet[int]
    """The values that its moves at the joint leave of it."""
    options: Tuple[Tuple[Tail, int], ...]
    """What its other moves lead to: a tail, and the value of the lands beside it."""


def simpler_texts(text: str, proposals: Proposals) -> List[str]:
    """The canonical texts of positions to which exchanges of tails lead, without this one.

    All have the same Grundy number, and no land with more lives than the largest of this one.
    """
    position = reduced(read(text))
    simpler = simpler_positions(position, proposals, heap_beside)
    found = [canonical_beside(after, n) for after, n in simpler]
    return [other for other in dict.fromkeys(found) if other != text]


def familiar_texts(text: str, proposals: Proposals, familiar: Set[int]) -> Iterator[str]:
    """The canonical texts of a position's children, and of simpler ones, that may be known.

    Each of their lands has one of the profiles `familiar`; that of a canonical text takes longest.
    """
    for after in moves(reduced(read(text))):
        after = reduced(after)
        simpler = simpler_positions(after, proposals, heap_beside)
        for position, number in chain([(after, 0)], simpler):
            if all(profile(land) in familiar for land in lands(position)):
                yield canonical_beside(position, number)


def simpler_positions(
    position: Position, proposals: Proposals, heap_of: HeapOf
) -> Iterator[Tuple[Position, int]]:
    """(a reduced position to which exchanges lead, the number of the heap that goes with it)."""
    most = max(map(lives_of, lands(position)), default=0)
    seen = {(tuple(lands(position)), 0)}
    waiting = [(position, 0)]
    while waiting and len(seen) < MOST_POSITIONS:
        before, number = waiting.pop()
        for after, by in exchanged(before, proposals, heap_of):
            state = tuple(lands(after)), number ^ by
            if state not in seen:
                seen.add(state)
                waiting.append((after, number ^ by))
                if max(map(lives_of, lands(read(HEAPS[number ^ by]))), default=0) <= most:
                    yield after, number ^ by


def exchanged(
    position: Position, proposals: Proposals, heap_of: HeapOf
) -> Iterator[Tuple[Position, int]]:
    """(a reduced position with another tail, the number by which it differs)."""
    for joint, part in tails(position):
        spots = {s for region in part for walk in region for s in walk}
        if sum(position.lives[s] for s in spots) > MOST_LIVES:
            continue
        tail = tail_text(part, joint, position.lives)
        other = proposals.get(tail)
        heap = heap_of(tail, other) if other is not None else None
        if other is not None and heap is not None:
            rest = [region for region in position.regions if region not in part]
            yield attached(rest, joint, position.lives, other), heap


def canonical_beside(position: Position, number: int) -> str:
    """The canonical text of a position beside the one of HEAPS with a number."""
    text = canonical(position)
    return "+".join(sorted([*text.split("+"), HEAPS[number]])) if number else text


def lives_of(land: Land) -> int:
    """The lives of a land's spots."""
    letters = list(chain(*chain(*land)))
    return sum(3 - x for x in letters if x < FIRST) + len({x for x in letters if x >= FIRST})


def proposals(pairs: Iterable[Tuple[str, str]]) -> Proposals:
    """What may take the place of a tail, from texts of tails with A for the joint.

    Raises ValueError for an invalid tail.
    """
    found: Proposals = {}
    for pair in pairs:
        tail, other = map(tail_of, pair)
        if tail != other:
            found.setdefault(tail, other)
    return found


def tail_of(text: str) -> Tail:
    """The canonical text of a tail from one with A for the joint; raises ValueError."""
    position = read("%s.A|%s" % (MARK, text))
    tail = canonical(position)
    if "+" in tail or sum(position.lives.values()) > 3 * MARKS + MOST_LIVES:
        wrong = "invalid tail %r; expected regions joined at A, of at most %d lives"
        raise ValueError(wrong % (text, MOST_LIVES))
    return tail


def tails(position: Position) -> Iterator[Tuple[Spot, List[Region]]]:
    """(joint, regions) of each tail of a position."""
    regions = position.regions
    spots = [{s for walk in region for s in walk} for region in regions]
    for joint in sorted(set().union(*spots)):
        spend(len(regions))
        ends = [i for i, some in enumerate(spots) if joint in some]
        for first in ends if len(ends) == 2 else []:
            part, reached = {first}, spots[first] - {joint}
            grown = True
            while grown:
                grown = False
                for i, some in enumerate(spots):
                    if i not in part and not reached.isdisjoint(some):
                        part.add(i)
                        reached = reached | some - {joint}
                        grown = True
            if not part.issuperset(ends):
                yield joint, [regions[i] for i in sorted(part)]


def tail_text(part: List[Region], joint: Spot, lives: Dict[Spot, int]) -> Tail:
    """The canonical text of a tail."""
    first = max(lives) + 1
    marks = range(first, first + MARKS)
    region: Region = ((joint,), *[(mark,) for mark in marks])
    return canonical(Position((*part, region), {**lives, **dict.fromkeys(marks, 3)}))


def attached(rest: List[Region], joint: Spot, lives: Dict[Spot, int], tail: Tail) -> Position:
    """A rest with a tail at its joint, reduced."""
    position = read(tail)
    mark, other_joint = marked_region(position)
    first = max(lives) + 1
    names = {s: joint if s == other_joint else first + s for s in position.lives}
    added = [
        tuple(tuple(names[s] for s in walk) for walk in region)
        for i, region in enumerate(position.regions)
        if i != mark
    ]
    more = {names[s]: count for s, count in position.lives.items() if s != other_joint}
    return reduced(Position((*rest, *added), {**lives, **more}))


def marked_region(position: Position) -> Tuple[int, Optional[Spot]]:
    """(the number of the region that stands for the rest, the joint if it is on two regions)."""
    times = times_passed(position.regions)
    for i, region in enumerate(position.regions):
        if sum(position.lives[walk[0]] == 3 for walk in region) >= MARKS:
            return i, next((s for walk in region for s in walk if times[s] == 2), None)
    raise ValueError("no region stands for the rest")


@lru_cache(maxsize=None)
def played(tail: Tail) -> Played:
    """The options of a tail, and what is left of it without its joint, by Grundy numbers."""
    return played_by(tail, grundy_of_sum)


def played_by(tail: Tail, value_of: Callable[[str], int]) -> Played:
    """The options of a tail, and what is left of it without its joint, by values of positions."""
    position = read(tail)
    mark, joint = marked_region(position)
    if joint is None:  # it is a spot of degree 2 of the rest
        return Played(0, frozenset(), ())
    own = [region for i, region in enumerate(position.regions) if i != mark]
    alone = value_of(canonical(Position(tuple(own), {**position.lives, joint: 0})))
    at_joint: Set[int] = set()
    options: Set[Tuple[Tail, int]] = set()
    marks = [s for walk in position.regions[mark] for s in walk if position.lives[s] == 3]
    for after in moves(position):
        if any(after.lives[s] != 3 for s in marks):
            continue
        parts = canonical(after).split("+")
        (marked,) = [part for part in parts if MARK in part]
        value = value_of("+".join(part for part in parts if part != marked) or "!")
        if after.lives[joint]:
            options.add((marked, value))
        else:
            at_joint.add(value)
    return Played(alone, frozenset(at_joint), tuple(sorted(options)))


def difference(one: Tail, two: Tail) -> int:
    """The only k by which two tails may differ."""
    return played(one).alone ^ played(two).alone


def holds(text: str, other_text: str) -> bool:
    """Whether a tail may give way to another, from texts with A for the joint.

    Raises ValueError for an invalid tail.
    """
    return gives_way(tail_of(text), tail_of(other_text))


@lru_cache(maxsize=None)
def gives_way(tail: Tail, other: Tail) -> bool:
    """Whether a tail may give way to one with no more lives, and to one of HEAPS."""
    if not are_equal(tail, other) or difference(tail, other) >= len(HEAPS):
        return False
    return total_lives(other) <= total_lives(tail)


def heap_beside(tail: Tail, other: Tail) -> Optional[int]:
    """The number by which a tail differs from one to which it may give way; None if it may not."""
    return difference(tail, other) if gives_way(tail, other) else None


def total_lives(text: str) -> int:
    """The lives of all spots of a text."""
    return sum(read(text).lives.values())


@lru_cache(maxsize=None)
def are_equal(one: Tail, two: Tail) -> bool:
    """Whether one tail and another and *k, beside two equal rests, are lost for the next player.

    That is so if each move has an answer of the same kind: the same in the other rest; at the
    joint, one at the other joint that leaves the same number; any other in a tail or the heap,
    one in a tail or the heap after which the tails are again equal but for the heap.
    """
    if one == two:
        return True
    k = difference(one, two)
    if {n ^ k for n in played(one).at_joint} != played(two).at_joint:
        return False
    if not all(leads(one, two, n) or leads(two, one, n) for n in range(k)):
        return False
    return all(
        leads(other, after, k ^ number)
        or leads(after, other, k ^ number)
        or (difference(after, other) < k ^ number and are_equal(after, other))
        for tail, other in ((one, two), (two, one))
        for after, number in played(tail).options
    )


def leads(tail: Tail, other: Tail, heap: int) -> bool:
    """Whether a move in a tail leaves it equal to another but for a heap."""
    return any(
        number ^ heap == difference(after, other) and are_equal(after, other)
        for after, number in played(tail).options
    )
