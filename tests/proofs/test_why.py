"""The proof that an explanation gives, against the rules of the game and brute force."""

from __future__ import annotations

from typing import Dict, List

import pytest
from helpers.paths import CERTIFICATES
from helpers.searches import brute_grundy

import pns
from pns.facts import Facts
from pns.game import children_of
from pns.positions.simplify import Simplified
from pns.proofs.certificate import read_certificate
from pns.proofs.check import UNKNOWN, known, without_pairs
from pns.proofs.reduce import Reducer
from pns.proofs.why import ExplainedMove, Explainer, Step
from pns.sprouts import Sprouts

SPROUTS = Sprouts()
FOUR = str(CERTIFICATES / "sprouts-4.cert.gz")


def proof_of(entries: Dict[bytes, int], text: str, depth: int = 0) -> List[Step]:
    explainer = Explainer(SPROUTS, lambda land: entries.get(land, UNKNOWN))
    return list(explainer.to_the_end(SPROUTS.parse(text), depth or None))


def numbers_below(text: str) -> Dict[bytes, int]:
    """The Grundy numbers of all lands that play leads to."""
    found: Dict[bytes, int] = {}
    waiting = list(SPROUTS.parse(text))
    while waiting:
        land = waiting.pop()
        if land not in found:
            found[land] = brute_grundy(land)
            waiting += [other for child in SPROUTS.children(land) for other in child]
    return found


def check_proof(steps: List[Step], numbers: Dict[bytes, int]) -> None:
    """Each land comes once, after a step that rests on it, and all its moves have reasons."""
    root, *lands = steps
    promised = set(root.rests_on())
    proved = set()
    for step in lands:
        (land,) = step.position
        assert land in promised and land not in proved
        proved.add(land)
        promised.update(step.rests_on())
        assert step.number == numbers[land]
        assert [move.position for move in step.moves] == children_of(SPROUTS, step.position)
        reached = set()
        for move in step.moves:
            if move.answer is None:
                assert move.number != step.number
                assert move.number == known(move.position, lambda land: numbers[land])
                reached.add(move.number)
            else:
                assert move.answer in children_of(SPROUTS, move.position)
                assert known(move.answer, lambda land: numbers[land]) == step.number
        assert reached.issuperset(range(step.number))
    assert proved == promised


@pytest.mark.parametrize("text", ["0*2", "0*3", "0*3+0*2", "0*3+0.2", "0.1a1a", "0*2+1a1a"])
def test_a_proof_from_all_numbers(text: str) -> None:
    numbers = numbers_below(text)
    steps = proof_of(numbers, text)
    check_proof(steps, numbers)
    assert steps[0].wins == (known(SPROUTS.parse(text), lambda land: numbers[land]) != 0)
    assert len(steps) - 1 <= len(numbers)


def test_a_proof_from_a_certificate_uses_every_entry() -> None:
    entries = read_certificate(FOUR)[1]
    steps = proof_of(entries, "0*4")
    check_proof(steps, entries)
    assert {land for step in steps[1:] for land in step.position} == set(entries)
    assert steps[0].wins and steps[0].move in children_of(SPROUTS, SPROUTS.parse("0*4"))


def test_depth_cuts_the_proof() -> None:
    entries = read_certificate(FOUR)[1]
    whole = proof_of(entries, "0*4")
    assert [len(proof_of(entries, "0*4", depth)) for depth in (1, 2)] == [1, 2]
    third = proof_of(entries, "0*4", 3)
    assert third == whole[: len(third)] and 2 < len(third) < len(whole)


@pytest.mark.search
def test_a_proof_that_rests_on_simpler_positions() -> None:
    facts = Facts("sprouts")
    pns.solve("0*8", facts=facts, simplify=True)
    entries = dict(Reducer(Simplified(SPROUTS), (b"0*8",), facts).reduce(0).entries)
    steps = proof_of(entries, "0*8")
    assert {land for step in steps[1:] for land in step.position} == set(entries)
    by_simpler = 0
    for step in steps[1:]:
        for move in step.moves:
            assert step.has_reason(move) and set(move.lands) <= set(entries)
            shown = move.position if move.answer is None else move.answer
            by_simpler += set(move.lands) != set(without_pairs(shown))
    assert by_simpler > 20


def test_an_answer_to_a_simpler_position_is_named_as_such() -> None:
    """No move from 1A|2A leads to lands that are known, but one from 22+2A|2A does."""
    position, simpler, answer = (b"1A|2A",), (b"22", b"2A|2A"), (b"22",)
    assert SPROUTS.simplify(position) == simpler and answer in children_of(SPROUTS, simpler)
    explainer = Explainer(SPROUTS, lambda land: {b"22": 1}.get(land, UNKNOWN))
    (way,) = explainer._ways(ExplainedMove(position, UNKNOWN), 1)
    assert (way.answer, way.simpler, way.lands) == (None, (simpler, answer), answer)


def test_what_is_missing_is_not_made_up() -> None:
    entries = {b"0*2": 0, b"0*3": 1, b"0": 0}
    explainer = Explainer(SPROUTS, lambda land: entries.get(land, UNKNOWN))
    step = explainer.explain((b"0*2",))
    assert step.wins is False and [answer for _, answer in step.answers] == [(b"0",), None]
    assert explainer.explain((b"0*5",)).wins is None
    assert proof_of(entries, "0*5")[1:] == []
    won = explainer.explain((b"0*3",))
    assert (won.wins, won.move, won.answers) == (True, None, [])
    proved = explainer.prove(b"0*3")
    assert all(move.answer is None and move.number == UNKNOWN for move in proved.moves)


def test_equal_lands_cancel() -> None:
    explainer = Explainer(SPROUTS, lambda land: UNKNOWN)
    step = explainer.explain((b"0*3", b"0*3"))
    assert step.wins is False and None not in [answer for _, answer in step.answers]
    assert len(list(explainer.to_the_end((b"0*3", b"0*3")))) == 1
