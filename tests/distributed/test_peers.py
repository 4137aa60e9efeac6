"""Workers of one machine tell each other at once what they found, and the master all of it."""

from __future__ import annotations

import os
from typing import List

import pytest
from helpers.masters import SPROUTS, Clock, Dying, ManualWorker, first, master_of

from pns.bounds import ROOT
from pns.couple import Couples
from pns.dfpn import Search
from pns.distributed.peers import LocalPeers
from pns.distributed.protocol import JobSpec
from pns.exchange import FACT, WIN
from pns.facts import Contradiction, Facts
from pns.machine import shared_memory
from pns.master import Master
from pns.parallel.child_store import ChildStore
from pns.parallel.logs import BETWEEN, Logs, open_logs
from pns.table import Table


def workers_of(master: Master, clock: Clock, count: int = 2) -> List[ManualWorker]:
    """Workers of one machine."""
    store, logs = ChildStore(count, 1 << 20), Logs(count)
    machines = [LocalPeers(store.part(place), logs, place) for place in range(count)]
    return [ManualWorker(master, "worker %d" % m.place, clock, machine=m) for m in machines]


def whole(worker: ManualWorker) -> JobSpec:
    """A job that lasts as long as it can."""
    return first(worker)._replace(limits=ROOT)


def one_dies(master: Master, clock: Clock) -> List[ManualWorker]:
    """Two workers, of which the first has worked on a job and said nothing about it."""
    workers = workers_of(master, clock)
    workers[0].do(first(workers[0]))
    workers[0].link = Dying(master, "worker 0", clock)
    with pytest.raises(KeyboardInterrupt):
        workers[0].do(whole(workers[0]))
    return workers


def receive(worker: ManualWorker) -> None:
    worker.couples.exchange_records()


def test_the_outcome_is_right_and_the_master_knows_all() -> None:
    for position, wins in (("0*7", False), ("0*9", True), ("0*4.AB|AB", None)):
        master, clock = master_of(position, iterations=50, updates=10**6), Clock()
        workers = workers_of(master, clock, 3)
        while not master.why_done:
            for worker in workers:
                spec = worker.take()
                if spec:
                    worker.do(spec)
        if wins is not None:
            assert master.outcome is wins
        alone = Facts("sprouts")
        couples = Couples(SPROUTS, alone)
        for land, number in master.facts.items():
            if number < 3 and len(land) < 8:
                assert _grundy(couples, land) == number


def _grundy(couples: Couples, land: bytes) -> int:
    return Search(couples, Table(1 << 14)).grundy_number(land)


def test_what_one_finds_the_other_knows_before_the_master() -> None:
    master, clock = master_of("0*8", iterations=1000, updates=10**6), Clock()
    one, other = one_dies(master, clock)
    one.search._observe()
    proved = dict(one.next_batch())
    assert len(proved) > 20 and not proved.items() <= dict(master.facts.items()).items()
    receive(other)
    assert proved.items() <= dict(other.next_batch()).items()
    for land, number in proved.items():
        assert other.couples.facts.get(land) == number
    wins = 0
    for text, i in one.couples.ids.items():
        if one.couples.numbers[i] < 0 and one.couples.option_numbers[i]:
            known = other.couples.option_numbers[other.couples.land(text)]
            assert known & ~one.couples.option_numbers[i] == 0
            wins += known != 0
    assert wins > 20


def test_what_a_killed_worker_told_others_reaches_the_master_by_them() -> None:
    """So the reasons of what they prove are there."""
    master, clock = master_of("0*7", iterations=500, updates=10**6), Clock()
    one, other = one_dies(master, clock)
    proved = dict(one.next_batch())
    master.lose("worker 0", clock())
    while not master.why_done:
        other.do(first(other))
    assert master.outcome is False
    assert len(proved) > 10 and proved.items() <= dict(master.facts.items()).items()


def test_a_contradiction_of_others_is_reported() -> None:
    master, clock = master_of("0*7", iterations=500, updates=10**6), Clock()
    one, other = workers_of(master, clock)
    one.do(first(one))
    other.couples.prove(other.couples.land(b"0*3"), 1)
    assert one.machine
    one.machine.logs.broadcast(0, FACT, 9, b"0*3")
    with pytest.raises(Contradiction):
        other.do(whole(other))
    assert "contradiction: 0*3" in master.failure


def test_logs_that_programs_open_by_a_descriptor() -> None:
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


def test_who_is_overtaken_goes_on_with_what_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pns.parallel.logs.LOG_BYTES", 1 << 12)
    logs = Logs(2)
    for i in range(1000):
        logs.broadcast(0, WIN, i % 3, b"0*%d" % i)  # waits for nobody
    read = [0, 0]
    list(logs.records(0, read))
    logs.broadcast(0, FACT, 2, b"last")
    assert list(logs.records(0, read)) == [(FACT, 2, b"last")]
