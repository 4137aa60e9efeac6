"""Which tails can take each other's place in every land, found by playing the tails alone.

A *tail* is a part of a land that one spot on two regions, its *joint*, connects with the rest of it
(docs/theory.md, "Tails"). Its text is that of its regions with A for the joint: in
``0*9.B|0*5.A|2A.B`` the part ``0*5.A|2A.B`` is the tail ``0*5.B|2B.A`` with the joint B.

Two tails T and U are equal but for *k if T + U + *k is lost for the player to move whatever the
rest is, the same for both: then the Grundy number of a land changes by k when U takes the place of
T. With g(T) for the number of T without its joint, k is g(T) xor g(U), since a move of the rest may
use the joint, and the same move in the other rest answers it.
"""

from __future__ import annotations

from functools import lru_cache
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

from pns.game import Sum
from pns.sprouts.canonical import canonical_lands, remove_dead
from pns.sprouts.code import BARS, NOT_TWO, TWO, TWO_LIVES_LESS, encode
from pns.sprouts.moves import children, successors
from pns.sprouts.notation import parse
from pns.sprouts.small_lands import small_lands
from pns.sprouts.tails import (
    DEAD_MARK,
    HEAPS,
    MARK,
    MARK_TEXT,
    MOST_HALF_LIVES,
    Tail,
    TailTable,
    canonical_tail,
    size,
)

JOINT = bytes([TWO])
ORPHAN = b""
"""The tail whose last region has died: its joint is a spot of degree 2 of the rest."""


HeapOf = Callable[[Tail, Tail], Optional[int]]
"""The heap by which a tail differs from one that may take its place, None if it may not."""


class TailSummary(NamedTuple):
    """A tail as the rest of a land sees it; values are Grundy numbers, or misère trees."""

    alone: int
    """The value of the tail without its joint."""
    at_joint: FrozenSet[int]
    """The values that are left of it by its own moves that use the joint."""
    options: Tuple[Tuple[Tail, int], ...]
    """What its other moves lead to: a tail, and the value of the lands beside it."""


def small_tails(lives: int) -> List[Tail]:
    """All tails of at most `lives` lives, without that of the joint, the smallest first.

    They are the lands of a life more with a spot of degree 2 for the joint. Raises ValueError.
    """
    found: Set[Tail] = set()
    for land in small_lands(lives + 1):
        code = encode(land)
        joint = max(max(code.translate(None, NOT_TWO), default=TWO - 1) + 1, TWO)
        for i, c in enumerate(code):
            if c == TWO_LIVES_LESS:
                found.add(canonical_tail(code[:i] + bytes([joint]) + code[i + 1 :], joint))
    return sorted(found, key=size)


def heap_beside(one: Tail, two: Tail) -> Optional[int]:
    """The number by which two tails differ if play shows them to be equal but for it, else None."""
    return difference(one, two) if are_equal(one, two) else None


def exchanges(
    tails: Iterable[Tail], heap_of: HeapOf = heap_beside
) -> Iterator[Tuple[Tail, Tail, int]]:
    """(a tail, an equal but smaller one, by how much they differ), of tails, the smallest first.

    Tails that are equal in misère play are so in normal play, which sorts them.
    """
    kinds: Dict[FrozenSet[int], List[Tail]] = {}
    for tail in tails:
        alone, at_joint, _ = played(tail)
        others = kinds.setdefault(frozenset([n ^ alone for n in at_joint]), [])
        for other in others:
            heap = heap_of(tail, other)
            if heap is not None:
                yield tail, other, heap
                break
        else:
            others.append(tail)


def table_of(pairs: Iterable[Tuple[bytes, bytes]], heap_of: HeapOf = heap_beside) -> TailTable:
    """The table of pairs of a tail and a smaller one.

    Raises ValueError for a pair that play does not show to be equal, and for an invalid tail.
    """
    table: TailTable = {}
    for texts in pairs:
        one, two = map(_tail_of, texts)
        is_smaller = size(two) < size(one) and 2 * size(one)[0] <= MOST_HALF_LIVES
        heap = heap_of(one, two) if is_smaller else None
        if heap is None or heap >= len(HEAPS):
            wrong = "play does not prove that %s may be replaced by %s"
            raise ValueError(wrong % tuple([ascii(text.decode("latin-1"))[1:-1] for text in texts]))
        table[one] = two, heap
    return table


