"""Restarts from facts alone: their schedule, and that they change no result."""

from __future__ import annotations

import os
import random
import sys
from array import array
from pathlib import Path
from typing import Any, List, Set

import pytest
from benchmarks.logical import LogicalSearch
from helpers.masters import (
    Clock,
    ManualWorker,
    grown_master,
    master_of,
    new_master,
    report_of,
    take_job,
    workers_of,
)
from helpers.searches import SPROUTS, CheckedCouples, brute_grundy, numbers_of, search_of
from helpers.tree_searches import MUCH
from helpers.trees import TreeGame

import pns
from pns.choices import RESTART, RESTART_GROWTH
from pns.dfpn import Search
from pns.facts import Facts
from pns.front.options import Options
from pns.game import Game
from pns.jobs.protocol import KEEP_ALL, KEEP_FACTS, SUBMIT_NOW, JobResult
from pns.parallel import processes
from pns.parallel.logs import OBSERVE_EVERY
from pns.parallel.pool import ProcessPool
from pns.parallel.processes import ParallelSearch
from pns.pdfpn import PdfpnProcess
from pns.pn2 import LimitedSearch
from pns.positions.tree_couples import TreeCouples
from pns.saving import tree_checkpoint
from pns.search.restarts import Schedule
from pns.search.table import Table
from pns.spdfpn import SpdfpnProcess
from pns.system.machine import WIPED_BYTES, wipe

pytestmark = pytest.mark.search


class CountedTable(Table):
    """Counts how often it is cleared after its first entry."""

    cleared = 0

    def clear(self) -> None:
        self.cleared += bool(getattr(self, "used", 0))
        super().clear()


def restarts(first: int, most: int) -> List[int]:
    """The expansions at which a search restarts, up to `most`."""
    schedule, ends = Schedule(first), []
    while schedule.due <= most:
        ends.append(schedule.due)
        assert schedule.is_over(schedule.due)
    return ends


@pytest.mark.parametrize("first", [1, 7, 1000, RESTART])
def test_each_start_is_longer_than_the_one_before(first: int) -> None:
    ends = restarts(first, 10**9)
    lengths = [end - start for start, end in zip([0, *ends], ends)]
    assert lengths[0] == first
    for before, length in zip(lengths, lengths[1:]):
        assert abs(length - RESTART_GROWTH * before) <= 1
    for end, following in zip(ends, ends[1:]):
        schedule = Schedule(first)
        schedule.go_on_from(end - 1)
        assert not schedule.is_over(end - 1) and schedule.due == end
        assert schedule.is_over(end) and schedule.due == following


def test_without_a_first_start_there_is_only_one() -> None:
    schedule = Schedule(0)
    assert not schedule.is_over(10**12) and schedule.due == sys.maxsize


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


def test_a_table_is_cleared_for_all_processes() -> None:
    table = Table(1000)
    for key in range(500):
        table.store(key, 3, 4, 1)
    (looked, look), (clear, cleared) = os.pipe(), os.pipe()
    pid = os.fork()
    if not pid:
        try:
            before = table.get(7)
            os.write(look, b"1")
            os.read(clear, 1)
            after = [table.get(key) for key in range(500)]
            table.store(9, 5, 6, 1)
            os._exit(not (before == (3, 4) and after == [None] * 500))
        finally:
            os._exit(2)
    os.read(looked, 1)
    table.clear()
    os.write(cleared, b"1")
    assert os.waitpid(pid, 0)[1] == 0
    assert table.get(7) is None and table.get(9) == (5, 6)
    for descriptor in (looked, look, clear, cleared):
        os.close(descriptor)


