"""PPN²: workers that search by PNS and discard their tree: right, bounded, exchangeable."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

import pytest
from helpers.masters import (
    Clock,
    DyingLink,
    LocalLink,
    ManualWorker,
    grown_master,
    master_of,
    take_job,
)
from helpers.searches import SPROUTS, brute_grundy
from helpers.trees import TreeGame

import pns
from pns.facts import Facts
from pns.finding import find_game
from pns.jobs.jobsearch import result_of
from pns.jobs.policy import JobPolicy, WorkerPolicy
from pns.jobs.protocol import KEEP_ALL, KEEP_FACTS, KEEP_NOTHING, children_in_order
from pns.master import Master
from pns.positions.interned import HEAP_BITS
from pns.positions.tree_couples import TreeCouples
from pns.ppn2 import FactsArrived, JobPns
from pns.search.bounds import INF, ROOT, Thresholds, most_proving_below
from pns.search.counted_search import Stopped
from pns.search.nodes import Nodes

pytestmark = pytest.mark.search

BY_PNS = WorkerPolicy(by_pns=True)


def finish(master: Master, workers: List[ManualWorker]) -> None:
    """Let the workers take turns until the search is done."""
    turns = 0
    while not master.why_done:
        workers[turns % len(workers)].turn()
        turns += 1
        assert turns < 100_000


def pns_workers(master: Master, count: int) -> List[ManualWorker]:
    clock = Clock()
    return [ManualWorker(master, "worker %d" % i, clock, policy=BY_PNS) for i in range(count)]


def check_facts(facts: Facts) -> None:
    """Compare the Grundy numbers of small lands of Sprouts with brute force."""
    small = [(land, n) for land, n in facts.items() if SPROUTS.estimate(land)[0] <= 9]
    assert len(small) > 3
    for land, number in small:
        assert number == brute_grundy(land), land


@pytest.mark.parametrize("keep", [KEEP_NOTHING, KEEP_FACTS, KEEP_ALL])
@pytest.mark.parametrize("sharing", [True, False])
def test_outcomes_and_facts_of_sprouts(keep: int, sharing: bool) -> None:
    for spots, wins in enumerate([0, 0, 1, 1], 1):
        master = master_of(
            "0*%d" % spots, iterations=30, updates=7, keep=keep, sharing=sharing, grundy=True
        )
        finish(master, pns_workers(master, 3))
        assert master.knowledge.outcome == bool(wins) and master.knowledge.grundy_number == wins
        for land, number in master.facts.items():
            assert number == brute_grundy(land), land


@pytest.mark.parametrize("keep", [KEEP_NOTHING, KEEP_FACTS])
def test_closed_forms(keep: int) -> None:
    kayles = [1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4]
    for row, number in enumerate(kayles, 1):
        for game, text, value in (("kayles", "%d" % row, number), ("nim", "%d" % row, row)):
            master = master_of(text, find_game(game), iterations=5, keep=keep, grundy=True)
            finish(master, pns_workers(master, 2))
            assert master.knowledge.grundy_number == value
    for heaps, wins in (("3+5+6", False), ("3+5+7", True)):
        master = master_of(heaps, find_game("nim"), iterations=5, keep=keep)
        finish(master, pns_workers(master, 2))
        assert master.knowledge.outcome == wins


@pytest.mark.parametrize("seeds", [range(12), pytest.param(range(12, 60), marks=pytest.mark.slow)])
def test_random_games(seeds: range) -> None:
    for seed in seeds:
        game = TreeGame(seed, 5, 3)
        keep = seed % 2
        master = Master(game, (b"r", b"s"), Facts("tree"), 1 << 16, policy=JobPolicy(8, keep=keep))
        finish(master, pns_workers(master, 3))
        assert master.knowledge.outcome == (game.grundy((b"r", b"s")) != 0)


def test_facts_of_others_are_used_within_a_job(monkeypatch: pytest.MonkeyPatch) -> None:
    arrived = 0
    exactly = JobPns._count_expansion

    def count(search: JobPns) -> None:
        nonlocal arrived
        try:
            exactly(search)
        except FactsArrived:
            arrived += 1
            raise

    monkeypatch.setattr(JobPns, "_count_expansion", count)

    class GivingLink(LocalLink):
        """A link whose updates bring one of the facts of 0*6, which are ready."""

        def update(self, report: Any) -> Any:
            reply = super().update(report)
            return reply._replace(facts=[*reply.facts, ready.pop()]) if ready else reply

    full = pns.Facts("sprouts")
    pns.solve("0*6", facts=full)
    ready = sorted(full.items(), key=lambda fact: -len(fact[0]))
    master = master_of("0*6", iterations=10**6, updates=1, keep=KEEP_FACTS)
    (worker,) = pns_workers(master, 1)
    worker.link = GivingLink(master, "worker 0", Clock())
    monkeypatch.setattr("pns.search.counted_search.CHILDREN_BETWEEN", 1)
    finish(master, [worker])
    assert master.knowledge.outcome is False and arrived > 1, arrived
    check_facts(worker.searcher.couples.facts)


def searched(couples: TreeCouples, text: bytes, expansions: int, **options: Any) -> JobPns:
    """A search that a job's end stopped."""
    search = JobPns(couples, Nodes(1 << 16), lambda _: None, 1 << 30)
    search.job_ends = expansions
    for name, value in options.items():
        setattr(search, name, value)
    with pytest.raises(Stopped):
        search.outcome((text,))
    return search


def sprouts_couples() -> TreeCouples:
    return TreeCouples(SPROUTS, Facts("sprouts"))


