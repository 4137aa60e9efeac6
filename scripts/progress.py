"""Progress of a search on standard error: a panel on a terminal, a line every 10 s elsewhere."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import Any, Callable, Iterator, List, Tuple

from pns import AnySearch, LimitedSearch, ParallelSearch
from pns.bounds import INF
from pns.machine import used_memory

PANEL_SECONDS = 0.25
LINE_SECONDS = 10.0
WIDTH = 120

Observer = Callable[[AnySearch], None]


class Rate:
    """Expansions for each second since the last look."""

    def __init__(self) -> None:
        self.start = self.last = time.monotonic()
        self.expansions = 0
        self.value = 0.0

    def due(self, seconds: float) -> bool:
        return time.monotonic() - self.last >= seconds

    def look(self, expansions: int) -> None:
        now = time.monotonic()
        self.value = (expansions - self.expansions) / max(now - self.last, 1e-9)
        self.last, self.expansions = now, expansions


def figures(search: AnySearch, rate: Rate, width: int) -> List[Tuple[str, str]]:
    """What there is to tell, by name; of a long line of play both ends."""
    if isinstance(search, ParallelSearch):
        parts = width // search.processes
        memory = search.memory
        lines = [
            ("process %d" % i, "%d, %s" % (done, shortened(remark, parts)))
            for i, (done, remark) in enumerate(zip(search.expansions_of, search.remarks()), 1)
        ]
        if search.replaced:
            lines.append(("replaced", "%d processes that were killed" % search.replaced))
    else:
        line = " > ".join([search.couples.describe(code) for code in search.line])
        memory = used_memory()
        lines = [("line", shortened(line, width))]
    pn, dn = ["∞" if number == INF else "%d" % number for number in search.root]
    facts = search.couples.facts
    return [
        ("time", "%d s" % (time.monotonic() - rate.start)),
        ("root", "pn %s, dn %s" % (pn, dn)),
        ("expansions", "%d, %.0f/s" % (search.expansions, rate.value)),
        ("facts", "%d, %d new" % (len(facts), facts.new)),
        store(search),
        ("memory", "%d MB" % (memory // 1_000_000)),
        *lines,
    ]


def store(search: AnySearch) -> Tuple[str, str]:
    """How full the table or the tree is."""
    if isinstance(search, LimitedSearch):
        nodes = search.nodes
        filled = 100.0 * max(nodes.used / nodes.capacity, search.bytes() / search.most_bytes)
        return "tree", "%d nodes, %.1f %% full, %s %s" % (
            nodes.used,
            filled,
            search.mode,
            nodes.name,
        )
    table = search.table
    return "table", "%.1f %% of %d" % (100.0 * table.used / table.capacity, table.capacity)


def shortened(text: str, width: int) -> str:
    """The beginning and the end of a text that is too long."""
    if len(text) > width:
        text = "%s … %s" % (text[: width // 3], text[3 - 2 * width // 3 :])
    return text


@contextmanager
def open_live(missing: List[str]) -> Iterator[Any]:
    """A panel on a terminal, None elsewhere; what would make one is added to `missing`."""
    if not sys.stderr.isatty():
        yield None
        return
    try:
        from rich.console import Console
        from rich.live import Live
    except ImportError:
        missing.append("rich is missing, so progress is plain text: run sh scripts/setup.sh")
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
    """An observer that shows a search; what would make it better is added to `missing`."""
    if quiet:
        yield lambda search: None
        return
    rate = Rate()
    with open_live(missing) as live:

        def show(search: AnySearch) -> None:
            if rate.due(PANEL_SECONDS if live else LINE_SECONDS):
                rate.look(search.expansions)
                if live:
                    lines = figures(search, rate, 3 * live.console.width)
                    live.update(grid_of(lines), refresh=True)
                else:
                    print_line(figures(search, rate, WIDTH))

        yield show


Counter = Callable[[int, int, int, str], None]
"""Shows how many of how many are done, those included that an earlier run did, and a remark."""


@contextmanager
def open_counter(quiet: bool) -> Iterator[Counter]:
    """A counter: one line on a terminal that changes, a line every 10 s elsewhere."""
    rate = Rate()
    terminal = sys.stderr.isatty()
    width = 0

    def show(done: int, total: int, before: int, remark: str) -> None:
        nonlocal width
        if rate.due(PANEL_SECONDS if terminal else LINE_SECONDS):
            rate.look(done)
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
