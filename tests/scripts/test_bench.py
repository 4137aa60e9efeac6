"""scripts/bench.py: measuring, saving, comparing and refusing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, List

import pytest
from helpers.bench import bench


def found(position: str, seconds: float, children: int, **changes: Any) -> Dict[str, Any]:
    """A run as solve.py --json prints it."""
    return {
        "position": position,
        "solved": True,
        "outcome": "win",
        "expansions": 100,
        "children_generated": children,
        "facts_known": 7,
        "seconds": seconds,
        "peak_memory_bytes": 50_000_000,
        **changes,
    }


def saved(path: Path, *runs: Dict[str, Any]) -> Path:
    """A file that holds these runs."""
    path.write_text(json.dumps({"runs": runs}))
    return path


def test_measures_and_saves(tmp_path: Path) -> None:
    path = tmp_path / "runs.json"
    lines = bench("--repeat", 2, "--jobs", 2, "--save", path, "3+5", "4+4", "--", "--game", "nim")
    assert lines[0].split()[:5] == ["position", "outcome", "seconds", "expansions", "children"]
    assert [line.split()[:2] for line in lines[1:]] == [["3+5", "win"], ["4+4", "loss"]]
    measurement = json.loads(path.read_text())
    assert [run["position"] for run in measurement["runs"]] == ["3+5", "3+5", "4+4", "4+4"]
    assert measurement["options"] == ["--algorithm", "dfpn", "--game", "nim"]
    assert measurement["machine"]["memory_bytes"] > 0
    assert "Python 3." in measurement["interpreter"]
    again = bench("--compare", path, path)
    assert again[1].split() == ["3+5"] + 7 * ["1.000"]


def test_unsolved_positions_are_shown() -> None:
    lines = bench("0*7", "--", "--max-expansions", 1)
    assert lines[1].split(None, 1) == ["0*7", "not solved: expansions"]


def test_compares(tmp_path: Path) -> None:
    a = saved(
        tmp_path / "a.json",
        found("0*6", 1.0, 1000),
        found("0*6", 9.0, 1000),
        found("0*6", 2.0, 1000),
        found("0*7", 1.0, 1000),
        found("0*8", 1.0, 1000, solved=False),
        found("0*9", 1.0, 1000),
    )
    b = saved(
        tmp_path / "b.json",
        found("0*6", 1.0, 1000),
        found("0*7", 8.0, 4000),
        found("0*8", 1.0, 1000),
    )
    header, six, seven, eight, nine, mean = bench("--compare", a, b)
    assert header.split()[:3] == ["position", "B/A", "seconds"]
    assert six.split() == ["0*6", "0.500", "1.000", "1.000", "2.000", "0.500", "1.000", "1.000"]
    assert seven.split() == ["0*7", "8.000", "1.000", "4.000", "0.500", "2.000", "1.000", "1.000"]
    assert eight.split(None, 1) == ["0*8", "not solved in both"]
    assert nine.split(None, 1) == ["0*9", "not solved in both"]
    assert mean.split()[:4] == ["mean", "geometric", "2.000", "1.000"]


@pytest.mark.parametrize(
    "arguments, reason",
    [
        (["--suite", "none"], "expected one of quick, reference, standard"),
        (["--repeat", "0"], "at least 1"),
        (["0*x"], "bench.py: 0*x: offset 2"),
        (["--repeat", "4", "--jobs", "2", "0*x", "0*x"], "bench.py: 0*x: offset 2"),
        ([b"0*\xc3\xa9"], "not ASCII"),
        (["0*2", "--", "--no-such-option"], "see solve.py --help"),
        (["--save", "/dev/null/x"], "/dev/null/x"),
        (["--compare", __file__, __file__], "not a measurement"),
        (["--compare", "/dev/null", "/dev/null"], "not a regular file"),
        (["--compare", "a", "b", "--curve", "c", "d"], "--curve and --compare exclude each other"),
        (["--compare", "a", "b", "--save", "c"], "--compare takes no --save"),
        (["--compare", "a", "b", "--", "0*2"], "--compare takes no options of solve.py"),
        (["0*2", "--suite", "quick"], "--suite and positions exclude each other"),
        (["0*2", "--table"], "--table takes no positions"),
        (["--compare", "no-such-file", "/dev/null"], "no-such-file"),
    ],
)
def test_refuses(arguments: List[object], reason: str) -> None:
    """In one line, which names the program once, however many processes are refused."""
    (line,) = bench(*arguments, status=2)
    assert line.startswith("bench.py: ") and line.count(".py: ") == 1
    assert reason in line


def test_draws_the_cost_of_n_spots(tmp_path: Path) -> None:
    runs = saved(tmp_path / "a.json", found("0*12", 2.0, 5), found("0*14", 8.0, 9))
    bench("--curve", tmp_path / "curve.svg", runs)
    picture = (tmp_path / "curve.svg").read_text()
    assert picture.startswith("<svg") and "C++ DFPN" in picture
    others = saved(tmp_path / "b.json", found("3+5", 2.0, 5))
    (line,) = bench("--curve", tmp_path / "none.svg", others, status=2)
    assert line.endswith("no solved position like 0*12")
    assert not (tmp_path / "none.svg").exists()