@pytest.mark.parametrize("expansions", [1, 2, 50, 333])
def test_a_job_ends_with_numbers_that_fit_together(expansions: int) -> None:
    search = searched(sprouts_couples(), b"0*9", expansions)
    couples = search.couples
    assert search.expansions == expansions and search.entries == search.nodes.used > 3
    land = couples.land(b"0*9")
    pn, dn = search.root
    assert search.numbers(land << HEAP_BITS) == (pn, dn) and min(pn, dn) > 0
    made = [search.numbers(couples.fold(code)) for code in couples.child_codes(land)]
    rest = [] if couples.is_complete(land) else [couples.rest_numbers(land)]
    assert pn == min([numbers[1] for numbers in made + rest])


def test_a_job_ends_when_the_thresholds_of_its_root_are_passed() -> None:
    limits: Thresholds = 20, 30, INF, 0, 0
    search = searched(sprouts_couples(), b"0*9", 10**6, limits=limits)
    assert not most_proving_below(*search.root, *limits)
    assert search.root[0] < 100 and search.root[1] < 200
    spent = search.expansions
    with pytest.raises(Stopped):
        search.outcome((b"0*9",))
    assert search.expansions == spent
    search.limits, search.job_ends = ROOT, 10**9
    assert search.outcome((b"0*9",))


def same_job_twice(keep: int) -> Tuple[int, int, ManualWorker]:
    """The expansions of a job of 0*6 until it is solved, the first and the second time."""
    master = master_of("0*6", iterations=10**6, keep=keep)
    (worker,) = pns_workers(master, 1)
    spec = take_job(worker)._replace(iterations=10**6)
    spent = []
    for _ in range(2):
        worker.do(spec)
        spent.append(worker.searcher.search.expansions)
    return spent[0], spent[1], worker


def test_what_stays_from_job_to_job() -> None:
    first, second, _ = same_job_twice(KEEP_NOTHING)
    assert first == second > 100
    for keep in (KEEP_FACTS, KEEP_ALL):
        first, second, worker = same_job_twice(keep)
        assert first > 100 and second == 0 and worker.searcher.search.entries == 0


def test_positions_are_forgotten_when_they_take_too_much() -> None:
    couples = sprouts_couples()
    searched(couples, b"0*9", 200)
    held, known = couples.bytes(), len(couples.facts)
    JobPns(couples, Nodes(100), lambda _: None, held)
    assert couples.bytes() == held
    JobPns(couples, Nodes(100), lambda _: None, held - 1)
    assert couples.bytes() < held // 2 and len(couples.facts) == known > 10


@pytest.mark.parametrize("capacity", [1, 5, 100])
def test_a_full_tree_ends_the_job_and_not_the_search(capacity: int) -> None:
    master, clock = master_of("0*5", iterations=50, keep=KEEP_FACTS), Clock()
    worker = ManualWorker(master, "small", clock, policy=BY_PNS)
    worker.searcher._nodes = Nodes(capacity)
    finish(master, [worker])
    assert master.knowledge.outcome is True
    check_facts(master.facts)


def test_workers_of_both_kinds_serve_every_master() -> None:
    for keep in (KEEP_NOTHING, KEEP_FACTS, KEEP_ALL):
        master, clock, workers = grown_master(1, iterations=40, keep=keep)
        workers += [ManualWorker(master, "by pns", clock, policy=BY_PNS)]
        finish(master, workers)
        assert master.knowledge.outcome is False
        check_facts(master.facts)


def test_the_job_of_a_killed_worker_is_done_by_another() -> None:
    master = master_of("0*6", iterations=200, updates=20, lease=10.0, keep=KEEP_FACTS)
    clock = Clock()
    first, other = [ManualWorker(master, name, clock, policy=BY_PNS) for name in ("a", "b")]
    for _ in range(3):
        first.turn()
    spec = take_job(first)
    first.link = DyingLink(master, "a", clock)
    with pytest.raises(KeyboardInterrupt):
        first.do(spec)
    clock.wait(11.0)
    finish(master, [other])
    assert master.knowledge.outcome is False and master.jobs.counts.lost == 1
    check_facts(master.facts)


def test_the_result_of_a_job_has_the_numbers_of_all_children() -> None:
    search = searched(sprouts_couples(), b"0*7", 300)
    master = master_of("0*7", iterations=300)
    (worker,) = pns_workers(master, 1)
    spec = take_job(worker)._replace(heap=2)
    result = result_of(search, SPROUTS, spec, True)
    assert result and len(result.numbers) == 2 * (len(children_in_order(SPROUTS, b"0*7")) + 2)
    pairs = list(zip(result.numbers[::2], result.numbers[1::2]))
    assert all([(pn == 0) == (dn == INF) and dn > 0 for pn, dn in pairs])


@pytest.mark.parametrize(
    "options, wrong",
    [
        ({"state_level": 2}, "state_level: workers of ppn2 keep no table"),
        ({"processes": 2}, "processes: only"),
        ({"when_full": "pn2"}, "when_full: only"),
    ],
)
def test_options_that_do_not_fit(options: Dict[str, Any], wrong: str) -> None:
    with pytest.raises(pns.OptionError, match=wrong):
        pns.solve("0*3", algorithm="ppn2", **options)


def test_the_default_state_level() -> None:
    for algorithm, level, kept in [
        ("ppn2", None, KEEP_NOTHING),
        ("ppn2", 1, KEEP_FACTS),
        ("pns-pdfpn", None, KEEP_ALL),
        ("pns-pdfpn", 0, KEEP_NOTHING),
    ]:
        assert pns.Options(algorithm, state_level=level).kept_state() == kept
