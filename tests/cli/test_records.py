"""Statistics of a distributed search in files, and the panel with its workers."""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path
from typing import Any, Dict, List, Tuple

import pytest
from helpers.masters import Clock, ManualWorker, master_of
from helpers.solver import solve

from pns import Progress
from pns.cli.reports.forecast import Forecaster
from pns.cli.reports.records import Records
from pns.cli.terminal import progress
from pns.cli.terminal.panel import Heading, worker_rows
from pns.distributed.solver import progress_of
from pns.master import Master


class Watched:
    """A search by a master, as far as observers use it."""

    def __init__(self, master: Master) -> None:
        self.master = master
        self.now = 0.0

    @property
    def expansions(self) -> int:
        return self.master.knowledge.expansions

    def progress(self) -> Progress:
        return progress_of(self.master, self.now)


class Observed:
    """A file of figures and its search, observed at given times."""

    def __init__(
        self,
        path: Path,
        args: argparse.Namespace,
        master: Master,
    ) -> None:
        self.solver: Any = Watched(master)
        self.records = Records(str(path), args, Forecaster(), lambda: float(self.solver.now))

    def at(self, now: float) -> None:
        self.solver.now = now
        self.records.observe(self.solver)


def busy_master() -> Tuple[Master, Clock]:
    """A master with two workers, one of which has done two jobs in four of ten seconds."""
    clock = Clock()
    master = master_of("0*7", iterations=40)
    first, _ = ManualWorker(master, "first", clock), ManualWorker(master, "second", clock)

    for _ in range(2):
        spec = first.take()
        assert spec
        clock.now += 1.0
        first.do(spec)
    master.workers["first"].busy = 4.0
    clock.now = 10.0
    return master, clock


def rows_of(path: Path) -> List[Dict[str, str]]:
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_a_line_every_ten_seconds_and_one_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "figures.csv"
    options = argparse.Namespace(position="0*7", workers=2, statistics=str(path))
    master, clock = busy_master()
    records = Observed(path, options, master)
    for second in range(10, 36):
        records.at(float(second))
    assert len(rows_of(path)) == 3
    master.stop("Ctrl-C")
    records.at(36.0)
    records.at(50.0)
    rows = rows_of(path)
    assert [row["done"] for row in rows] == ["", "", "", "Ctrl-C"]
    for name, value in {
        "master_nodes": master.knowledge.tree.nodes.used,
        "worker_nodes": master.statistics(36.0).worker_nodes,
        "facts": len(master.facts),
        "expansions": master.knowledge.expansions,
        "jobs_submitted": 2,
        "option_position": "0*7",
        "option_workers": 2,
    }.items():
        assert rows[-1][name] == str(value), name
    assert float(rows[0]["utilisation"]) == pytest.approx(4.0 / 20.0, abs=1e-4)
    assert "option_statistics" not in rows[0]


def test_another_run_appends_and_a_line_that_was_cut_off_is_ended(tmp_path: Path) -> None:
    path = tmp_path / "figures.csv"
    options = argparse.Namespace(position="0*7")
    master, _ = busy_master()
    Observed(path, options, master).at(10.0)
    with open(path, "a") as file:
        file.write("2026")
    Observed(path, options, master).at(10.0)
    rows = rows_of(path)
    assert [row["expansions"] for row in rows] == [
        str(master.knowledge.expansions),
        None,
        str(master.knowledge.expansions),
    ]
    with pytest.raises(SystemExit):
        Records(str(path), argparse.Namespace(position="0*7", more=1), Forecaster())


def test_the_newest_figures_with_every_worker(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "figures.json"
    master, _ = busy_master()
    records = Observed(path, argparse.Namespace(position="0*7"), master)
    records.at(10.0)
    found = json.loads(path.read_text())
    assert (
        found["options"] == {"position": "0*7"}
        and found["expansions"] == master.knowledge.expansions > 20
    )
    first, second = found["workers"]
    assert (first["name"], first["jobs"], first["expansions"]) == (
        "first",
        2,
        master.knowledge.expansions,
    )
    assert (first["utilisation"], first["seconds_since_heard"]) == (0.4, 8.0)
    assert (second["jobs"], second["nodes"], second["seconds_since_heard"]) == (0, 0, 10.0)
    assert [entry.name for entry in tmp_path.iterdir()] == ["figures.json"]
    path.unlink()
    path.mkdir()
    for now in (20.0, 30.0):
        records.at(now)
    (complaint,) = capsys.readouterr().err.splitlines()
    assert "figures.json" in complaint and complaint.endswith("the search goes on")


def test_the_panel_shows_all_workers_or_those_silent_for_longest(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    master, clock = busy_master()
    solver: Any = Watched(master)
    solver.now = 10.0
    worker = master.workers["first"]
    counts = ["2", "%d" % master.knowledge.expansions, "%d" % worker.table_entries]
    assert worker_rows(solver.progress(), 5) == [
        ["first", *counts, "40.0 %", "8.0 s ago"],
        ["second", "0", "0", "0", "0.0 %", "10.0 s ago"],
    ]
    assert [row[0] for row in worker_rows(solver.progress(), 1)] == ["second"]
    time = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: time[0])
    with progress.open_progress(
        False, Heading("0*7", "sprouts", "pns-pdfpn"), Forecaster()
    ) as show:
        for _ in range(25):
            time[0] += 1.0
            show(solver)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    for words in (
        "workers 2, busy 20.0 %",
        "jobs 2 given, 2 done",
        "expansions %d" % master.knowledge.expansions,
        "facts ",
    ):
        assert words in lines[0]


@pytest.mark.parametrize("name", ["figures.csv", "figures.json"])
def test_a_search_writes_them(tmp_path: Path, name: str) -> None:
    pytest.importorskip("zmq", reason="pyzmq is missing")
    path = tmp_path / name
    options = ("--algorithm", "pns-pdfpn", "--workers", 1, "--iterations", 500)
    done = solve("0*6", *options, "--no-db", "--quiet", "--statistics", path)
    assert (done.status, done.errors) == (0, []), done
    found: Dict[str, Any]
    if name.endswith("csv"):
        found = {**rows_of(path)[-1]}
        assert found["option_iterations"] == "500"
    else:
        found = json.loads(path.read_text())
        assert found["options"]["iterations"] == 500
    assert found["done"] == "solved" and int(found["expansions"]) > 0


@pytest.mark.parametrize(
    "arguments, error",
    [
        (
            ("--statistics", "x.csv"),
            "argument --statistics: only pns-pdfpn and ppn2 have it, not dfpn",
        ),
        (("--algorithm", "pns-pdfpn", "--statistics", "x.txt"), "ends in .csv or .json"),
        (("--algorithm", "pns-pdfpn", "--statistics", "/no/x.csv"), "no such directory"),
    ],
)
def test_refusals(arguments: List[str], error: str) -> None:
    done = solve("0*3", "--no-db", *arguments)
    assert done.status == 2 and len(done.errors) == 1 and error in done.errors[0], done
