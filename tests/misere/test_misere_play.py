"""Misère play against the solver: all moves are there, and whoever makes the last one loses."""

from __future__ import annotations

import io
import random
from contextlib import redirect_stdout
from typing import List

import pytest
from helpers.misere import is_position_won

from pns.cli.terminal.dialogue import Dialogue
from pns.facts import Facts
from pns.finding import find_game
from pns.game import children_of, for_play
from pns.play.engine import Engine
from pns.play.record import format_record, parse_record
from pns.play.session import Session


def played(name: str, start: str, rng: random.Random) -> Session:
    """A game that a person at random has begun and the solver has won or lost."""
    session = Session(find_game(name), start)
    engine = Engine(session.game, seconds=10)
    while not session.is_over:
        child = engine.judge(session.position).move
        if session.is_persons_turn:
            child = rng.choice(session.moves)
        assert child is not None
        session.play(child)
    return session


@pytest.mark.parametrize("name", ["sprouts", "nim", "kayles"])
def test_all_moves_of_the_game_can_be_played(name: str) -> None:
    game = find_game(name)
    for text in {"sprouts": ("0*2", "1a1a", "22"), "nim": ("3+2", "1+1"), "kayles": ("5",)}[name]:
        session = Session(find_game(name + "-misere"), text)
        moves = [session.game.format(move) for move in session.moves]
        expected = [game.format(child) for child in children_of(game, game.parse(text))]
        assert sorted(map(parts, moves)) == sorted(map(parts, expected))


def parts(text: str) -> List[str]:
    return sorted(text.split("+"))


@pytest.mark.search
@pytest.mark.parametrize("name, start", [("sprouts", "0*3"), ("nim", "2+2+1"), ("kayles", "4+3")])
def test_the_solver_keeps_every_win(name: str, start: str) -> None:
    rng, game = random.Random(5), find_game(name)
    wins = 0
    for _ in range(6):
        session = played(name + "-misere", start, rng)
        assert session.game.format(session.position) == "!" and not session.moves
        assert session.winner == session.player
        lost = [
            not is_position_won(game, game.parse(session.game.format(p))) for p in session.positions
        ]
        for before, after in zip(range(1, len(lost), 2), range(2, len(lost), 2)):
            assert lost[before] or lost[after]
        wins += session.winner == 1
    assert wins


def test_a_record_of_misere_play_is_read_back() -> None:
    session = played("nim-misere", "2+1", random.Random(1))
    again = parse_record(format_record(session), "record")
    assert again.positions == session.positions and again.result == session.result


def said(start: str, *lines: str) -> str:
    """What a game in the terminal prints."""
    session = Session(find_game("sprouts-misere"), start)
    printed = io.StringIO()
    with redirect_stdout(printed):
        Dialogue(Engine(session.game, seconds=10), session, None, False).run(iter(lines))
    return printed.getvalue()


def test_lines_are_drawn_and_the_last_move_loses() -> None:
    found = said("0*3", "show", "1-2", "why")
    assert "1³" in found and "The move to 0.1a1a loses: the answer is 0.1AB|AB." in found
    found = said("22", "why !", "!", "why")
    assert found.count("The move to ! loses: it is the last one.") == 2
    assert "The game is over: the solver wins." in found
    assert "!     none: that was the last move, which loses" in said("12", "why 22")


def test_positions_are_known_by_what_is_searched_for_them() -> None:
    """The solver of a game finds facts under reduced texts, and small positions need none."""
    facts = Facts("sprouts-misere")
    facts.add(b"0*8", 0)
    facts.add(b"0*9+*(2)", 0)
    engine = Engine(for_play(find_game("sprouts-misere")), facts, expansions=0)
    for text, wins in (("0*8", False), ("0*9+0*2", False), ("0*3", False), ("0", True)):
        judged = engine.judge(engine.game.parse(text), seconds=0)
        assert (judged.wins, judged.source) == (wins, "facts")
    assert engine.judge(engine.game.parse("0*9"), seconds=0).wins is None
