"""Test files of MCGS: what is read, what is solved, and what differs."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from pns.cli.certificates import check
from pns.games.mcgs import questions

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
    assert (found["solved"], found["skipped"]) == (12, 2) and found["differ"][0]["line"] == 12
    assert run(path, "{version 1.7} [nimber] 3 5 {N 6, B win}") == 0


@pytest.mark.parametrize(
    "text, wrong",
    [
        ("[nimber] 3 {N}", "line 1: no {version ...} at the beginning"),
        ("{version 1.4}\n3 {N}", "line 2: a game before any [section]"),
        ("{version 1.4} [nimber]\n\n3 {X}", "line 3: 'X' is no command"),
        ("{version 1.4} [nimber]\n3 {N win}", "line 2: 'N win' is no command"),
        ("{version 1.4} [impartial nogo]\n.X|Y. {N}", "line 2: offset 3: 'Y' is no square"),
    ],
)
def test_refused(text: str, wrong: str, tmp_path: Path, capsys: Any) -> None:
    assert run(tmp_path / "bad.test", text) == 2
    assert wrong in capsys.readouterr().err
