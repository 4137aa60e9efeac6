"""The store of wins: exact texts, whole records, and what processes take from it."""

from __future__ import annotations

import random

import pytest

from pns.facts import Facts
from pns.finding import find_game
from pns.parallel.shared_state import SharedState
from pns.parallel.slots import BEFORE_LAND, INDEX_WORDS, WORD_BYTES
from pns.parallel.win_store import ParentCouples, WinStore, take_win
from pns.pdfpn import PdfpnProcess
from pns.positions.couple import Couples
from pns.positions.exchange import FACT, WIN
from pns.positions.interned import HEAP, HEAP_BITS, HEAP_KEYS, hash_key
from pns.search.bounds import INF
from pns.search.table import Table

SPROUTS = find_game("sprouts")
PAIR = 2 * (WinStore.slot_bytes + INDEX_WORDS * WORD_BYTES)
"""The bytes of a pair of slots, with its index."""


def holds(store: WinStore, land: bytes, heap: int) -> bool:
    return store.holds(hash_key(land) ^ HEAP_KEYS[heap], land, heap)


def test_wins_are_those_of_a_set() -> None:
    store, rng, wins = WinStore(1 << 24), random.Random(1), set()
    for _ in range(1000):
        win = b"%d" % rng.randrange(500), rng.choice([0, 1, 2, HEAP])
        store.add(*win)
        wins.add(win)
    assert set(store.items()) == wins
    for number in range(500):
        for heap in (0, 1, 2, 3, HEAP):
            land = b"%d" % number
            assert holds(store, land, heap) == ((land, heap) in wins)


def test_a_full_store_forgets_wins_and_invents_none() -> None:
    store = WinStore(8 * PAIR)
    wins = {(b"%d" % i, i % 3) for i in range(200)}
    for win in wins:
        store.add(*win)
    held = set(store.items())
    assert 10 < len(held) <= 16 and held < wins
    assert {win for win in wins if holds(store, *win)} == held


def test_another_land_of_the_same_slot_and_tag_is_not_found() -> None:
    store = WinStore(PAIR)
    store.add(b"0*7", 2)
    key = hash_key(b"0*7") ^ HEAP_KEYS[2]
    assert store.holds(key, b"0*7", 2)
    assert not store.holds(key, b"0*8", 2) and not store.holds(key, b"0*7", 3)


def test_a_mixture_of_two_writes_is_nothing() -> None:
    store, land = WinStore(PAIR), b"0*7"
    store.add(land, 1)
    at = BEFORE_LAND  # of the first slot
    assert store._bytes[at : at + len(land)] == land
    store._bytes[at : at + len(land)] = b"0*8"
    assert not holds(store, land, 1) and not holds(store, b"0*8", 1) and not list(store.items())
    store._bytes[at - 1] = 255  # a length that reaches beyond the slot, and beyond the memory
    assert not holds(store, land, 1) and not list(store.items())


def test_a_land_may_be_too_long() -> None:
    store = WinStore(1 << 16)
    longest, longer = b"0" * store.longest_land, b"0" * (store.longest_land + 1)
    store.add(longest, 3)
    store.add(longer, 3)
    assert list(store.items()) == [(longest, 3)] and holds(store, longest, 3)
    assert not holds(store, longer, 3)


def test_couples_take_what_is_stored() -> None:
    store, couples = WinStore(1 << 16), Couples(SPROUTS, Facts("sprouts"))
    land = couples.land(b"0*7")
    assert not take_win(store, couples, land, 2)
    store.add(b"0*7", 2)
    assert take_win(store, couples, land, 2) and not take_win(store, couples, land, 1)
    assert couples.option_numbers[land] == 1 << 2


def test_wins_are_read_before_the_facts_that_they_rest_on() -> None:
    """So a checkpoint, which has the wins first, has all their reasons."""
    state, facts = SharedState(1), Facts("sprouts")
    couples = ParentCouples(SPROUTS, facts, state.wins, lambda: state.drain_facts([0], facts))
    couples.apply(WIN, 0, b"0*6")
    reading = couples.wins()
    assert next(reading) == (b"0*6", 0)
    state.append(0, FACT, 0, b"0*2", lambda: False)
    state.wins.add(b"0*5", 0)
    assert set(reading) <= {(b"0*5", 0)} and facts.get(b"0*2") == 0


@pytest.mark.parametrize("is_stored", [False, True])
def test_a_win_of_the_table_counts_only_if_it_is_stored(is_stored: bool) -> None:
    """The table's claim that every child of four spots is won would make them a loss."""
    state, table = SharedState(1), Table(1 << 10)
    process = PdfpnProcess(state, 0, SPROUTS, Facts("sprouts"), table)
    couples = process.couples
    children = couples.children(couples.land(b"0*4"), 0)
    assert len(children) > 1
    for child in children:
        i, heap = child >> HEAP_BITS, child & HEAP
        assert not couples.is_sum(i)
        table.store(couples.keys[i] ^ HEAP_KEYS[heap], 0, INF, 1)
        if is_stored:
            state.wins.add(couples.texts[i], heap)
    assert process.outcome((b"0*4",)) is not is_stored
