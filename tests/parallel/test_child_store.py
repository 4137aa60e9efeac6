"""The child store: what is read is what was generated, also from rings that are overwritten."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from typing import List, Optional

import pytest

from pns.facts import Facts
from pns.finding import find_game
from pns.game import Sum
from pns.parallel.child_store import (
    FRONTS,
    OTHER_ORDER,
    PART,
    SLOT_WORDS,
    ChildStore,
    SharedGame,
    open_child_store,
)
from pns.positions.couple import Couples
from pns.positions.simplify import Simplified
from pns.positions.wrapped import SmallestFirst
from pns.system.machine import shared_memory

SPROUTS = find_game("sprouts")


def varied_children(i: int) -> List[Sum]:
    """Lists of children of every form: empty ones, the empty position, sums."""
    chance = random.Random(i)
    lands = [b"%d" % chance.randrange(10**12) for _ in range(chance.randrange(4))]
    return [tuple(lands[:k]) for k in range(chance.randrange(len(lands) + 2))]


def complete(store: ChildStore, land: bytes) -> Optional[List[Sum]]:
    """The children of a land, None unless all are stored."""
    found = store.find(land)
    return found[0] if found and not found[1] else None


def test_children_are_read_as_they_were_generated() -> None:
    store = ChildStore(2, 1 << 14)
    mine, other = [SharedGame(SPROUTS, store, process) for process in range(2)]
    for text in (b"0*3", b"0*2.AB|AB", b"1", b"0"):
        generated = list(mine.children(text))
        assert generated == list(SPROUTS.children(text)) == list(other.children(text))
    assert mine.children_generated > 0 == other.children_generated
    for i in range(1000):
        store.add(i % 2, b"land %d" % i, varied_children(i))
        assert complete(store, b"land %d" % i) == varied_children(i)
    assert complete(store, b"0*9") is None and store.used() == 1 << 14


def test_children_and_the_simpler_positions_in_place_of_them_are_kept_apart() -> None:
    store = ChildStore(2, 1 << 14)
    land, simple = b"0*5.A|0*2.A", SmallestFirst(Simplified(SPROUTS))
    for game, process in ((SPROUTS, 0), (simple, 1), (SPROUTS, None), (simple, None)):
        shared = SharedGame(game, store, process)
        assert list(shared.children(land)) == list(game.children(land))
        assert bool(shared.children_generated) == (process is not None)
    assert set(simple.children(land)) != set(SPROUTS.children(land))


def test_the_first_children_are_shared_where_one_decided() -> None:
    """The next process to visit the land reads them, and generates only what else it needs."""
    store = ChildStore(2, 1 << 16)
    mine, other = [SharedGame(SPROUTS, store, process) for process in range(2)]
    children = list(SPROUTS.children(b"0*5"))
    deciding = next(i for i, lands in enumerate(children) if len(lands) == 1 and i >= 2)
    facts = Facts("sprouts")
    facts.add(children[deciding][0], 3)
    couples = Couples(mine, facts)
    assert couples.land_children(couples.land(b"0*5"), 3) == []
    assert mine.children_generated == deciding + 1
    mine.children(b"0*2")  # which stores what was generated of the last land
    assert complete(store, b"0*5") is None
    assert store.find(b"0*5") == (children[: deciding + 1], True)
    couples = Couples(other, facts)
    assert couples.land_children(couples.land(b"0*5"), 3) == [] and other.children_generated == 0
    assert len(couples.land_children(couples.land(b"0*5"), 9)) == len(children) - 1
    assert other.children_generated == len(children) - deciding - 1
    assert store.find(b"0*5") == (children, False)
    assert list(mine.children(b"0*5")) == children and mine.children_generated == deciding + 1


def test_fewer_children_do_not_replace_more() -> None:
    store = ChildStore(2, 1 << 16)
    mine, other = [SharedGame(SPROUTS, store, process) for process in range(2)]
    children = list(SPROUTS.children(b"0*5"))
    behind, ahead = iter(mine.children(b"0*5")), iter(other.children(b"0*5"))
    for count, generator in ((1, behind), (3, ahead)):
        for _ in range(count):
            next(generator)
    other.store_part()
    mine.store_part()
    assert store.find(b"0*5") == (children[:3], True)


def test_generators_that_take_turns_store_the_children_of_their_lands() -> None:
    store = ChildStore(2, 1 << 16)
    mine, other = [SharedGame(SPROUTS, store, process) for process in range(2)]
    expected = {text: list(SPROUTS.children(text)) for text in (b"0*5", b"0*4.AB|0*2.AB")}
    first, second = [iter(mine.children(text)) for text in expected]
    for count in (1, 2, 3):
        next(first)
        assert store.find(b"0*5") == ((expected[b"0*5"][: count - 1], True) if count > 1 else None)
        next(second)
        assert store.find(b"0*5") == (expected[b"0*5"][:count], True)
    for generator in (second, first):
        list(generator)
    for text, children in expected.items():
        assert store.find(text) == (children, False)
        assert list(other.children(text)) == children
    assert mine.children_generated == sum(map(len, expected.values()))


def test_a_record_with_an_altered_number_of_children_is_not_used() -> None:
    """A partial list must not look complete: facts rest on complete lists."""
    store = ChildStore(1, 1 << 12)
    store.add(0, b"land", [(b"a",), (b"b",)], is_part=True)
    at = store._begin + 8
    assert store._bytes[at : at + 4] == (2 | PART).to_bytes(4, sys.byteorder)
    store._bytes[at : at + 4] = (2).to_bytes(4, sys.byteorder)
    assert store.find(b"land") is None


def test_the_order_of_generation_does_not_matter() -> None:
    """If the last children of a land are stored first, each child still comes once."""
    store = ChildStore(1, 1 << 16)
    smallest = SmallestFirst(SPROUTS)
    children = list(smallest.children(b"0*5"))
    store.add(0, OTHER_ORDER + b"0*5", children[-3:], is_part=True)
    game = SharedGame(smallest, store, 0)
    assert list(game.children(b"0*5")) == children[-3:] + children[:-3]
    assert complete(store, OTHER_ORDER + b"0*5") == children


def test_a_game_begins_only_behind_children_in_its_own_order() -> None:
    store = ChildStore(2, 1 << 16)
    other, mine = SharedGame(SmallestFirst(SPROUTS), store, 0), SharedGame(SPROUTS, store, 1)
    children, sorted_children = list(SPROUTS.children(b"0*7")), iter(other.children(b"0*7"))
    first = [next(sorted_children) for _ in range(2)]
    other.store_part()
    assert first != children[:2] and store.find(OTHER_ORDER + b"0*7") == (first, True)
    assert list(mine.children(b"0*7")) == children


def test_unfinished_or_too_long_lists_are_not_stored() -> None:
    store = ChildStore(1, 1024)
    game = SharedGame(SPROUTS, store, 0)
    next(iter(game.children(b"0*3")))
    assert complete(store, b"0*3") is None
    store.add(0, b"0*9", [(b"x" * 1000,)])
    assert complete(store, b"0*9") is None and store.used() == 0


def test_the_exact_text_decides() -> None:
    """An index that points to the record of another land finds nothing."""
    store = ChildStore(1, 1 << 12)
    store.add(0, b"a", [(b"b",)])
    store.add(0, b"b", [()])
    words = store._words
    slots = [i for i in range(FRONTS + 1, store._begin // 4, SLOT_WORDS) if words[i + 1]]
    assert len(slots) == 2
    first, second = [[words[i + k] for k in range(3)] for i in slots]
    words[slots[0] + 2], words[slots[1] + 2] = second[2], first[2]
    assert complete(store, b"a") is None and complete(store, b"b") is None
    words[slots[0] + 2], words[slots[1] + 2] = 1 << 31, first[2] + 1
    assert complete(store, b"a") is None and complete(store, b"b") is None


def test_little_is_lost_before_the_rings_are_full() -> None:
    """All records in the rings are found, but for a few whose pair of slots was full."""
    store = ChildStore(2, 1 << 20)
    lands = [b"land %d of many" % i for i in range(2500)]
    for i, land in enumerate(lands):
        store.add(i % 2, land, [(b"x" * 50, b"y" * 100), (b"z" * 100,)])
    assert store.used() < 1 << 20
    found = [complete(store, land) is not None for land in lands]
    assert sum(found) > 0.8 * len(lands)
    for i, land in enumerate(lands * 3):  # around the rings, more than once
        store.add(i % 2, b"more " + land, [(b"x" * 50, b"y" * 100), (b"z" * 100,)])
    assert store.used() == 1 << 20
    assert all(complete(store, land) is None for land in lands)
    newest = [complete(store, b"more " + land) is not None for land in lands[-1000:]]
    assert sum(newest) > 0.8 * len(newest)


def test_a_store_is_opened_by_its_descriptor() -> None:
    descriptors = shared_memory("children")
    if not descriptors:
        pytest.skip("this system has no memory with a descriptor")
    (memory,) = descriptors
    store = ChildStore(3, 1 << 16, memory)
    stores = [open_child_store(memory, first) for first in range(3)]
    assert {other.ring for other in stores} == {store.ring}
    games = [SharedGame(SPROUTS, stores[1], 0), SharedGame(SPROUTS, stores[2], 0)]
    generated = list(games[0].children(b"0*4"))
    assert generated == list(games[1].children(b"0*4")) == complete(store, b"0*4")
    assert games[1].children_generated == 0 < games[0].children_generated
    words = [store._words[FRONTS + ring] for ring in range(3)]
    assert words[0] == words[2] == 0 < words[1]
    reader = SharedGame(SPROUTS, store)
    list(reader.children(b"0*3"))
    assert complete(store, b"0*3") is None and reader.children_generated > 0
    with pytest.raises(ValueError):
        open_child_store(memory, 3)
    with pytest.raises((ValueError, OSError)):
        open_child_store(os.open(os.devnull, os.O_RDWR), 0)


def test_records_are_whole_under_concurrent_writes() -> None:
    """Two processes write the same lands to small rings, a third reads."""
    store = ChildStore(2, 1 << 13)
    pids = []
    for writer in range(2):
        pid = os.fork()
        if not pid:
            chance = random.Random(writer)
            while os.getppid() != 1:
                for _ in range(1000):
                    i = chance.randrange(100)
                    store.add(writer, b"%d" % i, varied_children(i))
            os._exit(0)
        pids.append(pid)
    try:
        expected = [varied_children(i) for i in range(100)]
        found = 0
        limit = time.monotonic() + 60
        while found < 20_000 and time.monotonic() < limit:
            for i in range(100):
                children = complete(store, b"%d" % i)
                if children is not None:
                    assert children == expected[i]
                    found += 1
        assert found >= 20_000
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
