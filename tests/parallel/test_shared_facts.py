"""What processes know of each other's positions: numbers and wins, at once, and only true ones."""

from __future__ import annotations

import random
from typing import Any, List

import pytest
from benchmarks.logical import LogicalSearch
from helpers.searches import SPROUTS, brute_numbers

from pns.facts import Contradiction, Facts
from pns.parallel import position_store, shared_positions
from pns.parallel.parent_couples import ParentCouples, ParentView
from pns.parallel.position_store import PositionStore
from pns.parallel.shared_couples import SharedBits, SharedCouples
from pns.parallel.shared_state import SharedState
from pns.pdfpn import PdfpnProcess
from pns.positions.exchange import FACT, WIN
from pns.positions.interned import HEAP, HEAP_BITS, HEAP_KEYS
from pns.search.bounds import INF
from pns.search.table import Table
from pns.spdfpn import SpdfpnProcess

pytestmark = pytest.mark.search

SIZE = 1 << 22


def processes(count: int, state: SharedState) -> List[PdfpnProcess]:
    table = Table(1 << 10)
    return [PdfpnProcess(state, i, SPROUTS, Facts("sprouts"), table) for i in range(count)]


def test_bits_are_those_of_a_set() -> None:
    half, rng = PositionStore(2, SIZE).current, random.Random(1)
    bits, others = SharedBits(half), SharedBits(half)
    known = [0] * 40
    for _ in range(2000):
        i, n = rng.randrange(40), rng.choice([0, 1, 2, 6, 7, 7, 8, 31, 200])
        known[i] |= 1 << n
        bits[i] |= 1 << n
        assert bits[i] == known[i]
    for i in range(40):
        assert others[i] == known[i] & 0xFF


def test_no_process_loses_what_another_one_writes_meanwhile() -> None:
    half = PositionStore(2, SIZE).current
    bits, others = SharedBits(half), SharedBits(half)
    before = bits[7]
    others[7] |= 1 << 2
    bits[7] = before | 1 << 5
    assert bits[7] == others[7] == 1 << 2 | 1 << 5


def test_a_number_counts_for_all_at_once() -> None:
    """Also where it is in a list that was folded before, once facts are looked at."""
    mine, other = processes(2, SharedState(2))
    children = mine.couples.land_children(mine.couples.land(b"0*4"), 0)
    assert len(children) > 1
    child = children[0] >> HEAP_BITS
    other.couples.prove(child, 0)
    assert mine.couples.numbers[child] == 0 and mine.couples.code((mine.couples.texts[child],)) == 0
    assert mine.couples.exchange_records() and not mine.couples.exchange_records()
    assert children[0] not in mine.couples.land_children(mine.couples.land(b"0*4"), 0)
    assert mine.couples.option_numbers[mine.couples.land(b"0*4")] & 1


def test_a_second_number_is_a_contradiction() -> None:
    state = SharedState(2)
    mine, other = processes(2, state)
    mine.couples.prove(mine.couples.land(b"0*7"), 1)
    with pytest.raises(Contradiction):
        other.couples.prove(other.couples.land(b"0*7"), 2)
    view = ParentView(SPROUTS, Facts("sprouts"), state.positions)
    view.add_fact(b"0*7", 1)
    with pytest.raises(Contradiction):
        view.add_fact(b"0*7", 2)
    assert [record[1:] for record in state.drain([0, 0])] == [(1, b"0*7"), (2, b"0*7")]


def test_the_parent_tells_all_what_it_knows() -> None:
    state = SharedState(2)
    mine, _ = processes(2, state)
    view = ParentView(SPROUTS, Facts("sprouts"), state.positions)
    met = mine.couples.land(b"0*7")
    view.add_fact(b"0*7", 2)
    view.add_fact(b"0*8", 1)
    view.add_win(b"0*9", 3)
    assert mine.couples.exchange_records() and mine.couples.numbers[met] == 2
    assert mine.couples.numbers[mine.couples.land(b"0*8")] == 1
    assert mine.couples.option_numbers[mine.couples.land(b"0*9")] == 1 << 3
    assert view.has_win(b"0*9", 3) and not view.has_win(b"0*9", 2) and not view.has_win(b"0*5", 3)
    assert state.positions.change(0, lambda old, new: None)
    assert not view.has_win(b"0*9", 3)  # it looks at the half that is current


