"""PNS-PDFPN on a virtual clock: many workers and their master in one real process.

The master is `pns.master.Master`, the workers are `pns.worker.Worker`, and they search
what real ones would search. Only time is virtual: expansions, children, messages and the
master's work take what `Costs` says. The master answers one request at a time, and the others
wait in a queue, so that its saturation shows. A seed determines the whole run.

Failing workers, memory shared by cores, and the time in which a master writes facts to a disk
are not simulated.
"""

from __future__ import annotations

import sys
import time as real
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Dict, List, NamedTuple, Optional, Set, Tuple

from pns.choices import (
    AT_ONCE,
    DFPN,
    DFPN_BATCH,
    DISTRIBUTED,
    EPSILON,
    PARALLEL,
    PNS,
    WORK_LIMIT,
    algorithm_of,
)
from pns.facts import Facts
from pns.game import Game, Land, Sum
from pns.jobs.peers import LocalPeers
from pns.jobs.policy import DEFAULT_JOBS, DEFAULT_SEARCH, JobPolicy, WorkerPolicy
from pns.jobs.protocol import KEEP_ALL
from pns.jobs.setup import WorkerSetup
from pns.leader import LeaderSearcher
from pns.master import Master
from pns.parallel.child_store import ChildStore
from pns.parallel.logs import Logs
from pns.positions.couple import Couples
from pns.positions.prior import Prior
from pns.positions.wrapped import ordered
from pns.search.table import Table
from pns.simulation.costs import Costs, Work, price
from pns.simulation.diary import DOINGS, Diary
from pns.simulation.leader import SimulatedLeader
from pns.simulation.ledger import KINDS, Ledger, Recorded
from pns.simulation.link import MasterQueue
from pns.simulation.pool import simulated_store_bytes
from pns.simulation.timeline import Activity, Over, Timeline
from pns.simulation.worker import SimulatedWorker

MASTER_CAPACITY = 1 << 20


