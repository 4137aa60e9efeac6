"""PDFPN or SPDFPN by the processes of one machine on a virtual clock, without a master.

The search is that of `pns.pdfpn` or `pns.spdfpn` from the root, over one table and the positions of
all processes. Each of them spends virtual time on its own expansions, on the children that it
generates, and on those of others that it takes over. It sees facts of others at once. What cores
lose to each other in their caches costs nothing.
"""

from __future__ import annotations

import sys
import time as real
from typing import Any, Callable, Dict, Optional

from pns.algorithms import process_class
from pns.choices import SPDFPN
from pns.dfpn import Search
from pns.facts import Facts
from pns.game import Game, Sum
from pns.parallel.logs import OBSERVE_EVERY
from pns.parallel.position_store import PositionStore, positions_bytes
from pns.parallel.search_process import SearchProcess
from pns.parallel.shared_state import SharedState
from pns.positions.prior import Prior
from pns.positions.wrapped import ordered
from pns.search.restarts import Schedule
from pns.search.table import Table
from pns.simulation.cached import Counted
from pns.simulation.costs import Costs, Work, price
from pns.simulation.pool import done_by
from pns.simulation.simulation import Run, Setting
from pns.simulation.timeline import Activity, Timeline


class Machine:
    """A search for the outcome of a position by the processes of a setting without a master.

    `capacity` is that of their table, and `memory` the bytes of the positions that they hold
    together, each a part. Stops after `most_seconds` of virtual time or `most_expansions`,
    unsolved.
    """

    def __init__(
        self,
        game: Game,
        lands: Sum,
        setting: Setting,
        costs: Costs,
        capacity: int = 1 << 16,
        prior: Optional[Prior] = None,
        most_seconds: float = float("inf"),
        most_expansions: int = sys.maxsize,
        memory: int = sys.maxsize,
    ) -> None:
        self.facts = Facts(game.name)
        self.costs = costs
        self.most_seconds = most_seconds
        self.most_expansions = most_expansions
        self.timeline = Timeline()
        self.end = 0.0
        self.wins: Optional[bool] = None
        self._lands = lands
        self._table = Table(capacity)
        self._game = Counted(ordered(game, setting.jobs.order), {})
        self._schedule = Schedule(setting.jobs.restart)
        processes = setting.processes
        positions = PositionStore(processes, positions_bytes(memory))
        self._state = SharedState(processes, positions)
        self._read = [0] * processes
        self._spent = [Work()] * processes
        self.expansions = 0
        """Those of all processes, whose time has passed."""
        process_type = process_class(setting.algorithm)
        options: Dict[str, Any] = setting.search.of_processes()
        if setting.algorithm == SPDFPN:
            options = {"epsilon": setting.search.epsilon, "work_limit": setting.work_limit}
        self._searchers = [
            process_type(
                self._state,
                process,
                self._game,
                self.facts,
                self._table,
                setting.seed,
                (prior or Prior()).starting(setting.jobs.start_numbers),
                observer=self._spend,
                observe_every=OBSERVE_EVERY,
                max_bytes=memory // processes,
                **options,
            )
            for process in range(processes)
        ]

    @property
    def done(self) -> Work:
        """What all processes have done, whose time has passed."""
        return Work(*map(sum, zip(*self._spent)))

    @property
    def held_bytes(self) -> int:
        """About the bytes of the positions that all processes hold."""
        return sum([searcher.couples.bytes() for searcher in self._searchers])

    def run(self) -> Run:
        """Search; raises what a process raises."""
        began = real.process_time()
        self._activities = [self.timeline.start(self._body_of(s)) for s in self._searchers]
        self.timeline.run()
        self._state.drain_facts(self._read, self.facts)
        done = self.done
        return Run(
            solved=self.wins is not None,
            seconds=self.end,
            expansions=done.expansions,
            children=done.children,
            master_nodes=0,
            worker_nodes=self._table.used,
            facts=len(self.facts),
            utilisation=1.0,
            master_load=0.0,
            jobs=0,
            calls=0,
            real_seconds=real.process_time() - began,
            again=self._game.repeated / (self._game.generated or 1),
            taken=done.taken,
        )

    def _body_of(self, searcher: SearchProcess) -> Callable[[Activity], None]:
        """The activity of a process: search until one of them has the outcome."""

        def body(activity: Activity) -> None:
            wins = searcher.outcome(self._lands)
            self._spend(searcher)
            self.wins, self.end = wins, self.timeline.now
            self.timeline.stop()

        return body

    def _spend(self, search: Search) -> None:
        """Let the time of a process's work pass; then look at limits and restarts."""
        assert isinstance(search, SearchProcess)
        me = search.process
        before = self._spent[me]
        done = done_by(search)
        self._activities[me].spend(price(self.costs, done.since(before)))
        self._spent[me] = done
        self.expansions += done.expansions - before.expansions
        self._state.drain_facts(self._read, self.facts)
        now = self.timeline.now
        if now >= self.most_seconds or self.expansions >= self.most_expansions:
            self.end = now
            self.timeline.stop()
        if self._schedule.is_over(self.expansions):
            self._state.restart(self._table)
