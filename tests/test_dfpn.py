"""The search against brute force and closed forms, for all tables, options and caches."""

from __future__ import annotations

import gc
import random
from typing import Any, Tuple

import pytest
from helpers.paths import OUTCOMES
from helpers.searches import (
    SPROUTS,
    CheckedCouples,
    Expecting,
    brute_grundy,
    brute_numbers,
    grundy_by_definition,
    numbers_of,
    reachable,
    search_of,
)
from helpers.trees import TreeGame

import pns.dfpn
import pns.positions.couple
from pns.dfpn import Search
from pns.facts import Contradiction, Facts
from pns.finding import find_game
from pns.search.bounds import INF
from pns.search.counted_search import Stopped, StopToken
from pns.search.table import Table


@pytest.mark.search
def test_lands_below_four_spots_have_their_brute_force_numbers() -> None:
    lands = reachable("0*4")
    assert len(lands) > 400
    for land in lands:
        assert brute_grundy(land) == grundy_by_definition(land), land
    for land in reachable("0*3") + lands[::5]:
        assert search_of(SPROUTS).grundy_number(land) == brute_grundy(land), land


@pytest.mark.search
@pytest.mark.parametrize("step", [25, pytest.param(1, marks=pytest.mark.slow)])
def test_every_land_below_five_spots_has_the_number_of_the_slow_implementation(step: int) -> None:
    search = search_of(SPROUTS, capacity=1 << 18)
    assert len(brute_numbers()) > 13_000
    for land, number in list(brute_numbers().items())[::step]:
        assert search.grundy_number(land) == number, land


@pytest.mark.search
def test_one_search_proves_only_true_facts() -> None:
    for seed in range(5):
        search = search_of(SPROUTS, seed=seed)
        assert search.outcome(SPROUTS.parse("0*5"))
        facts = list(search.couples.facts.items())
        assert len(facts) > 10
        for land, number in facts:
            assert number == brute_grundy(land), land


@pytest.mark.search
def test_grundy_numbers_of_another_solver() -> None:
    search = search_of(SPROUTS, capacity=1 << 18)
    pairs = numbers_of("nimbers.tsv")
    small = [(land, n) for land, n in pairs if SPROUTS.estimate(land.encode())[0] <= 20]
    assert len(small) > 100
    for land, number in small[::4]:
        assert search.grundy_number(land.encode()) == number, land


@pytest.mark.slow
def test_all_grundy_numbers_of_another_solver() -> None:
    search = search_of(SPROUTS, capacity=1 << 20, max_bytes=500_000_000)
    for land, number in numbers_of("nimbers.tsv"):
        assert search.grundy_number(land.encode()) == number, land


@pytest.mark.parametrize("options", [{"epsilon": 0.25}, {"capacity": 4}, {"max_bytes": 20_000}])
def test_options_change_no_result(options: Any) -> None:
    for seed in range(8):
        game = TreeGame(seed, 5, 3)
        root = (b"r", b"s")
        search = search_of(game, seed=seed, **options)
        assert search.outcome(root) == (game.grundy(root) != 0)
    search = search_of(SPROUTS, **options)
    assert [search.outcome(SPROUTS.parse("0*%d" % n)) for n in range(1, 6)] == [0, 0, 1, 1, 1]


