"""Reduction: the result proves the outcome, is small, and does not rest on the advice."""

from __future__ import annotations

from random import Random
from typing import Dict, List

import pytest

import pns
from pns.facts import Facts
from pns.facts.layers import Layer, LayeredFacts
from pns.finding import find_game
from pns.game import children_of
from pns.proofs.check import Checker
from pns.proofs.reduce import Reducer
from pns.proofs.requirements import KnownRequirements, UnmetRequirement, smallest, without_implied
from pns.proofs.rules import find_rules
from pns.search.counted_search import Stopped, StopToken

pytestmark = pytest.mark.search

GAME = find_game("sprouts")


def solved(position: str, game: str = "sprouts") -> Facts:
    facts = Facts(game)
    pns.solve(position, game, facts=facts, simplify=False)
    return facts


def reduced(position: str, advice: Facts, cycles: int, seed: int = 0) -> Reducer:
    """A reduction whose result is audited."""
    game = find_game(advice.game_name)
    reducer = Reducer(game, game.parse(position), advice, seed=seed)
    proof = reducer.reduce(cycles)
    assert proof.wins == (pns.solve(position, advice.game_name).outcome == "win")
    assert proves(proof.entries, position, proof.wins, advice.game_name)
    return reducer


def proves(entries: Dict[bytes, int], position: str, wins: bool, game: str = "sprouts") -> bool:
    checker = Checker(find_rules(game), lambda land: entries.get(land, -1))
    bad = [land for land, number in entries.items() if checker.why_bad(land, number)]
    return not bad and not checker.why_unproved(find_game(game).parse(position), wins)


@pytest.mark.parametrize(
    ("spots", "cycles", "most"),
    [
        (1, 3, 1),
        (2, 10, 3),
        (3, 30, 5),
        (4, 60, 15),
        pytest.param(5, 150, 15, marks=pytest.mark.slow),
    ],
)
def test_reduced_proofs_are_small(spots: int, cycles: int, most: int) -> None:
    position = "0*%d" % spots
    reducer = reduced(position, solved(position), cycles)
    assert len(reducer.best) <= most
    assert reducer.wrong == {}


@pytest.mark.parametrize("position", ["0*5", "0*3+0*4"])
def test_the_first_proof_holds(position: str) -> None:
    """Without any cycle, and not much larger than with many."""
    advice = solved(position)
    first = len(reduced(position, advice, 0).best)
    assert len(reduced(position, advice, 1).best) <= first <= len(advice)


