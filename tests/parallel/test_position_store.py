"""The positions that processes share: found by all, never moved, dropped when all have left."""

from __future__ import annotations

import fcntl
import os
import random
import signal
from typing import Dict, List, Tuple

import pytest

from pns.parallel import position_store
from pns.parallel.position_store import ABSENT, BLOCK, OLD, Half, PositionStore
from pns.parallel.shared_positions import PART_HEADER, TEXT_HEADER, SharedPositions
from pns.positions.interned import IS_SUM, UNKNOWN, hash_key

pytestmark = pytest.mark.search

SIZE = 1 << 22


def views(count: int, size: int = SIZE) -> List[SharedPositions]:
    store = PositionStore(count, size)
    return [SharedPositions(store, process) for process in range(count)]


def land(positions: SharedPositions, text: bytes, number: int = -1) -> int:
    slot = positions.slot_of(text)
    found = positions.id_in(slot, text)
    assert found == positions.find(text)
    return found or positions.add(slot, text, hash_key(text), len(text), number)


def test_all_processes_give_a_land_the_same_id() -> None:
    rng, all_views = random.Random(1), views(3)
    found: Dict[bytes, int] = {}
    for _ in range(20_000):
        text = b"%d" % rng.randrange(5000) * rng.choice([1, 1, 9])
        i = land(rng.choice(all_views), text)
        assert found.setdefault(text, i) == i
    assert len(set(found.values())) == len(found) > 4000
    half = all_views[0].half
    for text, i in found.items():
        assert all_views[2].text(i) == text and half.numbers[i] == UNKNOWN
        assert (half.keys[i], half.second[i]) == (hash_key(text), len(text))
        assert all_views[1].lands_of(i) == (i,)
    assert {all_views[0].text(i) for i in all_views[0].lands()} == set(found)
    assert not all_views[0].find(b"no land")


def test_a_land_is_not_taken_for_a_longer_one() -> None:
    """Also if both have the same place in the index."""
    (positions,) = views(1)
    i = land(positions, b"0*25")
    assert not positions._is_text(i, b"0*2") and not positions._is_text(i, b"0*251")
    assert positions._is_text(i, b"0*25")


def test_sums_are_found_by_their_lands() -> None:
    one, other = views(2)
    lands = sorted([land(one, b"%d" % i) for i in range(30)])
    rng = random.Random(2)
    found: Dict[Tuple[int, ...], int] = {}
    for _ in range(3000):
        parts = tuple(sorted(rng.sample(lands, rng.choice([2, 2, 3, 5]))))
        i = rng.choice([one, other]).sum_of(parts)
        assert found.setdefault(parts, i) == i and other.lands_of(i) == parts
        assert one.half.numbers[i] == IS_SUM
        key = 0
        for part in parts:
            key ^= one.half.keys[part]
        assert one.half.keys[i] == key
    assert len(set(found.values())) == len(found)
    assert one.sum_of([]) == 0 and one.sum_of(lands[:1]) == lands[0]


def test_children_are_those_of_all_processes() -> None:
    one, other = views(2)
    parent, *ids = [land(one, b"%d" % i) for i in range(10)]
    assert one.children(parent) == ([], False, 0)
    first = one.add_children(parent, 0, ids[:3], False)
    assert other.children(parent) == (ids[:3], False, first)
    second = other.add_children(parent, first, ids[3:5], False)
    assert one.children(parent, first) == (ids[3:5], False, second)
    assert one.children(parent) == other.children(parent) == (ids[:5], False, second)
    late = one.add_children(parent, first, ids[3:4], False)  # as if it had not seen the others
    assert other.children(parent) == (ids[:5], False, second)
    last = one.add_children(parent, late, ids[4:9], True)
    assert other.children(parent) == (ids, True, last)
    assert other.children(parent, second) == (ids, True, last)  # which does not lead to the end
    assert other.children(parent, late) == (ids[4:9], True, last)
    assert one.children_up_to(late) == ids[:4]


def test_a_land_without_children_has_all_of_them() -> None:
    one, other = views(2)
    parent = land(one, b"0")
    place = one.add_children(parent, 0, [], True)
    assert other.children(parent) == ([], True, place)


def test_what_is_not_whole_is_not_read() -> None:
    (positions,) = views(1)
    parent, child = land(positions, b"0*7"), land(positions, b"0*8")
    place = positions.add_children(parent, 0, [child], False)
    half = positions.half
    half.parts[place + PART_HEADER] = parent
    assert positions.children(parent) == ([], False, 0)
    half.lists[parent] = place + 100  # never written
    assert positions.children(parent) == ([], False, 0)
    at = half.first[child] * position_store.UNIT + TEXT_HEADER
    half.texts[at : at + 1] = b"1"
    with pytest.raises(RuntimeError, match="damaged"):
        positions.text(child)
    assert not positions.find(b"0*8")


