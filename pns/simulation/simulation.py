"""PNS-PDFPN on a virtual clock: many workers and their master in one real process.

The master is `pns.master.Master`, the workers are `pns.worker.Worker`, and they search
what real ones would search. Only time is made up: expansions, children, messages and the
master's calls cost what `Costs` says. The master answers one call at a time, and calls
wait in a queue for it; so it can be seen to saturate. With one seed every run is the same.

What is left out: workers that fail, memory that cores share, and the time that a master
needs to write facts to a disk.
"""

from __future__ import annotations

import sys
import time as real
from dataclasses import dataclass
from typing import Callable, List, NamedTuple, Optional, Sequence, Tuple

from pns.couple import Couples
from pns.dfpn import Search
from pns.distributed.peers import LocalPeers
from pns.distributed.protocol import EPSILON, KEEP_ALL, WAIT, JobReport, JobResult, Reply
from pns.facts import Fact, Facts
from pns.game import Game, Sum
from pns.master import Master
from pns.parallel.child_store import ChildStore
from pns.parallel.logs import Logs
from pns.prior import Prior
from pns.simulation.cached import Counted
from pns.simulation.pool import SimulatedPool, simulated_store_bytes
from pns.simulation.timeline import Activity, Over, Timeline
from pns.table import Table
from pns.worker import Worker

MASTER_CAPACITY = 1 << 20


class Costs(NamedTuple):
    """What takes how long, in microseconds; defaults are those of docs/lab/scaling.md."""

    expansion: float = 26.0
    child: float = 8.0
    """Of generating one; with the above, what a search takes."""
    latency: float = 150.0
    """Of a message, one way."""
    byte: float = 0.001
    """Of a message, on its way."""
    get: float = 380.0
    """Of the master, to find a job."""
    update: float = 290.0
    submit: float = 390.0
    fact_in: float = 4.0
    """Of the master, for each fact that it is told."""
    fact_out: float = 0.7
    """Of the master, for each fact that it tells."""
    leaf_child: float = 5.7
    """Of the master, for each child of a leaf that is handed in, but for generating it."""


class Setting(NamedTuple):
    """How a search is divided and what its workers share."""

    workers: int = 1
    processes: int = 1
    """Of each worker: its logical PDFPN processes; the cores are those of all workers."""
    iterations: int = 1000
    updates: int = 1000
    grouping: int = 1
    """Workers of one machine, which share their facts and generated options at once."""
    sharing: bool = True
    keep: int = KEEP_ALL
    seed: int = 0

    @property
    def cores(self) -> int:
        return self.workers * self.processes


@dataclass(frozen=True)
class Run:
    """What became of a search; times are virtual."""

    solved: bool
    seconds: float
    expansions: int
    """Those of jobs that were not handed in at the end too."""
    children: int
    master_nodes: int
    worker_nodes: int
    facts: int
    utilisation: float
    """The part of their time that workers have a job, from 0 to 1."""
    master_load: float
    """The part of its time that the master works, from 0 to 1."""
    jobs: int
    calls: int
    real_seconds: float


