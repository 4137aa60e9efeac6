"""PDFPN by logical processes on a virtual clock: what a worker with several cores does.

The search is that of `pdfpn.py`, table, board and logs included. Each process spends
virtual time on its own expansions, so that the order in which they meet is that of real
ones; every run is the same. They live from job to job, as those of a `ProcessPool`, and to the
worker all of them look like one search.
"""

from __future__ import annotations

import sys
from typing import Any, Callable, List, Optional, Set, Tuple

from pns.bounds import ROOT, Thresholds, most_proving_below
from pns.couple import Couples
from pns.dfpn import Numbers, Observer, Search, Stopped
from pns.distributed.protocol import EPSILON
from pns.exchange import FACT
from pns.game import Land, Sum
from pns.machine import reservable
from pns.parallel.child_store import STORE_PART, ChildStore, SharedGame
from pns.parallel.logs import OBSERVE_EVERY
from pns.parallel.pool import PoolExchange, PoolSearch
from pns.parallel.search_process import SearchProcess
from pns.parallel.shared_state import SharedState
from pns.pdfpn import PdfpnProcess
from pns.simulation.timeline import Activity, Timeline
from pns.table import Table

STORE_BYTES = 1 << 28
"""Of the options that a simulated machine shares: there may be many in one real one."""

Work = Callable[[Activity, int, int], None]
"""Lets the time pass that so many expansions, and so many children generated, take."""
JobSlot = Tuple[Sum, int, Thresholds]
"""What all processes are to search: lands, heap, thresholds; each naming has its own."""


def simulated_store_bytes() -> int:
    """STORE_BYTES, or less where a limit of this process leaves less."""
    return min(STORE_BYTES, reservable() // STORE_PART)


class SimulatedPool(PoolSearch):
    """A search by a number of processes; `expansions` counts those of all.

    The observer is called in the time of `activity`, the worker's, while the processes
    go on. As with a `ProcessPool`, the thresholds `limits` end a job when one of the processes
    finds them passed; all are called back to the root then, and go on at once.
    """

    def __init__(
        self,
        timeline: Timeline,
        activity: Activity,
        work: Work,
        processes: int,
        couples: Couples,
        table: Table,
        observer: Observer,
        seed: int,
        prior: Any,
        store: Optional[ChildStore] = None,
    ) -> None:
        super().__init__(couples, table, observer=observer)
        self.state = SharedState(
            processes + 1, store or ChildStore(processes, simulated_store_bytes())
        )
        self.game = SharedGame(couples.game, self.state.options)
        self.searchers = [
            PdfpnProcess(
                self.state,
                process,
                couples.game,
                couples.facts,
                table,
                seed,
                prior,
                epsilon=EPSILON,
                observer=self._spend,
                observe_every=OBSERVE_EVERY,
            )
            for process in range(processes)
        ]
        self._activity, self._work = activity, work
        self._counted = [(0, 0)] * processes
        self.exchange = couples.exchange = PoolExchange(self.state, [0] * (processes + 1))
        self._observed = 0
        self._waiting = False
        self._slot: Optional[JobSlot] = None
        self._begun: List[Optional[JobSlot]] = [None] * processes
        self._wins: Optional[bool] = None
        self._beyond: Optional[Numbers] = None
        """The root's numbers beyond its thresholds, as the first process found them."""
        self._error: Optional[BaseException] = None
        self._idle: Set[int] = set()
        self._away: Set[int] = set()
        """Processes that were called back and have not come yet."""
        self._activities = [timeline.start(self._life(searcher)) for searcher in self.searchers]
        self._alive = processes

    def outcome(self, lands: Sum, heap: int = 0) -> bool:
        """Whether the player to move wins lands + *heap; raises Stopped."""
        self._name((lands, heap, self.limits))
        while self._is_open and self.expansions < self.job_ends:
            if self.expansions - self._observed >= self.observe_every:
                self._observed = self.expansions
                self._observe()
            else:
                self._pause()
        if self._wins is None:
            self._call_back()
        if self._error is not None:
            raise self._error
        if self._wins is not None:
            return self._wins
        self.root = self._beyond or self.root
        if self.limits != ROOT:  # they go on until they get another couple
            self._name((lands, heap, ROOT))
        raise Stopped("the job's end")

    def rest(self) -> None:
        self._name(None)

    def close(self) -> None:
        self.state.stop()
        self._name(None)
        while self._alive:
            self._pause()

    @property
    def _is_open(self) -> bool:
        return self._wins is None and self._beyond is None and self._error is None

    def _name(self, slot: Optional[JobSlot]) -> None:
        """Tell the processes what to search, or that there is nothing."""
        self._slot, self._wins, self._beyond = slot, None, None
        self._interrupt()
        for process in sorted(self._idle):
            self._activities[process].wake()
        self._idle.clear()

    def _call_back(self) -> None:
        """Have the processes come back to the root, so that the table holds what they found."""
        self._away = set(range(len(self.searchers))) - self._idle
        self._interrupt()
        while self._away and not self._error:
            self._pause()

    def _interrupt(self) -> None:
        """End the searches of all processes, wherever they are."""
        for searcher in self.searchers:
            searcher.job_ends = 0

    def _pause(self) -> None:
        """Wait for a process that has something to tell."""
        self._waiting = True
        self._activity.wait()

    def _call(self) -> None:
        """Have the worker look at what there is."""
        if self._waiting:
            self._waiting = False
            self._activity.wake()

    def _life(self, searcher: SearchProcess) -> Callable[[Activity], None]:
        """What a process does: search what the sheet says, until the board says that it ends."""

        def body(activity: Activity) -> None:
            done: Optional[JobSlot] = None
            try:
                while not self.state.stopped():
                    self._away.discard(searcher.process)
                    self._call()
                    slot = self._slot
                    if slot is None or slot is done:
                        self._idle.add(searcher.process)
                        activity.wait()
                    elif self._follow(searcher, slot):
                        done = slot
            except Exception as error:
                self._error = error
            self._alive -= 1
            self._call()

        return body

    def _follow(self, searcher: SearchProcess, slot: JobSlot) -> bool:
        """Search what a sheet says until called back; whether nothing is left of it."""
        if slot is not self._begun[searcher.process]:
            self._begun[searcher.process], searcher.root = slot, (1, 1)
        lands, heap, searcher.limits = slot
        searcher.job_ends = sys.maxsize
        wins, beyond = None, False
        try:
            wins = searcher.outcome(lands, heap)
        except Stopped:
            beyond = not most_proving_below(*searcher.root, *searcher.limits)
        searcher.report()
        self._spend(searcher)
        if slot is self._slot:
            self._wins = self._wins if wins is None else wins
            self._beyond = self._beyond or (searcher.root if beyond else None)
        return beyond or wins is not None

    def _spend(self, search: Search) -> None:
        """Let the time of what a process did pass; then take what it found."""
        assert isinstance(search, SearchProcess)
        me = search.process
        before = self._counted[me]
        done = search.expansions, search.game.children_generated
        self._counted[me] = done
        more = done[0] - before[0], done[1] - before[1]
        self._work(self._activities[me], *more)
        self.expansions += more[0]
        self.couples.children_generated += more[1]
        if not me and self._begun[me] is self._slot:
            self.root = search.root
        self.couples.exchange_records()
        if self.expansions >= self.job_ends or (
            self.expansions - self._observed >= self.observe_every
        ):
            self._call()

    def relay(self, land: Land, number: int) -> None:
        self.state.tell(len(self.searchers), FACT, number, land)
