"""Parallel search in one process: logical processes that take turns, reproducibly.

It is the search of `pdfpn.py` or `spdfpn.py` with its shared state and logs, but one logical
process runs at a time, for a random number of expansions drawn from a seed. So runs can be
repeated, and the search overhead of many processes, the ratio of their expansions to those
of a single search, can be measured on any machine.
"""

from __future__ import annotations

import threading
from random import Random
from typing import Any, Optional, Type

from pns.dfpn import Search
from pns.facts import Facts
from pns.game import Game, Sum
from pns.parallel.position_store import PositionStore
from pns.parallel.search_process import SearchProcess
from pns.parallel.shared_state import SharedState
from pns.pdfpn import PdfpnProcess
from pns.search.counted_search import Stopped
from pns.search.restarts import Schedule
from pns.search.table import Table
from pns.system.machine import require

STACK_BYTES = 128 << 20
TURN = 8
"""Average expansions of a turn, those of real processes between two polls of the logs."""


class LogicalSearch:
    """A search by a number of logical processes; facts are added to `facts`.

    `searcher` is the class of the processes, which gets `options`. `expansions` counts those
    of all processes, `longest` is the maximum over the processes. Restarts are those of a
    `ParallelSearch`. `positions` are the bytes for those that the processes share, 0 for the usual.
    """

    def __init__(  # noqa: PLR0913
        self,
        processes: int,
        game: Game,
        facts: Facts,
        capacity: int,
        seed: int = 0,
        turn: int = TURN,
        most_expansions: Optional[int] = None,
        searcher: Type[SearchProcess] = PdfpnProcess,
        restart: int = 0,
        positions: int = 0,
        **options: Any,
    ) -> None:
        self.state = SharedState(processes, PositionStore(processes, positions))
        self.facts = facts
        self.table = Table(capacity)
        self.turn = turn
        self.most_expansions = most_expansions
        self.schedule = Schedule(restart)
        self._read = [0] * processes
        self._random = Random(seed)
        self._batons = [threading.Semaphore(0) for _ in range(processes)]
        self._done = threading.Semaphore(0)
        self._ends = [0] * processes
        self._wins: Optional[bool] = None
        self._error: Optional[BaseException] = None
        observer = self._take_turns
        self.searchers = [
            searcher(
                self.state,
                i,
                game,
                facts,
                self.table,
                observer=observer,
                observe_every=1,
                **options,
            )
            for i in range(processes)
        ]

    @property
    def expansions(self) -> int:
        """Expansions of all processes."""
        return sum([searcher.expansions for searcher in self.searchers])

    @property
    def longest(self) -> int:
        """The most expansions of one process, that is the duration if they ran in parallel."""
        return max([searcher.expansions for searcher in self.searchers])

    def outcome(self, lands: Sum, heap: int = 0) -> bool:
        """Whether the player to move wins lands + *heap; raises Stopped."""
        self._wins = None
        count = len(self.searchers)
        what = "the stacks of %d logical processes" % count
        require(count * STACK_BYTES, what, "a smaller number of processes")
        before = threading.stack_size(STACK_BYTES)
        try:
            threads = [
                threading.Thread(target=self._run, args=(searcher, lands, heap), daemon=True)
                for searcher in self.searchers
            ]
            for thread in threads:
                thread.start()
        finally:
            threading.stack_size(before)
        try:
            self._batons[0].release()
            self._done.acquire()
        finally:
            self.state.stop()
            for baton, thread in zip(self._batons, threads):
                baton.release()
                thread.join()
        self.state.drain_facts(self._read, self.facts)
        if self._error is not None:
            raise self._error
        assert self._wins is not None
        return self._wins

    def _run(self, searcher: SearchProcess, lands: Sum, heap: int) -> None:
        self._batons[searcher.process].acquire()
        if self.state.stopped():
            return
        try:
            self._wins = searcher.outcome(lands, heap)
        except Stopped as stopped:
            if self.state.stopped():
                return
            self._error = stopped
        except BaseException as error:
            if self.state.stopped():
                return
            self._error = error
        self._done.release()

    def _take_turns(self, search: Search) -> None:
        """Give the turn to a random process when that of this one is over."""
        assert isinstance(search, SearchProcess)
        me = search.process
        if self.state.stopped() or search.expansions < self._ends[me]:
            return
        self.state.drain_facts(self._read, self.facts)
        if self.most_expansions is not None and self.expansions >= self.most_expansions:
            search.stop.stop("expansions")
        if self.schedule.is_over(self.expansions):
            self.state.restart(self.table)
        following = self._random.randrange(len(self.searchers))
        searcher = self.searchers[following]
        self._ends[following] = searcher.expansions + self._random.randint(1, 2 * self.turn - 1)
        if following != me:
            self._batons[following].release()
            self._batons[me].acquire()