def test_processes_go_on_in_the_other_half_and_the_last_one_wipes_the_first() -> None:
    one, other = views(2)
    store, numbers = one.store, {b"%d" % i: i % 5 - 1 for i in range(1000)}
    for text, number in numbers.items():
        land(one, text, number)
    old, used = one.half, one.half.used
    one.add_children(land(one, b"7"), 0, [land(one, b"8")], True)
    assert one.change() and one.is_old and other.is_old and not store.is_free
    assert not other.change() or other.is_old  # one change is enough
    one.go_on()
    assert not one.is_old and one.half is not old and old.used >= used
    for text, number in numbers.items():
        i = one.find(text)
        assert (one.half.numbers[i], one.text(i)) == (number, text) if number >= 0 else not i
    assert not one.children(one.find(b"7")).place
    assert not one.change()  # the other process still has ids of the first half
    assert other.text(other.find(b"8")) == b"8"
    other.go_on()
    assert store.is_free and old.used < used // 4 and not store.words[OLD]
    for view in (one, other):  # and back
        assert view.change() or view.is_old
        view.go_on()
    assert one.half is old and one.half.numbers[one.find(b"9")] == 3
    assert not any(old.keys[i] for i in range(BLOCK))


def test_a_process_that_has_ended_holds_nothing_back() -> None:
    one, other = views(2)
    assert one.change()
    one.go_on()
    other.store.leave(1)
    one.go_on()
    assert one.store.is_free and one.store.words[position_store.EPOCHS + 1] == ABSENT


def test_numbers_that_would_fill_a_half_are_not_all_copied() -> None:
    (one,) = views(1, position_store.LEAST_BYTES)
    count = 0
    while not one.half.is_full:
        land(one, b"%d" % count, 1)
        count += 1
    assert one.change()
    one.go_on()
    assert not one.half.is_full
    kept = [one.find(b"%d" % i) > 0 for i in range(count)]
    assert 0.2 * count < sum(kept) < 0.8 * count and all(kept[-2 * BLOCK :])


def test_a_half_that_is_full_takes_no_more() -> None:
    (one,) = views(1, position_store.LEAST_BYTES)
    full = 0
    with pytest.raises(MemoryError, match="positions"):
        for i in range(10**6):
            full += one.half.is_full
            land(one, b"%d" % i)
    assert full > position_store.SPARE_IDS // 2 and land(one, b"77") == one.find(b"77")
    assert one.text(one.find(b"77")) == b"77"


def test_small_memory_is_not_full_of_blocks() -> None:
    all_views = views(64, 1)
    for view in all_views:
        first, second = land(view, b"0*%d" % view.process), land(view, b"0")
        view.add_children(first, 0, [view.sum_of(sorted([first, second]))], False)
    assert not all_views[0].half.is_full


def test_the_lock_of_a_killed_process_is_free() -> None:
    store = PositionStore(2, SIZE)
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        with store.locked():
            os.write(writing, b"1")
            signal.pause()
    assert os.read(reading, 1) == b"1"
    with pytest.raises(OSError):
        fcntl.lockf(store._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    with store.locked(), store.locked():
        assert store._depth == 2
    assert not store._depth


def test_many_processes_write_at_once() -> None:
    """Each id has one text, and each text its numbers, however the writes interleave."""
    processes, count = 4, 5000
    store = PositionStore(processes, 1 << 25)
    pids = []
    for process in range(processes):
        pid = os.fork()
        if not pid:
            status = 1
            try:
                write(SharedPositions(store, process), process, count)
                status = 0
            finally:
                os._exit(status)
        pids.append(pid)
    assert [os.waitpid(pid, 0)[1] for pid in pids] == [0] * processes
    positions = SharedPositions(store)
    ids = list(positions.lands())
    texts = [positions.text(i) for i in ids]
    assert set(texts) == {b"%d" % i for i in range(count)}
    assert len(ids) < 1.1 * count  # few lands have got two
    for i, text in zip(ids, texts):
        assert positions.half.numbers[i] == int(text) % 7 and positions.half.keys[i] == hash_key(
            text
        )
    lists = 0
    for i, text in zip(ids, texts):
        found, is_complete, place = positions.children(i)
        if place:
            lists += 1
            assert is_complete
            lands = [positions.lands_of(child) for child in found]
            assert [sorted(int(positions.text(k)) for k in pair) for pair in lands] == [
                sorted([int(text), n]) for n in range(3) if n != int(text)
            ]
    assert lists > count // 2


def write(positions: SharedPositions, seed: int, count: int) -> None:
    """Add lands, their numbers and their children in an order of the process's own."""
    rng = random.Random(seed)
    for n in rng.sample(range(count), count):
        i = land(positions, b"%d" % n)
        positions.half.numbers[i] = n % 7
        others = [land(positions, b"%d" % other) for other in range(3) if other != n]
        sums = [positions.sum_of(sorted([i, other])) for other in others]
        for other in range(3):
            positions.half.numbers[land(positions, b"%d" % other)] = other % 7
        place = positions.add_children(i, 0, sums[:1], False)
        positions.add_children(i, place, sums[1:], True)


def test_a_half_says_what_it_holds() -> None:
    half = Half(SIZE, 1)
    before = half.used
    assert half.count == BLOCK and not half.is_full and before < SIZE // 100
    assert half.block_of(is_sum=True) == BLOCK and half.numbers[BLOCK] == IS_SUM
    assert half.block_of(is_sum=False) == 2 * BLOCK and half.numbers[2 * BLOCK] == UNKNOWN
    assert half.used == before + 2 * BLOCK * position_store.COLUMN_BYTES
