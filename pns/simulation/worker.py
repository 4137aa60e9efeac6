"""A worker whose search takes time on the virtual clock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Optional

from pns.facts import Facts
from pns.jobs.jobsearch import JobSearch
from pns.jobs.peers import LocalPeers
from pns.jobs.protocol import KEEP_ALL, JobSpec
from pns.jobs.searcher import JobSearcher
from pns.master import Master
from pns.parallel.child_store import SharedGame
from pns.positions.couple import Couples
from pns.search.table import Table
from pns.simulation.cached import Counted
from pns.simulation.costs import Work
from pns.simulation.diary import SEARCHING, WAITING
from pns.simulation.ledger import AHEAD, BEYOND, LATE, Watched
from pns.simulation.link import SimulatedLink
from pns.simulation.pool import SimulatedPool
from pns.simulation.timeline import Activity
from pns.worker import Worker

if TYPE_CHECKING:
    from pns.simulation.simulation import Simulation


def is_needless(master: Master, job: int) -> bool:
    """Whether a master knows that a job is no longer worth doing."""
    given = master.jobs.leased.get(job)
    return given is None or any([master.knowledge.tree.is_solved(code) for code in given.path])


class SimulatedSearcher(JobSearcher):
    """The search of a simulated worker, which counts what it does for the virtual clock."""

    def __init__(
        self,
        simulation: Simulation,
        index: int,
        facts: Optional[Facts],
        machine: Optional[LocalPeers],
        activity: Activity,
    ) -> None:
        self._simulation, self._activity, self._index = simulation, activity, index
        self._counted = Counted(simulation.game, simulation.seen)
        self.phase: Callable[[], str] = lambda: ""
        """What kind an expansion is of for the state of the job, or ""."""
        self.spent = Work()
        """The work whose time has passed."""
        super().__init__(
            simulation.setup,
            self._counted,
            simulation.prior,
            facts,
            machine,
            max_bytes=simulation.core_bytes,
        )

    @property
    def repeated(self) -> int:
        """The children generated that another worker had generated before."""
        return self._counted.repeated

    def forget(self, keep: int) -> None:
        super().forget(keep)
        if keep != KEEP_ALL:
            self.spent = self._done_here()

    def search_of(self, couples: Couples) -> JobSearch:
        if self.setup.policy.by_pns:
            return super().search_of(couples)
        return Watched(
            self._simulation.ledger,
            self._index,
            lambda: self.phase(),
            couples,
            Table(self.setup.capacity),
            self.setup.policy.epsilon,
            observer=self.observe,
            max_bytes=self.max_bytes,
        )

    def pool_of(self, couples: Couples) -> SimulatedPool:
        return SimulatedPool(
            self._simulation.timeline,
            self._activity,
            self._simulation.work,
            self.setup.processes,
            couples,
            Table(self.setup.capacity),
            self.observe,
            self.setup.seed,
            self.prior,
            self.store,
            max_bytes=self.max_bytes,
            **self.setup.policy.of_processes(),
        )

    def spend(self) -> None:
        """Let the time pass of the work since the last call."""
        before, self.spent = self.spent, self._done_here()
        self._simulation.work(self._activity, self.spent.since(before))

    def _done_here(self) -> Work:
        """What its search did, without its processes."""
        if self.pool:
            return Work(children=self.pool.game.children_generated)
        read = self.game.children_read if isinstance(self.game, SharedGame) else 0
        records = self.couples.records_read
        return Work(self.search.expansions, self._counted.generated, read=read, records=records)


class SimulatedWorker(Worker):
    """A worker whose search takes virtual time, and that may have several processes."""

    def __init__(
        self,
        simulation: Simulation,
        index: int,
        facts: Optional[Facts],
        machine: Optional[LocalPeers],
        activity: Activity,
    ) -> None:
        self._simulation, self._activity = simulation, activity
        self._queue = simulation.queue_of(index)
        self._is_needless = False
        """Whether a couple on the path to the leaf of the job was solved, as last looked up."""
        setting = simulation.setting
        group = "machine-%d" % (index // setting.grouping) if facts is not None else ""
        self.simulated_link = SimulatedLink(
            self._queue, "worker-%d" % index, group, activity, setting.processes > 1
        )
        self.simulated = SimulatedSearcher(simulation, index, facts, machine, activity)
        self.simulated.phase = self._phase
        super().__init__(
            self.simulated_link, self.simulated, clock=self._now, pause=self._pause_for
        )

    def _pause_for(self, seconds: float) -> None:
        self._note(WAITING)
        self._activity.spend(seconds)

    def _note(self, doing: str) -> None:
        self.simulated_link.diary.note(self._simulation.timeline.now, doing)

    def _work(self, spec: JobSpec) -> None:
        self._note(SEARCHING)
        self._is_needless = False
        super()._work(spec)

    def _phase(self) -> str:
        """What kind an expansion is of for the state of the job, or ""."""
        if self._waiting:
            return AHEAD
        if self._is_needless:
            return LATE
        spec = self._spec
        return BEYOND if spec and self.searcher.search.limits is not spec.limits else ""

    def _observe(self, search: JobSearch) -> None:
        self._now()
        if self._spec:
            self._is_needless = is_needless(self._queue.master, self._spec.job)
        super()._observe(search)

    def _now(self) -> float:
        """The virtual time, after the time of the work since the last call has passed."""
        self.simulated.spend()
        return self._simulation.timeline.now
