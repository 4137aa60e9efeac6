"""Larger positions from facts about smaller ones: right, whatever the analogies say."""

from __future__ import annotations

from functools import partial
from typing import Callable, Dict, Iterator, List, Tuple

import pytest
from helpers.paths import CERTIFICATES

from pns.facts import Facts
from pns.finding import find_game
from pns.game import Game, Land
from pns.games.kayles import Kayles
from pns.positions.analogy import Analogy, guess
from pns.positions.prior import Prior
from pns.positions.simplify import searched
from pns.proofs import claims, extend
from pns.proofs.certificate import read_certificate
from pns.proofs.check import Checker
from pns.proofs.extend import Answer, Extender, Extension, GapSearch, GapTask
from pns.proofs.rules import find_rules
from pns.search.counted_search import Stopped, StopToken

pytestmark = pytest.mark.search

PERIOD = 12


class Alike(Kayles):
    """Kayles, whose Grundy numbers repeat from 71 pins on [guy1956], with chosen differences."""

    def __init__(self, difference: int = 0) -> None:
        self.difference = difference

    def analogies(self, land: Land) -> Iterator[Analogy]:
        for fewer in range(PERIOD, min(int(land), 3 * PERIOD), PERIOD):
            yield Analogy(b"%d" % (int(land) - fewer), self.difference, 4.0)


def kayles_numbers(most: int) -> List[int]:
    """The Grundy numbers of the rows up to a length, by definition."""
    numbers: List[int] = []
    for pins in range(most + 1):
        taken = {
            numbers[left] ^ numbers[pins - gone - left]
            for gone in (1, 2)
            for left in range(pins - gone + 1)
        }
        numbers.append(next(n for n in range(len(taken) + 1) if n not in taken))
    return numbers


NUMBERS = kayles_numbers(200)


def facts_of(rows: int) -> Facts:
    """The facts of all rows up to a length."""
    facts = Facts("kayles")
    for pins in range(1, rows + 1):
        facts.add(b"%d" % pins, NUMBERS[pins])
    return facts


def never(_: object) -> None:
    """An observer that lets everything go on."""


def extender_of(game: Game, facts: Facts, observe: Callable[[Extender], None] = never) -> Extender:
    """An extender that searches in this process."""
    search = GapSearch(game, lambda: facts, Prior(), StopToken())

    def run(tasks: Iterator[GapTask]) -> Iterator[Answer]:
        return map(search.answer, tasks)

    return Extender(game, facts, run, observe)


def check(facts: Facts, position: str, found: Extension, simplify: bool = False) -> None:
    """Assert that facts and claims prove who wins, and that each claim holds by the others."""
    game = find_game(facts.game_name)
    known: Dict[Land, int] = {**dict(facts.items()), **found.claims}
    rules = find_rules(facts.game_name, simplify=simplify)
    checker = Checker(rules, lambda land: known.get(land, -1), cancel=True)
    assert not [land for land, number in found.claims.items() if checker.why_bad(land, number)]
    assert not checker.why_unproved(game.parse(position), found.wins)


@pytest.mark.parametrize("pins", (141, 142, 150, 152))
def test_analogies_that_hold_need_no_search(pins: int) -> None:
    facts = facts_of(140)
    extender = extender_of(Alike(), facts)
    position = "%d+%d" % (pins, pins + 12)
    found = extender.prove(Alike().parse(position))
    assert found.wins is False and found.claims and extender.searches == 0
    assert all(NUMBERS[int(land)] == number for land, number in found.claims.items())
    check(facts, position, found)


