"""The command `pns draw`, in this process."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, List

import pytest
from helpers.svg import elements

from pns.cli import draw
from pns.game import NotationError


def run(monkeypatch: pytest.MonkeyPatch, *words: object) -> int:
    monkeypatch.setattr(sys, "argv", ["pns draw", *map(str, words)])
    return draw.main()


def test_svg_goes_to_standard_output(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    assert run(monkeypatch, "AB|BC|AC") == 0
    out, err = capsys.readouterr()
    assert elements(out, "title")[0].firstChild.data == "AB|AC|BC"
    assert err == "pns draw: AB|AC|BC: 2 dead spots added\n"


def test_the_end_of_a_file_name_is_its_format(
    monkeypatch: pytest.MonkeyPatch, capsys: Any, tmp_path: Path
) -> None:
    for name in ("a.svg", "a.txt"):
        assert run(monkeypatch, "0*2", "--move", "1a1a", "-o", tmp_path / name) == 0
    assert capsys.readouterr() == ("", "")
    assert "line new" in (tmp_path / "a.svg").read_text()
    written = (tmp_path / "a.txt").read_text(encoding="utf-8")
    assert run(monkeypatch, "0*2", "--move", "1a1a", "--text") == 0
    assert capsys.readouterr().out == written


def test_png_needs_a_converter(
    monkeypatch: pytest.MonkeyPatch, capsys: Any, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    picture = tmp_path / "a.png"
    with pytest.raises(SystemExit) as stopped:
        run(monkeypatch, "0*2", "-o", picture)
    assert stopped.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
    converter = tmp_path / "rsvg-convert"
    converter.write_text("#!/bin/sh\necho converted\n")
    converter.chmod(0o755)
    assert run(monkeypatch, "0*2", "-o", picture) == 0
    assert picture.read_text() == "converted\n"
    converter.write_text("#!/bin/sh\nexit 3\n")
    with pytest.raises(SystemExit):
        run(monkeypatch, "0*2", "-o", picture)
    assert "status 3" in capsys.readouterr().err
    assert picture.read_text() == "converted\n"


@pytest.mark.parametrize(
    "words, wrong",
    [
        (["0*2", "-o", "a.gif"], "'a.gif' does not end in .svg, .png or .txt"),
        (["0*2", "-o", "a.txt", "--text"], "a file that ends in .txt"),
        ([], "required: POSITION"),
    ],
)
def test_refusals_are_one_line(
    words: List[str], wrong: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    with pytest.raises(SystemExit) as stopped:
        run(monkeypatch, *words)
    err = capsys.readouterr().err
    assert stopped.value.code == 2
    assert wrong in err and err.count("\n") == 1


def test_a_bad_position_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for words in (["0*"], ["0*2", "--move", "x"]):
        with pytest.raises(NotationError):
            run(monkeypatch, *words)
