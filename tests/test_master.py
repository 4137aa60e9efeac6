"""The job protocol: right results whatever workers do, locks, leases, late and double answers."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, Dict, List, Tuple

import pytest
from helpers.masters import Clock, Dying, LocalLink, ManualWorker, first, master_of
from helpers.searches import brute_grundy, numbers_of
from helpers.trees import TreeGame

from pns import checkpoint
from pns.bounds import ROOT
from pns.checkpoint import CheckpointError
from pns.couple import HEAP, HEAP_BITS
from pns.distributed.factlog import FactLog
from pns.distributed.jobsearch import result_of
from pns.distributed.protocol import (
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
from pns.facts import Facts
from pns.game import find_game
from pns.master import Master
from pns.nodes import LOCKED, META, NODE_WORDS


def workers_of(master: Master, count: int, clock: Clock) -> List[ManualWorker]:
    return [ManualWorker(master, "worker %d" % i, clock) for i in range(count)]


def run(master: Master, count: int = 3, seed: int = 1) -> List[ManualWorker]:
    """Let workers take jobs at once and answer in any spec, until the search is done."""
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
    return random.Random(2).sample(pairs, 40)


def test_grundy_numbers_of_small_positions() -> None:
    for text, number in small_positions():
        master = master_of(text, iterations=5, updates=2, grundy=True)
        run(master)
        assert (master.grundy_number, master.outcome) == (number, number != 0), text


def test_sums_and_their_grundy_numbers() -> None:
    rng = random.Random(3)
    pairs = numbers_of("brute_grundy.tsv")
    for _ in range(12):
        parts = rng.sample(pairs, 3)
        master = master_of("+".join([text for text, _ in parts]), iterations=6, grundy=True)
        run(master)
        assert master.grundy_number == parts[0][1] ^ parts[1][1] ^ parts[2][1], parts


def test_random_games_against_brute_force() -> None:
    for seed in range(60):
        game: Any = TreeGame(seed, 5, 4)
        lands = (b"0", b"1")
        master = Master(game, lands, Facts("tree"), 1 << 12, iterations=1 + seed % 7, grundy=True)
        run(master, 1 + seed % 5)
        assert master.grundy_number == game.grundy(lands), seed


def test_all_facts_of_a_run_are_true() -> None:
    master = master_of("0*5", iterations=20, updates=7)
    run(master, 4)
    facts = list(master.facts.items())
    assert len(facts) > 30
    for land, number in facts:
        assert number == brute_grundy(land), land


def test_every_way_of_keeping_and_sharing() -> None:
    spent: Dict[Tuple[int, bool], int] = {}
    for keep in (KEEP_NOTHING, KEEP_FACTS, 2):
        for sharing in (False, True):
            master = master_of("0*7", iterations=40, keep=keep, sharing=sharing)
            run(master)
            assert master.outcome is False
            spent[keep, sharing] = master.expansions
    assert spent[2, True] < spent[KEEP_NOTHING, False], spent


def test_a_full_tree_goes_on_with_longer_jobs() -> None:
    master = master_of("0*7", capacity=40, iterations=30)
    workers = run(master)
    assert master.outcome is False
    assert master.tree.nodes.used <= 40
    assert sum([worker.jobs for worker in workers]) > 10


class Chaotic(ManualWorker):
    """A worker that says things twice and sometimes forgets to say them."""

    def __init__(self, master: Master, name: str, clock: Clock, rng: random.Random) -> None:
        self.rng = rng
        super().__init__(master, name, clock)
        self.link = Echo(master, name, clock, rng)


class Echo(LocalLink):
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


def test_workers_that_are_slow_lie_still_die_and_answer_twice() -> None:
    for seed in range(12):
        rng, clock = random.Random(seed), Clock()
        position, number = [("0*6", 0), ("0*5", 1), ("0*4+0*3", 0)][seed % 3]
        master = master_of(position, iterations=15, updates=4, lease=1.0, grundy=True)
        workers = [Chaotic(master, "w%d" % i, clock, rng) for i in range(4)]
        held: List[Tuple[ManualWorker, JobSpec]] = []
        joined = 4
        while not master.why_done:
            clock.now += 0.05
            fate = rng.random()
            i = rng.randrange(len(workers))
            if fate < 0.5:
                spec = workers[i].take()
                if spec:
                    held.append((workers[i], spec))
            elif fate < 0.9 and held:
                worker, spec = held.pop(rng.randrange(len(held)))  # perhaps long ago
                worker.do(spec)
            elif fate < 0.95:  # dies, whatever it held, and another one comes
                held = [pair for pair in held if pair[0] is not workers[i]]
                workers[i] = Chaotic(master, "w%d" % joined, clock, rng)
                joined += 1
            else:
                clock.now += rng.choice([0.5, 2.0])
        assert master.grundy_number == number, (seed, master.failure)
        assert master.counts.given > 10
        locked = [job.code for job in master.jobs.values()]
        assert len(locked) == len(set(locked))


def fresh(iterations: int = 10, position: str = "0*6", **options: Any) -> Tuple[Master, Clock]:
    return master_of(position, iterations=iterations, **options), Clock()


def grown(count: int, **options: Any) -> Tuple[Master, Clock, List[ManualWorker]]:
    """A master whose tree has some leaves, and idle workers."""
    master, clock = fresh(**options)
    workers = workers_of(master, count, clock)
    for _ in range(4):
        spec = workers[0].take()
        assert spec
        workers[0].do(spec)
    return master, clock, workers


def test_no_leaf_is_given_twice_and_none_is_left_out() -> None:
    master, _, workers = grown(40)
    specs = [worker.take() for worker in workers]
    given = [(spec.land, spec.heap) for spec in specs if spec]
    assert len(given) == len(set(given)) > 20
    assert not master.get("worker 0", 0.0).spec  # it gave its job back, and others wait for it
    assert workers[-1].take()


def free_leaves(master: Master) -> List[int]:
    """The leaves that nobody has, below unsolved nodes, found by walking through all of them."""
    tree = master.tree
    couples, words = tree.couples, tree.nodes.words
    free: List[int] = []
    seen, waiting = set(), [master.root]
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
            if not words[tree._owner(code) * NODE_WORDS + META] & LOCKED:
                free.append(code)
        else:
            place = couples.list_index(land)
            for k in range(place + 1, place + 1 + couples.child_ids[place]):
                waiting.append(couples.child_code(k) ^ heap)
            waiting += [land << HEAP_BITS | n for n in range(heap)]
    return free


def test_workers_wait_only_when_no_leaf_is_free() -> None:
    waits = 0
    for seed in range(3):
        rng, clock = random.Random(seed), Clock()
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
        assert master.grundy_number == 0
    assert waits > 10


def test_an_expired_job_is_given_again_and_its_late_answer_used_or_dropped() -> None:
    master, clock, (slow, quick) = grown(2, lease=5.0, iterations=1)
    spec = slow.take()
    assert spec
    clock.now += 3
    assert quick.take()
    clock.now += 3
    again = quick.take()
    assert again and (again.land, again.heap) == (spec.land, spec.heap)
    assert master.counts.lost == 2 and "worker 0" not in master.workers
    facts = len(master.facts)
    slow.do(spec)  # is not known any more, and joins again; somebody else has the leaf
    assert master.workers["worker 0"].job == 0
    assert (master.counts.dropped, master.counts.late) == (1, 0)
    assert len(master.facts) >= facts
    quick.do(again)
    assert master.counts.submitted == 5


def test_a_late_answer_that_fits_is_used() -> None:
    master, clock, (slow, other) = grown(2, lease=5.0)
    spec = slow.take()
    assert spec
    nodes = master.tree.nodes.used
    other.take()
    master.leave("worker 0", clock())
    slow.join()
    slow.do(spec)
    assert (master.counts.late, master.counts.dropped) == (1, 0)
    assert master.tree.nodes.used > nodes or master.tree.is_solved(
        master.tree.couples.code((spec.land,)) ^ spec.heap
    )


def test_a_worker_that_asks_again_has_lost_its_job() -> None:
    master, _, (worker,) = grown(1)
    first, second = worker.take(), worker.take()
    assert first and second and (first.land, first.heap) == (second.land, second.heap)
    assert master.counts.lost == 1 and list(master.jobs) == [second.job]


def report_of(spec: JobSpec, facts: Any = (), pn: int = 1, dn: int = 1) -> JobReport:
    return JobReport(spec.job, spec.land, spec.heap, pn, dn, 7, 20, 0.5, 3, list(facts))


def test_close_unlocks() -> None:
    master, clock, (one, two) = grown(2)
    spec = one.take()
    assert spec
    assert master.close("worker 0", report_of(spec), clock()).status == WAIT
    assert not master.jobs and master.counts.closed == 1
    again = two.take()
    assert again and (again.land, again.heap) == (spec.land, spec.heap)
    assert master.close("worker 0", report_of(again), clock()).status == WAIT  # not its job
    assert list(master.jobs) == [again.job]


def test_unknown_workers_must_join() -> None:
    master, clock = fresh()
    assert master.get("nobody", 0.0).status == UNKNOWN
    spec = JobSpec(1, b"0*6", 0, 1, 1, 2, 1, ROOT)
    assert master.update("nobody", report_of(spec), 0.0).status == UNKNOWN
    assert master.submit("nobody", report_of(spec), None, 0.0).status == UNKNOWN
    assert master.close("nobody", report_of(spec), 0.0).status == UNKNOWN
    assert master.add_facts("nobody", [(b"1a1a", 0)], 0.0).status == UNKNOWN
    assert not len(master.facts)
    refused = master.join("nobody", "nim", 0.0)
    assert refused.status == DONE and refused.reason == "this search is about sprouts, not nim"


def test_a_job_that_others_solved_is_to_be_handed_in() -> None:
    master, clock, (one, two) = grown(2, iterations=1, position="0*4")
    spec = one.take()
    assert spec
    number = brute_grundy(spec.land)
    master.add_facts("worker 1", [(spec.land, number)], clock())
    assert master.update("worker 0", report_of(spec), clock()).status == SUBMIT_NOW


def test_a_master_started_anew_is_told_all_facts() -> None:
    master, clock, (worker,) = grown(1, iterations=30)
    spec = worker.take()
    assert spec
    known = dict(master.facts.items())
    anew, _ = fresh(iterations=30)
    worker.link = LocalLink(anew, "worker 0", clock)
    worker.do(spec)
    worker.report_facts()
    assert set(known.items()) <= set(anew.facts.items())
    assert anew.expansions > 0


def test_facts_come_to_each_worker_once() -> None:
    master, clock = fresh(facts=Facts("sprouts"))
    master.facts.add(b"1a1a", 0)
    for name in ("a", "b"):
        assert master.join(name, "sprouts", 0.0).facts == []  # it was there when nobody looked
    told = [(b"0", 0), (b"0*2", 0)]
    assert master.add_facts("a", told, 0.0).facts == []
    assert master.get("b", 0.0).facts == told
    assert master.add_facts("b", told, 0.0).facts == []
    assert master.join("late", "sprouts", 0.0).facts == told


class SlowFacts(Facts):
    """Facts of which the last ones wait to be stored."""

    waiting = 0


def test_facts_are_told_when_they_are_stored() -> None:
    facts = SlowFacts("sprouts")
    master, _ = fresh(facts=facts)
    for name in ("a", "b"):
        master.join(name, "sprouts", 0.0)
    told = [(b"0", 0), (b"0*2", 0)]
    facts.waiting = 1
    master.add_facts("a", told, 0.0)
    assert master.get("b", 0.0).facts == told[:1]
    assert master.get("b", 0.0).facts == []
    facts.waiting = 0
    assert master.get("b", 0.0).facts == told[1:]


def test_facts_come_to_each_group_once() -> None:
    master, _ = fresh()
    for name, group in (("a", "near"), ("b", "near"), ("c", "far")):
        master.join(name, "sprouts", 0.0, group)
    master.add_facts("c", [(b"0", 0)], 0.0)
    assert master.get("a", 0.0).facts == [(b"0", 0)]
    assert master.get("b", 0.0).facts == []
    master.add_facts("a", [(b"0*2", 0)], 1.0)
    assert master.get("b", 1.0).facts == []
    assert master.get("c", 1.0).facts == [(b"0*2", 0)]
    assert master.join("d", "sprouts", 3.0, "far").facts == []
    assert master.join("e", "sprouts", 3.0, "new").facts == [(b"0", 0), (b"0*2", 0)]
    master.lose("a", 3.0)  # with what it was told and had found last, perhaps
    assert master.get("b", 3.0).facts == [(b"0", 0), (b"0*2", 0)]
    master.leave("b", 4.0)
    assert master.join("f", "sprouts", 99.0, "near").facts == [(b"0", 0), (b"0*2", 0)]
    master.leave("c", 99.0)
    assert master.get("d", 99.0).facts == []
    master.lose("e", 99.0)
    assert master.get("f", 99.0).facts == []


def test_a_group_shares_what_its_workers_find() -> None:
    master, clock = fresh(sharing=False, position="0*7", iterations=40)
    facts = Facts("sprouts")
    workers = [ManualWorker(master, name, clock, "group", facts=facts) for name in ("a", "b")]
    while not master.why_done:
        for worker in workers:
            spec = worker.take()
            if spec:
                worker.do(spec)
            assert dict(facts.items()).items() <= dict(master.facts.items()).items()
    assert master.outcome is False and len(facts) > 100


class Late(LocalLink):
    """A link at which answers come only after so many looks."""

    looks = 0

    def answered(self) -> bool:
        self.looks -= 1
        return self.looks < 0


def test_a_worker_searches_on_until_the_next_job_is_here() -> None:
    """What it finds is told and counted with the next job."""
    master, clock = fresh(position="0*7", iterations=200)
    worker = ManualWorker(master, "a", clock)
    worker.do(first(worker))
    link = worker.link = Late(master, "a", clock)
    link.looks = 2
    worker.do(first(worker))
    told, found = master.expansions, worker.search.expansions
    assert told + 2 * worker.search.observe_every <= found < told + 200
    link.looks = 1 << 30
    worker.do(first(worker))
    assert found < master.expansions < found + 210
    assert worker.search.expansions < master.expansions + 210  # not more than another job
    worker.stop.stop("test")
    worker.do(first(worker))
    assert worker.search.expansions <= master.expansions + worker.search.observe_every


@pytest.mark.parametrize("updates", [50, 10**6])
def test_what_a_killed_worker_did_not_tell_is_not_left_to_its_group(updates: int) -> None:
    """Else others would build on it, and the master would not have the reasons."""
    master, clock = fresh(position="0*7", iterations=200, updates=updates)
    facts = Facts("sprouts")
    worker, other = [ManualWorker(master, name, clock, "group", facts=facts) for name in ("a", "b")]
    worker.do(first(worker))
    told = dict(facts.items())
    worker.link = Dying(master, "a", clock, "group")
    with pytest.raises(KeyboardInterrupt):
        worker.do(first(worker))
    assert worker.next_batch() and dict(facts.items()) == told
    master.lose("a", clock())
    while not master.why_done:
        other.do(first(other))
    assert master.outcome is False
    assert dict(facts.items()).items() <= dict(master.facts.items()).items()


def test_the_reasons_of_a_solved_leaf_come_with_it_or_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also where a report has no room for all of them."""
    monkeypatch.setattr("pns.distributed.outbox.FACTS_IN_REPORT", 10)
    master, clock = fresh(position="0*7", iterations=300, updates=10**6)
    worker = ManualWorker(master, "a", clock)
    solved = 0

    class Watch(LocalLink):
        def submit(self, report: JobReport, result: Any) -> None:
            nonlocal solved
            super().submit(report, result)
            if result is None:
                solved += 1
                assert worker.outbox.added.items() <= dict(master.facts.items()).items()

    worker.link = Watch(master, "a", clock)
    while not master.why_done:
        worker.do(first(worker))
    assert master.outcome is False and solved > 3