@pytest.mark.parametrize("difference", (0, 1, 2, 5))
@pytest.mark.parametrize("pins", (23, 27, 34, 39))
def test_the_result_is_right_whatever_the_analogies_say(
    pins: int, difference: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Below 71 pins the numbers do not repeat, and with a difference the analogies are wrong."""
    monkeypatch.setattr(extend, "MOST_EXPANSIONS", 50)
    facts = facts_of(20)
    for other in (pins, pins - 3):
        position = "%d+%d" % (pins, other)
        found = extender_of(Alike(difference), facts).prove(Alike().parse(position))
        assert found.wins == (NUMBERS[pins] != NUMBERS[other])
        assert all(NUMBERS[int(land)] == number for land, number in found.claims.items())
        assert all(NUMBERS[int(land)] == number for land, number in facts.items())
        check(facts, position, found)
        facts = facts_of(20)


def test_a_search_without_an_end_is_repeated_with_more_expansions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(extend, "MOST_EXPANSIONS", 1)
    budgets: Dict[Tuple[object, int], List[int]] = {}
    facts = facts_of(3)
    extender = extender_of(Alike(), facts)
    before = extender._run

    def run(tasks: Iterator[GapTask]) -> Iterator[Answer]:
        for task in tasks:
            budgets.setdefault(task[0], []).append(task[1])
            yield from before(iter([task]))

    extender._run = run
    assert extender.prove((b"20", b"31")).wins == (NUMBERS[20] != NUMBERS[31])
    for given in budgets.values():
        assert given == [2 ** min(i, extend.MOST_DOUBLINGS) for i in range(len(given))]
    assert max(map(len, budgets.values())) > 1


@pytest.mark.parametrize(("position", "wins"), (("9", True), ("9+9", False), ("9+10", True)))
def test_a_position_of_known_lands_is_answered_at_once(position: str, wins: bool) -> None:
    """Even if nothing is known of its options."""
    facts = Facts("kayles")
    for pins in (9, 10):
        facts.add(b"%d" % pins, NUMBERS[pins])
    extender = extender_of(Alike(), facts)
    assert extender.prove(Alike().parse(position)) == (wins, {})
    assert extender.searches == 0


def test_a_guess_needs_a_clear_majority() -> None:
    class Two:
        def analogies(self, land: Land) -> Iterator[Analogy]:
            for other, difference, weight in ((b"1", 0, 3.0), (b"2", 0, 1.0), (b"3", 1, 4.0)):
                yield Analogy(other, difference, weight)

    numbers: Dict[Land, int] = {}
    suggested = partial(guess, Two(), b"9", lambda land: numbers.get(land, -1))
    assert suggested().number == -1
    numbers[b"1"] = 2
    assert suggested() == (2, 3.0)
    numbers[b"3"] = 3
    assert suggested() == (2, 7.0)
    numbers[b"2"] = 1
    assert suggested() == (2, 1.5)
    numbers[b"3"] = 1
    assert suggested().number == -1


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ({b"3": 1, b"4": 1}, (1, 3.0)),  # no firm one: the others, together
        ({b"1": 2, b"3": 1, b"4": 1}, (2, 1.0)),  # a firm one, outvoted by others
        ({b"1": 2, b"3": 2, b"4": 1}, (2, 3.0)),  # others that agree add their weight
        ({b"1": 2, b"2": 1, b"3": 1, b"4": 1}, (-1, 0.0)),  # firm ones that contradict
    ],
)
def test_firm_analogies_decide(known: Dict[Land, int], expected: Tuple[int, float]) -> None:
    class Four:
        def analogies(self, land: Land) -> Iterator[Analogy]:
            for other, weight, firm in ((b"1", 1, True), (b"2", 1, True), (b"3", 2, False)):
                yield Analogy(other, 0, weight, firm)
            yield Analogy(b"4", 0, 1.0, False)

    assert guess(Four(), b"9", lambda land: known.get(land, -1)) == expected


def test_an_observer_can_stop_it() -> None:
    facts = facts_of(3)

    def stop(extender: Extender) -> None:
        if extender.searches:
            raise Stopped("the test")

    with pytest.raises(Stopped, match="the test"):
        extender_of(Alike(), facts, stop).prove((b"40", b"29"))
    assert all(NUMBERS[int(land)] == number for land, number in facts.items())


def test_what_a_stopped_search_has_found_is_kept() -> None:
    facts, stop = facts_of(3), StopToken()
    search = GapSearch(Alike(), lambda: facts, Prior(), stop)
    gap = ((b"60", b"83"), 0)
    stop.stop("the test")
    answer = search.answer((gap, 10**6))
    assert answer.wins is None and 0 < answer.expansions < 1000
    again = GapSearch(Alike(), lambda: facts, Prior(), StopToken()).answer((gap, 10**6))
    assert again.wins is not None
    found = dict(answer.facts)
    assert found and all(NUMBERS[int(land)] == number for land, number in found.items())


def test_a_search_goes_on_from_the_one_before() -> None:
    facts = facts_of(3)
    gap = ((b"60", b"83"), 0)
    whole = GapSearch(Alike(), lambda: facts, Prior(), StopToken()).answer((gap, 10**6))
    search = GapSearch(Alike(), lambda: facts, Prior(), StopToken())
    answers = [search.answer((gap, whole.expansions // 4))]
    while answers[-1].wins is None:
        answers.append(search.answer((gap, whole.expansions // 4)))
    assert len(answers) > 1 and answers[-1].wins == whole.wins
    assert sum(answer.expansions for answer in answers) < 1.5 * whole.expansions
    assert sum(answer.children for answer in answers) < 1.1 * whole.children
    every = [land for answer in answers for land, _ in answer.facts]
    assert len(every) == len(set(every))


def test_weak_claims_are_made_where_a_search_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    assert claims.WEAK < claims.STRONG
    monkeypatch.setattr(claims, "STRONG", 5.0)  # so that no analogy of Alike is strong
    monkeypatch.setattr(extend, "MOST_EXPANSIONS", 2)
    facts = facts_of(140)
    found = extender_of(Alike(), facts).prove((b"141", b"153"))
    assert not found.wins
    check(facts, "141+153", found)


@pytest.mark.parametrize("simplify", [pytest.param(False, marks=pytest.mark.slow), True])
def test_sprouts_from_six_spots_fewer(monkeypatch: pytest.MonkeyPatch, simplify: bool) -> None:
    """From the entries of a certificate; of so few spots many claims are wrong."""
    monkeypatch.setattr(extend, "MOST_EXPANSIONS", 2000)
    game = searched(find_game("sprouts"), simplify)
    facts = Facts("sprouts")
    _, entries = read_certificate(str(CERTIFICATES / "sprouts-11.cert.gz"))
    facts.supply(entries.items())
    found = extender_of(game, facts).prove(game.parse("0*17"))
    assert found.wins and found.claims
    check(facts, "0*17", found, simplify)
