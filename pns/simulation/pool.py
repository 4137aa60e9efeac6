"""PDFPN by logical processes on a virtual clock, for a simulated worker with several cores.

The search is that of `pdfpn.py` with its table, shared state and logs. Each process spends
virtual time on its own expansions, so that they interleave as real processes do, but in the
same way in every run. They live from job to job as those of a `ProcessPool`, and to the worker
they look like one search.
"""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Set, Tuple

from pns.dfpn import Search, SearchObserver
from pns.game import Sum
from pns.parallel.child_store import STORE_PART, ChildStore, SharedGame
from pns.parallel.logs import OBSERVE_EVERY
from pns.parallel.parent_couples import ParentView
from pns.parallel.pool import PoolExchange
from pns.parallel.pool_search import PoolSearch, search_until_recalled
from pns.parallel.position_store import PositionStore
from pns.parallel.search_process import SearchProcess
from pns.parallel.shared_state import SharedState
from pns.pdfpn import PdfpnProcess
from pns.positions.couple import Couples
from pns.search.bounds import Numbers, Thresholds
from pns.search.table import Table
from pns.simulation.costs import Work
from pns.simulation.timeline import Activity, Timeline
from pns.system.machine import reservable

STORE_BYTES = 1 << 28
"""Bytes of the child store of a simulated machine, and of the positions of a simulated worker; one
real machine may simulate many."""

SpendTime = Callable[[Activity, Work], None]
"""work(activity, more) lets the time for more work pass."""
Assignment = Tuple[Sum, int, Thresholds]
"""What all processes search: (lands, heap, thresholds), compared by identity."""


def simulated_store_bytes(wanted: int = STORE_BYTES) -> int:
    """The bytes wanted, or less if the limits of this process leave less."""
    return min(wanted, reservable() // STORE_PART)


def done_by(process: SearchProcess) -> Work:
    """What a process has done so far."""
    game, couples = process.game, process.couples
    read = game.children_read if isinstance(game, SharedGame) else 0
    return Work(process.expansions, process.children_generated, couples.children_taken, read)


class SimulatedPool(PoolSearch):
    """A search by a number of logical processes.

    The observer is called in the time of `activity`, the worker's, while the processes go on.
    """

    def __init__(
        self,
        timeline: Timeline,
        activity: Activity,
        work: SpendTime,
        processes: int,
        couples: Couples,
        table: Table,
        observer: SearchObserver,
        seed: int,
        prior: Any,
        store: Optional[ChildStore] = None,
        **options: Any,
    ) -> None:
        super().__init__(couples, table, observer=observer)
        size = simulated_store_bytes()
        store = store or ChildStore(processes, size)
        positions = PositionStore(processes, size)
        self.state = SharedState(processes, positions, store)
        self.parent_view = ParentView(couples.game, couples.facts, positions)
        self.game = SharedGame(couples.game, store)
        self.searchers = [
            PdfpnProcess(
                self.state,
                process,
                couples.game,
                couples.facts,
                table,
                seed,
                prior,
                observer=self._spend,
                observe_every=OBSERVE_EVERY,
                **options,
            )
            for process in range(processes)
        ]
        self._activity, self._work = activity, work
        self._counted = [Work()] * processes
        self.exchange = couples.exchange = PoolExchange(self.state, [0] * processes)
        self._observed = 0
        self._waiting = False
        self._assigned: Optional[Assignment] = None
        self._begun: List[Optional[Assignment]] = [None] * processes
        self._wins: Optional[bool] = None
        self._beyond: Optional[Numbers] = None
        """The root's numbers of the first process that has passed the thresholds."""
        self._error: Optional[BaseException] = None
        self._idle: Set[int] = set()
        self._recalled: Set[int] = set()
        """Recalled processes that have not returned to the root yet."""
        self._activities = [timeline.start(self._body_of(searcher)) for searcher in self.searchers]
        self._alive = processes

    def assign(self, lands: Sum, heap: int, limits: Thresholds) -> None:
        self._replace_assignment((lands, heap, limits))

    def refresh(self) -> None:
        if self._error is not None:
            raise self._error

    def outcome_of_processes(self, lands: Sum, heap: int) -> Optional[bool]:
        return self._wins

    def beyond(self) -> Optional[Numbers]:
        return self._beyond

    def wait(self) -> None:
        if self.expansions - self._observed >= self.observe_every:
            self._observed = self.expansions
            self._observe()
        else:
            self._wait_for_processes()

    def recall(self) -> None:
        self._recalled = set(range(len(self.searchers))) - self._idle
        self._interrupt()
        while self._recalled and not self._error:
            self._wait_for_processes()

    def rest(self) -> None:
        self._replace_assignment(None)

    def close(self) -> None:
        self.state.stop()
        self._replace_assignment(None)
        while self._alive:
            self._wait_for_processes()

    def _replace_assignment(self, assignment: Optional[Assignment]) -> None:
        """Give the processes an assignment, or none."""
        self._assigned, self._wins, self._beyond = assignment, None, None
        self._interrupt()
        for process in sorted(self._idle):
            self._activities[process].wake()
        self._idle.clear()

    def _interrupt(self) -> None:
        """End the current searches of all processes."""
        for searcher in self.searchers:
            searcher.job_ends = 0

    def _wait_for_processes(self) -> None:
        """Wait until a process wakes the worker."""
        self._waiting = True
        self._activity.wait()

    def _wake_worker(self) -> None:
        """Wake the worker if it waits for the processes."""
        if self._waiting:
            self._waiting = False
            self._activity.wake()

    def _body_of(self, searcher: SearchProcess) -> Callable[[Activity], None]:
        """The activity of a process: search the assignment until the state is stopped."""

        def body(activity: Activity) -> None:
            done: Optional[Assignment] = None
            try:
                while not self.state.stopped():
                    self._recalled.discard(searcher.process)
                    self._wake_worker()
                    assignment = self._assigned
                    if assignment is None or assignment is done:
                        self._idle.add(searcher.process)
                        activity.wait()
                    elif self._follow(searcher, assignment):
                        done = assignment
            except Exception as error:
                self._error = error
            self._alive -= 1
            self._wake_worker()

        return body

    def _follow(self, searcher: SearchProcess, assignment: Assignment) -> bool:
        """Search an assignment until recalled; whether it is finished."""
        if assignment is not self._begun[searcher.process]:
            self._begun[searcher.process], searcher.root = assignment, (1, 1)
        wins, is_done = search_until_recalled(searcher, *assignment)
        searcher.report()
        self._spend(searcher)
        if assignment is self._assigned:
            self._wins = self._wins if wins is None else wins
            if is_done and wins is None:
                self._beyond = self._beyond or searcher.root
        return is_done

    def _spend(self, search: Search) -> None:
        """Let the time of a process's work pass; then count it and read the logs."""
        assert isinstance(search, SearchProcess)
        me = search.process
        before = self._counted[me]
        self._counted[me] = done = done_by(search)
        more = done.since(before)
        self._work(self._activities[me], more)
        self.expansions += more.expansions
        self.couples.children_generated += more.children
        if not me and self._begun[me] is self._assigned:
            self.root = search.root
        self.couples.exchange_records()
        if self.expansions >= self.job_ends or (
            self.expansions - self._observed >= self.observe_every
        ):
            self._wake_worker()
