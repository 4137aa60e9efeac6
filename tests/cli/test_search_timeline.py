"""solve.py --timeline: what the master and the workers of a real search did, as a picture."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any, List, Tuple

import pytest
from helpers.live import wait_until
from helpers.processes import children_of
from helpers.solver import LONG, command, run

from pns import Progress
from pns.cli.reports.search_timeline import SearchTimeline
from pns.cli.reports.timeline_picture import COLOURS, COLUMNS
from pns.usage import WorkerProgress

pytestmark = pytest.mark.programs

DISTRIBUTED = ("--algorithm", "pns-pdfpn", "--no-db", "--quiet")
SVG = "{http://www.w3.org/2000/svg}"


def progress(answering: float, *workers: Tuple[str, float, float]) -> Any:
    """The progress of a master; each worker has a name, busy seconds, and those of its silence."""
    return Progress(
        root=(1, 1),
        expansions=1,
        facts_known=0,
        facts_new=0,
        memory=0,
        store=("tree", ""),
        answering_seconds=answering,
        workers=[
            WorkerProgress(name, 1, 1, 1, 0.0, silence, busy) for name, busy, silence in workers
        ],
    )


def shares(timeline: SearchTimeline, name: str, end: float) -> List[str]:
    return timeline.strips[name].kinds(end, 4)


def test_reports_divide_the_time_between_them(tmp_path: Path) -> None:
    timeline = SearchTimeline(str(tmp_path / "t.svg"), "0*3")
    timeline.add(1.0, progress(0.1, ("a", 0.0, 1.0), ("b", 0.0, 0.0)))
    timeline.add(2.0, progress(0.9, ("a", 0.0, 2.0), ("b", 0.2, 0.0)))
    timeline.add(4.0, progress(1.0, ("a", 3.0, 0.0), ("b", 2.2, 0.0)))
    assert shares(timeline, "a", 4.0) == ["searching"] * 4
    assert shares(timeline, "b", 4.0) == ["", "waiting", "searching", "searching"]
    assert timeline.master.kinds(4.0, 4) == ["waiting", "answering", "waiting", "waiting"]
    # A worker that was started again begins from 0 in its old row; one that has left keeps its row.
    timeline.add(5.0, progress(1.0, ("b", 0.5, 0.0)))
    timeline.add(8.0, progress(1.0, ("b", 3.5, 0.0)))
    assert shares(timeline, "b", 8.0) == ["waiting", "searching", "searching", "searching"]
    assert timeline.strips["a"].kinds(8.0, 8) == ["searching"] * 4 + [""] * 4


def test_the_time_of_a_report_may_jitter(tmp_path: Path) -> None:
    timeline = SearchTimeline(str(tmp_path / "t.svg"), "0*3")
    for i in range(1, 100):
        timeline.add(i / 10, progress(0.0, ("a", 0.0, i / 10 - 0.001 * (i % 3))))
    assert timeline.strips["a"].columns == []


def rows_of(path: Path) -> List[Tuple[float, str]]:
    """(height above the bottom, colour) of each path of a row."""
    root = ElementTree.parse(path).getroot()
    assert root.tag == SVG + "svg"
    found = []
    for element in root.iter(SVG + "path"):
        start = re.match(r"M[\d.]+ ([\d.]+)h", element.get("d", ""))
        if start:
            found.append((float(start[1]), element.get("stroke", "")))
    return found


def test_two_workers_of_a_search(tmp_path: Path) -> None:
    path = tmp_path / "t.svg"
    done = run("solve.py", *DISTRIBUTED, "--no-known", "--workers", 2, "--timeline", path, "0*12")
    assert done.status == 0 and done.errors == []
    rows = rows_of(path)
    heights = sorted({height for height, _ in rows})
    assert len(heights) == 3
    for height in heights[1:]:
        assert COLOURS["searching"] in [colour for at, colour in rows if at == height]
    assert {colour for at, colour in rows if at == heights[0]} <= {
        COLOURS["answering"],
        COLOURS["waiting"],
    }
    text = path.read_text()
    assert ">seconds<" in text and ">0*12<" in text and ">searching on<" not in text
    assert COLUMNS % 2 == 0


def test_a_search_that_is_stopped_leaves_its_picture(tmp_path: Path) -> None:
    path = tmp_path / "t.svg"
    words = (*DISTRIBUTED, "--workers", 1, "--timeline", path, LONG)
    child = subprocess.Popen(command(*words), stdout=subprocess.PIPE)
    wait_until(lambda: bool(children_of(child.pid)), "a worker")
    assert not path.exists()
    os.kill(child.pid, signal.SIGTERM)
    child.communicate(timeout=60)
    assert child.returncode == 130 and ">%s<" % LONG in path.read_text()
    assert [entry.name for entry in tmp_path.iterdir()] == ["t.svg"]


def test_refusals(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.svg")
    (tmp_path / "directory.svg").mkdir()
    for path, error in (
        (tmp_path / "no" / "t.svg", "no such directory"),
        (tmp_path / "directory.svg", "not a regular file"),
        (tmp_path / "fifo.svg", "not a regular file"),
    ):
        done = run("solve.py", *DISTRIBUTED, "0*3", "--timeline", path)
        line = "solve.py: argument --timeline: %s: %s" % (path, error)
        assert (done.status, done.errors) == (2, [line])
    done = run("solve.py", "0*3", "--timeline", tmp_path / "t.svg")
    assert done.status == 2 and "only pns-pdfpn and ppn2 have it" in done.errors[0]
    assert not (tmp_path / "t.svg").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_directory_that_cannot_be_written(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    place.chmod(0o500)
    done = run("solve.py", *DISTRIBUTED, "0*3", "--timeline", place / "t.svg")
    assert done.status == 4 and "no timeline: " in done.errors[-1]
