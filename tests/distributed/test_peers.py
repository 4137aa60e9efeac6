"""Workers of one machine: they exchange facts and wins by logs, and report all to the master."""

from __future__ import annotations

import os
from typing import List

import pytest
from helpers.masters import SPROUTS, Clock, DyingLink, ManualWorker, master_of, take_job

from pns.dfpn import Search
from pns.facts import Contradiction, Facts
from pns.jobs.peers import LocalPeers
from pns.jobs.protocol import JobSpec
from pns.jobs.vetting import Claim
from pns.master import Master
from pns.parallel.child_store import ChildStore
from pns.parallel.logs import BETWEEN, Logs, open_logs
from pns.positions.couple import Couples
from pns.positions.exchange import FACT, WIN
from pns.search.bounds import ROOT
from pns.search.table import Table
from pns.system.machine import shared_memory

pytestmark = pytest.mark.search


def neighbours(master: Master, clock: Clock, count: int = 2) -> List[ManualWorker]:
    """Workers of one machine."""
    store, logs = ChildStore(count, 1 << 20), Logs(count)
    machines = [LocalPeers(store.part(place), logs, place) for place in range(count)]
    return [ManualWorker(master, "worker %d" % m.place, clock, machine=m) for m in machines]


def unlimited_job(worker: ManualWorker) -> JobSpec:
    """A job without thresholds."""
    return take_job(worker)._replace(limits=ROOT)


def one_dies(master: Master, clock: Clock) -> List[ManualWorker]:
    """Two workers, of which the first died before it reported on its second job."""
    workers = neighbours(master, clock)
    workers[0].do(take_job(workers[0]))
    workers[0].link = DyingLink(master, "worker 0", clock)
    with pytest.raises(KeyboardInterrupt):
        workers[0].do(unlimited_job(workers[0]))
    return workers


def test_outcomes_and_facts_are_right() -> None:
    for position, wins in (("0*7", False), ("0*9", True), ("0*4.AB|AB", None)):
        master, clock = master_of(position, iterations=50, updates=10**6), Clock()
        workers = neighbours(master, clock, 3)
        while not master.why_done:
            for worker in workers:
                spec = worker.take()
                if spec:
                    worker.do(spec)
        if wins is not None:
            assert master.knowledge.outcome is wins
        alone = Facts("sprouts")
        couples = Couples(SPROUTS, alone)
        for land, number in master.facts.items():
            if number < 3 and len(land) < 8:
                assert _grundy(couples, land) == number


def _grundy(couples: Couples, land: bytes) -> int:
    return Search(couples, Table(1 << 14)).grundy_number(land)


def test_facts_and_wins_reach_another_worker_before_the_master() -> None:
    master, clock = master_of("0*8", iterations=1000, updates=10**6), Clock()
    one, other = one_dies(master, clock)
    one.searcher.couples.exchange_records()
    proved = dict(one.searcher.next_facts())
    assert len(proved) > 20 and not proved.items() <= dict(master.facts.items()).items()
    other.searcher.couples.exchange_records()
    assert proved.items() <= dict(other.searcher.next_facts()).items()
    for land, number in proved.items():
        assert other.searcher.couples.facts.get(land) == number
    wins = 0
    for text in one.searcher.couples.lands():
        i = one.searcher.couples.find(text)
        if one.searcher.couples.numbers[i] < 0 and one.searcher.couples.option_numbers[i]:
            known = other.searcher.couples.option_numbers[other.searcher.couples.land(text)]
            assert known & ~one.searcher.couples.option_numbers[i] == 0
            wins += known != 0
    assert wins > 20


def test_published_facts_of_a_killed_worker_reach_the_master() -> None:
    """The worker that received them reports them, before anything that follows from them."""
    master, clock = master_of("0*7", iterations=500, updates=10**6), Clock()
    one, other = one_dies(master, clock)
    proved = dict(one.searcher.next_facts())
    master.lose("worker 0", clock())
    while not master.why_done:
        other.do(take_job(other))
    assert master.knowledge.outcome is False
    assert len(proved) > 10 and proved.items() <= dict(master.facts.items()).items()


def test_a_contradiction_with_another_worker_is_reported() -> None:
    master, clock = master_of("0*7", iterations=500, updates=10**6), Clock()
    one, other = neighbours(master, clock)
    one.do(take_job(one))
    other.searcher.couples.prove(other.searcher.couples.land(b"0*3"), 1)
    assert one.searcher.machine
    one.searcher.machine.logs.broadcast(0, FACT, 9, b"0*3")
    with pytest.raises(Contradiction):
        other.do(unlimited_job(other))
    assert "contradiction: 0*3" in master.knowledge.failure


def test_logs_are_opened_by_a_descriptor() -> None:
    descriptors = shared_memory("logs")
    if not descriptors:
        pytest.skip("this system has no memory with a descriptor")
    mine, theirs = Logs(2, descriptors[0]), open_logs(descriptors[0])
    assert theirs.processes == 2
    theirs.append(1, WIN, 3, BETWEEN.join([b"0*4", b"0*5"]), lambda: False)
    assert list(mine.records(1, [0, 0])) == [(WIN, 3, b"0*4"), (WIN, 3, b"0*5")]
    assert list(mine.records(0, [0, 0])) == []
    with pytest.raises((ValueError, OSError)):
        open_logs(os.open(os.devnull, os.O_RDWR))


def test_a_reader_that_is_overtaken_continues_with_new_records(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pns.parallel.logs.LOG_BYTES", 1 << 12)
    logs = Logs(2)
    for i in range(1000):
        logs.broadcast(0, WIN, i % 3, b"0*%d" % i)  # never waits
    read = [0, 0]
    list(logs.records(0, read))
    logs.broadcast(0, FACT, 2, b"last")
    assert list(logs.records(0, read)) == [(FACT, 2, b"last")]


@pytest.mark.parametrize("shared", [True, False])
def test_a_worker_whose_machine_may_hold_withdrawn_facts_ends(shared: bool) -> None:
    """One that has just begun, and one that shares no memory, go on."""
    master, clock = master_of("0*7", iterations=20, check=0.1), Clock()
    if shared:
        first, second = neighbours(master, clock)
    else:
        first, second = [ManualWorker(master, "worker %d" % i, clock) for i in range(2)]
    for worker in (first, second, first, second):
        worker.turn()
    origin = master.workers["worker 1"].number
    master.judge.distrust(Claim(origin, b"0*2", 3), clock())
    first.turn()
    assert (first.is_stale, bool(first.stop.reason)) == (shared, shared)
    assert not first.searcher.outbox.batch() or not shared
    third = ManualWorker(master, "worker 2", clock, machine=first.searcher.machine)
    third.turn()
    assert not third.is_stale and third.jobs == 1
