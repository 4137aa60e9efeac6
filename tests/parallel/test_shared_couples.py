"""Couples that take over what other processes have generated: complete only with all children."""

from __future__ import annotations

import random
from typing import Any, List, Set

import pytest
from benchmarks.logical import LogicalSearch
from helpers.searches import SPROUTS, CheckedCouples, Expecting, brute_grundy
from helpers.trees import TreeGame

from pns.facts import Facts
from pns.parallel import search_process
from pns.parallel.position_store import PositionStore
from pns.parallel.shared_couples import SharedCouples
from pns.parallel.shared_state import SharedState
from pns.pdfpn import PdfpnProcess
from pns.positions.couple import Couples
from pns.positions.interned import HEAP
from pns.search.table import Table
from pns.spdfpn import SpdfpnProcess

pytestmark = pytest.mark.search

LAND, OTHER = b"0*8.AB|AB", b"0*4.AB|AB"


def couples_over_one_store(count: int, batch: int, game: Any = SPROUTS) -> List[SharedCouples]:
    store = PositionStore(count, 1 << 22)
    found = []
    for process in range(count):
        couples = SharedCouples(game, Facts(game.name), store, process, process)
        couples.batch = batch
        found.append(couples)
    return found


def generated(couples: Couples) -> int:
    return couples.children_generated


def texts(couples: Couples, land: bytes) -> Set[str]:
    codes = couples.lists.get(couples.land(land))
    assert len(set(codes)) == len(codes)
    return set(map(couples.describe, codes))


def all_children(land: bytes) -> Set[str]:
    couples = SharedCouples(SPROUTS, Facts("sprouts"), PositionStore(1, 1 << 22))
    couples.land_children(couples.land(land), 0)
    assert couples.is_complete(couples.land(land))
    return texts(couples, land)


def test_what_another_process_has_generated_is_taken_over_whole() -> None:
    mine, other = couples_over_one_store(2, 2)
    land = other.land(LAND)
    other.land_children(land, 0)
    first = texts(other, LAND)
    for _ in range(3):
        other.more_children(land, 0)
    count = generated(mine)
    mine.land_children(mine.land(LAND), 0)
    assert first < texts(mine, LAND) == texts(other, LAND) and generated(mine) == count
    assert not mine.take_shared(mine.land(LAND))
    while not other.is_complete(land):
        other.more_children(land, 0)
    assert not mine.is_complete(mine.land(LAND))
    assert mine.take_shared(mine.land(LAND)) and mine.is_complete(mine.land(LAND))
    assert texts(mine, LAND) == texts(other, LAND) == all_children(LAND)
    assert generated(mine) == count and not mine.take_shared(mine.land(LAND))


def test_a_process_takes_nothing_that_it_added_itself() -> None:
    (alone,) = couples_over_one_store(1, 2)
    for text in (LAND, OTHER):
        alone.land_children(alone.land(text), 0)
    before = texts(alone, LAND)
    assert not alone.take_shared(alone.land(LAND))
    alone.land_children(alone.land(LAND), 0)
    assert texts(alone, LAND) == before and not alone.is_complete(alone.land(LAND))


def test_lists_are_complete_only_with_all_children() -> None:
    """In any order of visits and batches, also where positions and generators were dropped."""
    lands = [LAND, OTHER, b"0*2.A|0.A", b"0*3.A|2A"]
    expected = {land: all_children(land) for land in lands}
    taken = completed = 0
    for seed in range(40):
        rng = random.Random(seed)
        all_couples = couples_over_one_store(3, 1 + seed % 5)
        for _ in range(120):
            couples, text = rng.choice(all_couples), rng.choice(lands)
            land = couples.land(text)
            before = texts(couples, text), generated(couples)
            couples.land_children(land, 0)
            taken += before[0] < texts(couples, text) and before[1] == generated(couples)
            step = rng.random()
            if step < 0.6 and not couples.is_complete(land):
                couples.more_children(land, 0)
            elif step > 0.95:
                couples.make_room(rng.choice([2_000, 20_000]))
                continue
            assert texts(couples, text) <= expected[text]
            if couples.is_complete(land):
                completed += 1
                assert texts(couples, text) == expected[text]
    assert taken > 20 and completed > 1000


@pytest.mark.parametrize("searcher", [PdfpnProcess, SpdfpnProcess])
@pytest.mark.parametrize("batch, expected", [(1, 9), (3, -1)])
def test_batches_of_processes_change_no_result(
    searcher: Any, batch: int, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    class CheckedSharedCouples(SharedCouples, CheckedCouples):
        """Checks the reasons of what is proved."""

    monkeypatch.setattr(search_process, "SharedCouples", CheckedSharedCouples)
    options = {"searcher": searcher, "batch": batch, "epsilon": 0.25}
    if searcher is SpdfpnProcess:
        options["work_limit"] = 10
    partial = 0
    for spots, wins in enumerate([0, 0, 1, 1, 1], 1):
        facts = Facts("sprouts")
        search = LogicalSearch(
            3, SPROUTS, facts, 1 << 10, spots, prior=Expecting(expected), restart=50, **options
        )
        assert search.outcome(SPROUTS.parse("0*%d" % spots)) == bool(wins)
        partial += sum([sum(each.couples._rests) for each in search.searchers])
        for land, number in search.facts.items():
            assert number == brute_grundy(land), land
    assert partial > 20
    for seed in range(4):
        game = TreeGame(seed, 5, 4)
        search = LogicalSearch(2, game, Facts(game.name), 1 << 10, seed, **options)
        assert search.outcome((b"0", b"1")) == (game.grundy((b"0", b"1")) != 0), seed


def test_children_of_others_are_not_counted_as_an_expansion() -> None:
    state = SharedState(2)
    mine, other = [
        PdfpnProcess(state, i, SPROUTS, Facts("sprouts"), Table(1 << 10), batch=2) for i in range(2)
    ]
    for searcher in (mine, other):
        searcher.couples.land_children(searcher.couples.land(LAND), 0)
    other.couples.more_children(other.couples.land(LAND), 0)
    for expansions in (0, 1):
        mine._expand_rest(mine.couples.land(LAND), 0)
        assert mine.expansions == expansions
    assert texts(mine.couples, LAND) > texts(other.couples, LAND)


def test_the_empty_position_is_in_no_list_that_is_taken_over() -> None:
    """It is a loss, which is known at once, as for the process that generated it."""
    mine, other = couples_over_one_store(2, 0)
    for text in (b"AB|AC|BC", b"1a1a", b"0*2", LAND):
        for heap in (1, 0):
            other.children(other.land(text), heap)
            children = mine.children(mine.land(text), heap)
            assert sorted(children) == sorted(other.children(other.land(text), heap)), (text, heap)
            assert all(code > HEAP for code in mine.lists.get(mine.land(text)))
    assert mine.children_taken and not mine.children_generated
