"""The thresholds and lengths of jobs: a job ends when another leaf is the most proving one."""

from __future__ import annotations

import random
from array import array
from typing import Dict, List, Tuple

import pytest
from helpers.masters import Clock, ManualWorker, master_of
from helpers.searches import SPROUTS, search_of
from helpers.trees import TreeGame

from pns.distributed.messages import is_limits
from pns.facts import Facts
from pns.jobs.jobsearch import search_leaf
from pns.jobs.jobtree import JobTree
from pns.jobs.pace import EXPANSIONS_PER_WORKER, FEWEST, TARGET_LOAD, WINDOW, Pace
from pns.jobs.policy import JobPolicy
from pns.jobs.protocol import JobResult, children_in_order
from pns.positions.interned import HEAP, HEAP_BITS
from pns.positions.tree_couples import TreeCouples
from pns.search.bounds import INF, ROOT, Thresholds, most_proving_below
from pns.search.counted_search import Stopped
from pns.search.nodes import Nodes
from pns.simulation.costs import Costs
from pns.simulation.simulation import Setting, Simulation

pytestmark = pytest.mark.search


def expand(tree: JobTree, code: int, rng: random.Random) -> None:
    """Give a leaf its children with random numbers."""
    land, heap = code >> HEAP_BITS, code & HEAP
    count = len(children_in_order(tree.couples.game, tree.couples.texts[land])) + heap
    assert tree.expand(code, JobResult(array("I", [rng.randint(1, 9) for _ in range(2 * count)])))


def leaf_with(tree: JobTree, path: List[int], pn: int, dn: int) -> int:
    """The most proving leaf when the leaf of a path has these numbers."""
    tree.set_numbers(path[-1], pn, dn)
    tree.refresh(path[:-1])
    return tree.pseudo_most_proving(path[0])[-1]


def test_a_leaf_is_the_most_proving_as_long_as_its_thresholds_hold() -> None:
    """On trees, where the numbers along the path determine the choice (Theorem 2)."""
    stayed = left = 0
    for seed in range(10):
        rng = random.Random(seed)
        game = TreeGame(seed, 6, 4)
        couples = TreeCouples(game, Facts("tree"))
        tree = JobTree(couples, Nodes(1 << 14), 0.0)
        root = couples.code((b"r",))
        if root <= HEAP:
            continue
        for _ in range(25):
            path = tree.pseudo_most_proving(root)
            if not path:
                break
            limits = tree.limits_of(path)
            assert is_limits(list(limits))
            before = tree.search.numbers(path[-1])
            assert most_proving_below(*before, *limits)
            for _ in range(20):
                pn, dn = rng.randint(2, 25), rng.randint(2, 25)
                if most_proving_below(pn + 1, dn + 1, *limits):
                    stayed += 1
                    assert leaf_with(tree, path, pn, dn) == path[-1], (seed, limits)
                elif not most_proving_below(pn - 1, dn - 1, *limits):
                    left += 1
                    assert leaf_with(tree, path, pn, dn) != path[-1], (seed, limits)
            leaf_with(tree, path, *before)
            expand(tree, path[-1], rng)
            tree.refresh(path)
    assert stayed > 200 and left > 200


def test_limits_of_all_jobs_can_be_sent() -> None:
    """With transpositions, and with many leaves locked."""
    for position in ("0*5", "0*3.AB|AB"):
        clock, rng = Clock(), random.Random(4)
        master = master_of(position, iterations=3, grundy=True)
        workers = [ManualWorker(master, "worker %d" % i, clock) for i in range(8)]
        held = []
        while not master.why_done:
            for worker in workers:
                spec = worker.take()
                if spec:
                    assert is_limits(list(spec.limits))
                    held.append((worker, spec))
            rng.shuffle(held)
            while held:
                worker, spec = held.pop()
                worker.do(spec)


