"""What a person sees of a master and its workers, on standard error, while they search."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Callable, Iterator, List, Tuple

from progress import LINE_SECONDS, PANEL_SECONDS, Rate, grid_of, open_live, print_line
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
    if quiet:
        yield lambda master, now: None
        return
    rate = Rate()
    with open_live(missing) as live:

        def show(master: Master, now: float) -> None:
            if rate.due(PANEL_SECONDS if live else LINE_SECONDS):
                rate.look(master.expansions)
                lines = figures(master, now, rate)
                if live:
                    live.update(
                        _with_workers(master, now, lines, live.console.height), refresh=True
                    )
                else:
                    print_line(lines)

        yield show


def _with_workers(master: Master, now: float, lines: List[Tuple[str, str]], height: int) -> Any:
    """What there is to tell of all, and of as many workers as there is room for."""
    from rich.console import Group
    from rich.table import Table

    most = max(LEAST_WORKERS, height - OTHER_LINES - 2)
    rows = Table(*NAMES, box=None, padding=(0, 2, 0, 0))
    for row in worker_rows(master, now, most):
        rows.add_row(*row)
    left = len(master.members) - most
    return Group(grid_of(lines), rows, "and %d more" % left if left > 0 else "")


def together(*observers: Observer) -> Observer:
    """An observer that calls several."""

    def observe(master: Master, now: float) -> None:
        for observer in observers:
            observer(master, now)

    return observe
