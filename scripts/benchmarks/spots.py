"""What n spots cost, by the classes of n mod 6, on which the outcomes depend."""

from __future__ import annotations

from operator import itemgetter
from typing import Dict, List, Sequence, Tuple

from benchmarks.curve import spots_of
from benchmarks.runs import Run
from pns.cli.reports.chart import Chart, Point, svg

FIGURES = (
    *("solved", "outcome", "expansions", "children_generated", "facts_new"),
    *("seconds", "peak_memory_bytes"),
)
CLASSES = 6
CHARTS: List[Tuple[str, str]] = [
    ("Expansions", "expansions"),
    ("Children generated", "children_generated"),
    ("Facts", "facts_new"),
]
"""The title and the figure of each chart."""
HEADER = "%-8s %-7s %11s %11s %9s %9s %7s" % (
    *("position", "outcome", "expansions", "children", "facts", "seconds", "MB"),
)


def line(row: Run) -> str:
    """A row of the table that is printed."""
    if not row["solved"]:
        return "%-8s not solved" % row["position"]
    figures = [row[name] for name in FIGURES[2:6]]
    memory = row["peak_memory_bytes"] / 1e6
    texts = row["position"], row["outcome"]
    return "%-8s %-7s %11d %11d %9d %9.1f %7.0f" % (*texts, *figures, memory)


def picture(rows: Sequence[Run]) -> str:
    """The costs of positions like 0*12 as SVG, a line for each class; unsolved ones left out."""
    found = [(spots_of(row["position"]), row) for row in rows if row["solved"]]
    found.sort(key=itemgetter(0))
    charts = []
    for title, figure in CHARTS:
        series: Dict[str, Sequence[Point]] = {}
        for rest in range(CLASSES):
            points = [(float(n), float(row[figure])) for n, row in found if n % CLASSES == rest]
            if points:
                series["n mod 6 = %d" % rest] = points
        charts.append(Chart(title, "spots", title.lower(), series, log_y=True))
    return svg(charts)
