"""Progress on standard error: a panel on a terminal, otherwise a line every 10 s."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import Any, Callable, Iterator, List, Tuple

from pns import Progress, Solver
from pns.bounds import INF
from pns.cli.common import HOW_TO_INSTALL

PANEL_SECONDS = 0.25
LINE_SECONDS = 10.0
WIDTH = 120
"""Characters for the line of play or the processes, off a terminal."""

NAMES = ("worker", "jobs", "expansions", "nodes", "busy", "last message")
LEAST_WORKERS = 4
"""Workers shown even where the terminal is too low."""
OTHER_LINES = 9
"""Lines of the panel that are not about one worker, and one below it."""

Observer = Callable[[Solver], None]


class Rate:
    """Expansions for each second between updates."""

    def __init__(self) -> None:
        self.start = self.last = time.monotonic()
        self.expansions = 0
        self.value = 0.0

    def due(self, seconds: float) -> bool:
        return time.monotonic() - self.last >= seconds

    def update(self, expansions: int) -> None:
        now = time.monotonic()
        self.value = (expansions - self.expansions) / max(now - self.last, 1e-9)
        self.last, self.expansions = now, expansions


def figures(found: Progress, rate: Rate, width: int) -> List[Tuple[str, str]]:
    """(name, text) of all figures; long texts are shortened to fit in `width`."""
    pn, dn = ["∞" if number == INF else "%d" % number for number in found.root]
    part = width // max(len(found.lines), 1)
    return [
        ("time", "%d s" % (time.monotonic() - rate.start)),
        ("root", "pn %s, dn %s" % (pn, dn)),
        ("expansions", "%d, %.0f/s" % (found.expansions, rate.value)),
        ("facts", "%d, %d new" % (found.facts_known, found.facts_new)),
        found.store,
        ("memory", "%d MB" % (found.memory // 1_000_000)),
        *[(name, shortened(text, part)) for name, text in found.lines],
    ]


def worker_rows(found: Progress, most: int) -> List[List[str]]:
    """A row, in the order of NAMES, for each of the `most` workers silent for longest."""
    silence = sorted([worker.seconds_since_heard for worker in found.workers], reverse=True)
    least = silence[most - 1] if len(silence) > most else 0.0
    return [
        [
            worker.name,
            "%d" % worker.jobs,
            "%d" % worker.expansions,
            "%d" % worker.nodes,
            "%.1f %%" % (100.0 * worker.utilisation),
            "%.1f s ago" % worker.seconds_since_heard,
        ]
        for worker in found.workers
        if worker.seconds_since_heard >= least
    ][:most]


def shortened(text: str, width: int) -> str:
    """A text, or of one longer than `width` the beginning and the end."""
    if len(text) > width:
        text = "%s … %s" % (text[: width // 3], text[3 - 2 * width // 3 :])
    return text


@contextmanager
def open_live(missing: List[str]) -> Iterator[Any]:
    """A live display on a terminal, else None; names a missing package in `missing`."""
    if not sys.stderr.isatty():
        yield None
        return
    try:
        from rich.console import Console
        from rich.live import Live
    except ImportError:
        missing.append("rich is missing, so progress is plain text: " + HOW_TO_INSTALL)
        yield None
        return
    with Live(console=Console(stderr=True), auto_refresh=False, transient=True) as live:
        yield live


def grid_of(lines: List[Tuple[str, str]]) -> Any:
    """Names and values, for a panel."""
    from rich.table import Table

    grid = Table.grid(padding=(0, 2))
    for name, value in lines:
        grid.add_row("[bold]" + name, value)
    return grid


def print_line(lines: List[Tuple[str, str]]) -> None:
    """Names and values in one line."""
    print("; ".join(["%s %s" % pair for pair in lines]), file=sys.stderr, flush=True)


@contextmanager
def open_progress(quiet: bool, missing: List[str]) -> Iterator[Observer]:
    """An observer that shows a search; names a missing package in `missing`."""
    if quiet:
        yield lambda search: None
        return
    rate = Rate()
    with open_live(missing) as live:

        def show(solver: Solver) -> None:
            if rate.due(PANEL_SECONDS if live else LINE_SECONDS):
                rate.update(solver.expansions)
                found = solver.progress()
                if live:
                    console = live.console
                    panel = panel_of(found, rate, 3 * console.width, console.height)
                    live.update(panel, refresh=True)
                else:
                    print_line(figures(found, rate, WIDTH))

        yield show


def panel_of(found: Progress, rate: Rate, width: int, height: int) -> Any:
    """The panel: the figures, and as many workers as there is room for."""
    from rich.console import Group
    from rich.table import Table

    grid = grid_of(figures(found, rate, width))
    if not found.distribution:
        return grid
    most = max(LEAST_WORKERS, height - OTHER_LINES - 2)
    rows = Table(*NAMES, box=None, padding=(0, 2, 0, 0))
    for row in worker_rows(found, most):
        rows.add_row(*row)
    left = len(found.workers) - most
    return Group(grid, rows, "and %d more" % left if left > 0 else "")


def together(*observers: Observer) -> Observer:
    """An observer that calls several."""

    def observe(solver: Solver) -> None:
        for observer in observers:
            observer(solver)

    return observe


Counter = Callable[[int, int, int, str], None]
"""Called with the number done, the total, how many of those done an earlier run did, a remark."""


@contextmanager
def open_counter(quiet: bool) -> Iterator[Counter]:
    """A counter: on a terminal one line that changes, otherwise a line every 10 s."""
    rate = Rate()
    terminal = sys.stderr.isatty()
    width = 0

    def show(done: int, total: int, before: int, remark: str) -> None:
        nonlocal width
        if rate.due(PANEL_SECONDS if terminal else LINE_SECONDS):
            rate.update(done)
            speed = (done - before) / (time.monotonic() - rate.start)
            left = (total - done) / max(speed, 1e-9)
            share = 100.0 * done / max(total, 1)
            figures = "%d of %d (%.1f %%), %.0f/s, %.0f s left" % (done, total, share, speed, left)
            text = "%s, %s" % (figures, remark)
            print(text.ljust(width), end="\r" if terminal else "\n", file=sys.stderr, flush=True)
            width = len(text)

    yield (lambda *_: None) if quiet else show
    if terminal and width:
        print(" " * width, end="\r", file=sys.stderr, flush=True)
