"""The process pool of a worker: right results, replacement of killed processes, no leftovers, and
facts from and to the master."""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import Any, List

import pytest
from helpers.masters import SPROUTS, Clock, ManualWorker, master_of
from helpers.searches import numbers_of

from pns.dfpn import Search
from pns.facts import Contradiction, Facts
from pns.jobs.peers import ReportExchange
from pns.jobs.protocol import KEEP_ALL, KEEP_FACTS, KEEP_NOTHING
from pns.parallel.pool import JobSlot, ProcessPool
from pns.pdfpn import PdfpnProcess
from pns.positions.couple import Couples
from pns.positions.exchange import FACT
from pns.search.bounds import INF, ROOT
from pns.search.counted_search import Stopped
from pns.search.table import Table


def pool_of(observer: Any = None, processes: int = 2) -> ProcessPool:
    couples = Couples(SPROUTS, Facts("sprouts"))
    return ProcessPool(
        processes,
        couples,
        1 << 14,
        observer or (lambda _: None),
        max_bytes=1 << 30,
        searcher=PdfpnProcess,
    )


def test_jobs_by_two_processes() -> None:
    for keep, spots, number in [(KEEP_NOTHING, 3, 1), (KEEP_FACTS, 4, 1), (KEEP_ALL, 6, 0)]:
        position = "0*%d" % spots
        master = master_of(position, iterations=20 * spots, updates=40, keep=keep, grundy=True)
        worker = ManualWorker(master, "w", Clock(), processes=2)
        while not master.why_done:
            spec = worker.take()
            assert spec or master.why_done
            if spec:
                worker.do(spec)
        assert master.knowledge.grundy_number == number and isinstance(
            worker.searcher.pool, ProcessPool
        )
        searchers = worker.searcher.pool.pids
        assert len(searchers) == 2
        worker.searcher.pool.close()
        for pid in searchers:
            assert not os.path.exists("/proc/%d" % pid)
        assert master.generated > master.knowledge.expansions > 5
        known = dict(numbers_of("brute_grundy.tsv"))
        for land, number in master.facts.items():
            assert known.get(land.decode(), number) == number, land


def test_killed_processes_are_replaced() -> None:
    killed: List[int] = []

    def kill(search: Search) -> None:
        assert isinstance(search, ProcessPool)
        alive = [pid for pid in search.pids if pid not in killed]
        if alive and len(killed) < 3 and search.expansions > 60 * (len(killed) + 1):
            killed.append(alive[0])
            os.kill(alive[0], signal.SIGKILL)
        if search.replaced == 3:
            search.job_ends = 0

    pool = pool_of(kill)
    try:
        with pytest.raises(Stopped, match="the job's end"):
            pool.outcome((b"0*40",))
        assert not set(killed) & set(pool.pids)
        pool.job_ends, pool.observer = sys.maxsize, None
        assert pool.outcome((b"0*5",)) and not pool.outcome((b"0*6",))
    finally:
        pool.close()


def test_processes_go_on_until_the_next_job_or_rest() -> None:
    pool = pool_of()
    try:
        pool.job_ends = 50
        with pytest.raises(Stopped, match="the job's end"):
            pool.outcome((b"0*40",))
        before = pool.expansions
        while pool.expansions < before + 100:
            time.sleep(0.01)
            pool.refresh()
        pool.rest()
        stopped = [-1]
        while pool.expansions > stopped[-1]:
            stopped.append(pool.expansions)
            time.sleep(0.3)
            pool.refresh()
        pool.job_ends = sys.maxsize
        assert pool.outcome((b"0*5",))
    finally:
        pool.close()


def test_at_the_end_of_a_job_the_table_holds_its_results(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Those of a single search, or of processes that go on."""
    alone = Search(Couples(SPROUTS, Facts("sprouts")), Table(1 << 14))
    monkeypatch.setattr("pns.parallel.pool.RECALL_SECONDS", 60.0)
    pool = pool_of()
    try:
        for search in (alone, pool):
            search.job_ends = 300
            with pytest.raises(Stopped, match="the job's end"):
                search.outcome((b"0*40",))
            couples = search.couples
            found = search.table.get(couples.keys[couples.land(b"0*40")])
            assert found and (search is pool or found == search.root != (1, 1))
        before = pool.expansions
        while pool.expansions < before + 100:
            time.sleep(0.01)
            pool.refresh()
    finally:
        pool.close()


def test_a_pool_stops_when_thresholds_are_passed() -> None:
    pool = pool_of()
    try:
        pool.limits = 30, 30, INF, 0, 0
        with pytest.raises(Stopped, match="the job's end"):
            pool.outcome((b"0*40",))
        assert max(pool.root) >= 30
        spent = pool.expansions
        pool.limits, pool.job_ends = ROOT, spent + 500  # beyond them
        with pytest.raises(Stopped, match="the job's end"):
            pool.outcome((b"0*40",))
        assert pool.expansions >= spent + 500
    finally:
        pool.close()


def test_facts_of_the_master_reach_the_processes() -> None:
    """A process proves what follows from the numbers that it received, not from true ones."""
    pool = pool_of(processes=1)
    try:
        pool.outcome((b"0*2",))
        for child in SPROUTS.children(b"0*4"):
            for land in child:
                pool.relay(land, 100 + len(land))  # false facts, unknown to the parent
        assert pool.outcome((b"0*4",)) is False  # where none of them is worth 0
    except Contradiction as error:  # with a fact that the process has proved itself
        assert error.land != b"0*4" and 100 < max(error.known, error.number)
    finally:
        pool.close()


def test_facts_of_others_are_read_at_each_visit() -> None:
    facts = Facts("sprouts")
    couples = Couples(SPROUTS, facts, rereads_facts=True)
    land = couples.land(b"0*6")
    facts.add(b"0*6", 0)  # by another worker of the group
    assert couples.numbers[land] == -1
    couples.children(land, 0)
    assert couples.numbers[land] == 0 and couples.generation == 1


def test_a_contradiction_is_left_for_the_next_report() -> None:
    pool = pool_of()
    exchange = pool.couples.exchange = ReportExchange(pool.couples.facts, pool.exchange)
    try:
        pool.outcome((b"0*2",))
        for child in SPROUTS.children(b"0*3"):
            for land in child:
                pool.relay(land, 0)  # false facts, unknown to the parent
        with pytest.raises(Contradiction) as caught:
            for heap in range(5):
                pool.outcome((b"0*3",), heap)
            exchange.publish(FACT, 9, b"0*3")
            pool.couples.apply(FACT, 9, b"0*3")
        assert exchange.unreported[-1] == (caught.value.land, caught.value.number)
    finally:
        pool.close()


def test_the_slot() -> None:
    slot = JobSlot(1)
    assert slot.read()[0] == 0
    slot.write(3, b"0*6", 2)
    assert slot.read() == (3, b"0*6", 2, ROOT)
    slot.write(4, b"0*7", 1, (5, 4, 3, 2, 1))
    assert slot.read() == (4, b"0*7", 1, (5, 4, 3, 2, 1))
    slot._text[1:2] = b"+"  # half written
    assert slot.read()[0] == 0
    slot.write(0, b"", 0)
    assert slot.read() == (0, b"", 0, ROOT)
