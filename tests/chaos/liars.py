"""Workers that were let in and lie about facts, proof numbers, children, lands and counts.

The master checks all facts: everything that it stores must be right, and so must the outcome,
which it finds with honest workers.
"""

from __future__ import annotations

import re
import time
from array import array
from random import Random
from typing import Any, Callable, Dict, List, Optional

from helpers.masters import Clock, ManualWorker, master_of, worker_of

from chaos.kills import dismiss, finish, listening, start_solver
from chaos.run import Run
from chaos.truth import POSITIONS, QUICK, SPROUTS, check_contents, is_win, number_of
from pns.facts import Contradiction, Fact, Facts, FactsError
from pns.jobs.protocol import JobReport, JobResult, Reply
from pns.positions.prior import Prior
from pns.search.bounds import INF

SEARCH_SECONDS = 200.0
MOST_STEPS = 20_000
MOST_LIARS = 20
"""In one search; each one that is dropped is replaced."""
NO_LANDS = (
    b"zzz", b"+", b"|", b".", b"!", b"0*0", b"0*1", b"0*2000", b"3", b"A", b"AB", b"1a1b",
    b"0*3+0*4", b"0*2.BA|AB", b"0.0", b"0" * 5000, b"a" * 300, b"m(9999)", b"0*2.AB|AB|",
    b"1a1a1a", b"[", b"0*-2",
)  # fmt: skip
"""Texts that are no canonical lands, though some denote one."""


def run(run: Run) -> None:
    """Make several searches in process, and in half of the runs one with programs."""
    for _ in range(run.amount(12)):
        in_process(run)
        unchecked(run)
    if run.rng.random() < 0.5:
        live(run)


class LyingLink:
    """A link to a master that falsifies a share `rate` of reports, results and facts."""

    def __init__(self, run: Run, link: Any, rate: float) -> None:
        self.run, self.link, self.rate = run, link, rate
        self.kinds: List[Callable[[JobReport, Random], JobReport]] = [
            number, invented, text, numbers, win, loss, other_land, counts,
        ]  # fmt: skip
        if run.rng.random() < 0.5:
            self.kinds = [run.rng.choice(self.kinds)]

    def _call(self, name: str, *arguments: Any) -> Any:
        """Call the master, which must not raise an exception."""
        try:
            return getattr(self.link, name)(*arguments)
        except (Contradiction, FactsError, TimeoutError):
            raise
        except Exception as error:
            what = "%s of %s" % (name, str(arguments)[:200])
            self.run.fail("traceback", "%s: %s: %s" % (what, type(error).__name__, error))
            raise

    def _lie(self, report: JobReport) -> JobReport:
        rng = self.run.rng
        if rng.random() >= self.rate:
            return report
        self.run.counts["lies"] += 1
        return rng.choice(self.kinds)(report, rng)

    def join(self, game: str, forgotten: str = "", simplify: bool = False) -> Reply:
        return self._call("join", game, forgotten, simplify)  # type: ignore[no-any-return]

    def get(self) -> Reply:
        return self._call("get")  # type: ignore[no-any-return]

    def update(self, report: JobReport) -> Reply:
        return self._call("update", self._lie(report))  # type: ignore[no-any-return]

    def submit(self, report: JobReport, result: Optional[JobResult]) -> None:
        rng = self.run.rng
        if rng.random() < self.rate:
            self.run.counts["lies"] += 1
            result = children(result, rng)
        self._call("submit", self._lie(report), result)

    def answered(self) -> bool:
        return bool(self.link.answered())

    def answer(self) -> Reply:
        return self._call("answer")  # type: ignore[no-any-return]

    def close(self, report: JobReport) -> Reply:
        return self._call("close", self._lie(report))  # type: ignore[no-any-return]

    def add_facts(self, facts: List[Fact]) -> Reply:
        rng = self.run.rng
        if rng.random() < self.rate:
            self.run.counts["lies"] += 1
            facts = [(land, wrong(n, rng)) for land, n in facts]
        return self._call("add_facts", facts)  # type: ignore[no-any-return]

    def leave(self) -> None:
        self._call("leave")

    def __getattr__(self, name: str) -> Any:
        """All else is that of the link."""
        return getattr(self.link, name)