def test_what_a_group_knew_before_is_told() -> None:
    """One of it may have been killed before it told it."""
    master, clock = fresh()
    facts = Facts("sprouts")
    facts.add(b"0*6", 0)
    ManualWorker(master, "a", clock, "group", facts=facts).report_facts()
    assert master.outcome is False


def test_a_master_goes_on_from_a_checkpoint(tmp_path: Path) -> None:
    master, clock, workers = grown(3, iterations=4, lease=5.0)
    specs = [worker.take() for worker in workers]
    path = str(tmp_path / "checkpoint")
    clock.now = 2.0
    checkpoint.save(path, master.tree, "0*6", master.state(clock()), master.log)
    anew = master_of("0*6", iterations=4, lease=5.0)
    anew.restore(checkpoint.load(path, anew.tree, "0*6", distributed=True), clock())
    before, after = master.statistics(2.0), anew.statistics(2.0)
    assert (after.workers, after.joined) == (0, 3)
    for name in ("expansions", "facts", "master_nodes", "jobs", "utilisation"):
        assert getattr(after, name) == getattr(before, name), name
    assert list(anew.facts.items()) == list(master.facts.items())
    assert free_leaves(anew) == free_leaves(master)
    assert workers[0].take()  # the old master gives one more, of which the new one knows nothing
    for worker in workers:
        assert isinstance(worker.link, LocalLink)
        worker.link = LocalLink(anew, worker.link.name, clock)
    spec = specs[1]
    assert spec
    workers[1].do(spec)  # its job is still its own
    assert (anew.counts.submitted, anew.counts.late, anew.counts.dropped) == (5, 0, 0)
    clock.now = 8.0
    assert workers[1].take() is None  # it was silent for too long, and joins again
    assert anew.counts.lost == 2  # the two that did not come back within a lease
    while not anew.why_done:
        for worker in workers:
            spec = worker.take()
            if spec:
                worker.do(spec)
    assert anew.outcome is False


