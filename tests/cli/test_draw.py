"""The command `pns draw`, in this process."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any, Set

import pytest
from helpers.svg import elements
from helpers.tools import call

from pns.cli.commands import draw
from pns.cli.reference import Command, commands


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


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_lines_of_text(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for words in (["0*3"], ["--game", "cram", "..#|..."]):
        screen = Terminal(io.BytesIO(), encoding="utf-8")
        monkeypatch.setattr(sys, "stdout", screen)
        assert run(monkeypatch, *words) == 0
        shown = screen.buffer.getvalue().decode()  # type: ignore[attr-defined]
        assert "svg" not in shown and len(shown.splitlines()) < 20
        assert run(monkeypatch, *words, "-o", tmp_path / "a.svg") == 0
        assert (tmp_path / "a.svg").read_text().startswith("<svg")


def test_the_file_that_is_written_has_one_name(tmp_path: Path) -> None:
    for name in ("-o", "--out", "--output"):
        path = tmp_path / (name + ".svg")
        assert call("pns", "draw", "0*2", name, path).status == 0 and path.exists()
    writers = [command for command in commands() if "--out" in flags(command)]
    assert {command.name for command in writers} == {"draw", "db merge", "db reduce"}
    assert all(["-o" in flags(command) for command in writers])
    assert not [command.name for command in commands() if "--output" in flags(command)]


def flags(command: Command) -> Set[str]:
    return {flag for option in command.options for flag in option.flags}


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
        (
            "draw 0*2 -o a.gif",
            "argument -o/--out: invalid file name 'a.gif'; expected one that ends in .svg",
        ),
        ("draw 0*2 -o a.txt --text", "argument --text: not allowed with --out"),
        ("draw", "the following arguments are required: POSITION"),
        ("draw 0*", "offset 2: expected a positive number"),
        ("draw 0*2 --move x", "offset 0: unexpected 'x'"),
        ("draw 0*2 -o /no/such/a.svg", "/no/such"),
        ("draw 0*2 --move 0*9", "argument --move: no move leads from 0*2 to 0*9; there are "),
        (
            "solve 1+2 --game nim --draw",
            "argument --draw: allowed only with --game sprouts and without --json",
        ),
        (
            "solve 0*2 --json --draw",
            "argument --draw: allowed only with --game sprouts and without --json",
        ),
    ],
)
def test_refusals(words: str, wrong: str) -> None:
    done = call("pns", *words.split())
    assert (done.status, done.output) == (2, "")
    assert done.errors.startswith("pns %s: %s" % (words.split()[0], wrong)), done.errors


def test_solve_draws_the_winning_move() -> None:
    done = call("pns", "solve", "0*3", "--no-db", "--quiet", "--draw")
    assert (done.status, done.errors) == (0, "")
    answer, empty, *drawing = done.output.splitlines()
    assert answer == "0*3 is a win: the player to move wins." and empty == ""
    assert drawing[-1].startswith("1\u00b3: spot 1 ") and len(drawing) > 4
    lost = call("pns", "solve", "0*2", "--no-db", "--quiet", "--draw")
    assert lost.output.count("\n") == 1


def test_boards(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    assert run(monkeypatch, "--game", "cram", ".....|#.#.#+..") == 0
    out, err = capsys.readouterr()
    assert len(elements(out, "rect")) == 10 + 2 and err == ""
    outer, *inner = elements(out, "svg")
    assert len(inner) == 2
    right = max(int(svg.getAttribute("x")) + int(svg.getAttribute("width")) for svg in inner)
    assert right == int(outer.getAttribute("width"))
    assert run(monkeypatch, "--game", "cram", ".....|#.#.#+..", "--text") == 0
    board, domino = capsys.readouterr().out.split("\n\n")
    assert sorted(board.split("\n")) == ["· · · · ·", "█ · █ · █"] and domino == "· ·\n"
    assert run(monkeypatch, "--game", "cram", ".", "--text") == 0
    assert capsys.readouterr().out == "no moves\n"


def test_what_is_not_drawn(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    for words, why in (
        (["--game", "nim", "3"], "argument --game: positions of nim cannot be drawn"),
        (["--game", "cram", "..", "--move", "!"], "only moves of sprouts are drawn, not those of"),
    ):
        with pytest.raises(SystemExit, match="2"):
            run(monkeypatch, *words)
        assert why in capsys.readouterr().err
