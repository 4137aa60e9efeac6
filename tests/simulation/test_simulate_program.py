"""The program that simulates searches: what it prints, saves, draws and refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Dict, List, Tuple

import pytest
from helpers.solver import Done, run
from helpers.svg import elements

from pns.choices import RESTART
from pns.front.options import Options
from pns.simulation.costs import Costs
from pns.simulation.studies import StudyCurve, settings

SLOW = [
    pytest.param(words, marks=pytest.mark.slow)
    for words in ((), ("--grouping", 2), ("--search", "pns"))
]


def test_a_picture_has_a_row_for_each_worker(tmp_path: Path) -> None:
    image = tmp_path / "t.svg"
    done = simulate("0*6", "--cores", 3, "--iterations", 20, "--timeline", image)
    assert done.status == 0, done
    text = image.read_text()
    heights = set(re.findall(r'<path d="M[0-9.]+ ([0-9.]+)h', text))
    assert len(heights) == 1 + 3
    assert "waiting" in text and "answering" in text and elements(text, "path")


@pytest.mark.parametrize("more", [("--processes", 2), *SLOW])
@pytest.mark.search
def test_simpler_positions_are_searched_as_in_real_searches(more: Tuple[object, ...]) -> None:
    def first(*options: object) -> Dict[str, Any]:
        limits = ("--max-slowdown", 100, "--max-overhead", 100)
        done = simulate("0*7", "--cores", 2, "--json", *limits, *more, *options)
        assert (done.status, done.errors) == (0, []), done
        row: Dict[str, Any] = json.loads(done.output[0])
        assert row["solved"]
        return {name: value for name, value in row.items() if not name.endswith("bytes")}

    by_default, simpler, plain = first(), first("--simplify"), first("--no-simplify")
    for row in (by_default, simpler, plain):
        row.pop("real_seconds")
    assert by_default == simpler and simpler["simplify"] and not plain["simplify"]
    assert simpler["expansions"] < plain["expansions"]
    assert simpler["facts"] < plain["facts"]


def simulate(*arguments: object) -> Done:
    return run("simulate.py", *arguments)


def test_one_machine_without_a_master() -> None:
    options = ("0*5", "--cores", "1,4", "--no-master", "--json")
    pdfpn, spdfpn = simulate(*options), simulate(*options, "--algorithm", "spdfpn")
    for name, done in (("pdfpn", pdfpn), ("spdfpn", spdfpn)):
        assert (done.status, done.errors) == (0, []), done
        rows = [json.loads(line) for line in done.output]
        assert [[row[key] for key in ("cores", "processes", "algorithm")] for row in rows] == [
            [1, 1, name],
            [4, 4, name],
        ]
        assert not rows[0]["has_master"] and rows[0]["speedup"] < rows[1]["speedup"]
    first = json.loads(pdfpn.output[0])
    assert first["overhead"] == 1.0 <= first["speedup"]


@pytest.mark.search
@pytest.mark.parametrize("algorithm", ("pdfpn", "pns-pdfpn"))
def test_the_first_start_does_not_depend_on_the_cores_of_this_machine(
    monkeypatch: pytest.MonkeyPatch, algorithm: str
) -> None:
    monkeypatch.setattr("pns.front.options.physical_cores", lambda: 64)
    (setting,) = settings(StudyCurve("own", algorithm=algorithm), 4, 0, Options(), "sprouts")
    assert setting.jobs.restart == RESTART


@pytest.mark.search
def test_the_costs_are_measured() -> None:
    done = simulate("--measure", "0*6", "--json")
    assert (done.status, done.errors) == (0, []), done
    costs = Costs(**json.loads(done.output[0]))
    assert min(costs) >= 0.0  # a difference of two measurements may be cut to 0
    assert min(costs.read, costs.record, costs.message, costs.expansion) > 0.0


def test_the_program(tmp_path: Path) -> None:
    path, image = tmp_path / "runs.json", tmp_path / "runs.svg"
    arguments = ("0*5", "--cores", "1,2", "--iterations", "20,50", "--seeds", "1,2")
    costs = ("--costs", "expansion=1000,child=1000")
    done = simulate(*arguments, *costs, "--save", path, "--draw", image)
    assert (done.status, done.errors) == (0, []), done
    saved = json.loads(path.read_text())
    assert len(saved["runs"]) == 8 and saved["costs"]["expansion"] > 0
    assert {row["cores"] for row in saved["runs"]} == {1, 2}
    for row in saved["runs"]:
        assert row["solved"] and row["speedup"] > 0 and row["overhead"] > 0
    assert len(done.output) == 1 + 8 + 1 + 1 + 1 + 2 + 1 + 1 + 1 + 2
    assert len(elements(image.read_text(), "polyline")) == 4
    again = simulate("--load", path)
    assert again.output == done.output[-10:]
    by_pns = ("--search", "pns", "--state-level", 1, "--max-slowdown", 100)
    done = simulate("0*5", "--cores", "1,4", *by_pns, "--save", path)
    runs = json.loads(path.read_text())["runs"]
    assert [(run["search"], run["keep"], run["solved"]) for run in runs] == [("pns", 1, True)] * 2
    assert simulate("0*3", "--cores", "1", "--study", "ppn2").output[3].startswith("DFPN, table")
    table = tmp_path / "runs.csv"
    assert simulate("0*3", "--cores", 2, "--processes", 2, "--save", table).status == 0
    first, second = table.read_text().splitlines()
    assert first.startswith("curve,position,cores,workers,processes,") and ",2,1,2," in second


@pytest.mark.parametrize("ending", ["json", "csv"])
def test_saved_runs_are_loaded_as_they_were(tmp_path: Path, ending: str) -> None:
    path = tmp_path / ("runs." + ending)
    done = simulate("0*5", "--cores", "1,2", "--seeds", "1,2", "--save", path)
    assert done.output and simulate("--load", path).output == done.output[5:]


def test_a_table_of_something_else_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "other.csv"
    for text in ("", "a,b\n1,2\n", "curve,cores\nown,1,2,3\n", "\x00"):
        table.write_text(text)
        done = simulate("--load", table)
        assert done.status == 2 and "not a file of runs" in done.errors[0], text


@pytest.mark.parametrize(
    "arguments, error",
    [
        (("x",), "offset 0"),
        (("--cores", "0"), "argument --cores: invalid count 0 in '0'"),
        (("--costs", "expansion=-1"), "invalid number '-1'"),
        (("--costs", "nothing=1"), "expected NAME=MICROSECONDS"),
        (("--seeds", "x"), "argument --seeds: invalid count 'x'"),
        (("--load", "/dev/null"), "not a regular file"),
        (("--load", __file__), "not a file of runs"),
        (("--load", "a", "--save", "b"), "argument --load: not allowed with --save"),
        (("--paper",), "argument --paper: allowed only with --draw"),
        (
            ("--timeline", "t.svg", "--cores", "1,2"),
            "--timeline: not allowed with several runs",
        ),
        (
            ("--timeline", "t.svg", "--cores", "1", "--study", "state"),
            "--timeline: not allowed with several runs",
        ),
        (("0*3", "--algorithm", "pdfpn"), "--algorithm: allowed only with --no-master"),
        (
            ("0*3", "--no-master", "--work-limit", "20"),
            "--work-limit: only spdfpn has it, not pdfpn",
        ),
        (
            ("0*3", "--no-master", "--algorithm", "spdfpn", "--counting", "everywhere"),
            "--counting: only pdfpn and pns-pdfpn have it, not spdfpn",
        ),
        (("0*3", "--no-master", "--leaders"), "--no-master: not allowed with --leaders"),
        (("0*3", "--no-master", "--search", "pns"), "--no-master: not allowed with --search"),
        (("--load", "/no/where"), "No such file"),
        (("0*3", "--capacity", "0"), "of at least 1"),
        (("0*3", "--search", "pns", "--state-level", "2"), "workers of ppn2 keep no table"),
        (("0*3", "--search", "pns", "--processes", "2"), "only --search dfpn has it"),
        (("0*3", "--save", "/no/where.json"), "/no"),
        (
            ("--game", "nim", "1+2", "--simplify"),
            "argument --simplify: nim does not define simpler",
        ),
    ],
)
def test_refusals(arguments: List[str], error: str) -> None:
    done = simulate(*arguments)
    assert done.status == 2 and error in done.errors[0], done
