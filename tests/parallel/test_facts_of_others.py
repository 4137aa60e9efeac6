"""Facts that processes share: their store, the notices of them, and who holds what."""

from __future__ import annotations

import os
import random
from typing import Dict, List, Tuple

import pytest

from pns.facts import Contradiction, Facts
from pns.finding import find_game
from pns.parallel import notices
from pns.parallel.fact_store import FactStore
from pns.parallel.notices import Notices
from pns.parallel.search_process import LogExchange
from pns.parallel.shared_couples import SharedCouples
from pns.parallel.shared_state import SharedState, stores_of
from pns.pdfpn import PdfpnProcess
from pns.positions.couple import Couples
from pns.positions.exchange import FACT, STORED
from pns.positions.interned import hash_key
from pns.search.table import LOW, Table

pytestmark = pytest.mark.search

SPROUTS = find_game("sprouts")


def store_facts(store: FactStore, facts: Dict[bytes, int]) -> List[bytes]:
    """Store facts; return the lands of those that had a place."""
    places = []
    for land, number in facts.items():
        place = store.place(land)
        if place >= 0:
            store.put(place, land, number)
            places.append(land)
    return places


def test_facts_are_those_of_a_dict() -> None:
    store, rng = FactStore(1 << 22), random.Random(1)
    facts = {b"%d" % rng.randrange(10_000): rng.randrange(251) for _ in range(3000)}
    assert len(store_facts(store, facts)) > 0.9 * len(facts)
    for number in range(10_000):
        land = b"%d" % number
        assert store.number(land) == facts.get(land, -1) or store.place(land) < 0


def test_a_full_store_keeps_its_facts() -> None:
    store = FactStore(1 << 10)
    facts = {b"%d" % i: i % 251 for i in range(200)}
    stored = store_facts(store, facts)
    assert 8 <= len(stored) <= store.slots == 14
    assert {land for land in facts if store.number(land) >= 0} == set(stored)
    assert dict(store.items()) == {land: facts[land] for land in stored}


def test_a_store_takes_no_long_land_and_no_second_number() -> None:
    store = FactStore(1 << 16)
    assert (
        store.place(b"0" * (store.longest_land + 1)) < 0 <= store.place(b"0" * store.longest_land)
    )
    place = store.place(b"0*7")
    store.put(place, b"0*7", 3)
    store.put(place, b"0*7", 3)
    with pytest.raises(Contradiction):
        store.put(place, b"0*7", 2)
    assert store.number(b"0*7") == 3 and store.number(b"0*8") == -1


def test_a_mixture_of_two_facts_is_nothing() -> None:
    store = FactStore(1 << 8)  # one pair
    store.put(store.place(b"0*7"), b"0*7", 3)
    at = store._bytes.find(b"0*7")
    store._bytes[at : at + 3] = b"0*8"
    assert store.number(b"0*7") == store.number(b"0*8") == -1 and not list(store.items())


class Knowing:
    """A reader of notices that knows some keys."""

    def __init__(self, keys: Tuple[int, ...]) -> None:
        self.keys = keys

    def __call__(self, text_hash: int, key: int) -> bool:
        return key in self.keys


def test_notices_lead_to_what_the_reader_knows() -> None:
    all_notices, counts = Notices(3), [0, 0, 0]
    keys = [hash_key(b"%d" % i) for i in range(20)]
    for i, key in enumerate(keys):
        all_notices.add(i % 3, -i, key, 100 + i, to_all=i == 7)
    knows = Knowing((keys[3], keys[4], keys[5]))
    assert all_notices.read(2, counts, knows) == (14, [(0, 103), (1, 104), (1, 107)])
    assert all_notices.read(2, counts, knows) == (0, [])
    all_notices.add(2, 0, keys[3], 200, to_all=False)  # its own
    assert all_notices.read(2, counts, knows) == (0, [])