def wrong(n: int, rng: Random) -> int:
    """Another Grundy number."""
    return rng.choice([other for other in (0, 1, 2, 3, 5, 250) if other != n])


def number(report: JobReport, rng: Random) -> JobReport:
    """Change the number of a fact."""
    facts = list(report.facts)
    if facts:
        i = rng.randrange(len(facts))
        facts[i] = facts[i][0], wrong(facts[i][1], rng)
    return report._replace(facts=facts)


def invented(report: JobReport, rng: Random) -> JobReport:
    """Add a false fact about the leaf, a land of one of its children, or a start position."""
    lands = [report.land, b"0*2", b"0*3", b"0*4", b"0*5", b"0*6"]
    lands += [land for child in SPROUTS.children(report.land) for land in child][:20]
    land = rng.choice(lands)
    claimed = wrong(number_of(land), rng) if len(land) < 8 else rng.randrange(4)
    return report._replace(facts=[*report.facts, (land, claimed)])


def text(report: JobReport, rng: Random) -> JobReport:
    """Add a fact about a text that is no land."""
    found = rng.choice(NO_LANDS)
    if rng.random() < 0.3:
        altered = bytearray(report.land)
        altered[rng.randrange(len(altered))] = rng.randrange(33, 127)
        found = bytes(altered)
    return report._replace(facts=[*report.facts, (found, rng.randrange(3))])


def numbers(report: JobReport, rng: Random) -> JobReport:
    """Set random proof numbers."""
    values = (1, 2, 1000, INF - 1, INF)
    return report._replace(pn=rng.choice(values), dn=rng.choice(values))


def win(report: JobReport, rng: Random) -> JobReport:
    """Claim that the leaf is a win."""
    return report._replace(pn=0, dn=INF)


def loss(report: JobReport, rng: Random) -> JobReport:
    """Claim that the leaf is a loss, with or without a fact."""
    facts = list(report.facts)
    if rng.random() < 0.5:
        facts.append((report.land, report.heap % 250))
    return report._replace(pn=INF, dn=0, facts=facts)


def other_land(report: JobReport, rng: Random) -> JobReport:
    """Name another leaf, or a text that is no land."""
    land = rng.choice((*NO_LANDS, b"0*4", b"0*7", b"1a1a"))
    return report._replace(land=land, heap=rng.choice((0, 1, 200, report.heap)))


def counts(report: JobReport, rng: Random) -> JobReport:
    """Set impossible counts."""
    return report._replace(
        expansions=rng.choice((0, 1 << 62)),
        generated=rng.choice((0, 1 << 62)),
        seconds=rng.choice((0.0, 9e8)),
        table_entries=rng.choice((0, 1 << 62)),
        job=rng.choice((0, report.job + 1, 1 << 62)),
    )