def test_memory_is_wiped_where_the_system_cannot_take_it_back() -> None:
    memory: Any = bytearray(b"\1" * (5 * WIPED_BYTES // 2))
    wipe(memory)
    assert memory == bytes(5 * WIPED_BYTES // 2)
    memory[:] = b"\1" * len(memory)
    wipe(memory, WIPED_BYTES + 3)
    assert memory.find(b"\1") == WIPED_BYTES + 3 and memory.count(b"\1") == 3 * WIPED_BYTES // 2 - 3


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


@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(4, 40), marks=pytest.mark.slow)])
def test_random_games_against_brute_force(seeds: range) -> None:
    for seed in seeds:
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
    options = Options("pns", simplify=False, restart=500, max_expansions=700, checkpoint=path)
    assert not pns.solve("0*10", options=options).solved
    search = tree_of(SPROUTS, 500)
    tree_checkpoint.load(path, search, "0*10")
    assert search.expansions == 700 and search.schedule.due == 1250
    again = pns.solve("0*10", algorithm="pns", simplify=False, restart=500, resume=path)
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
    assert search.schedule.due == 1250
    again = pns.solve("0*10", restart=500, resume=path)
    assert again.outcome == "win" and again.usage.expansions > 1250


def test_only_sprouts_restarts_by_default() -> None:
    for algorithm in ("dfpn", "pdfpn", "spdfpn", "pns", "pns-pdfpn"):
        assert Options(algorithm).restart_for("sprouts") == RESTART
        assert Options(algorithm).restart_for("cram") == 0
        assert Options(algorithm).restart_for("sprouts-misere") == 0
        assert Options(algorithm, restart=7).restart_for("cram") == 7
        assert Options(algorithm, restart=0).restart_for("sprouts") == 0
        assert Options.preset("paper", algorithm).restart_for("sprouts") == 0
    for algorithm in ("pn2", "ppn2"):
        assert Options(algorithm).restart_for("sprouts") == 0
    assert Options("pns-pdfpn", restart=9).job_policy("sprouts").restart == 9


# Processes over one table.


@pytest.mark.parametrize("searcher", [PdfpnProcess, SpdfpnProcess])
def test_logical_processes_that_restart_find_every_number(searcher: Any) -> None:
    restarted = 0
    for spots, wins in enumerate([0, 0, 1, 1, 1], 1):
        search = LogicalSearch(
            3, SPROUTS, Facts("sprouts"), 1 << 12, spots, searcher=searcher, restart=10
        )
        assert search.outcome(SPROUTS.parse("0*%d" % spots)) == bool(wins)
        restarted += search.state.restarts()
        assert search.state.restarts() <= len(restarts(10, search.expansions))
        for land, number in search.facts.items():
            assert number == brute_grundy(land), land
    assert restarted > 3
    for seed in range(4):
        game = TreeGame(seed, 5, 4)
        search = LogicalSearch(2, game, Facts(game.name), 1 << 10, searcher=searcher, restart=5)
        assert search.outcome((b"0", b"1")) == (game.grundy((b"0", b"1")) != 0), seed


@pytest.mark.parametrize(
    "searcher", [PdfpnProcess, pytest.param(SpdfpnProcess, marks=pytest.mark.slow)]
)
def test_forked_processes_restart_together(searcher: Any) -> None:
    search = ParallelSearch(
        2, SPROUTS, Facts("sprouts"), 1 << 16, searcher=searcher, restart=500, batch=3
    )
    assert search.outcome(SPROUTS.parse("0*10"))
    assert search.expansions > 1000
    assert 0 < search._state.restarts() <= len(restarts(500, search.expansions))
    table = search.table
    late = table.used - len(table.entries(0, table.buckets)[0])
    assert abs(late) <= 2 * OBSERVE_EVERY and table.used < search.expansions
    for land, number in search.facts.items():
        assert search_of(SPROUTS).grundy_number(land) == number, land