@pytest.mark.search
@pytest.mark.parametrize("batch, expected", [(0, 9), (1, -1), (1, 9), (2, 0), (3, 1), (1000, 9)])
def test_neither_batches_nor_wrong_expectations_change_a_result(
    batch: int, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With generators that are dropped, and lists that are forgotten while they have a rest."""
    monkeypatch.setattr(pns.positions.couple, "MOST_UNFINISHED", 3)
    monkeypatch.setattr(pns.dfpn, "LEAST_BETWEEN", 100)
    monkeypatch.setattr(gc, "collect", lambda: 0)  # room is made hundreds of times
    partial = rooms = 0
    for seed in range(3):
        couples = CheckedCouples(SPROUTS, Facts("sprouts"), seed, Expecting(expected))
        couples.batch = batch
        search = Search(couples, Table(1 << 10), max_bytes=25_000, observe_every=8)
        for text, number in numbers_of("brute_grundy.tsv")[seed::2000]:
            assert search.grundy_number(SPROUTS.parse(text)[0]) == number, text
            partial += sum(couples._rests)
        rooms += search._forgotten > 0
    assert rooms == 3
    assert (partial > 50) == (batch > 0), partial


class LyingTable(Table):
    """Returns random numbers, also those of solved couples."""

    def __init__(self, seed: int) -> None:
        super().__init__(64)
        self.random = random.Random(seed)

    def find(self, key: int) -> int:
        i = self.random.randrange(self.capacity) * 5
        lies = [(0, INF), (1, 1), (7, 2), (1, 1 << 20)]
        self.words[i + 2], self.words[i + 3] = self.random.choice(lies)
        return i if self.random.random() < 0.3 else -1

    def store(self, key: int, pn: int, dn: int, work: int, corrects: bool = False) -> None:
        pass


def test_no_fact_rests_on_the_table() -> None:
    for seed in range(6):
        search = search_of(SPROUTS)
        search.table = LyingTable(seed)
        assert not search.outcome(SPROUTS.parse("0*2"))
        assert search.outcome(SPROUTS.parse("0*3"))
        assert search.outcome(SPROUTS.parse("0*4"))
        for land, number in search.couples.facts.items():
            assert number == brute_grundy(land), land


def test_equal_lands_cancel() -> None:
    search = search_of(SPROUTS)
    assert not search.outcome(SPROUTS.parse("0*20+0*20"))
    assert search.expansions == 0
    assert search.outcome(SPROUTS.parse("0*20+0*20+0*3"))


def test_known_lands_fold_at_once() -> None:
    facts = Facts("sprouts")
    facts.add(b"0*30", 5)
    facts.add(b"0*31", 5)
    search = search_of(SPROUTS, facts)
    assert not search.outcome((b"0*30", b"0*31"))
    assert search.outcome((b"0*30", b"0*31", b"0*3"))
    assert search.expansions < 30


def test_a_second_number_for_a_land_is_a_contradiction() -> None:
    facts = Facts("sprouts")
    search = search_of(SPROUTS, facts)
    search.outcome(SPROUTS.parse("0*4"))
    land, number = next(facts.items())
    with pytest.raises(Contradiction) as caught:
        facts.add(land, number + 1)
    assert (caught.value.land, caught.value.known, caught.value.number) == (
        land,
        number,
        number + 1,
    )


def test_budget_stop_token_and_observer() -> None:
    seen = []
    search = search_of(SPROUTS, most_expansions=200, observer=lambda s: seen.append(s.expansions))
    with pytest.raises(Stopped, match="expansions"):
        search.outcome(SPROUTS.parse("0*9"))
    assert search.expansions == 200 and seen == [64, 128, 192]
    stop = StopToken()
    search = search_of(SPROUTS, stop=stop, observer=lambda s: stop.stop("enough"))
    with pytest.raises(Stopped, match="enough"):
        search.outcome(SPROUTS.parse("0*9"))
    assert search.expansions == 64
    assert search.line and search.root[0] and search.root[1]


def test_a_stopped_search_continues_from_its_facts() -> None:
    facts = Facts("sprouts")
    known = []
    for run in range(1, 20):
        search = search_of(SPROUTS, facts, most_expansions=100 * run)
        try:
            wins = search.outcome(SPROUTS.parse("0*6"))
            break
        except Stopped:
            known.append(len(facts))
    assert not wins and search.expansions < 100 * run
    assert len(known) > 2 and 0 < known[1] < known[-1] < len(facts)


@pytest.mark.parametrize("heaps", [(), (1,), (3, 5), (3, 5, 6), (20, 7, 19), (250, 249, 3), (8, 8)])
def test_nim_sums(heaps: Tuple[int, ...]) -> None:
    nim = find_game("nim")
    number = 0
    for heap in heaps:
        number ^= heap
    search = search_of(nim)
    lands = tuple(sorted([b"%d" % heap for heap in heaps]))
    assert search.outcome(lands) == (number != 0)
    for land in lands:
        assert search.grundy_number(land) == int(land)


KAYLES_PERIOD = [4, 1, 2, 8, 1, 4, 7, 2, 1, 8, 2, 7]
KAYLES_EXCEPTIONS = {
    0: 0, 3: 3, 6: 3, 9: 4, 11: 6, 15: 7, 18: 3, 21: 4, 22: 6, 28: 5, 34: 6, 39: 3, 57: 4, 70: 6
}  # fmt: skip
"""Guy and Smith: from 71 on the numbers have period 12."""


def test_kayles() -> None:
    kayles = find_game("kayles")
    search = search_of(kayles, capacity=1 << 16)
    for row in range(100):
        expected = KAYLES_EXCEPTIONS.get(row, KAYLES_PERIOD[row % 12])
        lands = kayles.parse("%d" % row)
        assert [search.grundy_number(land) for land in lands] == ([expected] if row else []), row


@pytest.mark.parametrize("row", [400])
@pytest.mark.search
def test_long_lines_of_play(row: int) -> None:
    """Games of hundreds of moves do not exhaust the stack."""
    kayles = find_game("kayles")
    search = search_of(kayles, capacity=1 << 18, most_expansions=20_000)
    try:
        search.outcome(kayles.parse("%d+%d" % (row, row + 1)))
    except Stopped:
        pass
    assert search.expansions > 100


KNOWN = [line.split(",")[:2] for line in OUTCOMES.read_text().split()[1:18]]


def speed_mark(spots: int) -> Any:
    """The mark of slow tests: the large and hard positions."""
    return pytest.mark.slow if spots > 11 and spots != 17 else ()


@pytest.mark.search
@pytest.mark.parametrize(
    "spots, outcome", [pytest.param(*pair, marks=speed_mark(int(pair[0]))) for pair in KNOWN]
)
def test_known_outcomes(spots: str, outcome: str) -> None:
    search = search_of(SPROUTS, capacity=1 << 20, max_bytes=500_000_000)
    assert search.outcome(SPROUTS.parse("0*" + spots)) == (outcome == "win")
