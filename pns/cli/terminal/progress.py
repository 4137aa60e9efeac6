"""Progress on standard error: a panel on a terminal, otherwise a line every 10 s."""

from __future__ import annotations

import sys
import time
from collections import deque
from contextlib import contextmanager
from typing import Callable, Deque, Iterator, List, Tuple

from pns import Progress, Solver
from pns.cli import layout
from pns.cli.layout import shortened
from pns.cli.reports.forecast import Forecaster, left_text
from pns.cli.terminal.panel import Heading, Panel
from pns.cli.terminal.screen import open_screen
from pns.search.bounds import INF

PANEL_SECONDS = 0.25
LINE_SECONDS = 10.0
RATE_SECONDS = 5.0
"""The rate is a mean over this time or a little more."""
WIDTH = 120
"""Characters for the line of play or the processes, off a terminal."""

SolverObserver = Callable[[Solver], None]


class Rate:
    """Expansions for each second of the last RATE_SECONDS, or since the last update."""

    def __init__(self) -> None:
        self.start = self.last = time.monotonic()
        self.value = 0.0
        self._counts: Deque[Tuple[float, int]] = deque([(self.start, 0)])

    def due(self, seconds: float) -> bool:
        return time.monotonic() - self.last >= seconds

    def update(self, expansions: int) -> None:
        now = self.last = time.monotonic()
        counts = self._counts
        while len(counts) > 1 and counts[1][0] <= now - RATE_SECONDS:
            counts.popleft()
        then, before = counts[0]
        self.value = (expansions - before) / max(now - then, 1e-9)
        counts.append((now, expansions))


def figures(found: Progress, rate: Rate, width: int, left: str = "") -> List[Tuple[str, str]]:
    """(name, text) of all figures, `left` if it is known; long texts are shortened to `width`."""
    pn, dn = ["∞" if number == INF else "%d" % number for number in found.root]
    part = width // max(len(found.lines), 1)
    return [
        ("time", "%d s" % (time.monotonic() - rate.start)),
        *([("left", left)] if left else []),
        ("root", "pn %s, dn %s" % (pn, dn)),
        ("expansions", "%d, %.0f/s" % (found.expansions, rate.value)),
        ("facts", "%d, %d new" % (found.facts_known, found.facts_new)),
        found.store,
        ("memory", layout.size(found.memory)),
        *[(name, shortened(text, part)) for name, text in found.lines],
    ]


def print_line(lines: List[Tuple[str, str]]) -> None:
    """Names and values in one line."""
    print("; ".join(["%s %s" % pair for pair in lines]), file=sys.stderr, flush=True)


@contextmanager
def open_progress(
    quiet: bool, heading: Heading, forecaster: Forecaster
) -> Iterator[SolverObserver]:
    """An observer that shows a search, and how long it still takes by the forecaster."""
    if quiet:
        yield lambda search: None
        return
    rate = Rate()
    panel = Panel(heading)
    with open_screen() as screen:

        def show(solver: Solver) -> None:
            if rate.due(PANEL_SECONDS if screen else LINE_SECONDS):
                rate.update(solver.expansions)
                found, left = solver.progress(), left_text(forecaster)
                if screen:
                    seconds = time.monotonic() - rate.start
                    size = screen.size()
                    screen.draw(panel.lines(found, seconds, rate.value, *size, left))
                else:
                    print_line(figures(found, rate, WIDTH, left))

        yield show


def together(*observers: SolverObserver) -> SolverObserver:
    """An observer that calls several."""

    def observe(solver: Solver) -> None:
        for observer in observers:
            observer(solver)

    return observe


Counter = Callable[[int, int, int, str], None]
"""Called with the number done, the total, how many of those done an earlier run did, a remark."""


@contextmanager
def open_line(quiet: bool) -> Iterator[Callable[[str], None]]:
    """Shows texts: on a terminal one line that changes, otherwise a line every 10 s."""
    if quiet:
        yield lambda _: None
        return
    with open_screen() as screen:
        interval = PANEL_SECONDS if screen else LINE_SECONDS
        due = time.monotonic() + interval

        def show(text: str) -> None:
            nonlocal due
            if time.monotonic() < due:
                return
            due = time.monotonic() + interval
            if screen:
                screen.draw([[("", text)]])
            else:
                print(text, file=sys.stderr, flush=True)

        yield show


@contextmanager
def open_counter(quiet: bool) -> Iterator[Counter]:
    """A counter that shows a line of `open_line`."""
    start = time.monotonic()
    with open_line(quiet) as show_line:

        def show(done: int, total: int, before: int, remark: str) -> None:
            speed = (done - before) / (time.monotonic() - start)
            left = (total - done) / max(speed, 1e-9)
            share = 100.0 * done / max(total, 1)
            figures = "%d of %d (%.1f %%), %.0f/s, %.0f s left" % (done, total, share, speed, left)
            show_line("%s, %s" % (figures, remark))

        yield show
