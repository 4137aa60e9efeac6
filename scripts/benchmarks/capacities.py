"""PNS and DFPN with tables of several capacities on one position ([cizek2025], Figure 3)."""

from __future__ import annotations

from typing import Callable, Dict, List, Sequence, Tuple

from benchmarks.runs import Run
from pns.cli.reports.chart import Chart, Point, svg

CAPACITIES = (1_000, 10_000, 100_000, 1_000_000)
TREES: List[Tuple[str, List[str]]] = [
    ("PNS", ["--algorithm", "pns"]),
    ("PNS as GLOP", ["--algorithm", "pns-tree"]),
    ("PN²", ["--algorithm", "pn2"]),
]
"""The name of each method whose memory is a tree, and its options for solve.py."""
METHODS = TREES + [
    ("DFPN(%d)" % capacity, ["--algorithm", "dfpn", "--capacity", str(capacity)])
    for capacity in CAPACITIES
]

FIGURES: List[Tuple[str, str, Callable[[Run], float]]] = [
    ("Time", "seconds", lambda run: float(run["seconds"])),
    ("Expansions", "expansions", lambda run: float(run["expansions"])),
    ("Memory at most", "MB", lambda run: run["peak_memory_bytes"] / 1e6),
]


def picture(position: str, runs: Sequence[Run]) -> str:
    """Time, expansions and memory as SVG, from a run of each of METHODS; unsolved ones left out."""
    charts = []
    for title, unit, figure in FIGURES:
        values = [figure(run) if run["solved"] else None for run in runs]
        series: Dict[str, List[Point]] = {}
        for (name, _), value in zip(TREES, values):
            if value is not None:
                series[name] = [(float(capacity), value) for capacity in CAPACITIES]
        series["DFPN"] = [
            (float(capacity), value)
            for capacity, value in zip(CAPACITIES, values[len(TREES) :])
            if value is not None
        ]
        labels = "%s: %s" % (position, title), "capacity of the table (entries)", unit
        charts.append(Chart(*labels, series=dict(series), log_x=True, log_y=True))
    return svg(charts)
