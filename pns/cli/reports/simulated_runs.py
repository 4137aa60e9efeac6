"""The runs of simulate.py: as rows of tables, as pictures beside the paper's, and in files."""

from __future__ import annotations

import csv
import io
import json
import math
from contextlib import suppress
from typing import Any, Dict, List, Sequence, Tuple

import pns
from pns.cli.common import die
from pns.cli.reports.chart import Chart, Point, svg
from pns.system.files import load_json, open_whole, read_file
from pns.system.package_data import read_data

Row = Dict[str, Any]
"""A run: its setting, figures, speedup and overhead."""
WORDS = {"True": True, "False": False, "": None}
"""What CSV files have for values that are no numbers."""
MOST_CSV = 100_000_000
"""Bytes."""

FIGURES: List[Tuple[str, str]] = [
    ("speedup", "Speedup over DFPN alone"),
    ("overhead", "Search overhead"),
]
MASTER_FIGURES: List[Tuple[str, str]] = [
    ("utilisation", "Utilisation of workers"),
    ("master_load", "Load of the master"),
]
"""Drawn where a run has a master."""

PAPER_FILE = "paper-scaling.csv"
"""Tables 1 and 3 of [cizek2025], each figure beside the parameters that its table names."""
PAPER_CURVES = ((True, "paper, with heuristic"), (False, "paper, no heuristic"))
"""Whether runs have the paper's heuristic for the order of children, and what they are called."""

COLUMNS = [
    ("curve", "%-13s"),
    ("cores", "%5d"),
    ("iterations", "%5d"),
    ("processes", "%3d"),
    ("grouping", "%3d"),
    ("seed", "%3d"),
    ("master_nodes", "%7d"),
    ("worker_nodes", "%7d"),
    ("facts", "%6d"),
    ("expansions", "%8d"),
    ("utilisation", "%5.2f"),
    ("master_load", "%5.2f"),
    ("seconds", "%8.3f"),
    ("speedup", "%7.2f"),
    ("overhead", "%6.2f"),
]
"""(name, format) of the columns: the setting, then those of Table 3 and more."""
MEAN_COLUMNS = [column for column in COLUMNS if column[0] not in ("seed", "seconds")]
MEAN_COLUMNS += [("least", "%6.2f"), ("most", "%6.2f")]
"""Columns for means over seeds, with the least and the largest speedup."""
SHARE_COLUMNS = [
    ("curve", "%-13s"),
    ("cores", "%5d"),
    ("searching", "%6.3f"),
    ("searching_on", "%6.3f"),
    ("talking", "%6.3f"),
    ("waiting", "%6.3f"),
    ("late", "%7.3f"),
    ("ahead", "%6.3f"),
    ("beyond", "%6.3f"),
    ("repeated", "%6.3f"),
    ("astray", "%6.3f"),
    ("useful", "%6.3f"),
    ("again", "%7.3f"),
    ("master_messages", "%6.3f"),
    ("master_jobs", "%6.3f"),
    ("master_children", "%7.3f"),
    ("master_facts", "%6.3f"),
]
"""Shares: of the workers' time by `ledger.DOINGS`, of their expansions by `ledger.KINDS`, of the
children that were generated before, and of the master's work by `ledger.TASKS`."""
HEADINGS = {
    "searching": "search",
    "searching_on": "on",
    "talking": "talk",
    "waiting": "wait",
    "repeated": "repeat",
    "again": "child x",
    "master_messages": "m-msg",
    "master_jobs": "m-job",
    "master_children": "m-child",
    "master_facts": "m-fact",
    "iterations": "It",
    "processes": "Th",
    "grouping": "Gr",
    "master_nodes": "M-Nodes",
    "worker_nodes": "W-Nodes",
    "facts": "T-GN",
    "expansions": "T-It",
    "utilisation": "Util",
    "master_load": "load",
    "seconds": "time",
    "overhead": "over",
}


def width(form: str) -> int:
    """The width of a column with this format."""
    return int(form.strip("%-dsf").split(".")[0])


def header(columns: Sequence[Tuple[str, str]] = COLUMNS) -> str:
    """The first line of a table."""
    return " ".join([HEADINGS.get(name, name).rjust(width(form)) for name, form in columns])


def line(row: Row, columns: Sequence[Tuple[str, str]] = COLUMNS) -> str:
    """A line of a table, with dashes where a search was not finished."""
    values = [
        form % row[name] if row.get(name) is not None else "-".rjust(width(form))
        for name, form in columns
    ]
    return " ".join(values)


