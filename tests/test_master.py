"""The jobs of a master: results, locks and leases, late and repeated requests, checkpoints."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, Dict, List, Tuple

import pytest
from helpers.masters import (
    Clock,
    LocalLink,
    ManualWorker,
    free_leaves,
    grown_master,
    master_of,
    new_master,
    report_of,
    take_job,
    workers_of,
)
from helpers.searches import brute_grundy, numbers_of
from helpers.trees import TreeGame

from pns.choices import AT_ONCE, NEVER, SHARING
from pns.facts import Facts
from pns.finding import find_game
from pns.jobs.jobsearch import result_of
from pns.jobs.policy import JobPolicy
from pns.jobs.protocol import (
    DONE,
    KEEP_FACTS,
    KEEP_NOTHING,
    SUBMIT_NOW,
    UNKNOWN,
    WAIT,
    JobReport,
    JobResult,
    JobSpec,
)
from pns.master import Master
from pns.saving import tree_checkpoint
from pns.saving.checkpoint import CheckpointError
from pns.search.bounds import ROOT

pytestmark = pytest.mark.search


def run(master: Master, count: int = 3, seed: int = 1) -> List[ManualWorker]:
    """Let workers take jobs together and hand them in in random order until the search ends."""
    clock, rng = Clock(), random.Random(seed)
    workers = workers_of(master, count, clock)
    while not master.why_done:
        specs = [(worker, worker.take()) for worker in workers]
        assert master.why_done or any([spec for _, spec in specs])
        rng.shuffle(specs)
        for worker, spec in specs:
            clock.now += 0.1
            if spec:
                worker.do(spec)
    return workers


def small_positions() -> List[Tuple[str, int]]:
    pairs = numbers_of("brute_grundy.tsv")
    return random.Random(2).sample(pairs, 25)


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_grundy_numbers_of_small_positions(step: int) -> None:
    for text, number in small_positions()[::step]:
        master = master_of(text, iterations=5, updates=2, grundy=True)
        run(master)
        assert (master.knowledge.grundy_number, master.knowledge.outcome) == (
            number,
            number != 0,
        ), text


def test_sums_and_their_grundy_numbers() -> None:
    rng = random.Random(3)
    pairs = numbers_of("brute_grundy.tsv")
    for _ in range(12):
        parts = rng.sample(pairs, 3)
        master = master_of("+".join([text for text, _ in parts]), iterations=6, grundy=True)
        run(master)
        assert master.knowledge.grundy_number == parts[0][1] ^ parts[1][1] ^ parts[2][1], parts


@pytest.mark.parametrize(
    "seeds", [range(0, 35, 3), pytest.param(range(60), marks=pytest.mark.slow)]
)
def test_random_games_against_brute_force(seeds: range) -> None:
    for seed in seeds:  # every length of jobs, every number of workers
        game: Any = TreeGame(seed, 5, 4)
        lands = (b"0", b"1")
        master = Master(game, lands, Facts("tree"), 1 << 12, True, JobPolicy(1 + seed % 7))
        run(master, 1 + seed % 5)
        assert master.knowledge.grundy_number == game.grundy(lands), seed


def test_all_facts_of_a_run_are_true() -> None:
    master = master_of("0*5", iterations=20, updates=7)
    run(master, 4)
    facts = list(master.facts.items())
    assert len(facts) > 30
    for land, number in facts:
        assert number == brute_grundy(land), land


@pytest.mark.slow
def test_every_way_of_keeping_and_sharing() -> None:
    spent: Dict[Tuple[int, str], int] = {}
    for keep in (KEEP_NOTHING, KEEP_FACTS, 2):
        for sharing in SHARING:
            master = master_of("0*6", iterations=40, keep=keep, sharing=sharing)
            run(master)
            assert master.knowledge.outcome is False
            spent[keep, sharing] = master.knowledge.expansions
    assert spent[2, AT_ONCE] < spent[KEEP_NOTHING, NEVER], spent


def test_a_search_with_a_full_tree_goes_on_by_longer_jobs() -> None:
    master = master_of("0*7", capacity=40, iterations=30)
    workers = run(master)
    assert master.knowledge.outcome is False
    assert master.knowledge.tree.nodes.used <= 40
    assert sum([worker.jobs for worker in workers]) > 10


class UnreliableWorker(ManualWorker):
    """A worker that sends requests twice at random."""

    def __init__(self, master: Master, name: str, clock: Clock, rng: random.Random) -> None:
        self.rng = rng
        super().__init__(master, name, clock)
        self.link = RepeatingLink(master, name, clock, rng)


class RepeatingLink(LocalLink):
    """A link that repeats half of the reports and results."""

    def __init__(self, master: Master, name: str, clock: Clock, rng: random.Random) -> None:
        super().__init__(master, name, clock)
        self.rng = rng

    def update(self, report: JobReport) -> Any:
        for _ in range(self.rng.randint(0, 1)):
            super().update(report)
        return super().update(report)

    def submit(self, report: JobReport, result: Any) -> Any:
        for _ in range(self.rng.randint(0, 1)):
            super().submit(report, result)
        super().submit(report, result)


def test_workers_that_are_slow_or_silent_or_die_or_repeat_requests() -> None:
    for seed in range(12):
        rng, clock = random.Random(seed), Clock()
        position, number = [("0*6", 0), ("0*5", 1), ("0*4+0*3", 0)][seed % 3]
        master = master_of(position, iterations=15, updates=4, lease=1.0, grundy=True)
        workers = [UnreliableWorker(master, "w%d" % i, clock, rng) for i in range(4)]
        held: List[Tuple[ManualWorker, JobSpec]] = []
        joined = 4
        while not master.why_done:
            clock.now += 0.05
            event = rng.random()
            i = rng.randrange(len(workers))
            if event < 0.5:
                spec = workers[i].take()
                if spec:
                    held.append((workers[i], spec))
            elif event < 0.9 and held:
                worker, spec = held.pop(rng.randrange(len(held)))  # perhaps an old one
                worker.do(spec)
            elif event < 0.95:  # dies, and another one joins
                held = [pair for pair in held if pair[0] is not workers[i]]
                workers[i] = UnreliableWorker(master, "w%d" % joined, clock, rng)
                joined += 1
            else:
                clock.now += rng.choice([0.5, 2.0])
        assert master.knowledge.grundy_number == number, (seed, master.knowledge.failure)
        assert master.jobs.counts.given > 10
        locked = [job.code for job in master.jobs.leased.values()]
        assert len(locked) == len(set(locked))


def test_each_leaf_is_given_to_one_worker() -> None:
    master, _, workers = grown_master(40)
    specs = [worker.take() for worker in workers]
    given = [(spec.land, spec.heap) for spec in specs if spec]
    assert len(given) == len(set(given)) > 20
    assert not master.get("worker 0", 0.0).spec  # it gave its job back, and others wait for it
    assert workers[-1].take()


def test_workers_wait_only_when_no_leaf_is_free() -> None:
    waits = 0
    rng, clock = random.Random(0), Clock()
    master = master_of("0*7", iterations=8, grundy=True)
    workers = workers_of(master, 60, clock)
    held: List[Tuple[ManualWorker, JobSpec]] = []
    while not master.why_done:
        idle = [worker for worker in workers if worker not in [pair[0] for pair in held]]
        if idle and rng.random() < 0.95:
            worker = rng.choice(idle)
            spec = worker.take()
            if spec:
                held.append((worker, spec))
            elif not master.why_done:
                waits += 1
                assert not free_leaves(master)
        elif held:
            worker, spec = held.pop(rng.randrange(len(held)))
            worker.do(spec)
    assert master.knowledge.grundy_number == 0
    assert waits > 10


def test_an_expired_job_is_given_to_another_worker() -> None:
    master, clock, (slow, quick) = grown_master(2, lease=5.0, iterations=1)
    spec = take_job(slow)
    clock.now += 3
    assert quick.take()
    clock.now += 3
    again = quick.take()
    assert again and (again.land, again.heap) == (spec.land, spec.heap)
    assert master.jobs.counts.lost == 2 and "worker 0" not in master.workers
    facts = len(master.facts)
    slow.do(spec)  # it is unknown now, and joins again; the other worker has the leaf
    assert master.workers["worker 0"].job == 0
    assert (master.jobs.counts.dropped, master.jobs.counts.late) == (1, 0)
    assert len(master.facts) >= facts
    quick.do(again)
    assert master.jobs.counts.submitted == 5


def test_a_late_result_is_used_if_nobody_has_the_leaf() -> None:
    master, clock, (slow, other) = grown_master(2, lease=5.0)
    spec = take_job(slow)
    nodes = master.knowledge.tree.nodes.used
    other.take()
    master.leave("worker 0", clock())
    slow.join()
    slow.do(spec)
    assert (master.jobs.counts.late, master.jobs.counts.dropped) == (1, 0)
    assert master.knowledge.tree.nodes.used > nodes or master.knowledge.tree.is_solved(
        master.knowledge.tree.couples.code((spec.land,)) ^ spec.heap
    )


def test_a_worker_that_asks_for_another_job_loses_its_own() -> None:
    master, _, (worker,) = grown_master(1)
    first, second = take_job(worker), take_job(worker)
    assert (first.land, first.heap) == (second.land, second.heap)
    assert master.jobs.counts.lost == 1 and list(master.jobs.leased) == [second.job]


def test_a_job_that_is_given_back_is_unlocked() -> None:
    master, clock, (one, two) = grown_master(2)
    spec = take_job(one)
    assert master.close("worker 0", report_of(spec), clock()).status == WAIT
    assert not master.jobs.leased and master.jobs.counts.closed == 1
    again = two.take()
    assert again and (again.land, again.heap) == (spec.land, spec.heap)
    assert master.close("worker 0", report_of(again), clock()).status == WAIT  # not its job
    assert list(master.jobs.leased) == [again.job]


def test_unknown_workers_must_join() -> None:
    master, clock = new_master()
    assert master.get("nobody", 0.0).status == UNKNOWN
    spec = JobSpec(1, b"0*6", 0, 1, 1, 2, 1, ROOT)
    assert master.update("nobody", report_of(spec), 0.0).status == UNKNOWN
    assert master.submit("nobody", report_of(spec), None, 0.0).status == UNKNOWN
    assert master.close("nobody", report_of(spec), 0.0).status == UNKNOWN
    assert master.add_facts("nobody", [(b"1a1a", 0)], 0.0).status == UNKNOWN
    assert not len(master.facts)
    refused = master.join("nobody", "nim", 0.0)
    assert refused.status == DONE and refused.reason == "this search is about sprouts, not nim"


def test_a_job_that_others_have_solved_ends() -> None:
    master, clock, (one, two) = grown_master(2, iterations=1, position="0*4")
    spec = take_job(one)
    number = brute_grundy(spec.land)
    master.add_facts("worker 1", [(spec.land, number)], clock())
    assert master.update("worker 0", report_of(spec), clock()).status == SUBMIT_NOW


def test_a_master_resumes_from_a_checkpoint(tmp_path: Path) -> None:
    master, clock, workers = grown_master(3, iterations=4, lease=5.0)
    specs = [worker.take() for worker in workers]
    path = str(tmp_path / "checkpoint")
    clock.now = 2.0
    tree_checkpoint.save(
        path, master.knowledge.tree.search, "0*6", master.state(clock()), master.knowledge.log
    )
    resumed = master_of("0*6", iterations=4, lease=5.0)
    resumed.restore(
        tree_checkpoint.load(path, resumed.knowledge.tree.search, "0*6", distributed=True), clock()
    )
    before, after = master.statistics(2.0), resumed.statistics(2.0)
    assert (after.workers, after.joined) == (0, 3)
    for name in ("expansions", "facts", "master_nodes", "jobs", "utilisation"):
        assert getattr(after, name) == getattr(before, name), name
    assert list(resumed.facts.items()) == list(master.facts.items())
    assert free_leaves(resumed) == free_leaves(master)
    assert workers[0].take()  # a job of the old master that the new one does not know
    for worker in workers:
        assert isinstance(worker.link, LocalLink)
        worker.link = LocalLink(resumed, worker.link.name, clock)
    spec = specs[1]
    assert spec
    workers[1].do(spec)  # it still has its job
    assert (
        resumed.jobs.counts.submitted,
        resumed.jobs.counts.late,
        resumed.jobs.counts.dropped,
    ) == (5, 0, 0)
    clock.now = 8.0
    assert workers[1].take() is None  # its lease has run out, and it joins again
    assert resumed.jobs.counts.lost == 2  # those of the two that did not rejoin within a lease
    while not resumed.why_done:
        for worker in workers:
            spec = worker.take()
            if spec:
                worker.do(spec)
    assert resumed.knowledge.outcome is False


def test_checkpoints_of_other_searches_are_refused(tmp_path: Path) -> None:
    master, _ = new_master()
    path = str(tmp_path / "checkpoint")
    tree_checkpoint.save(path, master.knowledge.tree.search, "0*6")
    with pytest.raises(CheckpointError, match="of a single machine's search"):
        tree_checkpoint.load(path, new_master()[0].knowledge.tree.search, "0*6", distributed=True)
    tree_checkpoint.save(path, master.knowledge.tree.search, "0*6", master.state(0.0))
    with pytest.raises(CheckpointError, match="of algorithm pns-pdfpn"):
        tree_checkpoint.load(path, new_master()[0].knowledge.tree.search, "0*6")


def test_a_result_with_a_wrong_number_of_children_is_dropped() -> None:
    master, clock, (worker,) = grown_master(1, iterations=1)
    spec = take_job(worker)
    nodes, numbers = (
        master.knowledge.tree.nodes.used,
        result_of(worker.searcher.search, worker.searcher.game, spec, True),
    )
    assert numbers
    wrong = JobResult(numbers.numbers + numbers.numbers[:2])
    assert master.submit("worker 0", report_of(spec), wrong, clock()).status == WAIT
    assert (master.jobs.counts.dropped, master.knowledge.tree.nodes.used) == (1, nodes)
    again = take_job(worker)
    assert master.submit("worker 0", report_of(again), numbers, clock()).status == WAIT
    assert (master.jobs.counts.dropped, master.knowledge.tree.nodes.used > nodes) == (1, True)


def test_statistics() -> None:
    master = master_of("0*6", iterations=20)
    clock = Clock()
    worker = ManualWorker(master, "w", clock)
    clock.now = 4.0
    spec = take_job(worker)
    master.update("w", report_of(spec), clock())
    clock.now = 5.0
    found = master.statistics(clock())
    assert (found.workers, found.expansions, found.worker_nodes) == (1, 7, 3)
    assert found.utilisation == 0.125  # the work since the update is not reported yet
    master.leave("w", clock())
    found = master.statistics(9.0)
    assert (found.workers, found.expansions, found.utilisation) == (0, 7, 0.125)
    assert (found.jobs.given, found.jobs.lost) == (1, 1)


def test_nim_and_trivial_positions() -> None:
    for text, number in [("3+5", 6), ("3+3", 0), ("7", 7)]:
        master = master_of(text, find_game("nim"), iterations=3, grundy=True)
        run(master, 2)
        assert master.knowledge.grundy_number == number, text
    master = master_of("!")
    assert (master.knowledge.outcome, master.why_done) == (False, "solved")


def test_stopping() -> None:
    master, clock, (worker,) = grown_master(1)
    spec = take_job(worker)
    master.stop("Ctrl-C")
    reply = master.update("worker 0", report_of(spec), clock())
    assert (reply.status, reply.reason) == (DONE, "Ctrl-C")
    assert master.get("worker 0", clock()).status == DONE


def test_a_worker_that_never_hands_in_its_job_leaves_the_leaf_to_others() -> None:
    """Even if it asks for jobs as fast as it can."""
    master, clock = new_master(position="0*2", iterations=10)
    silent, honest = ManualWorker(master, "silent", clock), ManualWorker(master, "honest", clock)
    for _ in range(50):
        if silent.take():
            clock.now += 0.01
        honest.turn()
    assert master.knowledge.outcome is False
