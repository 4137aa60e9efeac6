"""The pages of docs: their commands are accepted, their examples run, their figures agree."""

from __future__ import annotations

import csv
import doctest
import random
import re
import sys
from pathlib import Path
from typing import Any, Dict, Iterator, List

import pytest
from helpers.commands import is_accepted, matches, program, shown, transcript
from helpers.paths import ROOT

from pns.finding import find_game
from pns.tools.laws import check_laws

DOCS = ROOT / "docs"
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.glob("**/*.md")])


@pytest.fixture(autouse=True)
def keep_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restore the command line."""
    monkeypatch.setattr(sys, "argv", list(sys.argv))


@pytest.fixture
def grundys_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The module of the guide can be imported."""
    page = DOCS / "guides" / "add-a-game.md"
    (code,) = re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)
    (tmp_path / "grundys_game.py").write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("pns.finding._registered", {})
    monkeypatch.setattr("pns.finding._places", {})
    yield
    sys.modules.pop("grundys_game", None)


@pytest.mark.usefixtures("grundys_game")
def test_every_command_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("zmq")
    pytest.importorskip("msgpack")
    commands = {command: page.name for page in PAGES for command in shown(page) if program(command)}
    assert len(commands) > 80
    for command, page in commands.items():
        assert is_accepted(command, monkeypatch), (page, command)
    assert not is_accepted("pns solve --worker 2 --no-such '0*3'", monkeypatch)
    assert not is_accepted("pypy3 scripts/bench.py --suite none", monkeypatch)


@pytest.mark.programs
def test_the_tutorial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("cffi")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    steps = list(transcript(DOCS / "tutorial.md"))
    assert len(steps) > 10
    for command, lines in steps:
        found = program(command)
        assert found, command
        main, sys.argv[:] = found
        assert main() == 0, command
        assert matches(capsys.readouterr().out, lines), command


def test_a_wrong_output_is_noticed() -> None:
    assert matches("a\nb\n0.5 s\n", ["a", "…"]) and matches("a\n", ["a"])
    assert not matches("a\nb\n", ["a"]) and not matches("b\nb\n", ["a", "…"])


@pytest.mark.parametrize(
    "name", ["theory.md", "guides/solve.md", "guides/play.md", "guides/games.md"]
)
def test_python_examples(name: str) -> None:
    results = doctest.testfile(str(DOCS / name), module_relative=False, encoding="utf-8")
    assert results.attempted >= 2 and not results.failed


@pytest.mark.usefixtures("grundys_game")
def test_the_game_of_the_guide() -> None:
    page = DOCS / "guides" / "add-a-game.md"
    results = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert results.attempted == 5 and not results.failed
    game = find_game("grundys-game")
    for seed in range(20):
        assert check_laws(game, game.parse("20+9+3"), random.Random(seed)) > 3


def figures(name: str, heading: str) -> Dict[int, List[float]]:
    """The rows of the table below a heading of a page, by their first number."""
    text = (DOCS / name).read_text("utf-8").partition("## %s\n" % heading)[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([\d,.]+) \|(.*)\|$", text, re.MULTILINE)
    return {int(spots): [number(cell) for cell in rest.split("|")] for spots, rest in rows}


def number(cell: str) -> float:
    return float(cell.replace(",", "")) if cell.strip() else 0.0


def test_the_comparison_has_the_figures_of_others() -> None:
    with open(ROOT / "data" / "reference-figures.csv") as file:
        theirs: Dict[int, Any] = {int(row["spots"]): row for row in csv.DictReader(file)}
    depth_first = figures("comparison.md", "One core, from an empty database")
    assert set(depth_first) == set(theirs)
    for spots, row in depth_first.items():
        assert row[1] == float(theirs[spots]["dfpn_seconds"])
        assert row[4] == float(theirs[spots]["dfpn_expansions"])
        assert abs(row[2] - row[1] / row[0]) < 0.06
    trees = figures("comparison.md", "The explicit tree")
    assert len(trees) == 4
    for spots, row in trees.items():
        assert row[1] == float(theirs[spots]["pns_seconds"])
        assert row[3] == float(theirs[spots]["pns_expansions"])
    for spots, row in figures("comparison.md", "Proofs").items():
        assert row[0] == number_of_entries(spots), spots


def number_of_entries(spots: int) -> float:
    text = (DOCS / "certificates.md").read_text("utf-8")
    (cell,) = re.findall(r"^\| %d \| \w+ \| ([\d,]+) \|" % spots, text, re.MULTILINE)
    return number(cell)