@pytest.mark.parametrize("most_ways", [1, 60])
def test_no_entry_can_be_removed(most_ways: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if the cycles consider only one way to meet each requirement."""
    monkeypatch.setattr(KnownRequirements.__init__, "__defaults__", (most_ways,))
    entries = reduced("0*5", solved("0*5"), 1).best
    for land in entries:
        left = {other: number for other, number in entries.items() if other != land}
        assert not proves(left, "0*5", True), land


@pytest.mark.parametrize("position", ["0*4", "0*3+0*2", "0*3+0*4", "0*2+0*2", "1a1a+0", "!"])
def test_without_any_advice(position: str) -> None:
    reduced(position, Facts("sprouts"), 3)


@pytest.mark.parametrize("seed", range(4))
def test_wrong_and_missing_advice(seed: int) -> None:
    rng = Random(seed)
    advice = Facts("sprouts")
    wrong = {}
    for land, number in solved("0*5").items():
        draw = rng.random()
        if draw < 0.2:
            wrong[land] = number
            advice.add(land, number + 1)
        elif draw < 0.8:
            advice.add(land, number)
    reducer = reduced("0*5", advice, 3, seed)
    assert reducer.missing > 0
    assert reducer.wrong and reducer.wrong.items() <= wrong.items()


@pytest.mark.parametrize("number", [0, 1, 3])
@pytest.mark.parametrize("position", ["0*2", "0*3"])
def test_wrong_advice_on_the_position_itself(position: str, number: int) -> None:
    advice = Facts("sprouts")
    advice.add(position.encode(), number)
    reduced(position, advice, 2)


def test_other_games() -> None:
    for game, position in (("nim", "3+5+6"), ("nim", "3+5"), ("kayles", "12"), ("kayles", "7+8")):
        reduced(position, solved(position, game), 5)
    assert len(reduced("5+5", Facts("nim"), 5).best) == 5  # without cancelling, *5 needs *1 to *4


def test_a_seed_gives_one_result() -> None:
    advice = solved("0*5")
    first, again = (reduced("0*5", advice, 4, seed=7).best for _ in range(2))
    assert first == again


def test_the_observer_sees_and_the_token_stops() -> None:
    stop = StopToken()
    seen = []

    def observer(reducer: Reducer) -> None:
        seen.append(reducer.cycle)
        if reducer.cycle == 4:
            stop.stop("test")

    reducer = Reducer(GAME, GAME.parse("0*4"), solved("0*4"), stop=stop, observer=observer)
    with pytest.raises(Stopped):
        reducer.reduce(100)
    assert seen[-1] == 4
    assert proves(reducer.best, "0*4", True)


def test_the_first_proof_is_seen_and_can_be_stopped() -> None:
    stop = StopToken()
    seen = []

    def observer(reducer: Reducer) -> None:
        seen.append((reducer.cycle, reducer.looked_at, reducer.size))
        if reducer.looked_at == 2:
            stop.stop("test")

    reducer = Reducer(GAME, GAME.parse("0*7"), solved("0*7"), stop=stop, observer=observer)
    with pytest.raises(Stopped):
        reducer.reduce(100)
    assert [(cycle, looked_at) for cycle, looked_at, _ in seen] == [(0, 0), (0, 1), (0, 2)]
    assert all([size > looked_at for _, looked_at, size in seen])
    assert not reducer.best


def test_a_first_proof_goes_on_after_each_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an entry requires is found once, whatever other entries lack."""
    rng = Random(1)
    advice = Facts("sprouts")
    advice.supply([fact for fact in solved("0*10").items() if rng.random() < 0.75])
    found = []
    find = KnownRequirements._find

    def watched(self: KnownRequirements, land: bytes, number: int) -> List[int]:
        requirements = find(self, land, number)
        found.append(land)
        return requirements

    monkeypatch.setattr(KnownRequirements, "_find", watched)
    reducer = Reducer(GAME, GAME.parse("0*10"), advice)
    assert proves(reducer._first_proof(), "0*10", reducer.wins)
    assert reducer.missing > 2 and reducer.wrong == {}
    assert len(found) == len(set(found)) > 50


# Requirements


def test_requirements_are_those_of_the_audit() -> None:
    numbers = {b"0*2": 0, b"0": 0, b"ABCD|ABCD": 0, b"12": 0}
    requirements = KnownRequirements(GAME, lambda land: numbers.get(land, -1))
    two, spot, square = (requirements.id(land) for land in (b"0*2", b"0", b"ABCD|ABCD"))
    ways = [requirements.ways[i] for i in requirements.of(two)]
    assert ((spot,),) in ways or any((spot,) in way for way in ways)
    assert any((square,) in way for way in ways)
    del numbers[b"ABCD|ABCD"], numbers[b"12"]
    requirements = KnownRequirements(GAME, lambda land: numbers.get(land, -1))
    with pytest.raises(UnmetRequirement) as gap:
        requirements.of(requirements.id(b"0*2"))
    assert (gap.value.land, gap.value.option, gap.value.number) == (b"0*2", (b"1a1a",), 0)
    assert requirements.wanted[b"1a1a"] > 0


def test_ways_that_contain_others_and_requirements_that_others_imply_are_left_out() -> None:
    sizes = [1] * 9
    assert smallest([(1, 2), (1,), (2, 3), (2, 3, 4), (5, 1)], sizes) == ((1,), (2, 3))
    assert smallest([(1, 2), ()], sizes) == ((),)
    every = [((1,), (2,)), ((1,),), ((),), ((2,), (3,))]
    assert without_implied(every) == [((1,),), ((2,), (3,))]


def test_a_walk_is_a_proof_after_every_step() -> None:
    """What is in use, and its users, follow from the entries, also after a step is taken back."""
    advice = solved("0*7")
    reducer = Reducer(GAME, GAME.parse("0*7"), advice)
    walk = reducer._walk(reducer._first_proof())
    requirements = reducer._requirements
    first, kept = len(walk.entries), 0
    for step, i in enumerate(Random(5).sample(sorted(walk.entries), 60)):
        if i in walk.entries:
            before = set(walk.entries)
            kept += walk.step(i)
            users: Dict[int, int] = {}
            for j in walk.entries:
                for requirement in requirements.of(j):
                    users[requirement] = users.get(requirement, 0) + 1
            root = [r for r, count in walk._users.items() if count - users.get(r, 0)]
            assert len(root) == 1 and walk._users[root[0]] == users.get(root[0], 0) + 1
            assert all(map(walk._is_met, users)) and walk._is_met(root[0])
            assert len(walk.entries) <= len(before)
            entries = {requirements.texts[j]: requirements.numbers[j] for j in walk.entries}
            assert step % 10 or proves(entries, "0*7", reducer.wins)
    assert kept and len(walk.entries) < first


def entries_of(facts: Facts) -> Dict[bytes, int]:
    return dict(facts.items())


def test_a_start_is_the_first_proof() -> None:
    """Without cycles what remains are entries of the start."""
    start = solved("0*5")
    reducer = Reducer(GAME, GAME.parse("0*5"), start)
    entries = reducer.reduce(0, start=list(entries_of(start))).entries
    assert len(entries) < len(start) and entries.items() <= entries_of(start).items()
    assert proves(entries, "0*5", reducer.wins) and reducer.missing == 0
    again = Reducer(GAME, GAME.parse("0*5"), start).reduce(0, start=list(entries))
    assert again.entries == entries


@pytest.mark.parametrize("seed", range(3))
def test_a_start_may_be_wrong_incomplete_and_of_another_position(seed: int) -> None:
    rng = Random(seed)
    start = Facts("sprouts")
    for land, number in entries_of(solved("0*5")).items():
        if rng.random() < 0.7:
            start.add(land, number if rng.random() < 0.9 else number + rng.choice((1, 2)))
    layers = [Layer("start", "proof", start), Layer("db", "database", solved("0*6"))]
    advice = LayeredFacts("sprouts", layers)
    reducer = Reducer(GAME, GAME.parse("0*6"), advice, seed=seed)
    entries = reducer.reduce(2, start=list(entries_of(start))).entries
    assert not reducer.wins and proves(entries, "0*6", False)
    for land, number in reducer.wrong.items():
        assert start.get(land) not in (-1, number)


def test_a_start_of_a_game_of_outcomes_may_be_wrong() -> None:
    """A won position has no number there, so it cannot stay an entry."""
    position = "..|..|..|.."
    start = Facts("domineering")
    pns.solve(position, "domineering", facts=start)
    game = find_game("domineering")
    children = [land for child in children_of(game, game.parse(position)) for land in child]
    won = [land for land in children if start.get(land) != 0]
    assert won and len(won) < len(children)
    for land in won:
        start.add(land, 0)
    reducer = Reducer(game, game.parse(position), start)
    proof = reducer.reduce(1, start=list(entries_of(start)))
    assert reducer.wins and not set(won) & set(proof.entries)
    assert proves(proof.entries, position, True, "domineering")


def test_seconds_end_the_cycles() -> None:
    reducer = Reducer(GAME, GAME.parse("0*4"), solved("0*4"))
    proof = reducer.reduce(10**6, 0.5)
    assert proves(proof.entries, "0*4", True) and reducer.cycle < 10**6
