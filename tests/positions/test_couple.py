"""Interned positions and the lists of their children."""

from __future__ import annotations

import random
from typing import Any, Dict, List, Tuple

import pytest

import pns.positions.columns
import pns.positions.couple
import pns.positions.interned
from pns.dfpn import Search
from pns.facts import Facts
from pns.finding import find_game
from pns.game import Land
from pns.positions.columns import keep
from pns.positions.couple import Couples
from pns.positions.interned import HEAP, HEAP_BITS, IS_SUM, UNKNOWN, hash_key
from pns.search.counted_search import Stopped
from pns.search.table import Table

pytestmark = pytest.mark.search

SPROUTS = find_game("sprouts")
Known = Tuple[int, int, int, int, List[Tuple[str, int]]]


def searched(expansions: int) -> Couples:
    """What a search of eight spots has interned when it stops."""
    couples = Couples(SPROUTS, Facts("sprouts"))
    with pytest.raises(Stopped):
        Search(couples, Table(1 << 14), most_expansions=expansions).outcome(SPROUTS.parse("0*8"))
    return couples


def known(couples: Couples) -> Dict[Land, Known]:
    """What is known of each land: numbers, key, branching, and its children if they are listed."""
    found = {}
    for land in list(couples.lands()):
        i = couples.find(land)
        listed = couples.lists.get(i)
        children = [(couples.describe(code & ~HEAP), code & HEAP) for code in listed]
        columns = couples.numbers[i], couples.option_numbers[i], couples.keys[i]
        found[land] = (*columns, couples.branching[i], children)
    return found


def test_what_was_visited_last_stays_as_it_was() -> None:
    couples = searched(600)
    before, held, listed = known(couples), couples.bytes(), len(couples.lists)
    visited = max(couples.lists, key=lambda i: couples._visits[couples.lists.number(i)])
    last = couples.texts[visited]
    couples.make_room(held // 2)
    after = known(couples)
    assert couples.bytes() <= held * 0.6
    assert listed // 10 < len(couples.lists) < listed
    assert after[last] == before[last] and after[last][-1]
    for land, (number, options, key, branching, children) in after.items():
        assert (number, options, key, branching) == before[land][:-1]
        assert not children or children == before[land][-1]
    sums = [i for i in range(len(couples.store)) if couples.numbers[i] == IS_SUM]
    assert len(sums) > 10
    for i in sums:
        key = 0
        for part in couples.parts[i]:
            assert couples.numbers[part] >= UNKNOWN
            key ^= hash_key(couples.texts[part])
        assert key == couples.keys[i]
    assert len(couples.lists._ids) == sum(len(couples.lists[i]) for i in couples.lists)


def test_room_is_made_in_place() -> None:
    """A second copy of the positions would need the memory that is full."""
    couples = searched(600)
    store, lists, bits = couples.store, couples.lists, couples.option_numbers
    held = (
        *(store, store.ends, store.chunks[0], store._slots, couples.numbers, couples.keys),
        *(couples.branching, bits, bits.low, couples._visits, couples._generations),
        *(lists, lists._numbers, lists._starts, lists._lengths, lists._ids, lists._heaps),
    )
    couples.make_room(couples.bytes() // 2)
    still = (
        *(couples.store, store.ends, store.chunks[0], store._slots, couples.numbers, couples.keys),
        *(couples.branching, couples.option_numbers, bits.low, couples._visits),
        *(couples._generations, couples.lists, lists._numbers, lists._starts, lists._lengths),
        *(lists._ids, lists._heaps),
    )
    assert all(one is other for one, other in zip(held, still)) and len(held) == len(still)


def test_what_stays_is_what_was_visited_last_again_and_again() -> None:
    couples = searched(600)
    for _ in range(4):
        visits, lists = couples._visits, couples.lists
        newest = sorted(lists, key=lambda i: visits[lists.number(i)], reverse=True)
        order = [couples.texts[i] for i in newest]
        couples.make_room(couples.bytes() * 3 // 4)
        visits = couples._visits
        assert couples._clock == len(order) > len(lists) == len(visits)
        for clock, text in zip(range(len(order), len(order) - len(lists), -1), order):
            assert visits[lists.number(couples.find(text))] == clock


@pytest.mark.parametrize("call", range(13))
def test_nothing_is_left_half_moved(call: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory that runs out in the middle of a move: ids that name other lands would be lies."""
    couples = searched(300)
    calls = 0

    def failing(column: Any, live: Any) -> None:
        nonlocal calls
        calls += 1
        if calls > call:
            raise MemoryError
        keep(column, live)

    for module in (pns.positions.columns, pns.positions.interned, pns.positions.couple):
        monkeypatch.setattr(module, "keep", failing)
    if call < 11:
        with pytest.raises(MemoryError):
            couples.make_room(couples.bytes() // 2)
        assert not list(couples.lands()) and not len(couples.lists) and len(couples.store) == 1
    else:
        couples.make_room(couples.bytes() // 2)
        assert calls == 11 and len(couples.lists)
    monkeypatch.undo()
    assert Search(couples, Table(1 << 14)).outcome(SPROUTS.parse("0*7")) is False


def test_a_search_goes_on_after_room_was_made() -> None:
    couples = searched(300)
    for most_bytes in (couples.bytes() // 3, 0):
        couples.make_room(most_bytes)
        search = Search(couples, Table(1 << 14), max_bytes=100_000)
        for spots in random.Random(3).sample(range(2, 8), 4):
            lands = SPROUTS.parse("0*%d" % spots)
            assert search.outcome(lands) == (spots % 6 > 2)


def test_wins_may_be_read_while_room_is_made() -> None:
    couples = searched(3000)
    before = set(couples.wins())
    reading = couples.wins()
    some = {next(reading) for _ in range(len(before) // 2)}
    lands = len(couples.store)
    couples.make_room(0)
    assert len(couples.store) < lands // 2
    assert some < before and set(reading) <= before


def test_sums_keep_their_codes() -> None:
    couples = Couples(SPROUTS, Facts("sprouts"))
    lands = SPROUTS.parse("0*5+0*7+1a1a.2")
    code = couples.code(lands)
    assert couples.is_sum(code >> HEAP_BITS) and couples.texts[code >> HEAP_BITS] == b""
    parts = couples.parts[code >> HEAP_BITS]
    assert tuple(sorted(couples.texts[part] for part in parts)) == lands
    assert couples.code(lands) == code and couples.code(lands[:1] * 2) == 0
    couples.numbers[parts[0]] = 3
    folded = couples.fold(code)
    assert folded & HEAP == 3 and couples.parts[folded >> HEAP_BITS] == parts[1:]
