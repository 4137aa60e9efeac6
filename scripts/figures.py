"""Measure the published algorithms as they run here, and what departing from them is worth.

departures: DFPN as published, with one departure each, and as it is by default, with one rule
of the publication each. capacities: PNS of several kinds, and DFPN with tables of several sizes
(Figure 3 of [cizek2025]). losses: PDFPN or SPDFPN by several processes beside one process, and
the factors f_s and f_t of [pawlewicz2014]: expansions, and the time of an expansion, beside
those of one process. resumed: DFPN stopped after a share of its expansions, and resumed from a
checkpoint, or from the facts alone. Every run becomes a row of a CSV file.
"""

from __future__ import annotations

import bootstrap  # noqa: F401

import argparse
import csv
import io
import math
import os
import tempfile
from statistics import mean, stdev
from typing import Any, Callable, Dict, List, Sequence, Tuple

from benchmarks.capacities import METHODS, picture
from benchmarks.runs import Run, run_all
from benchmarks.tables import median_run

from pns.cli.common import Parser, amount, run
from pns.files import open_whole
from pns.options import PARALLEL

PAPER = ("--preset", "paper")
VARIANTS: List[Tuple[str, Sequence[str]]] = [
    ("paper", PAPER),
    ("paper, start numbers by branching", (*PAPER, "--start-numbers", "branching")),
    ("paper, least land of a sum next", (*PAPER, "--sum-order", "least")),
    ("paper, epsilon 0.25", (*PAPER, "--epsilon", "0.25")),
    ("paper, children as generated", (*PAPER, "--seed", "0")),
    ("paper, smallest children first", (*PAPER, "--seed", "0", "--order", "smallest")),
    ("default", ()),
    ("default, start numbers 1", ("--start-numbers", "one")),
    ("default, no prior", ("--no-prior",)),
    ("default, first land of a sum next", ("--sum-order", "first")),
    ("default, epsilon 0.25", ("--epsilon", "0.25")),
    ("default, children as generated", ("--seed", "0")),
    ("default, smallest children first", ("--seed", "0", "--order", "smallest")),
]
"""The name of each variant of DFPN, and its options for solve.py."""
WAYS = {"checkpoint": ("--checkpoint", "--resume"), "facts": ("--db", "--db")}
"""Ways to keep a search for later: the options of the run that is stopped, and of the next."""
SHARES = (0.2, 0.4, 0.6, 0.8)
"""Where searches are stopped, in shares of the expansions of a fresh search."""
FIGURES = ("expansions", "children_generated", "seconds", "peak_memory_bytes")