def test_a_search_stops_when_the_thresholds_of_its_root_are_passed() -> None:
    search = search_of(SPROUTS, capacity=1 << 16)
    search.limits = 40, 30, INF, 0, 0
    with pytest.raises(Stopped):
        search.outcome(SPROUTS.parse("0*7"))
    pn, dn = search.root
    assert (pn >= 40 or dn >= 30) and pn < 200 and dn < 200
    assert search.table.get(search.couples.keys[1]) == (pn, dn)
    spent = search.expansions
    with pytest.raises(Stopped):
        search.outcome(SPROUTS.parse("0*7"))
    assert search.expansions <= spent + 1
    search.limits = 2 * pn, 2 * dn, INF, 0, 0
    with pytest.raises(Stopped):
        search.outcome(SPROUTS.parse("0*7"))
    assert search.expansions > spent + 1
    search.limits = ROOT
    assert not search.outcome(SPROUTS.parse("0*7"))


@pytest.mark.parametrize("limits", [ROOT, (2, 2, INF, 0, 0), (INF, INF, 2, 0, 0)])
def test_a_job_has_the_length_that_its_spec_says(limits: Thresholds) -> None:
    master = master_of("0*9", iterations=500)
    worker = ManualWorker(master, "worker", Clock())
    first = worker.take()
    assert first and first.limits == ROOT and first.iterations == 1
    worker.do(first)
    spec = worker.take()
    assert spec and spec.least == FEWEST
    before = worker.searcher.search.expansions
    with pytest.raises(Stopped):
        worker.searcher.search.job_ends = before + spec.iterations
        search_leaf(worker.searcher.search, spec._replace(limits=limits))
    spent = worker.searcher.search.expansions - before
    if limits == ROOT:
        assert spent == spec.iterations
    else:
        assert spec.least <= spent < spec.iterations


def test_a_leaf_is_given_out_until_it_has_had_its_expansions() -> None:
    """Then it is expanded; a job that ends by its thresholds leaves it a leaf with new numbers."""
    master = master_of("0*9", iterations=300)
    worker = ManualWorker(master, "worker", Clock())
    first = worker.take()
    assert first
    worker.do(first)
    had: Dict[Tuple[bytes, int], int] = {}
    stayed = expanded = 0
    while not master.why_done and expanded < 5:
        spec = worker.take()
        assert spec
        leaf, before = (spec.land, spec.heap), master.knowledge.expansions
        assert spec.iterations == 300 - had.get(leaf, 0)
        worker.do(spec)
        had[leaf] = had.get(leaf, 0) + master.knowledge.expansions - before
        code = master.knowledge.tree.couples.code((spec.land,)) ^ spec.heap
        if had[leaf] < 300:
            stayed += master.knowledge.tree.is_leaf(code)
        else:
            expanded += not master.knowledge.tree.is_solved(code)
            assert not master.knowledge.tree.is_leaf(code)
    assert stayed > 3 and expanded


def requests(pace: Pace, start: float, interval: float, seconds: float, workers: int) -> float:
    """A window of requests at equal intervals; the time of the last."""
    for i in range(1, WINDOW + 1):
        pace.note(start + i * interval, seconds, workers)
    return start + WINDOW * interval


def test_the_least_length_of_jobs_follows_the_load_of_the_master() -> None:
    pace, now, workers = Pace(), 0.0, 64
    most = EXPANSIONS_PER_WORKER * workers
    for _ in range(200):
        now = requests(pace, now, 0.001, 0.001, workers)
    assert pace.least(workers) == most and pace.least(2) == 2 * EXPANSIONS_PER_WORKER
    for _ in range(10):
        now = requests(pace, now, 1.0, 0.001, workers)
    assert pace.least(workers) == FEWEST
    for _ in range(100):  # a request for each job of 32 workers, which need 0.1 ms an expansion
        interval = max(0.001, pace.least(workers) * 1e-4 / 32)
        now = requests(pace, now, interval, 0.001, workers)
    assert abs(0.001 / (pace.least(workers) * 1e-4 / 32) - TARGET_LOAD) < 0.05


@pytest.mark.slow
def test_a_slow_master_gives_longer_jobs() -> None:
    found = []
    for message in (1.0, 5000.0):
        setting = Setting(8, jobs=JobPolicy(1000))
        search = Simulation(SPROUTS, SPROUTS.parse("0*9"), setting, Costs(message=message))
        search.run()
        found.append(search.master.jobs.pace.least(8))
    assert found[0] == FEWEST < found[1]
