"""Late positions solved when they are asked for: values by plain search, play, and the page."""

from __future__ import annotations

import pytest
from helpers.boards import Board
from helpers.partisan import pentago_value

from pns.finding import find_game
from pns.game import children_of
from pns.games.pentago.rules import MOST_LATE_FREE
from pns.play.engine import BOUNDS, Engine
from pns.play.session import Session
from pns.strong.late import LateValues

SMALL = [
    "XOO.|.X.O|X.O.|.XX.",
    "X.O.|.XOX|X..X|XOOO",
    ".XOX|OXX.|O..X|XOO.",
    ".XOX|XXX.|O.O.|.OXO",
]
LARGE = [
    "XOXOXO|OXOXOX|.XOXOX|XOXOX.|O.OXOX|OXOX.O",
    "OOOXXO|XX..OO|X.XXXO|O.OOOO|OX.XXX|.OXXX.",
]
NAMES = {1: "win", 0: "draw", -1: "loss"}
FOR_THE_OTHER = {"win": "loss", "draw": "draw", "loss": "win"}


def board_of(text: str) -> Board:
    return tuple(text.split(":")[-1].split("|"))


@pytest.mark.parametrize("text", [*SMALL, *LARGE])
def test_values_are_those_of_plain_search(text: str) -> None:
    game = find_game("pentago")
    late = LateValues(game)
    assert late.value(text) is None
    lost = late.solve(text)
    value = late.value(text)
    assert value == NAMES[pentago_value(board_of(text))]
    (land,) = game.parse(text)
    best = []
    for child in children_of(game, (land,)):
        assert late.value(game.format(child)) is not None or child == ()
        if child:
            after = NAMES[pentago_value(board_of(game.format(child)))]
            assert late.value(game.format(child)) == after
            best.append(FOR_THE_OTHER[after])
        else:
            best.append("win")
    assert value == min(best, key=("win", "draw", "loss").index)
    assert late.solve(text) is lost and {number for _, number in lost} <= {0}


def test_all_values_occur() -> None:
    values = {NAMES[pentago_value(board_of(text))] for text in [*SMALL, *LARGE]}
    assert values == {"win", "draw", "loss"}


@pytest.mark.parametrize("text", SMALL)
def test_the_solver_plays_late_positions_without_a_search(text: str) -> None:
    """With one expansion it plays on to the value; without `prove` it does not know it."""
    game = find_game("pentago")
    session = Session(game, text)
    value = pentago_value(board_of(text))
    late = LateValues(game)
    engine = Engine(game, seconds=600.0, expansions=1, with_draws=True, prove=late.solve)
    judged = engine.judge(session.position)
    assert judged.source != BOUNDS
    assert (judged.wins, judged.draws) == (value == 1, value == 0)
    while not session.is_over:
        move = engine.judge(session.position).move
        assert move is not None
        session.play(move)
    assert session.result == {1: "first wins", 0: "a draw", -1: "second wins"}[value]
    without = Engine(game, seconds=600.0, expansions=1, with_draws=True)
    assert without.judge(Session(game, SMALL[2]).position).source == BOUNDS


def test_only_late_positions_are_solved() -> None:
    late = LateValues(find_game("pentago"))
    early = "XOXOXO|OXOXOX|XOXO.X" + "|......" * 3
    assert early.count(".") == MOST_LATE_FREE + 1
    over = "XXXXX.|OOOO..|......|OXOX..|XOXO..|OX...."
    for text in (early, over, "!"):
        assert late.solve(text) == []
    assert late.value(early) is None and late.value("!") == "loss"
    with pytest.raises(ValueError, match="nim has no late positions"):
        LateValues(find_game("nim"))
