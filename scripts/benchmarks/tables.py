"""The tables of bench.py: a line for the runs of each position, or for two measurements."""

from __future__ import annotations

import math
from statistics import median
from typing import Callable, Dict, List, NamedTuple, Sequence

from benchmarks.curve import reference_rows, spots_of
from benchmarks.runs import Run


class Figure(NamedTuple):
    """A column of a table: its name, its format, and how to get it from a run."""

    name: str
    form: str
    of: Callable[[Run], float]


COLUMNS = [
    Figure("seconds", "%.2f", lambda run: run["seconds"]),
    Figure("expansions", "%.0f", lambda run: run["expansions"]),
    Figure("children", "%.0f", lambda run: run["children_generated"]),
    Figure("children/s", "%.0f", lambda run: ratio(run["children_generated"], run["seconds"])),
    Figure("us/child", "%.1f", lambda run: 1e6 * ratio(run["seconds"], run["children_generated"])),
    Figure("facts", "%.0f", lambda run: run["facts_known"]),
    Figure("MB", "%.0f", lambda run: run["peak_memory_bytes"] / 1e6),
]


def reference_columns(algorithm: str) -> List[Figure]:
    """Columns that compare a run with the C++ solver, where its figures are known.

    >>> run = {"position": "0*29", "seconds": 28.8, "expansions": 543439}
    >>> [column.form % column.of(run) for column in reference_columns("dfpn")]
    ['288.0', '10.0', '543439', '1.00']
    """
    name = "dfpn" if algorithm == "dfpn" else "pns"
    rows = reference_rows()

    def figure(run: Run, what: str) -> float:
        known = rows.get(spots_of(run["position"]), {})
        return float(known.get("%s_%s" % (name, what)) or math.nan)

    return [
        Figure("C++ s", "%.1f", lambda run: figure(run, "seconds")),
        Figure("faster", "%.1f", lambda run: ratio(figure(run, "seconds"), run["seconds"])),
        Figure("C++ exp", "%.0f", lambda run: figure(run, "expansions")),
        Figure("of C++", "%.2f", lambda run: run["expansions"] / figure(run, "expansions")),
    ]


def ratio(a: float, b: float) -> float:
    """a / b, or NaN where b is 0."""
    return a / b if b else math.nan


def row(first: str, second: str, figures: Sequence[str]) -> str:
    """A line of a table.

    >>> row("0*6", "loss", ["1.25", "17"])
    '0*6          loss             1.25         17'
    """
    return "%-12s %-10s" % (first, second) + "".join([" %10s" % figure for figure in figures])


def header(second: str, columns: Sequence[Figure] = COLUMNS) -> str:
    """The first line of a table."""
    return row("position", second, [column.name for column in columns])


def medians(runs: Sequence[Run], columns: Sequence[Figure] = COLUMNS) -> List[float]:
    """The median of each column over the runs of one position, all of them solved."""
    return [median([column.of(run) for run in runs]) for column in columns]


def table_row(runs: Sequence[Run], columns: Sequence[Figure] = COLUMNS) -> str:
    """The line for the runs of one position."""
    position = runs[0]["position"]
    for one in runs:
        if not one["solved"]:
            return "%-12s not solved: %s" % (position, one.get("error") or one.get("stopped_by"))
    figures = zip(columns, medians(runs, columns))
    return row(position, runs[0]["outcome"], [column.form % figure for column, figure in figures])


def by_position(runs: Sequence[Run]) -> Dict[str, List[Run]]:
    """The runs of each position, in the order of the positions."""
    groups: Dict[str, List[Run]] = {}
    for one in runs:
        groups.setdefault(one["position"], []).append(one)
    return groups


def comparison(a: Sequence[Run], b: Sequence[Run]) -> List[str]:
    """A table of b's figures divided by a's, for positions that both solved, and their means."""
    lines = [header("B/A")]
    ratios: List[List[float]] = []
    others = by_position(b)
    for position, runs in by_position(a).items():
        if all(one["solved"] for one in runs + others.get(position, [{"solved": False}])):
            ratios.append(list(map(ratio, medians(others[position]), medians(runs))))
            lines.append(row(position, "", ["%.3f" % value for value in ratios[-1]]))
        else:
            lines.append("%-12s not solved in both" % position)
    means = ["%.3f" % geometric_mean(column) for column in zip(*ratios)]
    return lines + ([row("mean", "geometric", means)] if means else [])


def geometric_mean(values: Sequence[float]) -> float:
    """The geometric mean of the positive ones among the values; NaN if there are none.

    >>> round(geometric_mean([0.5, 8.0, math.nan, 0.0]), 6)
    2.0
    """
    logarithms = [math.log(value) for value in values if value > 0]
    return math.exp(math.fsum(logarithms) / len(logarithms)) if logarithms else math.nan


def median_run(runs: Sequence[Run]) -> Run:
    """A run with the medians of all figures, or one that did not solve its position.

    >>> runs = [{"solved": True, "seconds": s, "peak_memory_bytes": 10 - s} for s in (2, 9, 4)]
    >>> median_run(runs)
    {'solved': True, 'seconds': 4, 'peak_memory_bytes': 6}
    >>> median_run([*runs, {"solved": False}])
    {'solved': False}
    """
    for one in runs:
        if not one["solved"]:
            return one
    names = ("seconds", "expansions", "children_generated", "peak_memory_bytes")
    figures = {name: median([one[name] for one in runs]) for name in names if name in runs[0]}
    return {**runs[0], **figures}
