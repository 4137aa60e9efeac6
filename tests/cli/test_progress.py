"""Progress of scripts/solve.py on a terminal and elsewhere, and without optional packages."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any, List

import pytest
from helpers.solver import (
    LONG,
    command,
    on_terminal,
    read_terminal,
)

import pns
from pns.cli.layout import shortened
from pns.cli.reports.forecast import Forecaster
from pns.cli.terminal import progress
from pns.cli.terminal.panel import Heading
from pns.cli.terminal.progress import Rate, figures

pytestmark = [pytest.mark.usefixtures("home"), pytest.mark.programs]


def test_a_panel_on_a_terminal() -> None:
    child, terminal = on_terminal(command("--no-db", "--max-seconds", "6", LONG))
    drawn = read_terminal(child, terminal)
    assert child.communicate()[0].count(b"expansions") == 1
    assert child.returncode == 3
    for name in ("time", "expansions", "proof", "disproof", "facts", "table", "memory", "line"):
        assert name in drawn
    assert LONG in drawn and "/s" in drawn and LONG + " > " in drawn
    before, shown, after = drawn.rpartition("\x1b[J\x1b[?25h")
    assert shown and "\x1b[?25l" in before  # the panel is wiped, and the cursor is back
    reason, _ = after.splitlines()
    assert reason == LONG + " is not solved: stopped by the budget of seconds."


def test_each_process_is_shown() -> None:
    rate = Rate()
    shown: List[Any] = []

    def observe(solver: Any) -> None:
        search = solver.search
        if min(search.expansions_of) and all(search.remarks()) and search.memory:
            shown.append((dict(figures(solver.progress(), rate, 120)), list(search.expansions_of)))
            solver.stop("seen")

    result = pns.solve(LONG, algorithm="pdfpn", processes=3, observer=observe, capacity=1000)
    assert result.stopped_by == "seen"
    named, expansions = shown[0]
    for i, done in enumerate(expansions, 1):
        assert named["process %d" % i].startswith("%d, depth " % done)
    assert "process 4" not in named and int(named["memory"].split()[0]) > 20
    assert result.usage.peak_memory_bytes > 20_000_000


BLOCKED = """
import sys
for name in sys.argv[1].split():
    sys.modules[name] = None
sys.argv[:2] = []
sys.path.insert(0, sys.argv[0].rpartition("/")[0])
import runpy
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def without(names: str, *arguments: object) -> List[bytes]:
    """The command of a solver that cannot import these modules."""
    python, *script = command(*arguments)
    return [python, b"-c", BLOCKED.encode(), names.encode(), *script]


def test_a_bare_interpreter(home: Path) -> None:
    names = "lmdb pns.facts.liblmdb psutil"
    child, terminal = on_terminal(without(names, "0*3"))
    drawn = read_terminal(child, terminal).splitlines()
    output, _ = child.communicate()
    assert (child.returncode, output.startswith(b"0*3 is a win")) == (0, True)
    (line,) = drawn
    for word in ("solve.py: ", "liblmdb0", "in memory only"):
        assert word in line
    done = subprocess.run(without(names, "0*3"), capture_output=True, text=True)
    assert done.returncode == 0
    assert len(done.stderr.splitlines()) == 1
    done = subprocess.run(without(names, "--no-db", "0*3"), capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    done = subprocess.run(without(names, "--db", "f", "0*3"), capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "liblmdb0" in done.stderr
    assert not home.exists()


def test_a_plain_line_every_ten_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    heading = Heading("0*4", "sprouts", "dfpn")
    solver: Any = None

    def observe(now: pns.Solver) -> None:
        nonlocal solver
        solver = now

    pns.solve("0*4", observer=observe)
    solver.search.expansions = 5000
    with progress.open_progress(False, heading, Forecaster()) as show:
        for tenths in range(1, 250):
            clock[0] = 100.0 + tenths / 10
            show(solver)
    with progress.open_progress(True, heading, Forecaster()) as show:
        clock[0] += 100.0
        show(solver)
    output, errors = capsys.readouterr()
    lines = errors.splitlines()
    assert output == ""
    assert [line.split(";")[0] for line in lines] == ["time 10 s", "time 20 s"]
    assert "expansions 5000, 500/s" in lines[0] and "expansions 5000, 0/s" in lines[1]
    for name in ("root pn ", "facts ", "table ", "memory ", "line "):
        assert name in lines[0]
    assert shortened("x" * 1000, 100) == "x" * 34 + " … " + "x" * 63