def test_checkpoints_of_other_searches_are_refused(tmp_path: Path) -> None:
    master, _ = fresh()
    path = str(tmp_path / "checkpoint")
    checkpoint.save(path, master.tree, "0*6")
    with pytest.raises(CheckpointError, match="of a single machine's search"):
        checkpoint.load(path, fresh()[0].tree, "0*6", distributed=True)
    checkpoint.save(path, master.tree, "0*6", master.state(0.0))
    with pytest.raises(CheckpointError, match="of --algorithm pns-pdfpn"):
        checkpoint.load(path, fresh()[0].tree, "0*6")


def test_a_result_with_other_children_is_dropped() -> None:
    master, clock, (worker,) = grown(1, iterations=1)
    spec = worker.take()
    assert spec
    nodes, numbers = master.tree.nodes.used, result_of(worker.search, worker.game, spec, True)
    assert numbers
    wrong = JobResult(numbers.numbers + numbers.numbers[:2])
    assert master.submit("worker 0", report_of(spec), wrong, clock()).status == WAIT
    assert (master.counts.dropped, master.tree.nodes.used) == (1, nodes)
    again = worker.take()
    assert again
    assert master.submit("worker 0", report_of(again), numbers, clock()).status == WAIT
    assert (master.counts.dropped, master.tree.nodes.used > nodes) == (1, True)


