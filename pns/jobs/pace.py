"""How long a job lasts at least, so that the master keeps up with its workers.

Thresholds end a job as soon as another leaf is the most proving one, often after a few
expansions. That is the best for the search and the worst for the master, whose work for a job
does not depend on its length. So a job goes on until it has had a least number of expansions,
which follows the load of the master.
"""

from __future__ import annotations

TARGET_LOAD = 0.9
"""The share of its time for which the master may work; docs/lab/scaling.md has the measurements."""

WINDOW = 32
"""Requests from one change to the next."""

FEWEST = 30
"""The least number of expansions of a job of an idle master: its worker, too, has to do something
for a job, and the master may have no core of its own."""

EXPANSIONS_PER_WORKER = 50
"""Upper bound on that number for each worker, however busy the master is with facts."""


class Pace:
    """The least number of expansions of a job.

    >>> pace = Pace()
    >>> pace.least(64)
    30
    >>> for i in range(WINDOW):
    ...     pace.note(0.001 * i, 0.001, 64)
    >>> pace.least(64)
    33
    """

    def __init__(self) -> None:
        self._least = float(FEWEST)
        self._since = self._busy = 0.0
        self._requests = 0
        self.seconds = 0.0
        """For how long the master has worked on all requests."""

    def note(self, now: float, seconds: float, workers: int) -> None:
        """Note the end of a request, and the seconds for which the master worked on it."""
        if not self._requests:
            self._since = now - seconds
        self._requests += 1
        self._busy += seconds
        self.seconds += seconds
        if self._requests == WINDOW:
            load = self._busy / max(now - self._since, self._busy, 1e-9)
            self._least *= max(0.5, min(2.0, load / TARGET_LOAD))
            self._least = max(FEWEST, min(self._least, EXPANSIONS_PER_WORKER * workers))
            self._requests, self._busy = 0, 0.0

    def least(self, workers: int) -> int:
        """The least number of expansions of a job, for a number of workers from 1 on."""
        return min(int(self._least), EXPANSIONS_PER_WORKER * workers)
