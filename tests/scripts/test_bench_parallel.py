"""scripts/bench.py on parallel search: its overhead, its table, its latency."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers.bench import bench
from helpers.paths import ROOT
from helpers.svg import elements

from pns.search.table import WORK, Table


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))


@pytest.mark.slow
def test_overhead_of_logical_processes(tmp_path: Path) -> None:
    path = tmp_path / "overhead.svg"
    header, *lines = bench("--overhead", path, "--repeat", 2, "0*2", "0*3")
    assert header.split()[:3] == ["position", "algorithm", "processes"]
    rows = [line.split() for line in lines]
    assert [(row[0], row[1], int(row[2])) for row in rows] == [
        (position, algorithm, 1 << i)
        for position in ("0*2", "0*3")
        for algorithm in ("pdfpn", "spdfpn")
        for i in range(7)
    ]
    for row in rows:
        if row[1:3] == ["pdfpn", "1"]:
            assert row[4:6] == ["1.00", "1.00-1.00"] and row[7] == "1.00"
        assert int(row[6]) <= int(row[3])
    assert len(elements(path.read_text(), "polyline")) == 4 + 6
    (refusal,) = bench("--overhead", path, status=2)
    assert "takes positions" in refusal
    (refusal,) = bench("--overhead", path, "0*3+0*3", status=2)
    assert "needs no search" in refusal
    assert len(elements(path.read_text(), "polyline")) == 4 + 6  # a refusal leaves the file alone


@pytest.mark.usefixtures("scripts")
def test_figures_of_the_table() -> None:
    from benchmarks.sharing import table_figures

    header, *lines = table_figures(2, count=200, filled=1000)
    assert header.split() == ["nanoseconds", "alone", "contended", "others"]
    assert len(lines) == 6
    for line in lines:
        alone, contended, others = line.split()[-3:]
        assert int(alone) > 0 and int(contended) > 0 and float(others) >= 0


@pytest.mark.usefixtures("scripts")
def test_the_other_process_works_all_the_time() -> None:
    from benchmarks.sharing import hammered, keys, store

    table, hot = Table(1000), keys(1, 8)
    store(table, hot)
    with hammered(table, hot) as calls:
        before = calls()
        while calls() < before + 1000:  # the other process goes on by itself
            pass
    index = table.find(hot[0])
    assert table.words[index + WORK] > 200


def test_latency() -> None:
    (line,) = bench("--latency", "0*6")
    found = re.match(r"0\*6, \d+ processes: (\d+) facts seen after ([\d.]+) ms", line)
    assert found, line
    assert int(found.group(1)) > 0 and float(found.group(2)) > 0
    (refusal,) = bench("--latency", status=2)
    assert "takes positions" in refusal
    (refusal,) = bench("--table", "0*3", status=2)
    assert "--table takes no positions" in refusal
