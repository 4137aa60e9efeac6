"""The memory of a master and its workers: measured together, and kept below a limit."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any, List

import pytest
from helpers.masters import LocalLink, new_master, worker_of
from helpers.searches import SPROUTS, search_of

import pns
from pns.choices import DISTRIBUTED
from pns.dfpn import Search
from pns.distributed.local import LocalWorkers
from pns.parallel import meter
from pns.system.machine import family, memory_of

pytest.importorskip("zmq", reason="pyzmq is missing")

MEGABYTE = 1_000_000
LONG_SEARCH = ("0*18", "loss") if sys.implementation.name == "pypy" else ("0*16", "win")
"""A position that two workers search for ten seconds or so, and who wins it."""


def test_a_room_follows_what_the_process_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    held = [50]
    monkeypatch.setattr(meter, "MEASURE_SECONDS", 0.0)
    monkeypatch.setattr(meter, "MEASURE_SHARE", 0)
    monkeypatch.setattr(meter, "ROOM_SECONDS", 0.0)
    monkeypatch.setattr(meter, "memory_of", lambda pid: held[0])
    room = meter.OwnRoom(1000, 100.0)
    assert room.update() == 1000
    held[0] = 89
    assert [room.update() for _ in range(2)] == [850, 722]
    held[0] = 84
    assert room.update() == 722
    held[0] = 79
    assert [room.update() for _ in range(9)][-1] == 1000
    assert room.meter.most_bytes == 89
    assert meter.OwnRoom(1000).update() == 1000


GROWING = """
import sys
sys.stdout.write("started\\n"); sys.stdout.flush()
sys.stdin.readline()
held = bytearray(b"x") * 50_000_000
sys.stdout.write("grown\\n"); sys.stdout.flush()
sys.stdin.readline()
"""


def test_what_a_process_shares_is_not_measured_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    exact: List[int] = []

    def counting(pid: int) -> int:
        exact.append(pid)
        return memory_of(pid)

    monkeypatch.setattr(meter, "memory_of", counting)
    monkeypatch.setattr(meter, "MEASURE_SHARE", 1 << 40)
    pipes: Any = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    child: Any = subprocess.Popen([sys.executable, "-c", GROWING], **pipes)
    with child as process:
        assert process.stdout.readline() == "started\n"
        memory = meter.MemoryMeter()
        before = memory.measure([process.pid], 1e12)[process.pid]
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stdout.readline() == "grown\n"
        after = memory.measure([process.pid], 1e12)[process.pid]
        assert len(exact) == len({process.pid, os.getpid()}) and before > MEGABYTE
        assert abs(after - before - 50 * MEGABYTE) < 10 * MEGABYTE
        assert abs(after - memory_of(process.pid)) < 5 * MEGABYTE
        process.kill()
        process.wait()
    assert memory.measure([process.pid], 1e12)[process.pid] == 0 == memory_of(process.pid)


def test_a_worker_gets_less_room_as_it_nears_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meter, "MEASURE_SECONDS", 0.0)
    monkeypatch.setattr(meter, "MEASURE_SHARE", 0)
    monkeypatch.setattr(meter, "ROOM_SECONDS", 0.0)
    rooms: List[int] = []
    for limit in (1, 1 << 50):
        master, clock = new_master(iterations=100_000, position="0*9")
        link = LocalLink(master, "worker", clock)
        worker = worker_of(
            link, SPROUTS, capacity=1 << 16, max_bytes=1 << 24, clock=clock, memory=limit
        )
        worker.run()
        assert master.knowledge.outcome is True and isinstance(worker.searcher.search, Search)
        rooms.append(worker.searcher.search.max_bytes)
    assert rooms[0] < rooms[1] == 1 << 24


def test_a_search_knows_the_memory_of_its_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meter, "MEASURE_SECONDS", 0.0)
    monkeypatch.setattr(meter, "IDLE_SHARE", 0)
    beside: List[int] = []

    def observe(search: Any) -> None:
        if search.master.knowledge.expansions:
            beside.append(search.memory - memory_of(os.getpid()))

    result = pns.solve("0*10", algorithm=DISTRIBUTED, workers=2, observer=observe)
    assert result.outcome == "win"
    assert max(beside) > 2 * 20 * MEGABYTE
    assert result.usage.peak_memory_bytes >= max(beside)


@pytest.mark.slow
def test_the_largest_worker_is_evicted_when_memory_is_short(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    most = 2
    monkeypatch.setattr("pns.distributed.local.MOST_FAILURES", most)
    monkeypatch.setattr(meter, "EVICT_SECONDS", 0.0)
    monkeypatch.setattr(meter, "EVICT_AT", 2.0)
    evicted: List[str] = []
    joined: List[int] = []
    evict = LocalWorkers.evict

    def note(workers: LocalWorkers, name: str) -> None:
        evicted.append(name)
        evict(workers, name)

    def observe(search: Any) -> None:
        joined.append(search.progress().distribution.joined)
        # More often than workers may die by themselves.
        is_short = search.expansions > 200 and len(evicted) <= most
        monkeypatch.setattr(meter, "EVICT_AT", 0.0 if is_short else 2.0)

    monkeypatch.setattr(LocalWorkers, "evict", note)
    position, outcome = LONG_SEARCH
    result = pns.solve(
        position, algorithm=DISTRIBUTED, workers=2, observer=observe, max_memory=1 << 50
    )
    assert result.outcome == outcome and max(joined) > 2
    assert len(evicted) == len(set(evicted)) == most + 1
    search = search_of(SPROUTS, capacity=1 << 18)
    assert result.facts
    facts = sorted(result.facts.items(), key=lambda fact: SPROUTS.estimate(fact[0]))
    for land, number in facts[:30]:
        assert search.grundy_number(land) == number, land


def test_a_process_and_those_that_it_started() -> None:
    pid = os.fork()
    if not pid:
        import time

        time.sleep(60)
        os._exit(0)
    try:
        assert pid in family(os.getpid()) and family(pid) == [pid]
    finally:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
    assert family(pid) == [pid]