class SimulatedLink:
    """A worker's link to the master, on the virtual clock."""

    def __init__(self, simulation: "Simulation", name: str, group: str, activity: Activity) -> None:
        self._simulation, self._name, self._group = simulation, name, group
        self._activity = activity
        self._worked, self._since = 0.0, -1.0
        self._submitted: Optional[Tuple[Reply, float]] = None
        """The answer to a result, and when it comes."""
        self._asked: Optional[Tuple[Reply, float]] = None
        """The answer to a request for a job that went out with a result, and when it comes."""
        self._goes_on = False
        """Whether processes search on below the leaf that was handed in."""

    def worked(self, now: float) -> float:
        """The seconds for which the worker had a job."""
        return self._worked + (now - self._since if self._since >= 0 else 0.0)

    def join(self, game: str, forgotten: str = "") -> Reply:
        call = self._master.join
        return self._call(0.0, lambda now: call(self._name, game, now, self._group, forgotten))

    def get(self) -> Reply:
        if self._asked:
            (reply, time), self._asked = self._asked, None
            self._activity.until(time)
        else:
            reply = self._call(self._costs.get, self._get)
        if reply.order:
            self._since = self._simulation.timeline.now
        return reply

    def _get(self, now: float) -> Reply:
        return self._master.get(self._name, now)

    def update(self, report: JobReport) -> Reply:
        call = self._master.update
        return self._call(
            self._costs.update, lambda now: call(self._name, report, now), report.facts
        )

    def submit(self, report: JobReport, result: Optional[JobResult]) -> None:
        """Hand in a job; as over a socket, the next one is asked for in the same breath."""
        call, costs = self._master.submit, self._costs
        children = len(result.numbers) // 2 if result else 0
        reply, time = self._answer(
            costs.submit + costs.leaf_child * children,
            lambda now: call(self._name, report, result, now),
            report.facts,
            travel(costs, report.facts, children),
        )
        self._submitted = reply, time
        self._goes_on = result is not None and self._simulation.setting.processes > 1
        if reply.says == WAIT:
            self._asked = self._answer(costs.get, self._get)

    def answered(self) -> bool:
        answers = [answer for answer in (self._submitted, self._asked) if answer]
        return all([time <= self._simulation.timeline.now for _, time in answers])

    def answer(self) -> Reply:
        """What the master said; a worker without processes has searched on until now, at most."""
        assert self._submitted
        (reply, time), self._submitted = self._submitted, None
        if not self._goes_on:
            self._end_work()
        self._activity.until(time)
        self._end_work()
        return reply

    def _end_work(self) -> None:
        self._worked, self._since = self.worked(self._simulation.timeline.now), -1.0

    def close(self, report: JobReport) -> Reply:
        return self._call(0.0, lambda now: self._master.close(self._name, report, now))

    def add_facts(self, facts: List[Fact]) -> Reply:
        return self._call(0.0, lambda now: self._master.add_facts(self._name, facts, now), facts)

    def leave(self) -> None:
        self._master.leave(self._name, self._simulation.timeline.now)

    @property
    def _master(self) -> Master:
        return self._simulation.master

    @property
    def _costs(self) -> Costs:
        return self._simulation.costs

    def _call(
        self, base: float, call: Callable[[float], Reply], facts: Sequence[Fact] = ()
    ) -> Reply:
        """Send a request, wait for its turn and for the answer."""
        self._activity.spend(travel(self._costs, facts, 0))
        reply, time = self._answer(base, call, facts)
        self._activity.until(time)
        return reply

    def _answer(
        self,
        base: float,
        call: Callable[[float], Reply],
        facts: Sequence[Fact] = (),
        way: float = 0.0,
    ) -> Tuple[Reply, float]:
        """What the master says to a request that comes after `way`, and when that is here."""
        simulation, costs = self._simulation, self._costs
        start = max(simulation.timeline.now + way, simulation.free)
        generated = self._master.tree.couples.children_generated
        reply = call(start)
        generated = self._master.tree.couples.children_generated - generated
        work = base + costs.child * generated
        work += costs.fact_in * len(facts) + costs.fact_out * len(reply.facts)
        simulation.serve(start, 1e-6 * work)
        return reply, simulation.free + travel(costs, reply.facts, 0)


def travel(costs: Costs, facts: Sequence[Fact], children: int) -> float:
    """Seconds that a message is on its way, the bytes being counted roughly."""
    size = 100 + sum([len(land) + 4 for land, _ in facts]) + 8 * children
    return 1e-6 * (costs.latency + costs.byte * size)


