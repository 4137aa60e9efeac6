"""A picture of the cost of n-spot positions against n, with that of the C++ solver."""

from __future__ import annotations

import bootstrap

import csv
import os
from statistics import median
from typing import Any, Dict, List, Sequence

from pns.cli.reports.chart import Chart, Point, svg

REFERENCE = os.path.join(bootstrap.ROOT, "data", "reference-figures.csv")
"""Figures of the C++ solver SPOTS: one core, an optimised build, a table of 10**6 entries."""

Run = Dict[str, Any]


def reference_rows() -> Dict[int, Dict[str, str]]:
    """The figures of the C++ solver by the number of spots."""
    with open(REFERENCE, encoding="utf-8", newline="") as file:
        return {int(line["spots"]): line for line in csv.DictReader(file)}


def spots_of(position: str) -> int:
    """n for a position written 0*n, 0 for any other.

    >>> spots_of("0*29"), spots_of("0*2.AB|AB")
    (29, 0)
    """
    digits = position[2:]
    return int(digits) if position[:2] == "0*" and digits.isdigit() else 0


def picture(runs: Sequence[Run]) -> str:
    """Medians of seconds and expansions, as SVG; raises ValueError if nothing is solved."""
    by_spots: Dict[int, List[Run]] = {}
    for run in runs:
        if run["solved"] and spots_of(run["position"]):
            by_spots.setdefault(spots_of(run["position"]), []).append(run)
    if not by_spots:
        raise ValueError("no solved position like 0*12")
    rows = reference_rows()
    charts = []
    for what in ("seconds", "expansions"):
        ours: List[Point] = [
            (float(spots), median([float(run[what]) for run in group]))
            for spots, group in sorted(by_spots.items())
        ]
        theirs: List[Point] = [
            (float(spots), float(row["dfpn_" + what])) for spots, row in sorted(rows.items())
        ]
        series: Dict[str, Sequence[Point]] = {"pns": ours, "C++ DFPN": theirs}
        charts.append(Chart(what.capitalize(), "spots", what, series, log_y=True))
    return svg(charts)
