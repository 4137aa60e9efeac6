"""What the master and the workers of a running search did over time, for `pns solve --timeline`.

Workers report how many seconds they have spent on jobs. What lies between two reports is
divided accordingly, evenly over the time between them.
"""

from __future__ import annotations

import time
from typing import Callable, Dict, NamedTuple

from pns import Progress, Solver
from pns.cli.parser import check_output
from pns.cli.reports.timeline_picture import COLUMNS, picture
from pns.simulation.diary import ANSWERING, SEARCHING, WAITING, Strip
from pns.system.files import open_whole

LOOK_SECONDS = 0.1
JITTER = 0.005
"""Seconds by which the time of a report may seem to move from one look to the next."""


class Report(NamedTuple):
    """What the last report of a worker said."""

    at: float
    """When it came."""
    busy: float
    """The seconds that it had spent on jobs."""


class SearchTimeline:
    """The picture of a search by a master; exits for a path that cannot be written."""

    def __init__(self, path: str, title: str, clock: Callable[[], float] = time.monotonic) -> None:
        check_output("--timeline", path, (".svg",))
        self.path, self._title = path, title
        self._clock = clock
        self._start = clock()
        self._due = 0.0
        self._end = 0.0
        self._answered = 0.0
        self.master = Strip()
        self.strips: Dict[str, Strip] = {}
        self._reports: Dict[str, Report] = {}

    def observe(self, solver: Solver) -> None:
        """Look at a search if it is time to; to be called while it runs."""
        now = self._clock() - self._start
        if now >= self._due:
            self._due = now + LOOK_SECONDS
            self.add(now, solver.progress())

    def add(self, now: float, found: Progress) -> None:
        """Add what was done since the last time; `now` is in seconds since the start."""
        answered = min(found.answering_seconds - self._answered, now - self._end)
        idle = now - self._end - answered
        self.master.add(self._end, now, {ANSWERING: answered, WAITING: idle})
        self._end, self._answered = now, found.answering_seconds
        for worker in found.workers:
            report = Report(now - worker.seconds_since_heard, worker.busy_seconds)
            last = self._reports.get(worker.name)
            if last and report.at <= last.at + JITTER:
                continue
            if last and report.busy >= last.busy:
                busy = min(report.busy - last.busy, report.at - last.at)
                seconds = {SEARCHING: busy, WAITING: report.at - last.at - busy}
                self.strips[worker.name].add(max(0.0, last.at), report.at, seconds)
            self._reports[worker.name] = report
            self.strips.setdefault(worker.name, Strip())

    def write(self) -> None:
        """Write the picture, wholly or not at all; raises OSError."""
        end = self._end
        workers = [strip.kinds(end, COLUMNS) for strip in self.strips.values()]
        text = picture(self._title, self.master.kinds(end, COLUMNS), workers, end, "seconds")
        with open_whole(self.path) as stream:
            stream.write(text.encode())
