"""The switch --misere, which becomes part of the name of a game."""

from __future__ import annotations

import json
from pathlib import Path
from typing import List

import pytest
from helpers.solver import needs_lmdb
from helpers.tools import call

import pns
from pns.cli.options.database import db_parser
from pns.cli.options.solve import solve_parser
from pns.cli.reference import commands


def test_every_command_that_takes_a_game_takes_the_switch() -> None:
    for command in commands():
        flags = {flag for option in command.options for flag in option.flags}
        takes_game = "--game" in flags or command.name == "octal"
        assert takes_game == ("--misere" in flags), command.name


@pytest.mark.parametrize(
    "words, game",
    [
        (["0"], "sprouts"),
        (["--misere", "0"], "sprouts-misere"),
        (["--misere", "0", "--game", "nim"], "nim-misere"),
        (["--game", "nim-misere", "--misere", "0"], "nim-misere"),
    ],
)
def test_the_switch_is_part_of_the_name(words: List[str], game: str) -> None:
    assert solve_parser("pns solve").parse_args(words).game == game


def test_the_switch_may_stand_before_the_verb_or_after_it() -> None:
    for words in (["--game", "nim", "stats", "--misere"], ["--misere", "stats", "--game", "nim"]):
        assert db_parser("pns db").parse_args(words).game == "nim-misere"


def test_a_game_of_outcomes_refuses_the_switch() -> None:
    done = call("pns", "solve", "--misere", "--game", "hex", "...|...|...")
    line = (
        "pns solve: argument --misere: hex has no misère play here: it is not impartial; see --help"
    )
    assert (done.status, done.output, done.errors.strip()) == (2, "", line)


def test_python_takes_the_switch() -> None:
    found = pns.solve("1+1", "nim", misere=True)
    assert (found.game, found.outcome) == ("nim-misere", "win")
    assert pns.solve("1+1", "nim").outcome == "loss"


@needs_lmdb
def test_facts_of_the_two_ways_to_play_never_meet(tmp_path: Path) -> None:
    path = str(tmp_path / "facts.lmdb")
    done = call("pns", "solve", "--json", "--quiet", "--misere", "--db", path, "0*7")
    assert json.loads(done.output)["game"] == "sprouts-misere"
    refused = call("pns", "solve", "--db", path, "0*7")
    assert refused.status == 2 and "sprouts-misere" in refused.errors
