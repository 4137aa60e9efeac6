"""The page's questions with a strong solution: look-ups, values of moves, refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Callable, Iterator

import pytest

pytest.importorskip("starlette")
from helpers.asgi import Page, asked
from helpers.partisan import pentago_value
from helpers.schema import faults, load

from pns.finding import find_game
from pns.strong import build_solution, read_solution
from pns.strong.late import LateValues
from pns.system.machine import NoMemory
from pns.web.app import make_app
from pns.web.session import WebSession

PORT, TOKEN = 8017, "t" * 32


Serve = Callable[..., Page]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Serve]:
    """Builds the table of a position, and gives the page of a session that has it."""
    sessions = []

    def serve(game: str, position: str, token: str = TOKEN) -> Page:
        build_solution(game, position, str(tmp_path / "table"))
        table = read_solution(str(tmp_path / "table"))
        sessions.append(WebSession(game, str(tmp_path / "none.lmdb"), False, table.position, table))
        return Page(make_app(sessions[-1], PORT, TOKEN), PORT, token)

    yield serve
    for session in sessions:
        session.close()


def test_positions_are_looked_up(served: Serve) -> None:
    page = served("mnk", "3:...|...|...")
    found = asked(page, "look", position="3:X..|.O.|...")
    assert (found["value"], found["grundy_number"]) == ("draw", None)
    assert {move["value"] for move in found["moves"]} == {"draw"}
    assert not list(faults(found, load("strong-look")))
    assert asked(page, "look", position="4:...|...|...")["value"] is None
    for data in ({}, {"position": 3}, {"position": "3:"}, {"position": "." * 3000}):
        reply = page.post("look", data)
        assert reply.status == 400 and "\n" not in reply.json["error"]


def test_to_look_up_needs_no_token_but_a_request_of_the_page(served: Serve) -> None:
    page = served("kayles", "5", token="x" * 32)
    assert page.post("look", {"position": "5"}).status == 200
    reply = page.post("look", {"position": "5"}, origin="http://elsewhere.example")
    assert reply.status == 403 and "another origin" in reply.json["error"]


def test_moves_have_their_values(served: Serve) -> None:
    page = served("mnk", "3:...|...|...")
    about = asked(page, "about")
    assert about["source"]["table"] == "3:...|...|..." and not sum(
        [layer["facts"] for layer in about["source"]["layers"]]
    )
    found = asked(page, "position", start="3:X..|...|.O.")
    assert (found["value"], found["outcome"]) == ("win", "win")
    values = [move["value"] for move in found["moves"]]
    assert values == sorted(values, key=("win", "draw", "loss").index) and "loss" in values
    assert {move["to"] for move in found["moves"] if move["number"] == 0} == {
        move["to"] for move in found["moves"] if move["value"] == "win"
    }
    reply = asked(page, "reply", position="3:X..|...|.O.", seconds=0)
    assert reply["wins"] and reply["source"] == "facts"


def test_grundy_numbers_come_from_the_table(served: Serve) -> None:
    page = served("kayles", "7")
    found = asked(page, "position", start="3+5")
    assert (found["number"], found["value"]) == (7, "win")
    for move in found["moves"]:
        assert (move["number"] == 0) == (move["value"] == "win")
        assert move["number"] is not None
    assert asked(page, "position", start="9")["value"] is None
    assert asked(page, "look", position="3+5")["grundy_number"] == 7


def test_damage_is_reported(served: Serve, tmp_path: Path) -> None:
    page = served("kayles", "5")
    for file in (tmp_path / "table").glob("slice-*"):
        file.write_bytes(file.read_bytes()[:-1])
    for name, key in (("look", "position"), ("position", "start")):
        reply = page.post(name, {key: "5"})
        assert reply.status == 400 and "damaged" in reply.json["error"]


def test_without_a_table_nothing_is_looked_up(tmp_path: Path) -> None:
    session = WebSession("kayles", str(tmp_path / "none.lmdb"), False, "5")
    page = Page(make_app(session, PORT, TOKEN), PORT, TOKEN)
    assert "no strong solution is served" in page.post("look", {"position": "5"}).json["error"]
    assert "value" not in asked(page, "position", start="5")
    session.close()


BOARD = "XOO.|.X.O|X.O.|.XX."
OUTSIDE = ".XOX|OXX.|O..X|XOO."


def refuse(size: int, what: str, less: str) -> None:
    raise NoMemory("no memory for " + what)


def test_late_positions_are_solved_beside_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table answers where it can; the values of other late positions are found at once."""
    build_solution("pentago", BOARD, str(tmp_path / "table"))
    table = read_solution(str(tmp_path / "table"))
    late = LateValues(find_game("pentago"))
    session = WebSession(
        "pentago", str(tmp_path / "none.lmdb"), False, table.position, table, late=late
    )
    page = Page(make_app(session, PORT, TOKEN), PORT, TOKEN)
    try:
        assert table.value(OUTSIDE) is None
        for text in (BOARD, OUTSIDE):
            found = asked(page, "position", start=text)
            value = {1: "win", 0: "draw", -1: "loss"}[pentago_value(tuple(text.split("|")))]
            assert found["value"] == value
            values = [move["value"] for move in found["moves"]]
            assert values[0] == value and None not in values
        assert found["outcome"] == value
        assert late.value(BOARD) is None and late.value(OUTSIDE) is not None
        reply = asked(page, "reply", position=OUTSIDE, seconds=0)
        assert reply["wins"] == (value == "win") and reply["source"] == "facts"
        monkeypatch.setattr("pns.strong.late.reserve", refuse)
        refused = page.post("position", {"start": "X.O.|.XOX|X..X|XOOO"})
        assert (refused.status, refused.json["error"]) == (400, "no memory for a slice")
    finally:
        session.close()