def _tail_of(text: bytes) -> Tail:
    """The canonical text of a tail; raises ValueError if it is none."""
    parsed = parse((MARK_TEXT + text).decode("ascii"))
    if len(parsed) != 1 or not parsed[0].startswith(MARK_TEXT):
        raise ValueError("invalid tail %s" % ascii(text.decode("latin-1"))[1:-1])
    return parsed[0][len(MARK_TEXT) :]


@lru_cache(maxsize=None)
def grundy_number(land: bytes) -> int:
    """The Grundy number of a small land, by its definition."""
    numbers = {number_of(child) for child in children(land)}
    return next(n for n in range(len(numbers) + 1) if n not in numbers)


def number_of(lands: Iterable[bytes]) -> int:
    """The Grundy number of a sum of small lands."""
    number = 0
    for land in lands:
        number ^= grundy_number(land)
    return number


def summary(tail: Tail, value_of: Callable[[Sum], int]) -> TailSummary:
    """The options of a tail, and what is left of it without its joint; lands by their values."""
    if tail == ORPHAN:
        return TailSummary(0, frozenset(), ())
    regions = encode(tail).split(BARS)
    alive, _ = remove_dead([region.translate(None, JOINT) for region in regions])
    at_joint = set()
    options = set()
    for lands in map(canonical_lands, successors([MARK + JOINT, *regions], 1)):
        (marked,) = [land for land in lands if land.startswith(DEAD_MARK)]
        beside = value_of(tuple([land for land in lands if land != marked]))
        if marked == DEAD_MARK:
            at_joint.add(beside)
        else:
            options.add((marked[len(MARK_TEXT) :] if b"|" in marked else ORPHAN, beside))
    alone = value_of(canonical_lands(BARS.join(alive)))
    return TailSummary(alone, frozenset(at_joint), tuple(sorted(options)))


@lru_cache(maxsize=None)
def played(tail: Tail) -> TailSummary:
    """The options of a tail, and what is left of it without its joint, by Grundy numbers."""
    return summary(tail, number_of)


def difference(one: Tail, two: Tail) -> int:
    """The only k by which two tails may differ."""
    return played(one).alone ^ played(two).alone


_equal: Dict[Tuple[Tail, Tail], bool] = {}


def are_equal(one: Tail, two: Tail) -> bool:
    """Whether play alone shows that two tails are equal but for *k, k their `difference`.

    Every move in T + U + *k needs an answer after which the tails that are left are equal but
    for the heap that is left (docs/theory.md, "Tails").
    """
    if one == two:
        return True
    key = (one, two) if one < two else (two, one)
    found = _equal.get(key)
    if found is None:
        found = _equal[key] = _are_equal(*key)
    return found


def _are_equal(one: Tail, two: Tail) -> bool:
    heap = difference(one, two)
    if {n ^ heap for n in played(one).at_joint} != played(two).at_joint:
        return False
    return (
        all(_leads_to(one, two, n) or _leads_to(two, one, n) for n in range(heap))
        and all(_is_answered(option, two, heap) for option in played(one).options)
        and all(_is_answered(option, one, heap) for option in played(two).options)
    )


def _leads_to(tail: Tail, other: Tail, heap: int) -> bool:
    """Whether a move in a tail leaves it equal to another but for a heap."""
    return any(
        beside ^ heap == difference(after, other) and are_equal(after, other)
        for after, beside in played(tail).options
    )


def _is_answered(option: Tuple[Tail, int], other: Tail, heap: int) -> bool:
    """Whether a move in a tail, to an option, has an answer there, in the other, or in the heap."""
    after, beside = option
    left = heap ^ beside
    if _leads_to(other, after, left) or _leads_to(after, other, left):
        return True
    return difference(after, other) < left and are_equal(after, other)
