"""`pns strong` and `pns play --db SOLUTION`, called in this process."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from helpers.inprocess import Caller

from pns.cli.commands import play, solve, strong
from pns.strong import build_solution

pytestmark = pytest.mark.programs


@pytest.fixture
def call(capsys: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Caller:
    monkeypatch.chdir(tmp_path)
    return Caller(capsys, monkeypatch, "pns strong")


BUILD = ("build", "mnk", "2:..|..", "new", "--processes", "1")


def test_a_solution_is_built_and_asked(call: Caller) -> None:
    built = call(strong.main, *BUILD)
    assert (built.status, built.errors) == (0, [])
    assert built.output[0] == "mnk, 2:..|..: win for the player to move"
    assert built.output[-2].split()[:2] == ["all", "29"]
    again = call(strong.main, *BUILD, "--json")
    assert json.loads(again.output[0])["positions"] == 29
    assert call(strong.main, "look", "new", "2:X.|..", "2:XX|.O", "2:...").output == [
        "2:X.|..: loss",
        "2:XX|.O: loss",
        "2:...: not in this solution",
    ]
    look = call(strong.main, "look", "new", "2:..|..", "--moves")
    assert look == (0, ["2:..|..: win", "  win  2:X.|.."], [])
    assert call(strong.main, "look", "new", "3:..|..").status == 1
    assert call(strong.main, "stats", "new").output == built.output[:-1]
    check = call(strong.main, "check", "new", "--samples", "9", "--consistency", "--processes", "1")
    assert check.output == [
        "5 blocks are as they were written.",
        "15 entries were computed again.",
        "9 samples were compared with the rules.",
        "All holds.",
    ]


def test_grundy_numbers_are_printed(call: Caller) -> None:
    build_solution("kayles", "5", "new")
    assert call(strong.main, "look", "new", "5+2").output == ["5+2: win, Grundy number 6"]


def test_a_game_at_a_place(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pns.finding._registered", {})
    monkeypatch.setattr("pns.finding._places", {})
    place = "helpers.outcomes:MISERE"
    assert call(strong.main, "build", place, "122", "new", "--quiet").status == 0
    monkeypatch.setattr("pns.finding._registered", {})
    monkeypatch.setattr("pns.finding._places", {})
    look = call(strong.main, "look", "new", "11")
    assert look.status == 2 and "unknown game 'misere-nim'" in look.errors[0]
    look = call(strong.main, "look", "new", "11", "1", "--game", place)
    assert look == (0, ["11: win", "1: loss"], [])
    other = call(strong.main, "stats", "new", "--game", "nim")
    assert other.status == 2 and other.errors[0].endswith("misere-nim; expected one of nim")


def test_a_search_takes_a_solution(call: Caller) -> None:
    build_solution("kayles", "6", "new")
    words = ("--game", "kayles", "--no-db", "--table", "new")
    found = call(solve.main, *words, "6")
    assert found.output[:4] == [
        "6 is a win: the player to move wins.",
        "Its Grundy number is 3.",
        "A winning move leads to 1+4",
        "The strong solution has this position; without --table it is searched.",
    ]
    assert "  answers  1 by the strong solution" in found.output
    more = json.loads(call(solve.main, *words, "9", "--json").output[0])
    assert (more["from_table"], more["table"], more["database"]) == (False, "new", None)
    assert more["answered_by_table"] > 0
    outside = call(solve.main, "--game", "kayles", "--no-db", "7", "--table", "other")
    assert outside.status == 2 and "not a complete strong solution" in outside.errors[0]
    build_solution("mnk", "2:..|..", "board")
    for game, position, wrong in (
        ("kayles", "9", "board: a solution of mnk; expected one of kayles"),
        (
            "mnk",
            "2:...|...",
            "board: a solution of 2:..|..; expected one on the board of 2:...|...",
        ),
    ):
        other = call(solve.main, "--game", game, "--no-db", position, "--table", "board")
        assert other.status == 2 and other.errors == ["pns strong: argument --table: " + wrong]
    other = call(solve.main, *words, "9", "--algorithm", "ppn2")
    assert other.status == 2 and "--table: only dfpn" in other.errors[0]


def test_a_table_that_has_nothing_is_named(call: Caller) -> None:
    build_solution("domineering", "...|...", "new")
    found = call(solve.main, "--game", "domineering", "--no-db", "....|....", "--table", "new")
    assert "The strong solution has none of the positions that the search met." in found.output


def test_small_lands_are_built(call: Caller) -> None:
    words = ("lands", "sprouts", "3", "new", "--processes", "1")
    found = call(strong.main, *words)
    assert found.status == 0 and found.output[0] == "sprouts, all lands of up to 3 lives"
    assert found.output[-2].split()[:2] == ["all", "10"]
    assert json.loads(call(strong.main, *words, "--json").output[0])["lives"] == 3
    assert call(strong.main, "look", "new", "0+22").output == ["0+22: win, Grundy number 1"]
    for game, lives, wrong in (
        ("sprouts", "9", "all lands of up to 9 lives are not listed; 3 to 7 lives are"),
        ("nim", "3", "nim does not list its small lands"),
    ):
        refused = call(strong.main, "lands", game, lives, "other")
        assert (refused.status, refused.errors) == (2, ["pns strong: " + wrong])


def test_samples_are_printed_and_verified(call: Caller) -> None:
    build_solution("kayles", "5", "new")
    printed = call(strong.main, "samples", "new", "--count", "3", "--seed", "1")
    assert printed.status == 0 and len(printed.output) == 7
    Path("samples").write_text("".join([line + "\n" for line in printed.output]))
    check = call(strong.main, "check", "new", "--against", "samples", "--search", "4")
    assert (check.status, check.output[1:]) == (
        0,
        [
            "4 samples were solved by a search, too.",
            "3 samples of others were looked up.",
            "All holds.",
        ],
    )
    Path("samples").write_text("nothing")
    check = call(strong.main, "check", "new", "--against", "samples")
    assert check.status == 2 and check.errors[0].startswith("pns strong: samples:1: ")


def test_damage_is_told_apart_from_bad_input(call: Caller) -> None:
    build_solution("kayles", "5", "new")
    file = Path("new/slice-00.pns")
    file.write_bytes(file.read_bytes()[:-1] + b"\0")
    check = call(strong.main, "check", "new")
    assert check.status == 1
    assert check.output[0].startswith("damaged: new/slice-00.pns is damaged")
    assert check.output[-1] == "Something does not hold."
    look = call(strong.main, "look", "new", "5")
    assert look.status == 2 and "is damaged" in look.errors[0] and len(look.errors) == 1


def test_positions_are_counted(call: Caller) -> None:
    table = call(strong.main, "count", "pentago", "--board", "4x4").output
    assert table[0].split()[:4] == ["slice", "arrangements", "positions", "classes"]
    assert table[3].split()[:4] == ["2", "240", "33", "4"]
    assert table[-1].split()[:3] == ["all", "10,165,779", "1,273,771"] and len(table) == 19
    (found,) = call(strong.main, "count", "pentago", "--board", "4x4", "--json").output
    counts = json.loads(found)
    assert counts["positions"] == sum([each["positions"] for each in counts["slices"]])


REFUSED = [
    (("build", "mnk", "3:...|...|...", "new", "--memory", "9M"), "and 9 MB are allowed"),
    (("build", "mnk", "5:" + "|".join(["....."] * 5), "new"), "the board is too large"),
    (("build", "mnk", "!", "new"), "has no moves"),
    (("build", "chess", "x", "new"), "invalid choice 'chess'"),
    (("build", "nim", "3", "."), "is not empty"),
    (("build", "nim", "3", "new", "--sections"), "nim has no sections from 3 on"),
    (("build", "nim", "3", "new", "--sections", "--listed"), "not allowed with"),
    (("build", "pentago", "|".join(["......"] * 6), "new"), "the board is too early"),
    (("build", "pentago", "|".join(["XOXO.."] * 6), "new", "--memory", "9M"), "9 MB are allowed"),
    (("build", "nim", "3", "new", "--ray", "auto", "--processes", "2"), "not allowed with"),
    (("build", "nim", "3", "new", "--ray", "127.0.0.1:9"), "Ray"),
    (("count", "mnk"), "pentago"),
    (("count", "pentago", "--board", "5x5"), "6x6"),
    (("look", "none", "3"), "not a complete strong solution"),
    (("check", "none"), "not a complete strong solution"),
    (("stats", "."), "not a complete strong solution"),
    (("build", "nim", "3", "new", "--processes", "0"), "at least 1"),
    (("build", "nim", "3", "new", "--processes", "999"), "from 1 to 256"),
]


@pytest.mark.parametrize("words, why", REFUSED)
def test_refusals_are_one_line(words: Any, why: str, call: Caller, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    answer = call(strong.main, *words)
    assert answer.status == 2 and answer.output == []
    assert len(answer.errors) == 1 and why in answer.errors[0]
    assert not (tmp_path / "new").exists()


def test_a_stopped_build_says_how_to_go_on(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(strong, "build_solution", stop)
        answer = call(strong.main, *BUILD)
    assert answer == (130, [], ["pns strong: stopped; the same command goes on from there"])


@pytest.mark.parametrize(
    "game, root, verdict",
    [
        (
            "mnk",
            "3:X..|.O.|...",
            "It is a draw, which this move keeps: this is known from the strong solution new.",
        ),
        ("cram", "...|...", "The solver can win by it: this is known."),  # two equal lands are left
    ],
)
def test_play_answers_from_a_solution(
    game: str, root: str, verdict: str, call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_solution(game, root, "new")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"quit\n")))
    words = ("--game", game, "--db", "new", "--second", "--seconds", "0")
    answer = call(play.main, *words)
    assert answer.status == 0 and answer.output[0].startswith("The solver moves to")
    assert answer.output[1] == verdict
    other = call(play.main, "--game", "nim", "--db", "new", "3")
    assert other.status == 2 and "a solution of %s" % game in other.errors[0]