class SimulatedWorker(Worker):
    """A worker whose search takes virtual time, and that may have several processes."""

    def __init__(
        self,
        simulation: "Simulation",
        index: int,
        facts: Optional[Facts],
        machine: Optional[LocalPeers],
        activity: Activity,
    ) -> None:
        setting = simulation.setting
        self._simulation, self._activity = simulation, activity
        self._spent = (0, 0)
        group = "machine-%d" % (index // setting.grouping) if facts is not None else ""
        self.simulated_link = SimulatedLink(simulation, "worker-%d" % index, group, activity)
        self._counted = Counted(simulation.game)
        super().__init__(
            self.simulated_link,
            self._counted,
            simulation.capacity,
            setting.seed,
            simulation.prior,
            clock=self._now,
            pause=activity.spend,
            processes=setting.processes,
            facts=facts,
            machine=machine,
        )

    @property
    def entries(self) -> int:
        """Of its table."""
        return self._search.table.used

    def _forget(self, keep: int) -> None:
        super()._forget(keep)
        if keep != KEEP_ALL:
            self._spent = 0, self._generated_here()

    def _pool_of(self, couples: Couples) -> SimulatedPool:
        return SimulatedPool(
            self._simulation.timeline,
            self._activity,
            self._simulation.work,
            self.processes,
            couples,
            Table(self.capacity),
            self._observe,
            self.seed,
            self.prior,
            self.options,
        )

    def _generated_here(self) -> int:
        """Children generated by the worker, those of its processes left out."""
        return self._pool.game.children_generated if self._pool else self._counted.generated

    def _observe(self, search: Search) -> None:
        self._now()
        super()._observe(search)

    def _now(self) -> float:
        """The time, once that of what was done has passed."""
        simulation, before = self._simulation, self._spent
        mine = 0 if self._pool else self._search.expansions
        self._spent = mine, self._generated_here()
        more = self._spent[0] - before[0], self._spent[1] - before[1]
        simulation.work(self._activity, *more)
        return simulation.timeline.now


class Simulation:
    """A search for the outcome of a position by workers on a virtual clock.

    `capacity` is that of each worker's table. Stops after `most_seconds` of virtual
    time or `most_expansions`, unsolved.
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
    ) -> None:
        self.game = game
        self.setting = setting
        self.costs = costs
        self.capacity = capacity
        self.prior = prior
        self.most_seconds = most_seconds
        self.most_expansions = most_expansions
        self.timeline = Timeline()
        self.free = 0.0
        """When the master will have answered all calls that came so far."""
        self.busy = 0.0
        self.calls = 0
        self.end = 0.0
        self._expansions = self._children = 0.0
        self.master = Master(
            game,
            lands,
            Facts(game.name),
            MASTER_CAPACITY,
            iterations=setting.iterations,
            updates=setting.updates,
            sharing=setting.sharing,
            keep=setting.keep,
            lease=float("inf"),
        )

    def work(self, activity: Activity, expansions: int, children: int) -> None:
        """Let the time of a search pass; what of it was done by the end is counted."""
        seconds = price(self.costs, expansions, children)
        began, done = self.timeline.now, 1.0
        try:
            if seconds:
                activity.spend(seconds)
        except Over:
            done = min(1.0, max(0.0, self.end - began) / seconds)
            raise
        finally:
            self._expansions += done * expansions
            self._children += done * children

    def serve(self, start: float, seconds: float) -> None:
        """The master works; when the search is done by that, it ends then."""
        self.calls += 1
        self.busy += seconds
        self.free = start + seconds
        spent = self.free >= self.most_seconds or self._expansions >= self.most_expansions
        if self.master.why_done or spent:
            self.end = self.free
            self.timeline.stop()

    def run(self) -> Run:
        """Search; raises what a worker raises."""
        began = real.process_time()
        grouping = self.setting.grouping
        machines = range(-(-self.setting.workers // grouping))
        facts_of = [Facts(self.game.name) if grouping > 1 else None for _ in machines]
        rings = grouping * self.setting.processes
        size = simulated_store_bytes()
        stores = [ChildStore(rings, size) if grouping > 1 else None for _ in machines]
        logs = [Logs(grouping) for _ in machines]
        workers: List[SimulatedWorker] = []

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
        return Run(
            solved=self.master.is_solved,
            seconds=self.end,
            expansions=round(self._expansions),
            children=round(self._children),
            master_nodes=statistics.master_nodes,
            worker_nodes=sum([worker.entries for worker in workers]) // len(workers),
            facts=statistics.facts,
            utilisation=worked / (self.end * len(workers)),
            master_load=self.busy / self.end,
            jobs=self.master.counts.given,
            calls=self.calls,
            real_seconds=real.process_time() - began,
        )


def price(costs: Costs, expansions: int, children: int) -> float:
    """The seconds of a search."""
    return 1e-6 * (costs.expansion * expansions + costs.child * children)


def sequential(
    game: Game, lands: Sum, costs: Costs, seed: int, prior: Optional[Prior], capacity: int
) -> Run:
    """DFPN alone with the ε of the workers, as the paper's baseline."""
    began = real.process_time()
    facts = Facts(game.name)
    couples = Couples(game, facts, seed, prior)
    search = Search(couples, Table(capacity), EPSILON)
    search.outcome(lands)
    spent = search.expansions, couples.children_generated
    return Run(
        solved=True,
        seconds=price(costs, *spent),
        expansions=spent[0],
        children=spent[1],
        master_nodes=0,
        worker_nodes=search.table.used,
        facts=len(facts),
        utilisation=1.0,
        master_load=0.0,
        jobs=0,
        calls=0,
        real_seconds=real.process_time() - began,
    )
