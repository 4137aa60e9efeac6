"""A master and its workers in one process, for tests."""

from __future__ import annotations

import time
from dataclasses import fields
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from pns.facts import Fact, Facts
from pns.finding import find_game
from pns.game import Game
from pns.jobs.policy import JobPolicy
from pns.jobs.protocol import JobReport, JobResult, JobSpec, Link, Reply
from pns.jobs.searcher import JobSearcher
from pns.jobs.setup import WorkerSetup
from pns.master import Master
from pns.positions.interned import HEAP, HEAP_BITS
from pns.positions.simplify import find_simplified
from pns.search.nodes import LOCKED, META, NODE_WORDS
from pns.worker import Worker

SPROUTS = find_game("sprouts")


class Clock:
    """A clock that tests advance."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        """Advance the clock."""
        self.now += seconds


class LocalLink:
    """A worker's link to a master in the same process."""

    def __init__(self, master: Master, name: str, clock: Clock, group: str = "") -> None:
        self.master, self.name, self.clock, self.group = master, name, clock, group

    def join(self, game: str, forgotten: str = "", simplify: bool = False) -> Reply:
        return self.master.join(self.name, game, self.clock(), self.group, forgotten, simplify)

    def get(self) -> Reply:
        return self.master.get(self.name, self.clock())

    def update(self, report: JobReport) -> Reply:
        return self.master.update(self.name, report, self.clock())

    def submit(self, report: JobReport, result: Optional[JobResult]) -> None:
        self.reply = self.master.submit(self.name, report, result, self.clock())

    def answered(self) -> bool:
        return True

    def answer(self) -> Reply:
        return self.reply

    def close(self, report: JobReport) -> Reply:
        return self.master.close(self.name, report, self.clock())

    def add_facts(self, facts: List[Fact]) -> Reply:
        return self.master.add_facts(self.name, facts, self.clock())

    def leave(self) -> None:
        self.master.leave(self.name, self.clock())


def master_of(position: str, game: Game = SPROUTS, **options: Any) -> Master:
    options.setdefault("capacity", 1 << 16)
    facts = options.pop("facts", None)
    facts = Facts(game.name) if facts is None else facts
    policy = {name: options.pop(name) for name in JobPolicy._fields if name in options}
    options["policy"] = JobPolicy(**policy)
    return Master(game, game.parse(position), facts, **options)


class OwnWorker(Worker):
    """A worker that searches its jobs itself."""

    searcher: JobSearcher


def worker_of(
    link: Link,
    game: Game,
    clock: Callable[[], float] = time.monotonic,
    pause: Callable[[float], None] = time.sleep,
    **options: Any,
) -> OwnWorker:
    """A worker with options of its setup, and arguments of its searcher."""
    return OwnWorker(link, searcher_of(game, options), clock=clock, pause=pause)


def searcher_of(game: Game, options: Dict[str, Any]) -> JobSearcher:
    """A searcher with options of `WorkerSetup`, and arguments of its own."""
    own = {field.name for field in fields(WorkerSetup)} & set(options)
    setup = {"capacity": 1 << 14, **{name: options[name] for name in own}}
    rest = {name: value for name, value in options.items() if name not in own}
    return JobSearcher(WorkerSetup(game.name, **setup), game, **rest)


class ManualWorker(OwnWorker):
    """A worker whose turns a test starts, so that many can alternate in one process."""

    def __init__(
        self, master: Master, name: str, clock: Clock, group: str = "", **options: Any
    ) -> None:
        link = LocalLink(master, name, clock, group)
        pause = options.pop("pause", clock.wait)
        simpler = find_simplified(master.game)
        options.setdefault("simpler", simpler)
        game = simpler.original if simpler else master.game
        super().__init__(link, searcher_of(game, options), clock=clock, pause=pause)
        self._unless_over(self.join)

    def turn(self) -> None:
        """Do a job if there is one."""
        self._unless_over(self._take_turn)

    def take(self) -> Optional[JobSpec]:
        """Get a job; None if there is none."""
        return self._apply_reply(self.link.get()).spec

    def do(self, spec: JobSpec) -> None:
        """Search a leaf and hand it in."""
        self._work(spec)


class DyingLink(LocalLink):
    """A link whose worker dies before its first report on a job."""

    def update(self, report: JobReport) -> Any:
        raise KeyboardInterrupt

    def submit(self, report: JobReport, result: Any) -> Any:
        raise KeyboardInterrupt


def take_job(worker: ManualWorker) -> JobSpec:
    """Get a job, which the master must have."""
    spec = worker.take()
    assert spec
    return spec


def workers_of(master: Master, count: int, clock: Clock) -> List[ManualWorker]:
    """Workers with the names "worker 0", "worker 1", and so on."""
    return [ManualWorker(master, "worker %d" % i, clock) for i in range(count)]


def new_master(iterations: int = 10, position: str = "0*6", **options: Any) -> Tuple[Master, Clock]:
    return master_of(position, iterations=iterations, **options), Clock()


def grown_master(count: int, **options: Any) -> Tuple[Master, Clock, List[ManualWorker]]:
    """A master whose tree has some leaves, and idle workers."""
    master, clock = new_master(**options)
    workers = workers_of(master, count, clock)
    for _ in range(4):
        workers[0].do(take_job(workers[0]))
    return master, clock, workers


def report_of(spec: JobSpec, facts: Sequence[Fact] = (), pn: int = 1, dn: int = 1) -> JobReport:
    """A report on a job with arbitrary counts."""
    return JobReport(spec.job, spec.land, spec.heap, pn, dn, 7, 20, 0.5, 3, list(facts))


def free_leaves(master: Master) -> List[int]:
    """The unlocked leaves below unsolved nodes, found by a walk through the whole tree."""
    tree = master.knowledge.tree
    couples, words = tree.couples, tree.nodes.words
    free: List[int] = []
    seen, waiting = set(), [master.knowledge.root]
    while waiting:
        code = couples.fold(waiting.pop())
        if code in seen or code <= HEAP or tree.is_solved(code):
            continue
        seen.add(code)
        land, heap = code >> HEAP_BITS, code & HEAP
        if couples.parts[land]:
            waiting += [
                part << HEAP_BITS | couples.least_heap(part) for part in couples.parts[land]
            ]
        elif tree.is_leaf(code):
            if not words[tree.nodes.find(land, heap) * NODE_WORDS + META] & LOCKED:
                free.append(code)
        else:
            place = couples.list_index(land)
            for k in range(place + 1, place + 1 + couples.child_ids[place]):
                waiting.append(couples.child_code(k) ^ heap)
            waiting += [land << HEAP_BITS | n for n in range(heap)]
    return free