@pytest.mark.parametrize("searcher", [PdfpnProcess, SpdfpnProcess])
def test_a_single_process_restarts_alike_whenever_its_parent_looks(
    searcher: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = set()
    for seconds in (0.001, 0.5):
        monkeypatch.setattr(processes, "POLL_SECONDS", seconds)
        search = ParallelSearch(
            1, SPROUTS, Facts("sprouts"), 1 << 16, searcher=searcher, restart=100, batch=3
        )
        assert search.outcome(SPROUTS.parse("0*9"))
        assert search._state.restarts() == len(restarts(100, search.expansions)) > 1
        assert search.table.used == len(search.table.entries(0, search.table.buckets)[0])
        found.add((search.expansions, search.couples.children_generated, search.table.used))
    assert len(found) == 1


def test_resumed_processes_restart_when_they_would_have(tmp_path: Path) -> None:
    path = str(tmp_path / "10.checkpoint")
    options = Options("pdfpn", restart=500, processes=2, max_expansions=700, checkpoint=path)
    first = pns.solve("0*10", options=options)
    search = ParallelSearch(
        2, SPROUTS, Facts("sprouts"), 1 << 16, restart=500, searcher=PdfpnProcess
    )
    search.resume(first.usage.expansions)
    assert not first.solved and search.schedule.due == 1250
    again = pns.solve("0*10", options=Options("pdfpn", restart=500, processes=2, resume=path))
    assert again.outcome == "win" and again.usage.expansions > first.usage.expansions


def test_the_processes_of_a_worker_outlive_a_restart() -> None:
    master = master_of("0*9", iterations=100, restart=300, grundy=True)
    worker = ManualWorker(master, "w", Clock(), processes=2)
    pids: Set[int] = set()
    kept: List[int] = []
    try:
        while not master.why_done:
            spec = worker.take()
            if spec:
                kept.append(spec.keep)
                worker.do(spec)
                assert isinstance(worker.searcher.pool, ProcessPool)
                pids.update(worker.searcher.pool.pids)
        assert master.knowledge.grundy_number == 1 and kept.count(KEEP_FACTS) > 1
        assert len(pids) == 2 and worker.searcher.pool and worker.searcher.pool.state.restarts() > 1
    finally:
        if worker.searcher.pool:
            worker.searcher.pool.close()


# A master and its workers.


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
        assert master.knowledge.grundy_number == number, text
    assert restarted > 3


def test_a_restart_ends_all_jobs_and_drops_tree_and_tables() -> None:
    master, _ = new_master(position="0*9", iterations=50, restart=400)
    workers = workers_of(master, 3, Clock())
    while master.knowledge.expansions < 300:
        for worker in workers:
            worker.do(take_job(worker))
    spec, other = take_job(workers[0]), take_job(workers[1])
    assert spec.keep == other.keep == KEEP_ALL
    nodes, facts = master.knowledge.tree.nodes.used, len(master.facts)
    assert nodes > 15 and facts > 5 and workers[0].searcher.search.entries > 25
    report = report_of(spec)._replace(expansions=400)
    assert master.update("worker 0", report, 0.0).status == SUBMIT_NOW
    assert (
        master.knowledge.tree.nodes.used == 0
        and len(master.facts) == facts
        and not master.jobs.leased
    )
    assert master.update("worker 1", report_of(other), 0.0).status == SUBMIT_NOW
    before = master.jobs.counts.dropped
    master.submit("worker 0", report_of(spec), JobResult(array("I")), 0.0)
    assert master.jobs.counts.dropped == before + 1
    for worker in workers[:2]:
        spec = take_job(worker)
        assert spec.keep == KEEP_FACTS
        entries = worker.searcher.search.entries
        worker.do(spec)
        assert worker.searcher.search.entries < entries
        assert take_job(worker).keep == KEEP_ALL


def test_a_restored_master_restarts_when_it_would_have(tmp_path: Path) -> None:
    path = str(tmp_path / "9.checkpoint")
    master, _, _ = grown_master(1, position="0*9", iterations=50, restart=100)
    assert master.knowledge.expansions > 100
    tree_checkpoint.save(
        path, master.knowledge.tree.search, "0*9", master.state(0.0), master.knowledge.log
    )
    other, _ = new_master(position="0*9", iterations=50, restart=100)
    other.restore(
        tree_checkpoint.load(path, other.knowledge.tree.search, "0*9", distributed=True), 0.0
    )
    assert other.jobs.schedule.due == master.jobs.schedule.due > master.knowledge.expansions


def test_a_master_of_many_workers_restarts_later_by_default() -> None:
    """Not one of up to three workers, nor one of remote workers, nor by a given length."""

    def first(workers: int, **more: Any) -> int:
        options = Options("pns-pdfpn", workers=workers, **more)
        return options.job_policy("sprouts").restart // RESTART

    assert [first(workers) for workers in (0, 1, 2, 3, 4, 16, 64)] == [1, 1, 1, 1, 2, 4, 8]
    assert first(16, restart=RESTART) == 1 and first(16, restart=0) == 0
