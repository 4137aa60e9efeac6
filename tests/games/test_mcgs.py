"""Test files of MCGS: what is read, what is solved, and what differs."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest
from helpers.schema import faults, load

from pns.cli.commands.certificates import check
from pns.tools.mcgs import MOST_BYTES, SuiteError, questions

LONG = 2_000_000
"""Characters."""
TEXT = """{version 1.4}
/* a comment
   of two lines with {N 7} */
[impartial nogo]
..|.. {N 1}
...|... {N 1} ....|.... {B loss, N 0}
[impartial domineering] ..|..|.. (...) [nimber] 2 {W win, N}
[kayles] 3 4 {N 2}
[amazons] .X|O. {B win}
[domineering]
....|....|###.|###. {B win, W loss}
.. ..|.. {B win, W loss}
[domineering] .. [nimber] 1 {B}
{B loss}
"""


def run(path: Path, text: str, as_json: bool = False) -> int:
    path.write_text(text)
    return check(argparse.Namespace(files=[str(path)], json=as_json, sample=None, seed=0))


def test_questions(tmp_path: Path) -> None:
    path = tmp_path / "some.test"
    path.write_text(TEXT)
    found = list(questions(str(path)))
    assert [(one.line, one.player, one.expected) for one in found] == [
        (5, "N", "1"),
        (6, "N", "1"),
        (6, "B", "loss"),
        (6, "N", "0"),
        (7, "W", "win"),
        (7, "N", ""),
        (8, "N", "2"),
        (9, "B", "win"),
        (11, "B", "win"),
        (11, "W", "loss"),
        (12, "B", "win"),
        (12, "W", "loss"),
        (13, "B", ""),
        (14, "B", "loss"),
    ]
    assert found[4].games == (
        ("impartial domineering", "..|..|.."),
        ("impartial domineering", "..."),
        ("nimber", "2"),
    )


def test_what_agrees_and_what_differs(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "some.test"
    assert run(path, TEXT) == 1
    *lines, last = capsys.readouterr().out.splitlines()
    assert [line.partition("line ")[2] for line in lines] == [
        "7: [impartial domineering] ..|..|.. [impartial domineering] ... [nimber] 2 N: 2",
        "12: [domineering] .. [domineering] ..|.. W: win, not loss",
    ]
    assert last == "%s: 12 solved, 1 differ, 2 skipped." % path
    assert run(path, TEXT, as_json=True) == 1
    found = json.loads(capsys.readouterr().out)
    assert list(faults(found, load("check"))) == []
    assert (found["solved"], found["skipped"]) == (12, 2) and found["differ"][0]["line"] == 12
    assert run(path, "{version 1.7} [nimber] 3 5 {N 6, B win}") == 0


@pytest.mark.parametrize(
    "text, wrong",
    [
        ("[nimber] 3 {N}", "line 1: no {version ...} at the beginning"),
        ("{version 1.4}\n3 {N}", "line 2: a game before any [section]"),
        ("{version 1.4} [nimber]\n\n3 {N,}", "line 3: invalid command ''; write"),
        ("{version 1.4}\n[nimber] 3 {B, W, B, N}", "line 2: 4 questions in a command"),
        ("{version 1.4}\n[nimber] 3 /* {N 3}", "line 2: a comment without an end"),
        ("{version 1.4}\n[nimber] 3 /*/ {N 3}", "line 2: a comment without an end"),
        ("{version 1.4} [nimber]\n(3 {N 3}", "line 2: ( without )"),
        ("{version 1.4} [nimber] 3\n{N 3", "line 2: { without }"),
        ("{version 1.4} [nimber]\n3 {N win}", "line 2: invalid command 'N win'"),
        ("{version 1.4} [impartial nogo]\n.X|Y. {N}", "line 2: offset 3: invalid square 'Y'"),
    ],
)
def test_refused(text: str, wrong: str, tmp_path: Path, capsys: Any) -> None:
    assert run(tmp_path / "bad.test", text) == 2
    assert wrong in capsys.readouterr().err


def test_a_comment_ends_at_a_word_that_ends_in_its_sign(tmp_path: Path) -> None:
    path = tmp_path / "some.test"
    path.write_text("{version 1.4} /* 2*/3 {B} /* and\n more*/ [nimber] 3 {N 3} /*x*/ 4 {N 4}")
    assert [(one.line, one.games) for one in questions(str(path))] == [
        (2, (("nimber", "3"),)),
        (2, (("nimber", "4"),)),
    ]


def test_other_commands_are_counted_and_skipped(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "some.test"
    text = "{version 1.4} [nimber] 3 {} 4 {winning moves, N 4} 5 { thermograph } 6 {thermograph}"
    assert run(path, text) == 0
    unknown = "3 unknown commands skipped ('thermograph', 'winning moves')."
    assert capsys.readouterr().out == "%s: 1 solved, 0 differ, 0 skipped, %s\n" % (path, unknown)
    assert run(path, text, as_json=True) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(faults(found, load("check"))) == []
    assert found["unknown_commands"] == {"thermograph": 2, "winning moves": 1}


@pytest.mark.parametrize(
    "part",
    ["/* ", "\n", "3\n", "{N}\n", "/*x*/", "(3)\n", "[nimber]\n"],
    ids=ascii,
)
def test_long_files_are_read_in_linear_time(part: str, tmp_path: Path) -> None:
    """Of files of this length a reader that is quadratic takes hours."""
    path = tmp_path / "long.test"
    start = "{version 1.4} [nimber] "
    path.write_text(start + part * (LONG // len(part)))
    try:
        for _ in questions(str(path)):
            pass
    except SuiteError as error:
        assert part == "/* " and "a comment without an end" in str(error)


def test_files_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "large.test"
    path.write_text(" " * (MOST_BYTES + 1))
    with pytest.raises(SuiteError, match="line 1: a test file has at most 10000000 bytes"):
        list(questions(str(path)))
