"""The programs and the notebook in examples/ run, and print what they should."""

from __future__ import annotations

import json
import random
import re
import runpy
import sys
from pathlib import Path
from typing import Any, List

import pytest
from helpers.paths import CERTIFICATES, ROOT
from run_notebook import outputs_of

from pns.tools.laws import check_laws

EXAMPLES = ROOT / "examples"
SECONDS = re.compile(r"\d+\.\d\d s")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty directory to run in, and no games but those of the package."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("pns.finding._registered", {})


def example(capsys: Any, name: str, *words: str) -> List[str]:
    """The lines that a program prints."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", [name, *words])
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    return str(capsys.readouterr().out).splitlines()


def test_the_table_of_start_positions(capsys: Any) -> None:
    rows = [line.split() for line in example(capsys, "spots.py", "6")[1:-1]]
    assert [row[:2] for row in rows] == [
        [str(n), outcome]
        for n, outcome in enumerate(["loss", "loss", "win", "win", "win", "loss"], 1)
    ]
    assert [row[3] == "-" for row in rows] == [row[1] == "loss" for row in rows]


def test_histograms(capsys: Any) -> None:
    lines = example(capsys, "histogram.py", str(CERTIFICATES / "sprouts-9.cert.gz"))
    assert lines[0].endswith("a certificate of sprouts, 49 facts")
    assert lines[1] == "It proves that 0*9 is a win."
    bars = [line.split() for line in lines if line.endswith("#")]
    assert sum([int(count) for _, count, _ in bars]) == 2 * 49
    assert max([len(bar) for *_, bar in bars]) == 40
    assert lines[-1] == "G(0*1) = 0, G(0*2) = 0, G(0*4) = 1"


def test_a_game_of_ones_own(capsys: Any, tmp_path: Path) -> None:
    lines = example(capsys, "own_game.py", "3+12", "proof")
    published = "0 0 1 0 2 1 0 2 1 0 2 1 3 2 1 3 2 4 3 0"
    assert lines[0] == "Grundy numbers of 1 to 20: " + published
    assert "3+12 is a loss:" in lines and lines[-1].endswith("entries checked, all hold.")
    assert (tmp_path / "proof").exists()


@pytest.mark.parametrize("seed", range(5))
def test_that_game_keeps_the_laws_of_the_contract(seed: int) -> None:
    game = runpy.run_path(str(EXAMPLES / "own_game.py"))["Splitting"]()
    assert check_laws(game, game.parse("3+12+17"), random.Random(seed)) > 0
    assert game.parse("1+2") == () == game.parse(game.format(()))


def test_the_notebook_prints_what_it_stores(tmp_path: Path) -> None:
    text = (EXAMPLES / "tour.ipynb").read_text(encoding="utf-8")
    assert str(ROOT) not in text and len(text) < 20_000
    cells = json.loads(text)["cells"]
    stored = [cell["outputs"] for cell in cells if cell["cell_type"] == "code"]
    assert SECONDS.sub("S", str(outputs_of(cells))) == SECONDS.sub("S", str(stored))


def test_examples_say_what_they_need() -> None:
    for name in ("histogram.py", "own_game.py"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", [name])
            with pytest.raises(SystemExit, match="^name a "):
                runpy.run_path(str(EXAMPLES / name), run_name="__main__")
