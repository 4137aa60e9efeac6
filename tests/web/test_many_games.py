"""One server, many games: each with facts of its own, its rules, its starts, its scenes."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator

import pytest

pytest.importorskip("starlette")
from helpers.asgi import Page, asked, refused

from pns import open_facts, solve
from pns.choices import GAMES
from pns.facts import default_path
from pns.finding import find_game
from pns.game import SupportsScenes
from pns.web.app import make_app
from pns.web.session import WebSession

PORT, TOKEN = 8018, "t" * 32


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    """A server that was started for Sprouts, where no database exists yet."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    session = WebSession("sprouts", default_path("sprouts"), False, "0*5")
    yield Page(make_app(session, PORT, TOKEN), PORT, TOKEN)
    session.close()


def test_all_games_are_offered_with_rules_and_a_start(page: Page) -> None:
    offered = asked(page, "games")["games"]
    assert [entry["name"] for entry in offered][0] == "sprouts"
    assert {entry["name"] for entry in offered} == {*GAMES, "sprouts-misere"}
    for entry in offered:
        assert entry["title"] and entry["rules"].endswith(".")
        game = find_game(entry["name"])
        start = asked(page, "start", game=game.name)["start"]
        found = asked(page, "position", game=game.name, start=start)
        assert found["moves"]
        assert ("scene" in found) == isinstance(game, SupportsScenes)
        assert asked(page, "about", game=game.name)["board"] == entry["board"]


def test_a_start_has_the_sizes_that_are_asked_for(page: Page) -> None:
    assert asked(page, "start", sizes={"spots": 7}) == {"start": "0*7"}
    assert asked(page, "start", game="nim", sizes={"heaps": 2, "largest": 4}) == {"start": "3+4"}
    rows = {"rows": 2, "columns": 3}
    assert asked(page, "start", game="cram", sizes=rows) == {"start": "...|..."}
    assert asked(page, "start", game="mnk", sizes={"rows": 4}) == {"start": "3:...|...|...|..."}
    assert "from 1 to 44" in refused(page, "start", sizes={"spots": 45})
    refused(page, "start", game="cram", sizes={"rows": "2"})
    refused(page, "start", sizes=[5])


def test_each_game_has_its_own_database(page: Page) -> None:
    start = {"game": "cram", "start": ".....|.....|....."}
    assert asked(page, "position", **start)["outcome"] is None
    assert asked(page, "position", start="0*5")["outcome"] == "win"
    facts = open_facts(default_path("cram"), "cram")
    wanted = solve(start["start"], "cram", facts=facts).outcome
    facts.close()
    found = asked(page, "position", **start)
    assert found["outcome"] == wanted
    assert found["sources"] == ["the database " + default_path("cram")]


@pytest.mark.parametrize("name", ["os:system", "../nim", "nothing", "pns.games.nim:GAME"])
def test_another_game_is_refused(page: Page, name: str) -> None:
    """A request does not say what to import."""
    assert "unknown game" in refused(page, "position", game=name, start="3")
    assert page.get("/api/drawing", "game=%s&position=3" % name).status == 400


def test_a_small_picture_is_of_its_game(page: Page) -> None:
    assert page.get("/api/drawing", "game=cram&position=..|..").body.count(b"<rect") == 4


def test_a_step_is_a_scene_or_a_position(page: Page) -> None:
    start = {"game": "cram", "start": "....|...."}
    first = asked(page, "position", **start)
    assert first["scene"]["moves"] and first["position"] == "....|...."
    move = first["scene"]["moves"][0]
    assert move["parts"] == ["0", "1"] and move["changes"] == ["0", "1"]
    by_scene = asked(page, "position", **start, steps=[move["step"]])
    by_position = asked(page, "position", **start, steps=[move["to"]])
    assert by_scene["position"] == by_position["position"] == move["to"]
    assert by_scene["scene"]["rows"] == "<>..\n...."
    assert "domino" in by_scene["scene"]["svg"]
    assert "no move leads to" in refused(page, "position", **start, steps=["#...|...."])
    refused(page, "position", **start, steps=[[0, 1, 2, []]])
    refused(page, "position", game="cram", start="..x")


def test_a_position_that_is_too_large_for_a_scene_has_its_moves_listed(page: Page) -> None:
    found = asked(page, "position", game="nim", start="70")
    assert "scene" not in found and len(found["moves"]) == 70


def test_positions_of_nogo_with_distinct_lands_are_the_same_move(page: Page) -> None:
    """What stands on the table, and a child of its position, may be written differently."""
    start = {"game": "nogo", "start": ".O.|.OO|XO."}
    scene = asked(page, "position", **start)["scene"]
    assert "XO.|.OO|XO." in [move["step"] for move in scene["moves"]]
    assert ".o+.o" not in [move["to"] for move in scene["moves"]]
    found = asked(page, "position", **start, steps=[".o+.o"])
    assert found["position"] == "#o|o.+#o|o."


@pytest.mark.search
@pytest.mark.parametrize("name", [name for name in GAMES if name not in ("sprouts", "hex")])
def test_a_game_is_played_by_the_solver_to_its_end(page: Page, name: str) -> None:
    """Every answer of the solver is a step, and the end has a verdict."""
    sizes = {"rows": 3, "columns": 3, "objects": 7}
    entry = next(one for one in asked(page, "games")["games"] if one["name"] == name)
    if entry["board"] == "list":
        return
    fitting = {
        size["name"]: sizes[size["name"]] for size in entry["sizes"] if size["name"] in sizes
    }
    start = asked(page, "start", game=name, sizes=fitting)["start"]
    steps = []
    found = asked(page, "position", game=name, start=start)
    while found["moves"]:
        answer = asked(page, "reply", game=name, position=found["position"], seconds=1)
        steps.append(answer["to"])
        found = asked(page, "position", game=name, start=start, steps=steps)
    assert found["outcome"] == ("draw" if name == "mnk" else "loss")
    assert not found["scene"]["moves"]


def test_draws_are_shown_for_each_move(page: Page) -> None:
    found = asked(page, "position", game="mnk", start="3:XO.|XO.|...")
    values = {move["step"]: move["to"] for move in found["scene"]["moves"]}
    wins = values["3:XO.|XO.|X.."]
    assert found["outcome"] == "win" and found["moves"][0]["to"] == wins == found["best"]
    assert found["moves"][0]["value"] == "win"
    ends = asked(page, "position", game="mnk", start="3:XOX|XOO|OX.")
    assert ends["outcome"] == "draw" and ends["moves"] == []


def test_positions_of_two_games_wait_apart(tmp_path: Path) -> None:
    """Searches of all games wait in one queue, in which a text may stand for two positions."""
    session = WebSession("cram", str(tmp_path / "a.lmdb"), False, "..|..")
    page = Page(make_app(session, PORT, TOKEN), PORT, TOKEN)
    session.search.state = {"running": True}
    for game in ("nim", "kayles"):
        asked(page, "search", game=game, position="3+4", seconds=1)
    assert session.search.state["waiting"] == ["3+4", "3+4"]
    asked(page, "search", game="nim", position="3+4", seconds=2)
    assert len(session.search.state["waiting"]) == 2
    asked(page, "forget", game="kayles", position="3+4")
    asked(page, "forget", position="3+4")
    assert session.search.state["waiting"] == ["3+4"]
    session.close()


def test_the_page_begins_with_a_board_worth_playing_on(page: Page) -> None:
    assert asked(page, "about", game="cram")["position"] == ".....|.....|.....|....."
    assert asked(page, "about", game="hex")["position"].count("|") == 4
