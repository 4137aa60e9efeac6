"""The paper's figures beside simulated runs: which curve is which."""

from __future__ import annotations

from typing import Any, Dict

import pytest
from helpers.svg import elements

from pns.cli.reports.simulated_runs import COLUMNS, paper, picture


def run(cores: int) -> Dict[str, Any]:
    """A solved run of simulate.py."""
    row: Dict[str, Any] = {name: 1.0 for name, _ in COLUMNS}
    return {**row, "curve": "own", "cores": cores}


@pytest.mark.parametrize(
    "name, heuristic, cores, figure",
    [
        ("speedup", False, 1, 1.08),
        ("speedup", False, 1024, 208.67),
        ("speedup", True, 1024, 332.97),
        ("overhead", True, 4, 0.942),
        ("overhead", True, 1024, 2.5),
        ("utilisation", True, 1024, 0.992),
    ],
)
def test_curves_of_the_paper(name: str, heuristic: bool, cores: int, figure: float) -> None:
    points = dict(paper(name, heuristic, 1024))
    assert len(points) == 11 and round(points[cores], 3) == pytest.approx(figure, abs=0.002)


def test_what_the_paper_does_not_state_has_no_curve() -> None:
    for name in ("overhead", "utilisation", "master_load"):
        assert paper(name, False, 1024) == []
    assert paper("master_load", True, 1024) == []
    assert [cores for cores, _ in paper("speedup", False, 16)] == [1, 2, 4, 8, 16]


def test_a_picture_labels_both() -> None:
    rows = [run(1), run(16)]

    def labels(beside: bool) -> Dict[str, int]:
        words = [node.firstChild.data for node in elements(picture(rows, beside), "text")]
        return {word: words.count(word) for word in words if word.startswith("paper")}

    assert labels(True) == {"paper, with heuristic": 3, "paper, no heuristic": 1}
    assert labels(False) == {}
