"""`Why`: every step that it shows is right, down to the end."""

from __future__ import annotations

import pytest
from helpers.trees import TreeGame

import pns
from pns.facts import Facts
from pns.finding import find_game
from pns.game import Sum, children_of
from pns.proofs.explain import Why

pytestmark = pytest.mark.search


class Tree(TreeGame):
    """With a text for the position without lands."""

    def parse(self, text: str) -> Sum:
        return super().parse(text) if text else ()


@pytest.mark.parametrize("seed", range(12))
def test_all_steps_of_a_proof_against_brute_force(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pns.finding._registered", {})
    game = Tree(seed, 5, 3)
    pns.register(game)
    result = pns.solve("r+s", "tree")
    steps = list(result.why().to_the_end())
    positions = [game.parse(step.position) for step in steps]
    assert len(set(positions)) == len(steps)
    assert steps[0].move == result.winning_move
    for lands, step in zip(positions, steps):
        moves = {game.format(child): child for child in children_of(game, lands)}
        assert (step.outcome == "win") == (game.grundy(lands) != 0)
        if step.outcome == "win":
            assert step is steps[0] and game.grundy(moves[str(step.move)]) == 0
        assert set(step.answers) == (set(moves) if step.outcome == "loss" else set())
        for move, answer in step.answers.items():
            answers = {game.format(child): child for child in children_of(game, moves[move])}
            assert answer is not None and game.grundy(answers[answer]) == 0
            assert step.follow(move).position == answer


def test_a_win_is_shown_with_the_answers_after_the_move() -> None:
    why = pns.solve("1+4", "nim").why()
    assert (
        str(why) == repr(why) == ("1+4 is a win: move to 1+1.\n1+1 is a loss:\n  after 1 answer !")
    )
    after = {"position": "1+1", "outcome": "loss", "answers": [{"move": "1", "answer": "!"}]}
    assert why.as_dict() == {"position": "1+4", "outcome": "win", "move": "1+1", "then": after}
    assert str(why.follow().follow("1")) == "! is a loss: there is no move."


def test_equal_lands_cancel() -> None:
    sprouts = find_game("sprouts")
    why = Why(sprouts, Facts("sprouts").get, sprouts.parse("0*3+0*3"))
    assert why.outcome == "loss" and len(why.answers) == 3
    assert [answer for answer in why.answers.values() if answer is None] == []


def test_what_facts_do_not_show() -> None:
    nim, facts = find_game("nim"), Facts("nim")
    why = Why(nim, facts.get, nim.parse("1+2+4"))
    assert (why.outcome, why.move, why.answers) == (None, None, {})
    assert str(why) == "1+2+4: the facts do not show who wins."
    assert why.as_dict() == {"position": "1+2+4", "outcome": None, "move": None}
    facts.add(b"5", 5)
    facts.add(b"4", 4)
    assert str(Why(nim, facts.get, nim.parse("4+5"))) == (
        "4+5 is a win: move to 4+4.\n4+4 is a loss:\n"
        "  after 1+4 answer 1+1\n  after 2+4 answer 2+2\n  after 3+4 answer 3+3\n  after 4 answer !"
    )
    facts.add(b"2", 2)
    unknown = Why(nim, facts.get, nim.parse("3+4+5"))
    assert unknown.outcome is None
    with pytest.raises(ValueError, match="no move is known that wins 3.4.5"):
        unknown.follow()


def test_moves_that_cannot_be_followed() -> None:
    why = pns.solve("1+1", "nim").why()
    with pytest.raises(ValueError, match=r"1\+1 is lost; name the move to answer"):
        why.follow()
    with pytest.raises(
        ValueError, match=r"invalid move 2; expected one from the lost position 1\+1"
    ):
        why.follow("2")
    with pytest.raises(pns.NotationError):
        why.follow("x")


@pytest.mark.parametrize("algorithm", ["pns", "pn2", "pns-tree", "pdfpn", "spdfpn", "pns-pdfpn"])
def test_the_facts_of_every_algorithm_show_the_whole_proof(algorithm: str) -> None:
    if algorithm == "pns-pdfpn":
        pytest.importorskip("zmq")
    steps = list(pns.solve("0*4", algorithm=algorithm).why().to_the_end())
    assert len(steps) > 10 and steps[0].move is not None
    for step in steps[1:]:
        assert step.outcome == "loss" and None not in step.answers.values()