def test_wins_are_read_before_the_facts_that_they_rest_on() -> None:
    """So a checkpoint, which has the wins first, has all their reasons."""
    state, facts = SharedState(1), Facts("sprouts")
    view = ParentView(SPROUTS, facts, state.positions)
    couples = ParentCouples(SPROUTS, facts, view, lambda: state.drain_facts([0], facts))
    couples.apply(WIN, 0, b"0*6")
    reading = couples.wins()
    assert next(reading) == (b"0*6", 0)
    state.append(0, FACT, 0, b"0*2", lambda: False)
    view.add_win(b"0*5", 0)
    assert set(reading) <= {(b"0*5", 0)} and facts.get(b"0*2") == 0


def test_wins_are_read_again_when_positions_were_dropped() -> None:
    store = PositionStore(1, SIZE)
    view = ParentView(SPROUTS, Facts("sprouts"), store)
    for spots in range(2, 400):
        view.add_win(b"0*%d" % spots, 3)
    reading = view.wins()
    first = [next(reading) for _ in range(100)]
    assert store.change(0, lambda old, new: None)
    view.add_win(b"0*7", 1)
    rest = list(reading)
    assert rest[-1] == (b"0*7", 1) and len(set(first + rest)) == len(first + rest) < 398


@pytest.mark.parametrize("is_known", [False, True])
def test_a_win_of_the_table_counts_only_if_it_is_known(is_known: bool) -> None:
    """The table's claim that every child of four spots is won would make them a loss."""
    state, table = SharedState(2), Table(1 << 10)
    process, other = [PdfpnProcess(state, i, SPROUTS, Facts("sprouts"), table) for i in range(2)]
    couples = process.couples
    children = couples.children(couples.land(b"0*4"), 0)
    assert len(children) > 1
    for child in children:
        i, heap = child >> HEAP_BITS, child & HEAP
        assert not couples.is_sum(i)
        table.store(couples.keys[i] ^ HEAP_KEYS[heap], 0, INF, 1)
        if is_known:
            other.couples.note(i, 1 << heap)
    assert process.outcome((b"0*4",)) is not is_known


@pytest.mark.parametrize("searcher", [PdfpnProcess, SpdfpnProcess])
def test_searches_that_drop_all_positions_now_and_then_find_right_numbers(
    searcher: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(position_store, "LEAST_BYTES", 1 << 16)
    monkeypatch.setattr(shared_positions, "TEXT_UNITS", 256)
    monkeypatch.setattr(shared_positions, "PART_WORDS", 512)
    epochs, checked = 0, []
    for spots, wins in ((6, False), (9, True)):
        facts = Facts("sprouts")
        search = LogicalSearch(3, SPROUTS, facts, 1 << 12, spots, searcher=searcher, positions=1)
        assert search.outcome(SPROUTS.parse("0*%d" % spots)) == wins
        epochs += search.state.positions.epoch
        checked += [
            brute_numbers()[land] == n for land, n in facts.items() if land in brute_numbers()
        ]
    assert all(checked) and len(checked) > 50 and epochs > 2


def test_lists_that_were_visited_last_stay() -> None:
    couples = SharedCouples(SPROUTS, Facts("sprouts"), PositionStore(1, SIZE), 0)
    lands = [couples.land(b"0*%d" % i) for i in range(2, 12)]
    for land in lands:
        couples.land_children(land, 0)
    couples.land_children(lands[2], 0)
    before, own = {land: couples.lists[land] for land in lands}, couples._own_bytes()
    couples._drop_lists(own // 2)
    kept, generated = list(couples.lists), couples.children_generated
    assert couples._own_bytes() <= own // 2 and sorted(kept) == [lands[2], *lands[-len(kept) + 1 :]]
    for land in lands:
        assert couples.land_children(land, 0) == before[land] and couples.is_complete(land)
    assert couples.children_generated == generated and couples.children_taken
    assert 1 < len(kept) < len(lands) == len(couples.lists)


def test_too_many_positions_are_dropped_by_all() -> None:
    mine, other = processes(2, SharedState(2, PositionStore(2, SIZE)))
    for couples in (mine.couples, other.couples):
        couples.land_children(couples.land(b"0*9"), 0)
    mine.couples.make_room(1 << 30)
    epochs = [mine.couples.positions.epoch]
    assert mine.couples.find(b"0*9")
    mine.couples.make_room(1 << 10)
    epochs.append(mine.couples.positions.epoch)
    assert epochs == [0, 1] and not mine.couples.find(b"0*9")
    assert other.couples.must_go_on and other.couples.find(b"0*9")
    other.couples.make_room(1 << 30)
    assert not other.couples.must_go_on and not len(other.couples.lists)