def children(result: Optional[JobResult], rng: Random) -> Optional[JobResult]:
    """Change the numbers of the children, or how many there are."""
    held = array("I", result.numbers if result else (1, 1))
    kind = rng.randrange(5)
    if kind == 0:
        return None
    if kind == 1:
        return JobResult(held[: 2 * rng.randrange(len(held) // 2 + 1)])
    if kind == 2:
        return JobResult(held + held)
    for i in range(0, len(held) - 1, 2):
        if kind == 3 or rng.random() < 0.3:
            held[i], held[i + 1] = rng.choice(((0, INF), (INF, 0), (0, 0), (INF, INF), (1, 7)))
    return JobResult(held)


def in_process(run: Run) -> None:
    """A master, two honest workers and some liars that take turns."""
    rng = run.rng
    position = rng.choice([*QUICK, "0*6"])
    facts, clock = Facts("sprouts"), Clock()
    iterations = rng.choice((10, 100))
    master = master_of(position, facts=facts, iterations=iterations, updates=20, check=1.0)
    rate = rng.choice((0.05, 0.3, 1.0))
    liars = 0

    def liar() -> ManualWorker:
        nonlocal liars
        liars += 1
        worker = ManualWorker(master, "liar-%d" % liars, clock, prior=Prior())
        worker.link = LyingLink(run, worker.link, rate)
        return worker

    workers = [liar() for _ in range(rng.randint(1, 2))]
    workers += [ManualWorker(master, "honest-%d" % i, clock, prior=Prior()) for i in range(2)]
    run.counts["searches with liars"] += 1
    steps, limit = 0, time.monotonic() + SEARCH_SECONDS
    while not master.why_done and steps < MOST_STEPS and time.monotonic() < limit:
        steps += 1
        clock.now += 0.01
        worker = rng.choice(workers)
        lies = isinstance(worker.link, LyingLink)
        try:
            spec = worker.take()
            if spec:
                worker.do(spec)
            ended = bool(worker.reason)
        except Exception as error:
            ended = True  # a liar may fail by its own lies
            if not lies:
                what = "%s: %s" % (type(error).__name__, error)
                run.fail("traceback", "%s, an honest worker: %s" % (position, what))
        if ended:
            workers.remove(worker)
            if lies and liars < MOST_LIARS:
                workers.append(liar())
        if all([isinstance(other.link, LyingLink) for other in workers]):
            break
    run.counts["liars"] += liars
    judge(run, position, master.knowledge.outcome, master.knowledge.failure, dict(facts.items()))


def unchecked(run: Run) -> None:
    """A master that checks nothing, and a worker that falsifies Grundy numbers.

    Where two numbers contradict each other, the search ends, and both sources are named: the
    liar is one of them, or contradicts itself.
    """
    rng, clock = run.rng, Clock()
    position = rng.choice([*QUICK, "0*6"])
    master = master_of(position, iterations=rng.choice((10, 100)), updates=20, check=0.0)
    workers = [ManualWorker(master, "honest", clock), ManualWorker(master, "liar", clock)]
    lying = LyingLink(run, workers[1].link, 0.5)
    lying.kinds = [number]
    workers[1].link = lying
    steps, limit = 0, time.monotonic() + SEARCH_SECONDS
    while not master.why_done and steps < MOST_STEPS and time.monotonic() < limit:
        steps += 1
        clock.now += 0.01
        try:
            workers[rng.randrange(2)].turn()
        except (Contradiction, FactsError):
            break  # a worker has met the contradiction first
    run.counts["searches without checks"] += 1
    if master.knowledge.failure:
        run.counts["contradictions"] += 1
        sources = re.search(r"\(this by (.+), that by (.+)\)$", master.knowledge.failure)
        if not sources or "liar" not in sources.groups():
            run.fail(
                "message", "%s: the liar is not named: %s" % (position, master.knowledge.failure)
            )


def judge(
    run: Run, position: str, outcome: Optional[bool], failure: str, found: Dict[bytes, int]
) -> None:
    """Check the outcome and the facts of a master that checks all claims."""
    if failure:
        run.fail("wrong", "%s: a liar ended the search: %s" % (position, failure))
    elif outcome is None:
        run.fail("hang", "%s: not solved" % position)
    elif outcome != is_win(position):
        run.fail("wrong", "%s: found a %s" % (position, "win" if outcome else "loss"))
    check_contents(run, found, position)


def live(run: Run) -> None:
    """A running master with an honest worker, and a liar in the process of the run."""
    from pns.distributed.client import Client, NoAnswer

    rng = run.rng
    position, database = rng.choice(POSITIONS), run.work / "facts.lmdb"
    words: List[object] = [position, "--json", "--algorithm", "pns-pdfpn", "--workers", 0]
    words += ["--db", database, "--iterations", 100, "--listen", "127.0.0.1:0"]
    words += ["--check-facts", "all"]
    master = start_solver(run, words, None)
    address = listening(master)
    honest = run.start("worker.py", "--connect", address, "--capacity", 100_000)
    limit = time.monotonic() + SEARCH_SECONDS

    def given_up() -> bool:
        return not master.is_running or time.monotonic() > limit

    client = Client(address, "liar", None, given_up, patience=5.0)
    link: Any = LyingLink(run, client, rng.choice((0.1, 0.5)))
    try:
        worker_of(link, SPROUTS, prior=Prior()).run()
    except Exception as error:
        if not isinstance(error, (NoAnswer, FactsError)):
            run.counts["liars that failed"] += 1
    client.disconnect()
    run.counts["live searches with liars"] += 1
    finish(run, master, position, database)
    dismiss(run, [honest])