class Setting(NamedTuple):
    """The division of a search, and what its workers share."""

    workers: int = 1
    processes: int = 1
    """Logical PDFPN processes of each worker; each of them takes a core."""
    grouping: int = 1
    """Workers of one machine, which share facts; by `sharing` at once also wins and children."""
    seed: int = 0
    jobs: JobPolicy = DEFAULT_JOBS
    search: WorkerPolicy = DEFAULT_SEARCH
    leads: bool = False
    """Whether each machine has a leader (`pns.leader`), which takes the cores of one worker."""
    algorithm: str = DISTRIBUTED
    """By `pdfpn` and `spdfpn` a single worker's processes search from the root, without a master
    (`pns.simulation.machine`)."""
    work_limit: int = WORK_LIMIT
    """Expansions of a job of SPDFPN."""

    @property
    def has_master(self) -> bool:
        return self.algorithm not in PARALLEL

    @property
    def machines(self) -> int:
        return -(-self.workers // self.grouping)

    @property
    def has_peers(self) -> bool:
        """Whether workers of a machine share memory, as those of a real master do then."""
        at_once = self.jobs.sharing == AT_ONCE and self.jobs.keep == KEEP_ALL
        return self.grouping > 1 and at_once

    @property
    def cores(self) -> int:
        return (self.workers + self.leads * self.machines) * self.processes

    def as_row(self) -> Dict[str, Any]:
        """All of it by name, the policies' fields included; `search` is "dfpn" or "pns"."""
        row = {**self._asdict(), **self.jobs._asdict(), **self.search._asdict()}
        del row["jobs"]
        row["search"] = PNS if row.pop("by_pns") else DFPN
        row["has_master"] = self.has_master
        if self.has_master:
            row["algorithm"] = algorithm_of(row["search"])
        return row


@dataclass(frozen=True)
class Run:
    """The figures of a search; times are virtual."""

    solved: bool
    seconds: float
    expansions: int
    """Those of unfinished jobs included."""
    children: int
    master_nodes: int
    worker_nodes: int
    facts: int
    utilisation: float
    """The share of the workers' time for which they have a job, from 0 to 1."""
    master_load: float
    """The share of its time for which the master works, from 0 to 1."""
    jobs: int
    calls: int
    real_seconds: float
    leader_load: float = 0.0
    """The mean of the same for leaders."""
    leader_jobs: int = 0
    """Jobs that leaders have given to their workers."""
    again: float = 0.0
    """The share of the children that were generated before, by any worker."""
    taken: int = 0
    """Children of others that processes took over by their ids."""
    read: int = 0
    """Children that processes read from shared memory, nearly all of them those of others."""
    records: int = 0
    """Records of others that processes read from logs there."""
    tasks: Dict[str, float] = field(default_factory=dict)
    """The shares of the master's work, by the names of `ledger.TASKS`."""
    times: Dict[str, float] = field(default_factory=dict)
    """The shares of the workers' time, by the names of `ledger.DOINGS`."""
    kinds: Dict[str, Optional[float]] = field(default_factory=lambda: dict.fromkeys(KINDS))
    """The shares of the expansions, by the names of `ledger.KINDS`; None where they are not known,
    as for workers of several processes."""


class Simulation:
    """A search for the outcome of a position by workers on a virtual clock.

    `capacity` is that of each worker's table, and `memory` the bytes of the positions that all
    cores hold together, each a part. Stops after `most_seconds` of virtual time or
    `most_expansions`, unsolved. `alone` has the keys of the couples that DFPN alone expands.
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
        alone: Optional[Set[int]] = None,
        memory: int = sys.maxsize,
    ) -> None:
        self.ledger = Ledger(alone)
        self.seen: Dict[Land, int] = {}
        """How many children of each land any worker has generated."""
        self.original_game = game
        self.game = ordered(game, setting.jobs.order)
        self.setting = setting
        self.costs = costs
        self.setup = WorkerSetup(
            game.name, capacity, setting.seed, setting.processes, policy=setting.search
        )
        self.prior = (prior or Prior()).starting(setting.jobs.start_numbers)
        self.most_seconds = most_seconds
        self.most_expansions = most_expansions
        self.core_bytes = memory // setting.cores
        """The bytes of the positions of each core."""
        self.timeline = Timeline()
        self.end = 0.0
        self.leaders: List[SimulatedLeader] = []
        self._done = [0.0] * len(Work())
        """What was done in the time that has passed, as `Work`."""
        master = Master(
            game,
            lands,
            Facts(game.name),
            MASTER_CAPACITY,
            policy=setting.jobs,
            lease=float("inf"),
        )
        self.queue = MasterQueue(master, costs, self.timeline, self._stop_if_done)

    @property
    def master(self) -> Master:
        return self.queue.master

    def work(self, activity: Activity, more: Work) -> None:
        """Let the time of a search pass, and count the part of it before the end."""
        seconds = price(self.costs, more)
        began, done = self.timeline.now, 1.0
        try:
            if seconds:
                activity.spend(seconds)
        except Over:
            done = min(1.0, max(0.0, self.end - began) / seconds)
            raise
        finally:
            self._done = [before + done * count for before, count in zip(self._done, more)]

    def _stop_if_done(self) -> None:
        """Stop the clock if the search is done, or its limits are reached, by the last reply."""
        free = self.queue.free
        expansions = self._done[0]
        spent = free >= self.most_seconds or expansions >= self.most_expansions
        if self.master.why_done or spent:
            self.end = free
            self.timeline.stop()

    def queue_of(self, worker: int) -> MasterQueue:
        """The master of a worker, or its leader's."""
        if self.setting.leads:
            return self.leaders[worker // self.setting.grouping].queue
        return self.queue

    def run(self) -> Run:
        """Search; raises what a worker raises."""
        began = real.process_time()
        grouping = self.setting.grouping
        machines = range(self.setting.machines)
        if self.setting.leads:
            self.leaders = [self._leader(i) for i in machines]
        facts_of = [Facts(self.game.name) if grouping > 1 else None for _ in machines]
        rings = grouping * self.setting.processes
        size = simulated_store_bytes()
        stores = [ChildStore(rings, size) if self.setting.has_peers else None for _ in machines]
        logs = [Logs(grouping) for _ in machines]
        self.workers: List[SimulatedWorker] = []
        workers = self.workers

        def machine_of(index: int) -> Optional[LocalPeers]:
            store, place = stores[index // grouping], index % grouping
            if store is None:
                return None
            part = store.part(place * self.setting.processes)
            return LocalPeers(part, logs[index // grouping], place)

        def begin(activity: Activity) -> None:
            index = len(workers)
            facts = facts_of[index // grouping]
            workers.append(SimulatedWorker(self, index, facts, machine_of(index), activity))
            workers[-1].run()

        for _ in range(self.setting.workers):
            self.timeline.start(begin)
        self.timeline.run()
        statistics = self.master.statistics(self.end)
        worked = sum([worker.simulated_link.worked(self.end) for worker in workers])
        done = Work(*map(round, self._done))
        return Run(
            solved=self.master.knowledge.is_solved,
            seconds=self.end,
            expansions=done.expansions,
            children=done.children,
            master_nodes=statistics.master_nodes,
            worker_nodes=sum([worker.searcher.search.entries for worker in workers])
            // len(workers),
            facts=statistics.facts,
            utilisation=worked / (self.end * len(workers)),
            master_load=self.queue.busy / self.end,
            jobs=self.master.jobs.counts.given,
            calls=self.queue.calls,
            leader_load=sum([leader.queue.busy for leader in self.leaders])
            / (self.end * (len(self.leaders) or 1)),
            leader_jobs=sum([leader.queue.master.jobs.counts.given for leader in self.leaders]),
            real_seconds=real.process_time() - began,
            again=sum([worker.simulated.repeated for worker in workers]) / (done.children or 1),
            taken=done.taken,
            read=done.read,
            records=done.records,
            tasks={task: part / self.queue.busy for task, part in self.queue.tasks.items()},
            times=self._times(),
            kinds=self.ledger.shares(),
        )

    def _leader(self, index: int) -> SimulatedLeader:
        """A leader with a number."""
        setting = self.setting
        searcher = partial(
            LeaderSearcher,
            self.setup,
            self.original_game,
            setting.jobs,
            MASTER_CAPACITY,
            lease=float("inf"),
        )
        return SimulatedLeader(searcher, "leader-%d" % index, self.queue)

    def _times(self) -> Dict[str, float]:
        """The shares of the workers' time by what they did."""
        found = dict.fromkeys(DOINGS, 0.0)
        for diary in self.diaries():
            for doing, seconds in diary.totals(self.end).items():
                found[doing] += seconds / (self.end * len(self.workers))
        return found

    def diaries(self) -> List[Diary]:
        """What each worker did."""
        return [worker.simulated_link.diary for worker in self.workers]


def sequential(
    game: Game,
    lands: Sum,
    costs: Costs,
    seed: int,
    prior: Optional[Prior],
    capacity: int,
    epsilon: float = EPSILON,
    batch: int = DFPN_BATCH,
    first_land: bool = False,
    restart: int = 0,
) -> Tuple[Run, Set[int]]:
    """DFPN, the baseline, and the keys of the couples that it expands.

    By default it has the ε and the batches of the workers, where [cizek2025] has none.
    """
    began = real.process_time()
    facts = Facts(game.name)
    couples = Couples(game, facts, seed, prior)
    couples.batch = batch
    search = Recorded(couples, Table(capacity), epsilon, first_land=first_land, restart=restart)
    search.outcome(lands)
    done = Work(search.expansions, couples.children_generated)
    run = Run(
        solved=True,
        seconds=price(costs, done),
        expansions=done.expansions,
        children=done.children,
        master_nodes=0,
        worker_nodes=search.table.used,
        facts=len(facts),
        utilisation=1.0,
        master_load=0.0,
        jobs=0,
        calls=0,
        real_seconds=real.process_time() - began,
    )
    return run, search.keys
