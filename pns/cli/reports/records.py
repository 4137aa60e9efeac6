"""Statistics of a distributed search in a file: the columns of Table 3 of [cizek2025], and more.

FILE.csv gets a line every 10 s and one at the end, below those of earlier runs. FILE.json
holds the newest figures only, with those of each worker; it is replaced whole. Both contain
all options of the run.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import time
from dataclasses import asdict
from typing import Any, Callable, Dict, List, Optional

import pns
from pns import Progress, Solver
from pns.cli.common import die, warn
from pns.cli.parser import check_output
from pns.cli.reports.forecast import Forecast, Forecaster
from pns.system.files import Reporter, open_whole, require_regular

EVERY_SECONDS = 10.0
LONGEST_HEADER = 100_000
"""Characters."""
HIDDEN = ("statistics", "metrics", "timeline", "json", "quiet", "version")
"""Options that do not affect the search, and are left out."""

LEFT = ("left_low", "left", "left_high")
"""Quartiles of the seconds that the search still takes (`pns.cli.reports.forecast`), if they are
known."""

FIGURES = (
    "time",
    "master_nodes",
    "worker_nodes",
    "facts",
    "expansions",
    "utilisation",
    "seconds",
    *LEFT,
    "workers_now",
    "joined",
    "jobs_given",
    "jobs_submitted",
    "jobs_closed",
    "jobs_lost",
    "jobs_late",
    "jobs_dropped",
    "done",
)
"""The columns of a CSV file before those of the options."""

Row = Dict[str, Any]


def figures(found: Progress, seconds: float, forecast: Optional[Forecast]) -> Row:
    """The figures: first those of Table 3 (M-Nodes, W-Nodes, T-GN, T-It, Util, Time)."""
    distribution = found.distribution
    assert distribution
    return {
        "master_nodes": distribution.master_nodes,
        "worker_nodes": distribution.worker_nodes,
        "facts": distribution.facts,
        "expansions": distribution.expansions,
        "utilisation": round(distribution.utilisation, 5),
        "seconds": round(seconds, 3),
        **{name: round(left, 1) for name, left in zip(LEFT, forecast or ())},
        "workers_now": distribution.workers,
        "joined": distribution.joined,
        **{"jobs_" + name: value for name, value in asdict(distribution.jobs).items()},
        "done": found.done,
    }


def check_statistics(path: str) -> None:
    """Exit unless statistics can be written there."""
    check_output("--statistics", path, (".csv", ".json"))


class Records:
    """A file of statistics, written while a search runs.

    A failure to write is reported on standard error, and tried again later.
    """

    def __init__(
        self,
        path: str,
        args: argparse.Namespace,
        forecaster: Forecaster,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        check_statistics(path)
        self._forecaster = forecaster
        self._clock = clock
        self.path = path
        self.options = {
            name: value for name, value in sorted(vars(args).items()) if name not in HIDDEN
        }
        self._start = clock()
        self._last = -EVERY_SECONDS
        self._reporter = Reporter(warn)
        self._finished = False
        self._header = [*FIGURES, *["option_" + name for name in self.options], "pns"]
        self._begun = False
        if path.endswith(".csv"):
            header = self._read_header()
            self._begun = header is not None
            if header not in (None, self._header):
                die("argument --statistics: %s: its columns differ; give another file" % path)

    def _read_header(self) -> Optional[List[str]]:
        """The columns that the first line of the file names; None if there is no such line."""
        try:
            require_regular(self.path)
            with open(self.path, encoding="utf-8", newline="") as file:
                line = file.readline(LONGEST_HEADER)
                return next(csv.reader([line])) if line else None
        except FileNotFoundError:
            return None
        except (UnicodeDecodeError, csv.Error):
            die("argument --statistics: %s: not a CSV file; give another file" % self.path)

    def observe(self, solver: Solver) -> None:
        """Write every EVERY_SECONDS, and when the search is done."""
        now, found = self._clock(), solver.progress()
        if self._finished or (now - self._last < EVERY_SECONDS and not found.done):
            return
        self._last, self._finished = now, bool(found.done)
        try:
            self._write(found)
        except OSError as error:
            if found.done:
                warn("%s: %s; the last figures are not in it" % (self.path, error.strerror))
            else:
                self._reporter.report("%s: %s; the search goes on" % (self.path, error.strerror))

    def _write(self, found: Progress) -> None:
        row = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            **figures(found, self._clock() - self._start, self._forecaster.forecast()),
        }
        if self.path.endswith(".json"):
            whole = {
                "pns": pns.__version__,
                "options": self.options,
                **row,
                "workers": [asdict(worker) for worker in found.workers],
            }
            with open_whole(self.path) as stream:
                stream.write((json.dumps(whole, indent=1) + "\n").encode())
            return
        row.update({"option_" + name: value for name, value in self.options.items()})
        row["pns"] = pns.__version__
        if not self._begun:
            self._append(self._header)
            self._begun = True
        self._append([row.get(name, "") for name in self._header])

    def _append(self, values: List[Any]) -> None:
        """Append a line by one write; a line that was cut off before is ended first."""
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerow(values)
        with open(self.path, "ab+") as stream:
            if stream.seek(0, os.SEEK_END):
                stream.seek(-1, os.SEEK_END)
                if stream.read(1) != b"\n":
                    text = io.StringIO("\n" + text.getvalue())
            stream.write(text.getvalue().encode())