class Study:
    """Rows of a CSV file: what identifies a run, and its figures."""

    def __init__(self, path: str, columns: Sequence[str]) -> None:
        self.rows: List[Dict[str, Any]] = []
        self._path = path
        self._columns = (*columns, "position", "solved", *FIGURES)
        self._save()  # to fail before the first run rather than after it

    def add(self, found: Run, **names: Any) -> None:
        """Add a run, and write the file."""
        row = {name: found.get(name) for name in self._columns}
        self.rows.append({**row, **names})
        self._save()

    def _save(self) -> None:
        text = io.StringIO()
        writer = csv.DictWriter(text, self._columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        with open_whole(self._path) as file:
            file.write(text.getvalue().encode())

    def logarithms(self, figure: str, position: str, **names: Any) -> List[float]:
        """The logarithms of a figure of the solved runs of a position with these names."""
        return [
            math.log(row[figure])
            for row in self.rows
            if row["position"] == position
            and row["solved"]
            and all([row[name] == value for name, value in names.items()])
        ]


def departures(args: argparse.Namespace) -> None:
    """Run every variant on every position with every seed, and print geometric means."""
    study = Study(args.save, ("variant", "seed"))
    tasks: List[Tuple[str, Sequence[str]]] = []
    names: List[Tuple[str, int]] = []
    for name, options in VARIANTS:
        seeds = [0] if "--seed" in options else args.seeds
        for position in args.positions:
            for seed in seeds:
                tasks.append((position, (*options, "--seed", str(seed))))
                names.append((name, seed))
    for (name, seed), found in zip(names, run_all(tasks, args.jobs)):
        study.add(found, variant=name, seed=seed)
    print("%-36s %10s %10s  %s" % ("variant", "expansions", "children", "expansions / paper's"))
    for name, _ in VARIANTS:
        print(departure_line(study, args.positions, name))


def departure_line(study: Study, positions: Sequence[str], name: str) -> str:
    """A variant's means, and its ratio to the paper's rules: a mean over positions."""
    means: Dict[str, List[float]] = {}
    for figure in FIGURES[:2]:
        found = [study.logarithms(figure, position, variant=name) for position in positions]
        if not all(found):
            return "%-36s not always solved" % name
        means[figure] = [mean(values) for values in found]
    ratios = [
        of_variant - mean(study.logarithms("expansions", position, variant="paper"))
        for position, of_variant in zip(positions, means["expansions"])
    ]
    expansions, children = [math.exp(mean(means[figure])) for figure in FIGURES[:2]]
    ratio = with_error(ratios)
    return "%-36s %10.0f %10.0f  %s" % (name, expansions, children, ratio)


def with_error(logarithms: Sequence[float]) -> str:
    """The geometric mean and its standard error, from logarithms.

    >>> with_error([math.log(1), math.log(4)])
    '2.00 ± 1.39'
    """
    value, size = math.exp(mean(logarithms)), len(logarithms)
    return "%.2f ± %.2f" % (value, value * stdev(logarithms) / size**0.5 if size > 1 else 0.0)


def capacities(args: argparse.Namespace) -> None:
    """Run all methods in turn, print the medians, and draw them if asked to."""
    study = Study(args.save, ("method", "turn"))
    (position,) = args.positions
    runs: List[List[Run]] = [[] for _ in METHODS]
    for turn in range(args.repeat):
        for (name, method), found in zip(METHODS, runs):
            found += run_all([(position, [*method, *args.options])], 1)
            study.add(found[-1], method=name, turn=turn)
    middle = [median_run(found) for found in runs]
    print("%-14s %10s %10s %10s %8s" % ("method", "expansions", "children", "seconds", "MB"))
    for (name, _), one in zip(METHODS, middle):
        if not one["solved"]:
            print("%-14s not solved (%s)" % (name, one.get("stopped_by") or one.get("error")))
            continue
        figures = [one[figure] for figure in FIGURES]
        print("%-14s %10d %10d %10.2f %8.0f" % (name, *figures[:3], figures[3] / 1e6))
    if args.draw and any([one["solved"] for one in middle]):
        with open_whole(args.draw) as file:
            file.write(picture(position, middle).encode())


def losses(args: argparse.Namespace) -> None:
    """Run one process and several in turn, and print the factors."""
    study = Study(args.save, ("algorithm", "processes", "turn"))
    counts = [1, *args.processes]
    for turn in range(args.repeat):
        for position in args.positions:
            for count in counts:
                options = ["--algorithm", args.algorithm, "--processes", str(count), *args.options]
                (found,) = run_all([(position, options)], 1)
                study.add(found, algorithm=args.algorithm, processes=count, turn=turn)
    print("%9s  %-12s  %-12s  %s" % ("processes", "f_s", "f_t", "speedup"))
    for count in args.processes:
        searched: List[float] = []
        sped: List[float] = []
        for position in args.positions:
            figures = {}
            for figure in ("expansions", "seconds"):
                alone = study.logarithms(figure, position, processes=1)
                together = study.logarithms(figure, position, processes=count)
                if alone and together:
                    figures[figure] = mean(together) - mean(alone)
            if len(figures) == 2:
                searched.append(figures["expansions"])
                sped.append(-figures["seconds"])
        if searched:
            shared = [math.log(count) - s - f for s, f in zip(sped, searched)]
            texts = [with_error(values) for values in (searched, shared, sped)]
            print("%9d  %-12s  %-12s  %s" % (count, *texts))


def resumed(args: argparse.Namespace) -> None:
    """Stop and resume searches, and print what each way took after the stop."""
    study = Study(args.save, ("stopped_at", "way"))
    ratios: Dict[str, List[float]] = {way: [] for way in WAYS}
    print("%-10s %10s %12s %12s %12s" % ("position", "stopped at", "rest, fresh", *WAYS))
    for position in args.positions:
        (fresh,) = run_all([(position, args.options)], 1)
        study.add(fresh, stopped_at=0, way="fresh")
        for share in SHARES if fresh["solved"] else ():
            end = int(share * fresh["expansions"])
            rest = fresh["expansions"] - end
            found = [rest_of(position, end, args.options, *WAYS[way]) for way in WAYS]
            for way, run_of_way in zip(WAYS, found):
                study.add(run_of_way, stopped_at=end, way=way)
                if run_of_way["solved"]:
                    ratios[way].append(math.log(run_of_way["expansions"] / rest))
            counts = [one["expansions"] if one["solved"] else "-" for one in found]
            print("%-10s %10d %12d %12s %12s" % (position, end, rest, *counts))
    print("times the rest of a fresh search:")
    for way, values in ratios.items():
        print("%-10s  %s" % (way, with_error(values) if values else "never solved"))


def rest_of(position: str, end: int, options: Sequence[str], keep: str, resume: str) -> Run:
    """The run that goes on after `end` expansions; its figures are those after the stop.

    `keep` and `resume` are the options that name a file in the two runs.
    """
    with tempfile.TemporaryDirectory() as directory:
        file = os.path.join(directory, "kept")
        budget = ("--max-expansions", str(end))
        (first,) = run_all([(position, (keep, file, *budget, *options))], 1)
        (second,) = run_all([(position, (resume, file, *options))], 1)
    if second["solved"] and resume == "--resume":  # which counts on
        for figure in FIGURES[:2]:
            second[figure] -= first[figure]
    return second


STUDIES: Dict[str, Callable[[argparse.Namespace], None]] = {
    "departures": departures,
    "capacities": capacities,
    "losses": losses,
    "resumed": resumed,
}


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", choices=sorted(STUDIES))
    parser.add_argument("positions", nargs="+", metavar="POSITION")
    add = parser.add_argument
    add("--save", metavar="CSV", required=True, help="the file for all runs")
    add("--seeds", metavar="N,…", type=counts_of, default=[1, 2, 3], help="default: 1,2,3")
    add(
        "--jobs",
        metavar="N",
        type=amount,
        default=1,
        help="runs at once, of departures; default: 1",
    )
    add("--algorithm", choices=PARALLEL, default="pdfpn", help="of losses; default: pdfpn")
    add("--processes", metavar="N,…", type=counts_of, default=[2], help="of losses; default: 2")
    add("--repeat", metavar="N", type=amount, default=3, help="turns; default: 3")
    add("--draw", metavar="SVG", help="of capacities: the picture")
    add("--options", metavar="WORD", nargs="*", default=[], help="more options, like preset=paper")
    args = parser.parse_args()
    for word in args.options:
        if "=" not in word:
            parser.error("argument --options: %s: write NAME=VALUE" % ascii(word))
    if args.study == "capacities" and len(args.positions) != 1:
        parser.error("capacities takes one position")
    if not args.repeat:
        parser.error("argument --repeat: it must be at least 1")
    args.options = ["--" + word for word in args.options]
    return args


def counts_of(text: str) -> List[int]:
    """Counts separated by commas."""
    return [amount(word) for word in text.split(",")]


def main() -> int:
    """Do what the command line says; returns the exit status."""
    args = parse_arguments()
    STUDIES[args.study](args)
    return 0


if __name__ == "__main__":
    run(main)
