"""What the master and the workers of a running search did over time, for `pns solve --timeline`.

Workers report how many seconds they have spent on jobs. What lies between two reports is
divided accordingly, evenly over the time between them.
"""

from __future__ import annotations

import os
import time
from typing import Callable, Dict, NamedTuple

from pns import Progress, Solver
from pns.cli.common import die
from pns.cli.timeline_picture import COLUMNS, picture
from pns.diary import ANSWERING, SEARCHING, WAITING, Strip
from pns.files import open_whole, require_regular

LOOK_SECONDS = 0.1
JITTER = 0.005
"""Seconds by which the time of a report may seem to move from one look to the next."""


class Heard(NamedTuple):
    """What the last report of a worker said."""

    at: float
    """When it came."""
    busy: float
    """The seconds that it had spent on jobs."""


class SearchTimeline:
    """The picture of a search by a master; exits for a path that cannot be written."""

    def __init__(self, path: str, title: str, clock: Callable[[], float] = time.monotonic) -> None:
        if not os.path.isdir(os.path.dirname(os.path.realpath(path))):
            die("argument --timeline: %s: no such directory" % path)
        if os.path.exists(path):
            try:
                require_regular(path)
            except OSError as error:
                die("argument --timeline: %s: %s" % (path, error.strerror))
        self.path, self._title = path, title
        self._clock = clock
        self._start = clock()
        self._due = 0.0
        self._end = 0.0
        self._answered = 0.0
        self.master = Strip()
        self.strips: Dict[str, Strip] = {}
        self._heard: Dict[str, Heard] = {}

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
            heard = Heard(now - worker.seconds_since_heard, worker.busy_seconds)
            last = self._heard.get(worker.name)
            if last and heard.at <= last.at + JITTER:
                continue
            if last and heard.busy >= last.busy:
                busy = min(heard.busy - last.busy, heard.at - last.at)
                seconds = {SEARCHING: busy, WAITING: heard.at - last.at - busy}
                self.strips[worker.name].add(max(0.0, last.at), heard.at, seconds)
            self._heard[worker.name] = heard
            self.strips.setdefault(worker.name, Strip())

    def write(self) -> None:
        """Write the picture, wholly or not at all; raises OSError."""
        end = self._end
        workers = [strip.kinds(end, COLUMNS) for strip in self.strips.values()]
        text = picture(self._title, self.master.kinds(end, COLUMNS), workers, end, "seconds")
        with open_whole(self.path) as stream:
            stream.write(text.encode())
