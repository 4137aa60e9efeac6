"""The page and misère play: Sprouts drawn, with outcomes and proofs, without Grundy numbers."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, Iterator, List

import pytest

pytest.importorskip("starlette")
from helpers.asgi import Page, asked, refused
from helpers.misere import SPROUTS, is_position_won

from pns.facts import default_path
from pns.finding import find_game
from pns.web.app import make_app
from pns.web.session import WebSession

PORT, TOKEN = 8018, "t" * 32
MISERE = "sprouts-misere"


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    """A server that was started for Sprouts in misère play, where no database exists yet."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    session = WebSession(MISERE, default_path(MISERE), False, "0*5")
    yield Page(make_app(session, PORT, TOKEN), PORT, TOKEN)
    session.close()


def is_won(text: str) -> bool:
    """Whether the player to move wins, by plain search."""
    sprouts = find_game("sprouts")
    return is_position_won(sprouts, sprouts.parse(text))


def test_it_is_offered_beside_sprouts(page: Page) -> None:
    own, other, *_ = asked(page, "games")["games"]
    assert (own["name"], own["misere"], own["numbers"]) == (MISERE, True, False)
    assert (other["name"], other["misere"], other["numbers"]) == ("sprouts", False, True)
    assert own["board"] == other["board"] == "sprouts" and own["sizes"] == other["sizes"]
    assert own["rules"].endswith("Who draws the last line loses.")
    assert other["rules"].endswith("Who cannot draw a line loses.")
    assert asked(page, "about")["misere"] and not asked(page, "about", game="sprouts")["misere"]
    assert asked(page, "start", sizes={"spots": 4}) == {"start": "0*4"}


@pytest.mark.search
@pytest.mark.parametrize("start", ["0", "0*2", "0*3", "0*2+0", "1a1a+0*2"])
def test_every_move_is_drawn_with_the_outcome_of_brute_force(page: Page, start: str) -> None:
    rng, steps = random.Random(start), []  # type: ignore[var-annotated]
    while True:
        found = asked(page, "position", start=start, steps=steps)
        assert found["outcome"] == ("win" if is_won(found["position"]) else "loss")
        if not found["moves"]:
            break
        for move in found["moves"]:
            assert (move["number"] == 0) == (not is_won(move["to"])), move
        drawn = asked(page, "marks", start=start, steps=steps)["sheets"]
        numbers = {move["to"]: move["number"] for move in found["moves"]}
        lines = [line for sheet in drawn for line in sheet["lines"]]
        assert {after: number for *_, number, after in lines} == numbers
        steps.append(rng.choice(found["moves"])["to"])
    assert found["position"] == "!" and found["outcome"] == "win"
    ended = asked(page, "reply", position="!", seconds=1)
    assert (ended["to"], ended["wins"]) == (None, True)


@pytest.mark.parametrize("start", ["0*5", "0*3", "0*12", "0*13"])
def test_a_proof_is_walked_through_to_the_loser_who_moves_last(page: Page, start: str) -> None:
    rng, position, movers = random.Random(start), start, []
    wins = SPROUTS[int(start[2:]) - 1] == "1"
    while position != "!":
        found = asked(page, "why", position=position)
        assert found["outcome"] == ("win" if wins else "loss"), position
        movers.append(wins)
        if wins:
            position = found["best"]
        else:
            position = rng.choice(found["answers"])["to"]
        wins = not wins
    assert movers[-1] is False


def test_the_solver_wins_what_can_be_won(page: Page) -> None:
    rng, steps = random.Random(2), []  # type: ignore[var-annotated]
    found = asked(page, "position", start="0*5")
    while found["moves"]:
        to = rng.choice(found["moves"])["to"]
        if len(steps) % 2 == 0:
            answer = asked(page, "reply", position=found["position"], seconds=5)
            assert answer["wins"] is True
            to = answer["to"]
        steps.append(to)
        found = asked(page, "position", start="0*5", steps=steps)
    assert len(steps) % 2 == 0  # the other one drew the last line


def test_who_wins_is_in_the_gallery_as_published(page: Page) -> None:
    found = asked(page, "gallery")
    outcomes = "".join("1" if one["outcome"] == "win" else "0" for one in found["spots"])
    assert outcomes == SPROUTS[: len(outcomes)] and len(outcomes) == 16
    assert {one["game"] for one in found["spots"]} == {MISERE} and not found["firsts"]
    assert {one["game"] for one in asked(page, "gallery", game="sprouts")["spots"]} == {"sprouts"}


@pytest.mark.parametrize("text", ["0*9+*(2)", "*1", "*2", "0*3+*1"])
@pytest.mark.parametrize("question", ["position", "why", "drawing", "reply", "search"])
def test_a_position_with_trees_is_refused(page: Page, question: str, text: str) -> None:
    said = refused(page, question, start=text, position=text, seconds=1)
    assert said == "a tree cannot be drawn; expected a position of lands alone"


def test_facts_with_trees_are_no_positions_of_the_page(page: Page) -> None:
    listed: List[Any] = asked(page, "facts", contains="0*1")["facts"]
    assert {fact["shows"] for fact in listed} == {True, False}
    for fact in listed:
        assert fact["shows"] == ("+*" not in fact["land"])
    assert asked(page, "statistics")["starts"] == []


def test_other_games_in_misere_play_have_their_moves_listed(page: Page) -> None:
    named = {"game": "nim-misere", "start": "1+1"}
    found = asked(page, "position", **named)
    assert found["outcome"] == "win" and [move["to"] for move in found["moves"]] == ["1"]
    found = asked(page, "position", **named, steps=["1", "!"])
    assert (found["outcome"], found["moves"]) == ("win", [])
    assert "unknown game" in refused(page, "position", game="no-misere", start="1")