def test_contradictions_name_both_reports() -> None:
    master, clock = fresh()
    master.join("one", "sprouts", 0.0)
    master.join("two", "sprouts", 0.0)
    master.add_facts("one", [(b"0*3", 1)], 0.0)
    reply = master.add_facts("two", [(b"0*2", 0), (b"0*3", 2), (b"0", 0)], 0.0)
    assert reply.status == DONE
    assert reply.reason == (
        "contradiction: 0*3 has Grundy number 2, but 1 is known already (this by two, that by one)"
    )
    assert master.get("one", 0.0).status == DONE
    assert dict(master.facts.items()) == {b"0*2": 0, b"0*3": 1}


def test_statistics() -> None:
    master = master_of("0*6", iterations=20)
    clock = Clock()
    worker = ManualWorker(master, "w", clock)
    clock.now = 4.0
    spec = worker.take()
    assert spec
    master.update("w", report_of(spec), clock())
    clock.now = 5.0
    found = master.statistics(clock())
    assert (found.workers, found.expansions, found.worker_nodes) == (1, 7, 3)
    assert found.utilisation == 0.125  # of what came after the update nothing is known yet
    master.leave("w", clock())
    found = master.statistics(9.0)
    assert (found.workers, found.expansions, found.utilisation) == (0, 7, 0.125)
    assert (found.jobs.given, found.jobs.lost) == (1, 1)