def test_a_reader_that_was_overtaken_reads_what_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notices, "NOTICES", 8)
    all_notices, counts = Notices(2), [0, 0]
    for i in range(30):
        all_notices.add(0, 0, i, i, to_all=True)
    assert all_notices.read(1, counts, Knowing(())) == (8, [(0, i) for i in range(22, 30)])
    all_notices._words[0] = counts[0] = LOW  # the count wraps
    all_notices.add(0, 0, 1, 5, to_all=True)
    assert all_notices.read(1, counts, Knowing(())) == (1, [(0, 5)]) and counts == [0, 0]


def reader(state: SharedState, process: int) -> SharedCouples:
    couples = PdfpnProcess(state, process, SPROUTS, Facts("sprouts"), Table(1 << 10)).couples
    assert isinstance(couples, SharedCouples)
    return couples


def test_a_process_holds_only_facts_that_have_no_store() -> None:
    """It uses the others at once if their land has an id, and else when the land gets one."""
    state = SharedState(2, stores_of(2, 1 << 16))
    mine = reader(state, 0)
    long = b"0*" + b"9" * state.facts.longest_land  # no real land, but nobody looks
    met = mine.land(b"0*7")
    for land, number in ((b"0*7", 2), (b"0*8", 1), (long, 3)):
        state.publish_fact(1, number, land, state.stopped)
    assert [kind for kind, *_ in state.records(1, [0, 0])] == [STORED, STORED, FACT]
    assert mine.exchange_records() and mine.numbers[met] == 2
    assert mine.exchange.noticed == 3 and mine.records_read == 2  # type: ignore[attr-defined]
    assert mine.numbers[mine.land(b"0*8")] == 1
    assert mine.facts.in_memory() == [(long, 3)]
    assert not mine.exchange_records()


def test_a_contradiction_is_noticed_by_who_reads_it() -> None:
    state = SharedState(3, stores_of(3, 1 << 16))
    mine = reader(state, 0)
    mine.numbers[mine.land(b"0*7")] = 1
    state.publish_fact(1, 2, b"0*7", state.stopped)
    with pytest.raises(Contradiction):
        mine.exchange_records()
    with pytest.raises(Contradiction):
        state.publish_fact(2, 3, b"0*7", state.stopped)


def test_ids_that_are_given_again_are_known_by_their_hashes() -> None:
    couples = Couples(SPROUTS, Facts("sprouts"))
    lands = [b"0*%d" % i for i in range(2, 40)]
    for land in lands:
        couples.land(land)
    live = bytearray(len(couples.store))
    for land in lands[::2]:
        live[couples.find(land)] = 1
    couples.keep(live)
    for land in lands:
        assert couples.may_have(hash(land), hash_key(land)) == (land in lands[::2])


def test_facts_arrive_under_stress(monkeypatch: pytest.MonkeyPatch) -> None:
    """From a process that writes meanwhile; no number is wrong, and no STORED fact is missing."""
    monkeypatch.setattr(notices, "NOTICES", 64)
    state = SharedState(2, stores_of(2, 1 << 27))
    count = 20_000
    pid = os.fork()
    if not pid:
        for i in range(count):
            state.publish_fact(1, i % 251, b"%d" % i)
        state.stop()
        os._exit(0)
    couples = Couples(SPROUTS, Facts("sprouts"), exchange=LogExchange(state, 0))
    while not state.stopped():
        couples.exchange_records()
    couples.exchange_records()
    assert os.waitpid(pid, 0)[1] == 0
    received = dict(couples.facts.items())
    assert len(received) >= 64
    for land, number in received.items():
        assert number == int(land) % 251
    kinds = dict.fromkeys((FACT, STORED), 0)
    for kind, number, land in state.records(1, [0, 0]):
        kinds[kind] += 1
        assert number == int(land) % 251
        assert state.facts.number(land) == (number if kind == STORED else -1)
    assert kinds[STORED] > kinds[FACT]
