"""The transposition table: its entries, replacement, and concurrent use."""

from __future__ import annotations

import os
import random
import signal
import time
from typing import Set

import pytest

from pns.search.bounds import INF
from pns.search.table import DN, ENTRY_BYTES, PN, WORK, Table


def test_finds_what_was_stored() -> None:
    table = Table(4096)
    rng = random.Random(1)
    entries = {rng.getrandbits(63): (rng.randrange(1, INF), rng.randrange(INF)) for _ in range(500)}
    for key, (pn, dn) in entries.items():
        table.store(key, pn, dn, 1)
    assert table.used == 500
    for key, numbers in entries.items():
        assert table.get(key) == numbers
    for key in entries:
        assert table.find(key ^ 1 << 62) < 0  # the high bits count too
        assert table.get(key ^ 1 << 62) is None


def test_entries_are_twenty_bytes() -> None:
    table = Table(9)
    assert ENTRY_BYTES == 20 and table.capacity == 12 and len(table.memory) == 240
    table.store((1 << 62) + 5, 3, INF, 7)
    entry = table.find((1 << 62) + 5)
    assert [table.words[entry + i] for i in range(5)] == [5 ^ 3 ^ INF, 1 << 30 ^ INF, 3, INF, 7]


def test_work_adds_up_and_saturates() -> None:
    table = Table(4)
    table.store(1, 1, 1, 10)
    table.store(1, 1, 1, 10)
    entry = table.find(1)
    assert table.words[entry + WORK] == 20
    table.store(1, 1, 1, 1 << 40)
    assert table.words[entry + WORK] == (1 << 32) - 1


def test_no_mixture_of_two_entries_is_found() -> None:
    """Of all mixtures of two writers' words, only entries that one of them wrote are found."""
    table = Table(4)
    rng = random.Random(7)
    for _ in range(300):
        keys = rng.choice([(1, 1), (rng.getrandbits(63), rng.getrandbits(63))])
        written = []
        for key in keys:
            table.store(key, rng.choice([0, 1, 5, INF]), rng.choice([0, 1, 5, INF]), 1)
            entry = table.find(key)
            written.append([table.words[entry + i] for i in range(4)])
            table.words[entry + WORK] = 0
        pairs = {(key, words[PN], words[DN]) for key, words in zip(keys, written)}
        table.words[WORK] = 1
        for mixture in range(16):
            for i in range(4):
                table.words[i] = written[mixture >> i & 1][i]
            for key in keys:
                if table.find(key) >= 0:
                    assert (key, table.words[PN], table.words[DN]) in pairs


def test_least_work_leaves_first_but_solved_entries_stay() -> None:
    table = Table(4)
    for key, work in ((10, 9), (20, 5), (30, 7), (40, 6)):
        table.store(key, 1, 1, work)
    table.store(50, 1, 1, 1)
    assert table.find(20) < 0 <= table.find(50)
    table.store(50, 0, INF, 3)  # solved, work 4
    table.store(60, 1, 1, 2)
    assert table.find(40) < 0 <= table.find(50)
    table.store(70, 1, 1, 8)
    assert table.find(60) < 0
    table.store(80, 1, 1, 9)  # more work than the solved entry
    assert table.find(50) < 0


def test_a_bucket_of_solved_entries_with_more_work_takes_no_unsolved_one() -> None:
    table = Table(4)
    for key in range(1, 5):
        table.store(key, 0, INF, 100)
    table.store(9, 1, 1, 99)
    assert table.find(9) < 0
    table.store(9, INF, 0, 1)
    assert table.find(9) >= 0


def test_a_solved_entry_is_not_overwritten_by_an_unsolved_one() -> None:
    """The work is added nevertheless, and a visit that began with the entry may correct it."""
    table = Table(4)
    for key, solved in ((1, (0, INF)), (2, (INF, 0))):
        table.store(key, 3, 4, 1)
        assert not table.is_solved(key)
        table.store(key, *solved, 1)
        assert table.is_solved(key)
        table.store(key, 7, 9, 5)
        assert table.get(key) == solved and table.words[table.find(key) + WORK] == 7
        table.store(key, 7, 9, 5, corrects=True)
        assert table.get(key) == (7, 9)
        table.store(key, *solved, 1)
        assert table.get(key) == solved


def test_forked_processes_share_it() -> None:
    table = Table(64)
    child = os.fork()
    if not child:
        table.store(77, 5, 6, 1)
        os._exit(0)
    os.waitpid(child, 0)
    assert table.get(77) == (5, 6)


@pytest.mark.search
def test_every_number_read_was_written_for_its_key() -> None:
    """Three processes keep writing two buckets, and a reader finds no mixture."""
    table = Table(8)
    keys = [i << 20 | i for i in range(1, 25)]

    def dn_of(key: int, pn: int) -> int:
        return pn * 7 + key & 0x7FFFFFFF

    parent = os.getpid()
    pids = []
    for seed in range(3):
        pid = os.fork()
        if not pid:
            rng = random.Random(seed)
            while os.getppid() == parent:
                for _ in range(1000):
                    pn, key = rng.randrange(1, 1 << 31), rng.choice(keys)
                    table.store(key, pn, dn_of(key, pn), 1)
            os._exit(0)
        pids.append(pid)
    try:
        reads = 0
        found: Set[int] = set()
        limit = time.monotonic() + 30
        while (reads < 300_000 or len(found) < len(keys)) and time.monotonic() < limit:
            for key in keys:
                numbers = table.get(key)
                if numbers:
                    reads += 1
                    found.add(key)
                    assert numbers[1] == dn_of(key, numbers[0])
        assert reads and len(found) > 8  # more keys than entries: some were overwritten
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


@pytest.mark.parametrize("capacity", [0, -3])
def test_refuses_an_empty_table(capacity: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Table(capacity)