def test_nim_and_trivial_positions() -> None:
    for text, number in [("3+5", 6), ("3+3", 0), ("7", 7)]:
        master = master_of(text, find_game("nim"), iterations=3, grundy=True)
        run(master, 2)
        assert master.grundy_number == number, text
    master = master_of("!")
    assert (master.outcome, master.why_done) == (False, "solved")


def test_the_log_of_facts() -> None:
    log = FactLog()
    for i in range(300):
        log.append(b"0*%d" % i, i % 3, i)
    assert log[7] == (b"0*7", 1) and log.origin_of(b"0*299") == 299 and log.origin_of(b"x") == -1


def test_stopping() -> None:
    master, clock, (worker,) = grown(1)
    spec = worker.take()
    assert spec
    master.stop("Ctrl-C")
    reply = master.update("worker 0", report_of(spec), clock())
    assert (reply.status, reply.reason) == (DONE, "Ctrl-C")
    assert master.get("worker 0", clock()).status == DONE


def test_a_worker_that_never_hands_in_its_job_leaves_the_leaf_to_others() -> None:
    """One that reports about jobs that it was not given, as fast as it can."""
    master, clock = fresh(position="0*2", iterations=10)
    silent, honest = ManualWorker(master, "silent", clock), ManualWorker(master, "honest", clock)
    for _ in range(50):
        if silent.take():
            clock.now += 0.01
        honest.turn()
    assert master.outcome is False
