"""Measure the published algorithms as they run here, and what departing from them is worth.

departures: DFPN as published, with one departure each, and as it is by default, with one rule
of the publication each. capacities: PNS of several kinds, and DFPN with tables of several sizes
(Figure 3 of [cizek2025]). losses: PDFPN or SPDFPN by several processes beside one process, and
the factors f_s and f_t of [pawlewicz2014]: expansions, and the time of an expansion, beside
those of one process. resumed: DFPN stopped after a share of its expansions, and resumed from a
checkpoint, or from the facts alone. complexity: the size of the game tree of n spots, estimated
(Figure 1). spots: what n spots cost DFPN, by the classes of n mod 6. Every run becomes a row of
a CSV file. Runs that the file has already are not repeated, so that a study that was stopped goes
on.
"""

from __future__ import annotations

import bootstrap  # noqa: F401

import argparse
import math
import os
import tempfile
from functools import partial
from statistics import mean, stdev
from typing import Any, Callable, Dict, List, Sequence, Tuple

from benchmarks import complexity, spots
from benchmarks.capacities import METHODS, picture
from benchmarks.curve import spots_of
from benchmarks.runs import Run, run_all
from benchmarks.study import FIGURES, Study
from benchmarks.tables import median_run

from pns.choices import PARALLEL
from pns.cli.common import run
from pns.cli.parser import Parser, amount, real
from pns.system.files import open_whole

PAPER = ("--preset", "paper")
VARIANTS: List[Tuple[str, Sequence[str]]] = [
    ("paper", PAPER),
    ("paper, start numbers by branching", (*PAPER, "--start-numbers", "branching")),
    ("paper, least land of a sum next", (*PAPER, "--sum-order", "least")),
    ("paper, epsilon 0.25", (*PAPER, "--epsilon", "0.25")),
    ("paper, children in batches of 8", (*PAPER, "--batch", "8")),
    ("paper, ties at random", (*PAPER, "--order", "generated")),
    ("paper, children as generated", (*PAPER, "--seed", "0", "--order", "generated")),
    ("paper, smallest children first", (*PAPER, "--seed", "0", "--order", "smallest")),
    ("paper, simpler positions", (*PAPER, "--simplify")),
    ("default", ()),
    ("default, start numbers 1", ("--start-numbers", "one")),
    ("default, no prior", ("--no-prior",)),
    ("default, first land of a sum next", ("--sum-order", "first")),
    ("default, epsilon 0", ("--epsilon", "0")),
    ("default, all children at once", ("--batch", "0")),
    ("default, without restarts", ("--restart", "0")),
    ("default, children as generated", ("--seed", "0")),
    ("default, smallest children first", ("--seed", "0", "--order", "smallest")),
    ("default, positions as they are", ("--no-simplify",)),
]
"""The name of each variant of DFPN, and its options for solve.py."""
WAYS = {"checkpoint": ("--checkpoint", "--resume"), "facts": ("--db", "--db")}
"""Ways to keep a search for later: the options of the run that is stopped, and of the next."""


def one_run(position: str, options: Sequence[str]) -> Run:
    """A run of solve.py."""
    (found,) = run_all([(position, options)], 1)
    return found


def departures(args: argparse.Namespace) -> None:
    """Run every variant on every position with every seed, and print geometric means."""
    study = Study(args.save, ("variant", "seed"))
    tasks: List[Tuple[str, Sequence[str]]] = []
    names: List[Dict[str, Any]] = []
    for variant, options in VARIANTS:
        seeds = [0] if "--seed" in options else args.seeds
        for position in args.positions:
            for seed in seeds:
                row = {"variant": variant, "seed": seed, "position": position}
                if not study.find(**row):
                    tasks.append((position, (*options, "--seed", str(seed))))
                    names.append(row)
    for row, found in zip(names, run_all(tasks, args.jobs)):
        study.add(found, **row)
    print("%-36s %10s %10s  %s" % ("variant", "expansions", "children", "expansions / paper's"))
    for variant, _ in VARIANTS:
        print(departure_line(study, args.positions, variant))


