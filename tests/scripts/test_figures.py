"""figures.py: its studies on small positions, its files, and what it refuses."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any, Dict, List

import pytest
from helpers.bench import figures
from helpers.svg import elements

pytestmark = pytest.mark.search


def rows_of(path: Path) -> List[Dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_departures(tmp_path: Path) -> None:
    path = tmp_path / "departures.csv"
    lines = figures("departures", "0*3", "--seeds", "1", "--save", path)
    rows = rows_of(path)
    assert len(lines) == 19 and len(rows) == 18
    assert lines[1].startswith("paper") and lines[1].endswith("1.00 ± 0.00")
    assert {row["solved"] for row in rows} == {"True"}
    found = {(row["variant"], row["position"], row["seed"]): int(row["expansions"]) for row in rows}
    assert found["paper", "0*3", "1"] != found["default", "0*3", "1"]
    (line,) = [line for line in lines if line.startswith("default  ")]
    assert found["default", "0*3", "1"] == int(line.split()[1])
    written = path.read_text()
    assert figures("departures", "0*3", "--seeds", "1", "--save", path) == lines
    assert path.read_text() == written  # nothing was measured again


@pytest.mark.slow
def test_capacities(tmp_path: Path) -> None:
    path, picture = tmp_path / "capacities.csv", tmp_path / "capacities.svg"
    lines = figures("capacities", "0*3", "--repeat", 1, "--save", path, "--draw", picture)
    assert [row["method"] for row in rows_of(path)] == [
        *("PNS", "PNS as GLOP", "PN²"),
        *("DFPN(1000)", "DFPN(10000)", "DFPN(100000)", "DFPN(1000000)"),
    ]
    assert len(lines) == 8 and len(elements(picture.read_text(), "polyline")) == 12


def test_losses(tmp_path: Path) -> None:
    path = tmp_path / "losses.csv"
    lines = figures("losses", "0*4", "--repeat", 1, "--save", path, "--options", "preset=paper")
    assert [row["processes"] for row in rows_of(path)] == ["1", "2"]
    processes, searched, *_ = lines[1].split()
    first, second = [int(row["expansions"]) for row in rows_of(path)]
    assert (processes, searched) == ("2", "%.2f" % (second / first))


@pytest.mark.slow
def test_resumed(tmp_path: Path) -> None:
    path = tmp_path / "resumed.csv"
    lines = figures("resumed", "0*6", "--shares", "0.5", "--save", path)
    rows = rows_of(path)
    assert {row["solved"] for row in rows} == {"True"}
    assert [row["way"] for row in rows] == ["fresh", "checkpoint", "facts"]
    fresh, *others = [int(row["expansions"]) for row in rows]
    _, stopped, rest, saved, facts = lines[1].split()
    assert int(stopped) + int(rest) == fresh
    assert others == [int(saved), int(facts)]
    assert all([0 < count < fresh for count in others])


def test_complexity(tmp_path: Path) -> None:
    path, picture = tmp_path / "complexity.csv", tmp_path / "complexity.svg"
    words = ("complexity", "0*1", "0*2", "--samples", 20, "--save", path)
    lines = figures(*words, "--draw", picture)
    rows = rows_of(path)
    assert [(row["position"], row["tree"]) for row in rows] == [
        (position, tree) for position in ("0*1", "0*2") for tree in ("games", "couples")
    ]
    assert float(rows[0]["log_size"]) == 0 and 1.2 < float(rows[2]["log_size"]) < 1.7
    assert lines[3].split()[:2] == ["0*2", "games"] and len(lines) == 5
    assert len(elements(picture.read_text(), "polyline")) == 5
    assert figures(*words) == lines and rows_of(path) == rows
    assert figures(*words[:3], "--samples", 5, "--save", path)[2] != lines[2]


def test_spots(tmp_path: Path) -> None:
    path, picture = tmp_path / "spots.csv", tmp_path / "spots.svg"
    positions = ["0*1", "0*3", "0*7"]
    lines = figures("spots", *positions, "--save", path, "--draw", picture)
    rows = rows_of(path)
    assert [(row["position"], row["outcome"]) for row in rows] == [
        *(("0*1", "loss"), ("0*3", "win"), ("0*7", "loss")),
    ]
    for line, row in zip(lines[1:], rows):
        found = [row[name] for name in ("position", "outcome", "expansions", "children_generated")]
        assert line.split()[:5] == [*found, row["facts_new"]]
    drawn = picture.read_text()
    assert len(elements(drawn, "polyline")) == 3 * 2 and len(elements(drawn, "circle")) == 3 * 3
    assert figures("spots", *positions, "--save", path) == lines and rows_of(path) == rows
    stopped = figures("spots", "0*9", "--save", path, "--options", "max-expansions=3")
    assert stopped[1].split() == ["0*9", "not", "solved"]


@pytest.mark.parametrize(
    "arguments, wanted",
    [
        (("capacities", "0*4", "0*5", "--save", "x"), "capacities takes one position"),
        (("losses", "0*4", "--save", "x", "--options", "paper"), "'paper': write NAME=VALUE"),
        (("losses", "0*4", "--save", "x", "--repeat", 0), "--repeat: invalid count 0;"),
        (("losses", "0*4", "--save", "/no/where"), "/no/where"),
        (("losses", "0*4", "--save", __file__), "not a table of this study"),
        (("departures", "0*4", "--save", "x", "--options", "seed=1"), "departures sets its own"),
        (("resumed", "0*4", "--save", "x", "--shares", "1"), "must be between 0 and 1"),
        (("complexity", "0*4", "--save", "x", "--samples", 0), "--samples: invalid count 0;"),
        (("complexity", "0*4+0*5", "--save", "x"), "complexity takes positions like 0*12"),
        (("spots", "0*4.AB|AB", "--save", "x"), "spots takes positions like 0*12"),
        (("losses", "0*4"), "--save"),
    ],
)
def test_refusals(arguments: Any, wanted: str) -> None:
    assert wanted in figures(*arguments, status=2)[-1]
