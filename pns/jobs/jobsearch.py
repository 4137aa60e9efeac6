"""The search of a job by a worker, in one process or several, and its result."""

from __future__ import annotations

from array import array
from typing import Optional, Protocol

from pns.game import Game, Sum
from pns.jobs.protocol import JobResult, JobSpec, children_in_order
from pns.positions.couple import Couples
from pns.positions.interned import HEAP, HEAP_BITS
from pns.search.bounds import MAX_NUMBER, ROOT, WIN, Numbers, Thresholds
from pns.search.counted_search import Stopped


class JobSearch(Protocol):
    """What a worker needs of its search; `pns.dfpn.Search` documents the names."""

    expansions: int
    job_ends: int
    limits: Thresholds
    root: Numbers
    observe_every: int

    @property
    def couples(self) -> Couples:
        """The positions, and what facts say about them."""

    @property
    def entries(self) -> int:
        """The positions whose numbers the search holds: table entries, or nodes."""

    def outcome(self, lands: Sum, heap: int = 0) -> bool:
        """Whether the player to move wins lands + *heap; raises Stopped at the job's end."""

    def numbers(self, code: int) -> Numbers:
        """The proof and disproof number of a folded couple, those of a leaf if unknown."""


def unsolved(numbers: Numbers) -> Numbers:
    """Proof numbers within the range of an unsolved node."""
    return max(1, min(numbers[0], MAX_NUMBER)), max(1, min(numbers[1], MAX_NUMBER))


def search_leaf(search: JobSearch, spec: JobSpec) -> bool:
    """Search a leaf within its thresholds, and beyond them up to `least` expansions.

    Whether the player to move wins; raises Stopped. `job_ends` limits the expansions.
    """
    least = search.expansions + spec.least
    search.limits = spec.limits
    try:
        return search.outcome((spec.land,), spec.heap)
    except Stopped:
        if search.expansions >= min(least, search.job_ends):
            raise
    search.limits = ROOT
    search.job_ends = min(least, search.job_ends)
    return search.outcome((spec.land,), spec.heap)


def result_of(
    search: JobSearch, game: Game, spec: JobSpec, with_children: bool
) -> Optional[JobResult]:
    """The result of an unsolved job, None if facts decide its leaf; `game` gives the children."""
    couples = search.couples
    land, heap = couples.land(spec.land), spec.heap
    if couples.numbers[land] >= 0 or couples.option_numbers[land] >> heap & 1:
        return None
    if not with_children:
        return JobResult(array("I"))
    children = [couples.code(lands) ^ heap for lands in children_in_order(game, spec.land)]
    if 0 in children:
        couples.option_numbers[land] |= 1 << heap
        return None
    children += [land << HEAP_BITS | n for n in range(heap)]
    numbers = array("I")
    for child in children:
        numbers.extend(search.numbers(child) if child > HEAP else WIN)
    return JobResult(numbers)