def best(rows: Sequence[Row]) -> List[Row]:
    """For each curve and number of cores, the means of the setting with the best mean speedup.

    Means of speedup and overhead are geometric. A setting that did not solve the position
    with every seed counts as slower than all.
    """
    groups: Dict[Tuple[Any, ...], List[Row]] = {}
    for row in rows:
        key = tuple([row[name] for name in ("curve", "cores", "processes", "iterations")])
        groups.setdefault((*key, row["grouping"]), []).append(row)
    found: Dict[Tuple[Any, ...], Row] = {}
    for key, group in groups.items():
        mean = dict(group[0])
        solved = all([row["speedup"] for row in group])
        for name, form in COLUMNS + SHARE_COLUMNS:
            if name in ("speedup", "overhead"):
                logs = [math.log(row[name]) for row in group] if solved else []
                mean[name] = math.exp(sum(logs) / len(logs)) if logs else None
            elif form[-1] in "df" and name != "seed":
                values: List[Any] = [row.get(name) for row in group]
                mean[name] = None if None in values else sum(values) / len(group)
        speedups = sorted([row["speedup"] for row in group]) if solved else [None]
        mean["least"], mean["most"] = speedups[0], speedups[-1]
        known = found.get(key[:2])
        if known is None or (known["speedup"] or 0.0) < (mean["speedup"] or 0.0):
            found[key[:2]] = mean
    return list(found.values())


def paper(name: str, heuristic: bool, most: float) -> List[Point]:
    """(cores, figure) of the paper's best runs with or without its heuristic, up to `most` cores.

    Speedups are those of Table 1. Other figures are in Table 3 only, for runs with the heuristic.
    """
    text = (read_data(PAPER_FILE) or b"").decode()
    rows = list(csv.DictReader(text.splitlines()))
    (alone,) = [row for row in rows if row["algorithm"] == "dfpn"]
    table, used = "1" if name == "speedup" else "3", "yes" if heuristic else "no"
    points = []
    for row in rows:
        mine = row["table"] == table and row["heuristic"] == row["tuned_for_heuristic"] == used
        if mine and float(row["cores"]) <= most:
            if name == "overhead":
                points.append(
                    (float(row["cores"]), float(row["expansions"]) / float(alone["expansions"]))
                )
            elif row.get(name):
                points.append((float(row["cores"]), float(row[name])))
    return points


def picture(rows: Sequence[Row], beside: bool) -> str:
    """Speedup, search overhead and, with a master, utilisation and its load by cores, as SVG.

    With `beside` the paper's figures for 47 spots are drawn too, as far as it states them:
    without its heuristic only speedups. Runs of simulate.py never have one.
    """
    charts = []
    have_master = any([row.get("has_master", True) for row in rows])
    for name, title in FIGURES + MASTER_FIGURES if have_master else FIGURES:
        series: Dict[str, List[Point]] = {}
        for row in best(rows):
            points = series.setdefault(row["curve"], [])
            if row[name] is not None:
                points.append((float(row["cores"]), row[name]))
        for heuristic, words in PAPER_CURVES if beside and series else ():
            known = paper(name, heuristic, max([row["cores"] for row in rows]))
            if known:
                series[words] = known
        logarithmic = name in ("speedup", "overhead")
        charts.append(
            Chart(title, "cores", name.replace("_", " "), dict(series), True, logarithmic)
        )
    return svg(charts)


def save(path: str, rows: Sequence[Row], more: Dict[str, Any]) -> None:
    """Write runs to a file, wholly or not at all: CSV if its name ends in .csv, else JSON."""
    if path.endswith(".csv"):
        text = io.StringIO()
        writer = csv.DictWriter(text, list(rows[0]) if rows else [])
        writer.writeheader()
        writer.writerows(rows)
        data = text.getvalue()
    else:
        data = json.dumps({"version": pns.__version__, **more, "runs": rows}, indent=1) + "\n"
    with open_whole(path) as stream:
        stream.write(data.encode())


def read(path: str) -> List[Row]:
    """The runs in a file that `save` wrote; exits if they are none."""
    try:
        rows: List[Row] = read_csv(path) if path.endswith(".csv") else load_json(path)["runs"]
        best(rows)
        return rows
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, csv.Error):
        die("%s: not a file of runs; expected one written by simulate.py --save" % path)


def read_csv(path: str) -> List[Row]:
    """The rows of a CSV file; raises OSError, and ValueError for none or too many bytes."""
    text = read_file(path, MOST_CSV).decode()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    if not rows:
        raise ValueError("no rows")
    return [{name: value_of(word) for name, word in row.items()} for row in rows]


def value_of(word: str) -> Any:
    """What a word of a CSV file stands for: True, False, None, a number, or itself.

    >>> [value_of(word) for word in ("True", "", "16", "0.5", "0*47")]
    [True, None, 16, 0.5, '0*47']
    """
    if word in WORDS:
        return WORDS[word]
    for kind in (int, float):
        with suppress(ValueError):
            return kind(word)
    return word


def draw(path: str, rows: Sequence[Row], beside: bool) -> None:
    """Write the picture; exits if no run solved its position."""
    try:
        drawn = picture(rows, beside)
    except ValueError:
        die("nothing to draw: no run solved its position")
    with open_whole(path) as stream:
        stream.write(drawn.encode())
