"""`pns games`: every game with a line and an example, and refusals that show how to write one."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from helpers.paths import ROOT
from helpers.tools import call

from pns.choices import GAMES
from pns.cli.commands import games
from pns.finding import find_game
from pns.game import NotationError

PAGE = (ROOT / "docs" / "guides" / "games.md").read_text()


def test_every_game_has_a_line_and_an_example() -> None:
    done = call("pns", "games", "--json")
    assert (done.status, done.errors) == (0, "")
    found = [json.loads(line) for line in done.output.splitlines()]
    assert {entry["name"] for entry in found} >= set(GAMES) and found[0]["name"] == "sprouts"
    listed = call("pns", "games").output
    for entry in found:
        game = find_game(entry["name"])
        assert entry["has_grundy_numbers"] == game.decomposes
        if entry["name"] in GAMES:
            assert 40 < len(entry["about"]) <= 100 and "[" not in entry["about"], entry
            assert entry["about"].endswith(".") and game.parse(entry["example"])
            assert (
                "\n%-12s  %s\n%12s  '%s'\n"
                % (
                    entry["name"],
                    entry["about"],
                    "",
                    entry["example"],
                )
                in "\n" + listed
            )


def test_the_page_has_the_games_of_the_list() -> None:
    assert set(re.findall("^[|] `([a-z-]+)` [|]", PAGE, re.MULTILINE)) == set(GAMES)


def test_impartial_clobber_is_called_so() -> None:
    about = {entry.name: entry.about for entry in games.entries()}
    assert about["clobber"].startswith("Impartial Clobber: ")
    assert about["nogo"].startswith("Impartial NoGo: ")


def test_a_game_that_cannot_be_imported_is_left_out(monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setattr(games, "game_names", lambda: ["nim", "none"])
    assert [entry.name for entry in games.entries()] == ["nim"]
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("text", ["?", "5", "4x5", "hello"])
def test_a_refusal_shows_what_to_write(name: str, text: str) -> None:
    game = find_game(name)
    try:
        game.parse(text)
    except NotationError as error:
        if (name, error.wrong) != ("ultimate", "the player to move is missing"):
            words = re.findall("[^ ,;?]+", error.right)
            assert [word for word in words if reads(name, word)], error


def reads(name: str, text: str) -> bool:
    """Whether a text is a position of a game with a move, or the code of an octal game."""
    try:
        return bool(find_game(name).parse(text + ":9" if name == "octal" else text))
    except NotationError:
        return False


@pytest.mark.parametrize(
    "words, end",
    [
        ("5", "5 is a number, not a position; did you mean 0*5?"),
        ("99999", "did you mean 0*1000?"),
        (
            "--game cram 4x5",
            "write .....|.....|.....|..... for an empty board of 4x5, or squares of . #",
        ),
        ("--game hex 2x2", "write ..|.. for an empty board of 2x2, "),
        ("--game cram 40x50", "write squares of . #, as in ..#|..."),
    ],
)
def test_what_a_newcomer_writes(words: str, end: str) -> None:
    done = call("pns", "solve", "--no-db", *words.split())
    assert (done.status, done.output) == (2, "") and end in done.errors, done.errors
