"""What a person sees of a master and its workers, on standard error, while they search."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import Any, Callable, Iterator, List, Tuple

from progress import LINE_SECONDS, PANEL_SECONDS, Rate
from records import workers

from pns.machine import used_memory
from pns.master import Master

Observer = Callable[[Master, float], None]

NAMES = ("worker", "jobs", "expansions", "nodes", "busy", "heard of")
LEAST_WORKERS = 4
OTHER_LINES = 9
"""Of the panel, those that are not about one worker, and one below it."""


def figures(master: Master, now: float, rate: Rate) -> List[Tuple[str, str]]:
    """What there is to tell of all, by name."""
    found = master.statistics(now)
    jobs = found.jobs
    given = "%d given, %d done, %d lost, %d late" % (
        jobs.given,
        jobs.submitted,
        jobs.lost,
        jobs.late,
    )
    return [
        ("time", "%d s" % (now - rate.start)),
        ("workers", "%d, busy %.1f %%" % (found.workers, 100.0 * found.utilisation)),
        ("jobs", given),
        ("tree", "%d nodes" % found.master_nodes),
        ("facts", "%d, %d new" % (found.facts, master.facts.new)),
        ("expansions", "%d, %.0f/s" % (found.expansions, rate.value)),
        ("memory", "%d MB" % (used_memory() // 1_000_000)),
    ]


def worker_rows(master: Master, now: float, most: int) -> List[List[str]]:
    """A row for each worker, in the order of NAMES; of too many those not heard of longest."""
    rows = workers(master, now)
    silence = sorted([row["seconds_since_heard"] for row in rows], reverse=True)
    least = silence[most - 1] if len(rows) > most else 0.0
    return [
        [
            row["name"],
            "%d" % row["jobs"],
            "%d" % row["expansions"],
            "%d" % row["nodes"],
            "%.1f %%" % (100.0 * row["utilisation"]),
            "%.1f s ago" % row["seconds_since_heard"],
        ]
        for row in rows
        if row["seconds_since_heard"] >= least
    ][:most]


@contextmanager
def open_panel(quiet: bool, missing: List[str]) -> Iterator[Observer]:
    """A panel on a terminal, a line every 10 s elsewhere; what it lacks is added to `missing`."""
    rate = Rate()
    if quiet:
        yield lambda master, now: None
        return
    if not sys.stderr.isatty():
        yield _lines(rate)
        return
    try:
        from rich.console import Console, Group
        from rich.live import Live
        from rich.table import Table
    except ImportError:
        missing.append("rich is missing, so progress is plain text: run sh scripts/setup.sh")
        yield _lines(rate)
        return
    console = Console(stderr=True)
    with Live(console=console, auto_refresh=False, transient=True) as live:

        def show(master: Master, now: float) -> None:
            if not rate.due(PANEL_SECONDS):
                return
            rate.look(master.expansions)
            grid: Any = Table.grid(padding=(0, 2))
            for name, value in figures(master, now, rate):
                grid.add_row("[bold]" + name, value)
            most = max(LEAST_WORKERS, console.height - OTHER_LINES - 2)
            rows: Any = Table(*NAMES, box=None, padding=(0, 2, 0, 0))
            for row in worker_rows(master, now, most):
                rows.add_row(*row)
            left = len(master.members) - most
            more = "and %d more" % left if left > 0 else ""
            live.update(Group(grid, rows, more), refresh=True)

        yield show


def _lines(rate: Rate) -> Observer:
    def show(master: Master, now: float) -> None:
        if rate.due(LINE_SECONDS):
            rate.look(master.expansions)
            text = "; ".join(["%s %s" % pair for pair in figures(master, now, rate)])
            print(text, file=sys.stderr, flush=True)

    return show


def together(*observers: Observer) -> Observer:
    """An observer that calls several."""

    def observe(master: Master, now: float) -> None:
        for observer in observers:
            observer(master, now)

    return observe
