"""Restarts from facts alone: their schedule, and that they change no result."""

from __future__ import annotations

import random
import sys
from array import array
from pathlib import Path
from typing import List

import pytest
from helpers.masters import (
    Clock,
    grown_master,
    master_of,
    new_master,
    report_of,
    take_job,
    workers_of,
)
from helpers.searches import SPROUTS, CheckedCouples, numbers_of, search_of
from helpers.tree_searches import MUCH
from helpers.trees import TreeGame

import pns
from pns import checkpoint
from pns.choices import RESTART, RESTART_GROWTH
from pns.dfpn import Search
from pns.distributed.protocol import KEEP_ALL, KEEP_FACTS, SUBMIT_NOW, JobResult
from pns.facts import Facts
from pns.game import Game
from pns.options import Options
from pns.pn2 import LimitedSearch
from pns.restarts import next_restart
from pns.table import Table
from pns.tree_couples import TreeCouples


class CountedTable(Table):
    """Counts how often it is cleared after its first entry."""

    cleared = 0

    def clear(self) -> None:
        self.cleared += bool(getattr(self, "used", 0))
        super().clear()


def restarts(first: int, most: int) -> List[int]:
    """The expansions at which a search restarts, up to `most`."""
    ends = [0]
    while ends[-1] <= most:
        ends.append(next_restart(first, ends[-1]))
    return ends[1:-1]


@pytest.mark.parametrize("first", [1, 7, 1000, RESTART])
def test_each_start_is_longer_than_the_one_before(first: int) -> None:
    ends = restarts(first, 10**9)
    lengths = [end - start for start, end in zip([0, *ends], ends)]
    assert lengths[0] == first
    for before, length in zip(lengths, lengths[1:]):
        assert abs(length - RESTART_GROWTH * before) <= 1
    for end in ends[:5]:
        assert next_restart(first, end - 1) == end < next_restart(first, end)


def test_without_a_first_start_there_is_only_one() -> None:
    assert next_restart(0, 0) == next_restart(0, 10**12) == sys.maxsize


def test_a_cleared_table_is_empty() -> None:
    table = Table(100)
    for key in range(1, 200, 3):
        table.store(key, 3, 4, 1)
    assert table.used > 50
    table.clear()
    assert table.used == 0
    assert [table.get(key) for key in range(200)] == [None] * 200
    table.store(5, 6, 7, 1)
    assert (table.get(5), table.used) == ((6, 7), 1)


@pytest.mark.search
@pytest.mark.parametrize("first", [5, 50])
def test_restarts_change_no_result(first: int) -> None:
    count = 0
    pairs = random.Random(first).sample(numbers_of("brute_grundy.tsv"), 8)
    for text, number in pairs + [("0*5", 1)]:
        couples = CheckedCouples(SPROUTS, Facts("sprouts"))
        couples.batch = 3
        table = CountedTable(1 << 12)
        search = Search(couples, table, 0.25, restart=first, observe_every=5)
        assert search.grundy_number(SPROUTS.parse(text)[0]) == number, text
        count += table.cleared
    assert count > 5


def test_random_games_against_brute_force() -> None:
    for seed in range(12):
        game = TreeGame(seed, 5, 4)
        roots = (b"0", b"1")
        search = search_of(game, restart=5 + seed, observe_every=1)
        assert search.outcome(roots) == (game.grundy(roots) != 0), seed


class CountedTree(LimitedSearch):
    """Counts how often its nodes are dropped."""

    dropped = 0

    def forget_numbers(self) -> None:
        self.dropped += self.nodes.used > 1
        super().forget_numbers()
        assert self.nodes.used == 0 and self.line == []


def tree_of(game: Game, first: int, mode: str = "pns") -> CountedTree:
    """A search on a tree that looks at its schedule at every expansion."""
    couples = TreeCouples(game, Facts(game.name))
    couples.batch = 3
    return CountedTree(couples, 1 << 14, MUCH, mode, restart=first, observe_every=1)


@pytest.mark.search
@pytest.mark.parametrize("mode", ["pns", "pn2"])
def test_a_tree_that_restarts_finds_every_number(mode: str) -> None:
    dropped = 0
    pairs = random.Random(3).sample(numbers_of("brute_grundy.tsv"), 6)
    for text, number in pairs + [("0*5", 1), ("0*6", 0)]:
        search = tree_of(SPROUTS, 10, mode)
        assert search.grundy_number(SPROUTS.parse(text)[0]) == number, text
        dropped += search.dropped
    assert dropped > 4
    for seed in range(12):
        game = TreeGame(seed, 5, 4)
        roots = (b"0", b"1")
        assert tree_of(game, 5 + seed, mode).outcome(roots) == (game.grundy(roots) != 0), seed


def test_children_and_facts_outlive_the_tree() -> None:
    once, often = tree_of(SPROUTS, 0), tree_of(SPROUTS, 100)
    assert once.outcome(SPROUTS.parse("0*9")) and often.outcome(SPROUTS.parse("0*9"))
    assert often.dropped == len(restarts(100, often.expansions)) > 1 and not once.dropped
    assert often.couples.children_generated < 1.5 * once.couples.children_generated
    assert len(often.couples.facts) > 50


