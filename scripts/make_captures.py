"""Write what the live panel shows, as text, at several widths: docs/captures/panel-*.txt.

The figures are those of a search that is stopped after 20,000 expansions.

usage: pypy3 scripts/make_captures.py
"""

from __future__ import annotations

import bootstrap

import os
import time

import pns
from pns import Options, Progress, Solver
from pns.cli.reports.forecast import Forecaster, left_text
from pns.cli.terminal.panel import Heading, Panel
from pns.system.machine import total_memory

POSITION, EXPANSIONS = "0*22", 20_000
WIDTHS, ROWS = (60, 80, 140), 24
DATABASE = os.path.expanduser("~/.local/share/pns/sprouts.lmdb")
"""What the panel shows; nothing is read from it or written to it."""


def capture(panels: "dict[int, Panel]") -> "dict[int, str]":
    """The last drawing of each panel, by width."""
    drawn: "dict[int, str]" = {}
    start = time.monotonic()
    shown = start
    forecaster = Forecaster()

    def observe(solver: Solver) -> None:
        nonlocal shown
        forecaster.observe(solver)
        seconds = time.monotonic() - start
        if time.monotonic() - shown >= 0.25 or solver.expansions >= EXPANSIONS - 100:
            shown = time.monotonic()
            found: Progress = solver.progress()
            rate = solver.expansions / seconds
            for width, panel in panels.items():
                lines = panel.lines(found, seconds, rate, width, ROWS, left_text(forecaster))
                texts = ["".join([text for _, text in line])[: width - 1] for line in lines]
                drawn[width] = "".join([text.rstrip() + "\n" for text in texts])

    pns.solve(POSITION, options=Options(max_expansions=EXPANSIONS), observer=observe)
    return drawn


def main() -> None:
    """Write the captures."""
    heading = Heading(
        POSITION, "sprouts", "dfpn", DATABASE, 600.0, None, min(total_memory(), 4 * 10**9)
    )
    directory = os.path.join(bootstrap.ROOT, "docs", "captures")
    os.makedirs(directory, exist_ok=True)
    for width, text in capture({width: Panel(heading) for width in WIDTHS}).items():
        path = os.path.join(directory, "panel-%d.txt" % width)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        print(os.path.relpath(path))


if __name__ == "__main__":
    main()