def departure_line(study: Study, positions: Sequence[str], name: str) -> str:
    """A variant's means, and its ratio to the paper's rules: a mean over positions."""
    means: Dict[str, List[float]] = {}
    for figure in FIGURES[:2]:
        found = [
            study.logarithms(figure, position=position, variant=name) for position in positions
        ]
        if not all(found):
            return "%-36s not always solved" % name
        means[figure] = [mean(values) for values in found]
    ratios = [
        of_variant - mean(study.logarithms("expansions", position=position, variant="paper"))
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
    study = Study(args.save, ("method", "options", "turn"))
    (position,) = args.positions
    runs: List[List[Run]] = [[] for _ in METHODS]
    for turn in range(args.repeat):
        for (name, method), found in zip(METHODS, runs):
            measure = partial(one_run, position, [*method, *args.options])
            names = {"method": name, "options": " ".join(args.options), "turn": turn}
            found.append(study.row(measure, position=position, **names))
    middle = [median_run(found) for found in runs]
    print("%-14s %10s %10s %10s %8s" % ("method", "expansions", "children", "seconds", "MB"))
    for (name, _), one in zip(METHODS, middle):
        if not one["solved"]:
            print("%-14s not solved" % name)
            continue
        figures = [one[figure] for figure in FIGURES]
        print("%-14s %10d %10d %10.2f %8.0f" % (name, *figures[:3], figures[3] / 1e6))
    if args.draw and any([one["solved"] for one in middle]):
        with open_whole(args.draw) as file:
            file.write(picture(position, middle).encode())


def losses(args: argparse.Namespace) -> None:
    """Run one process and several in turn, and print the factors."""
    study = Study(args.save, ("algorithm", "processes", "options", "turn"))
    counts = [1, *args.processes]
    for turn in range(args.repeat):
        for position in args.positions:
            for count in counts:
                options = ["--algorithm", args.algorithm, "--processes", str(count), *args.options]
                names = {"algorithm": args.algorithm, "processes": count, "turn": turn}
                names["options"] = " ".join(args.options)
                study.row(partial(one_run, position, options), position=position, **names)
    print("%9s  %-12s  %-12s  %s" % ("processes", "f_s", "f_t", "speedup"))
    for count in args.processes:
        searched: List[float] = []
        sped: List[float] = []
        for position in args.positions:
            figures = {}
            names = {"algorithm": args.algorithm, "position": position}
            names["options"] = " ".join(args.options)
            for figure in ("expansions", "seconds"):
                alone = study.logarithms(figure, **names, processes=1)
                together = study.logarithms(figure, **names, processes=count)
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
    study = Study(args.save, ("options", "stopped_at", "way"))
    ratios: Dict[str, List[float]] = {way: [] for way in WAYS}
    print("%-10s %10s %12s %12s %12s" % ("position", "stopped at", "rest, fresh", *WAYS))
    for position in args.positions:
        measure = partial(one_run, position, args.options)
        names = {"options": " ".join(args.options), "position": position}
        fresh = study.row(measure, stopped_at=0, way="fresh", **names)
        for share in args.shares if fresh["solved"] else ():
            end = int(share * fresh["expansions"])
            rest = fresh["expansions"] - end
            counts = []
            for way, options in WAYS.items():
                measure = partial(rest_of, position, end, args.options, *options)
                found = study.row(measure, stopped_at=end, way=way, **names)
                counts.append(found["expansions"] if found["solved"] else "-")
                if found["solved"]:
                    ratios[way].append(math.log(found["expansions"] / rest))
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
        first = one_run(position, (keep, file, *budget, *options))
        second = one_run(position, (resume, file, *options))
    if second["solved"] and resume == "--resume":  # which counts on
        for figure in FIGURES[:2]:
            second[figure] -= first[figure]
    return second


def estimates(args: argparse.Namespace) -> None:
    """Estimate the trees of all positions, print them, and draw them if asked to."""
    study = Study(args.save, ("tree", "seed", "samples"), complexity.FIGURES)
    names = {"seed": args.seeds[0], "samples": args.samples}
    print("%-10s %-8s %8s %7s %8s" % ("position", "tree", "log size", "error", "greatest"))
    rows = []
    for position in args.positions:
        for tree in complexity.NAMES:
            measure = partial(complexity.measure, position, tree, **names)
            row = study.row(measure, position=position, tree=tree, **names)
            rows.append(row)
            figures = [row[name] or 0.0 for name in ("log_size", "error", "greatest_share")]
            print("%-10s %-8s %8.2f %7.3f %8.3f" % (position, tree, *figures), flush=True)
    if args.draw:
        with open_whole(args.draw) as file:
            file.write(complexity.picture(rows).encode())


def costs(args: argparse.Namespace) -> None:
    """Solve n spots for every n, print the costs, and draw them if asked to."""
    study = Study(args.save, ("options",), spots.FIGURES)
    options = " ".join(args.options)
    print(spots.HEADER)
    for position in args.positions:
        measure = partial(one_run, position, args.options)
        print(spots.line(study.row(measure, position=position, options=options)), flush=True)
    if args.draw and any([row["solved"] for row in study.rows]):
        with open_whole(args.draw) as file:
            file.write(spots.picture(study.rows).encode())


STUDIES: Dict[str, Callable[[argparse.Namespace], None]] = {
    "departures": departures,
    "capacities": capacities,
    "losses": losses,
    "resumed": resumed,
    "complexity": estimates,
    "spots": costs,
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
    add(
        "--shares",
        metavar="X,…",
        type=shares_of,
        default=[0.2, 0.4, 0.6, 0.8],
        help="of resumed: where searches are stopped; default: 0.2,0.4,0.6,0.8",
    )
    add(
        "--samples",
        metavar="N",
        type=amount,
        default=1000,
        help="of complexity: random games for an estimate; default: 1000",
    )
    add("--draw", metavar="SVG", help="of capacities, complexity and spots: the picture")
    add("--options", metavar="WORD", nargs="*", default=[], help="more options, like preset=paper")
    args = parser.parse_args()
    for word in args.options:
        if "=" not in word:
            parser.error("argument --options: %s: write NAME=VALUE" % ascii(word))
    if args.study == "capacities" and len(args.positions) != 1:
        parser.error("capacities takes one position")
    if not args.samples:
        parser.error("argument --samples: invalid count 0; expected a whole number of at least 1")
    if not args.repeat:
        parser.error("argument --repeat: invalid count 0; expected a whole number of at least 1")
    if args.study in ("complexity", "spots") and not all(map(spots_of, args.positions)):
        parser.error("%s takes positions like 0*12" % args.study)
    if args.study == "departures" and args.options:
        parser.error("argument --options: departures sets its own")
    args.options = ["--" + word for word in args.options]
    return args


def counts_of(text: str) -> List[int]:
    """Counts separated by commas."""
    return [amount(word) for word in text.split(",")]


def shares_of(text: str) -> List[float]:
    """Numbers between 0 and 1 separated by commas."""
    shares = [real(word) for word in text.split(",")]
    if not all([0.0 < share < 1.0 for share in shares]):
        raise argparse.ArgumentTypeError("they must be between 0 and 1")
    return shares


def main() -> int:
    """Do what the command line says; returns the exit status."""
    args = parse_arguments()
    STUDIES[args.study](args)
    return 0


if __name__ == "__main__":
    run(main)
