"""The search of a job by a worker, in one process or several, and its result."""

from __future__ import annotations

from array import array
from typing import Callable, Iterable, List, Optional, Protocol, Tuple

from pns.facts import Fact
from pns.game import Game, Land, Sum
from pns.jobs.outbox import Outbox
from pns.jobs.protocol import JobResult, JobSpec, children_in_order
from pns.jobs.setup import WorkerSetup
from pns.positions.couple import Couples
from pns.positions.interned import HEAP, HEAP_BITS
from pns.search.bounds import MAX_NUMBER, ROOT, WIN, Numbers, Thresholds
from pns.search.counted_search import Stopped


class JobSearch(Protocol):
    """What a worker needs of its search; `pns.dfpn.Search` documents the names."""

    job_ends: int
    limits: Thresholds
    root: Numbers
    observe_every: int

    @property
    def expansions(self) -> int:
        """The expansions so far."""

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


class LeafSearcher(Protocol):
    """What a worker searches its jobs with, and the facts to report; `JobSearcher` says more."""

    observer: Callable[[JobSearch], None]
    """Called from time to time during a search."""
    simplify: bool
    """Whether simpler positions stand in place of children."""
    reported: Tuple[int, int]
    """The expansions and the generated children that were reported."""
    outbox: Outbox

    @property
    def setup(self) -> WorkerSetup:
        """How the worker is set up."""

    @property
    def game(self) -> Game:
        """The game that it searches."""

    @property
    def job_game(self) -> Game:
        """The game that knows the children of the search."""

    @property
    def search(self) -> JobSearch:
        """The search of the jobs."""

    @property
    def goes_on(self) -> bool:
        """Whether others search on between two jobs."""

    @property
    def shares_memory(self) -> bool:
        """Whether others may hold facts that the master has withdrawn."""

    @property
    def has_group_facts(self) -> bool:
        """Whether it stores facts for a group of workers."""

    def choose_game(self, simplify: bool) -> None:
        """Search children, or simpler positions in place of them; raises ProtocolError."""

    def adapted(self, spec: JobSpec) -> JobSpec:
        """A job as this searcher does it."""

    def forget(self, keep: int) -> None:
        """Forget all but what `keep` says, a constant of `pns.jobs.protocol`."""

    def number_of(self, land: Land) -> int:
        """The Grundy number of a land, -1 if it is not known."""

    def rest(self) -> None:
        """There is no job now."""

    def close(self) -> None:
        """End what it has started."""

    def work_done(self) -> Tuple[int, int]:
        """The expansions and the generated children so far."""

    def next_facts(self) -> List[Fact]:
        """The facts for the next report."""

    def acknowledge(self, facts: List[Fact]) -> None:
        """Take reported facts off the outbox."""

    def report_again(self) -> None:
        """Report all facts that are known here, to a new master."""

    def apply(self, facts: Iterable[Fact]) -> None:
        """Apply facts from the master; raises Contradiction."""

    def withdraw(self, facts: Iterable[Fact]) -> None:
        """Remove facts from those of the group."""

    def start_over(self) -> None:
        """Forget everything but the facts of the group."""

    def drop_group_facts(self) -> None:
        """Go on without the facts of the group."""


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
