"""The progress of a search over time, in a bounded list."""

from __future__ import annotations

import time
from typing import Callable, List, NamedTuple

from pns import Result, Solver
from pns.cli.reports.thinned import Thinned
from pns.search.bounds import INF

MOST_SAMPLES = 400
FIRST_SECONDS = 0.05
"""Least time between two samples at first; it doubles when there are too many."""


class Sample(NamedTuple):
    """The figures of a search at a time, in seconds since its start."""

    seconds: float
    pn: int
    dn: int
    expansions: int
    memory: int
    """Bytes."""
    facts: int


class Series:
    """Samples of a search about evenly apart; the first and the newest are always among them."""

    def __init__(
        self, most: int = MOST_SAMPLES, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`most` is at least 3."""
        self._samples: Thinned[Sample] = Thinned(most)
        self._clock = clock
        self._start = clock()
        self._due = 0.0

    @property
    def samples(self) -> List[Sample]:
        """The samples so far."""
        return self._samples.values

    def observe(self, solver: Solver) -> None:
        """Take a sample when it is time; to be called with the search every few expansions."""
        seconds = self._clock() - self._start
        if seconds >= self._due:
            found = solver.progress()
            self._due = seconds + FIRST_SECONDS * self._samples.step
            self._samples.add(
                Sample(seconds, *found.root, found.expansions, found.memory, found.facts_known)
            )

    def finish(self, result: Result) -> None:
        """Add the end of the search, with the figures of its result."""
        usage = result.usage
        if not self.samples and result.outcome is None:
            return
        start = Sample(0.0, 1, 1, 0, usage.peak_memory_bytes, 0)
        last = self.samples[-1] if self.samples else start
        root = {"win": (0, INF), "loss": (INF, 0)}.get(str(result.claim), (last.pn, last.dn))
        seconds = max(usage.seconds, last.seconds)
        self._samples.add(Sample(seconds, *root, usage.expansions, last.memory, usage.facts_known))