def test_a_resumed_tree_restarts_when_it_would_have(tmp_path: Path) -> None:
    path = str(tmp_path / "10.checkpoint")
    options = Options("pns", restart=500, max_expansions=700, checkpoint=path)
    assert not pns.solve("0*10", options=options).solved
    search = tree_of(SPROUTS, 500)
    checkpoint.load(path, search, "0*10")
    assert search.expansions == 700 and search._restart_at == 1250
    again = pns.solve("0*10", algorithm="pns", restart=500, resume=path)
    assert again.outcome == "win" and again.usage.expansions > 1250


def test_children_and_facts_outlive_a_restart() -> None:
    once = search_of(SPROUTS)
    assert once.outcome(SPROUTS.parse("0*9"))
    often = search_of(SPROUTS, restart=100)
    assert often.outcome(SPROUTS.parse("0*9"))
    starts = len(restarts(100, often.expansions))
    assert starts > 2
    generated = often.couples.children_generated
    assert generated < 1.5 * once.couples.children_generated
    assert len(often.couples.facts) > 50


def test_a_resumed_search_restarts_when_it_would_have(tmp_path: Path) -> None:
    path = str(tmp_path / "9.checkpoint")
    options = Options(restart=500, max_expansions=700, checkpoint=path)
    first = pns.solve("0*10", options=options)
    assert not first.solved
    search = search_of(SPROUTS, restart=500)
    search.resume(first.usage.expansions)
    assert search._restart_at == next_restart(500, 700) == 1250
    again = pns.solve("0*10", restart=500, resume=path)
    assert again.outcome == "win" and again.usage.expansions > 1250


def test_only_sprouts_restarts_by_default() -> None:
    for algorithm in ("dfpn", "pns", "pns-pdfpn"):
        assert Options(algorithm).restart_for("sprouts") == RESTART
        assert Options(algorithm).restart_for("cram") == 0
        assert Options(algorithm, restart=7).restart_for("cram") == 7
        assert Options(algorithm, restart=0).restart_for("sprouts") == 0
        assert Options.preset("paper", algorithm).restart_for("sprouts") == 0
    for algorithm in ("pdfpn", "spdfpn", "pn2", "ppn2"):
        assert Options(algorithm).restart_for("sprouts") == 0
    assert Options("pns-pdfpn", restart=9).job_policy("sprouts").restart == 9


# A master and its workers.


@pytest.mark.search
@pytest.mark.parametrize("first", [20, 100])
def test_a_master_that_restarts_finds_every_number(first: int) -> None:
    pairs = random.Random(first).sample(numbers_of("brute_grundy.tsv"), 4)
    restarted = 0
    for text, number in [*pairs, ("0*5", 1), ("0*6", 0)]:
        master = master_of(text, iterations=8, updates=3, grundy=True, restart=first)
        workers = workers_of(master, 3, Clock())
        while not master.why_done:
            specs = [(worker, worker.take()) for worker in workers]
            assert master.why_done or any([spec for _, spec in specs])
            for worker, spec in specs:
                if spec:
                    restarted += spec.keep == KEEP_FACTS
                    worker.do(spec)
        assert master.grundy_number == number, text
    assert restarted > 3


def test_a_restart_ends_all_jobs_and_drops_tree_and_tables() -> None:
    master, _ = new_master(position="0*9", iterations=50, restart=400)
    workers = workers_of(master, 3, Clock())
    while master.expansions < 300:
        for worker in workers:
            worker.do(take_job(worker))
    spec, other = take_job(workers[0]), take_job(workers[1])
    assert spec.keep == other.keep == KEEP_ALL
    nodes, facts = master.tree.nodes.used, len(master.facts)
    assert nodes > 15 and facts > 5 and workers[0].search.entries > 25
    report = report_of(spec)._replace(expansions=400)
    assert master.update("worker 0", report, 0.0).status == SUBMIT_NOW
    assert master.tree.nodes.used == 0 and len(master.facts) == facts and not master.jobs
    assert master.update("worker 1", report_of(other), 0.0).status == SUBMIT_NOW
    before = master.counts.dropped
    master.submit("worker 0", report_of(spec), JobResult(array("I")), 0.0)
    assert master.counts.dropped == before + 1
    for worker in workers[:2]:
        spec = take_job(worker)
        assert spec.keep == KEEP_FACTS
        entries = worker.search.entries
        worker.do(spec)
        assert worker.search.entries < entries
        assert take_job(worker).keep == KEEP_ALL


def test_a_restored_master_restarts_when_it_would_have(tmp_path: Path) -> None:
    path = str(tmp_path / "9.checkpoint")
    master, _, _ = grown_master(1, position="0*9", iterations=50, restart=100)
    assert master.expansions > 100
    checkpoint.save(path, master.tree, "0*9", master.state(0.0), master.log)
    other, _ = new_master(position="0*9", iterations=50, restart=100)
    other.restore(checkpoint.load(path, other.tree, "0*9", distributed=True), 0.0)
    assert other._restart_at == master._restart_at > master.expansions
