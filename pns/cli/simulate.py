"""Simulate PNS-PDFPN on many cores: real searches and the real master on a virtual clock.

What takes how long is given, or measured with --measure; nothing depends on this machine
otherwise. Each combination of --workers or --cores, --processes, --iterations and --grouping
is one run for each seed; of a number of cores, the best is shown, as in the paper.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import os
from dataclasses import asdict
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import pns
from pns.cli.chart import Chart, Point, svg
from pns.cli.common import ROOT, Parser, amount, check_options, die, run
from pns.cli.costs import measured
from pns.files import load_json, open_whole
from pns.game import GAMES, find_game
from pns.machine import peak_memory
from pns.memory import DEFAULT_CAPACITY
from pns.options import Options
from pns.prior import Prior, load
from pns.simulation.cached import Cached
from pns.simulation.simulation import Costs, Run, Setting, Simulation, sequential

CORES = "1,2,4,8,16,32,64,128,256,512,1024"
SLOWEST = 2.0
"""A run that takes so many times as long as DFPN alone is stopped."""


class Curve(NamedTuple):
    """A line of a picture: its name, and what its runs have in common or try out."""

    name: str
    sharing: bool = True
    keep: int = 2
    grouping: Sequence[int] = (1,)
    processes: Sequence[int] = (1,)
    iterations: Sequence[int] = (100,)
    updates: int = 1000


STUDIES: Dict[str, List[Curve]] = {
    "state": [
        Curve("nothing kept", False, 0, updates=100),
        Curve("facts kept", False, 1, updates=100),
        Curve("table kept", False, 2, updates=100),
        Curve("facts shared", True, 2, updates=100),
    ],
    "ablation": [
        Curve("not shared", False, iterations=(300,)),
        Curve("shared", iterations=(300,)),
        Curve("grouped", grouping=(32,), iterations=(300,)),
        Curve("second level", grouping=(32,), processes=(4, 16), iterations=(300,)),
    ],
}
"""The paper's Figures 4 and 5; the last of these has Table 3's columns."""

FIGURES: List[Tuple[str, str]] = [
    ("speedup", "Speedup over DFPN alone"),
    ("overhead", "Search overhead"),
    ("utilisation", "Utilisation of workers"),
    ("master_load", "Load of the master"),
]

PAPER = os.path.join(ROOT, "data", "paper-scaling.csv")
"""Table 3 of Čížek, Balko and Schmid, and the best speedups of Table 1 without heuristic."""
PAPER_ALONE = 17_200_000
"""Expansions of DFPN alone there."""

Row = Dict[str, Any]


def numbers(text: str) -> List[int]:
    """Counts, separated by commas, each at least 1.

    >>> numbers("1,16,1k")
    [1, 16, 1000]
    """
    found = [amount(word) for word in text.split(",")]
    if not all(found):
        raise argparse.ArgumentTypeError("each must be at least 1")
    return found


def settings(curve: Curve, cores: int, seed: int) -> Iterator[Setting]:
    """All that a curve tries on a number of cores."""
    tried = set()
    for processes in curve.processes:
        for iterations in curve.iterations:
            for grouping in curve.grouping:
                if cores % processes == 0:
                    workers = cores // processes
                    group = min(workers, max(1, grouping // processes))
                    setting = Setting(
                        workers,
                        processes,
                        iterations,
                        curve.updates,
                        group,
                        curve.sharing,
                        curve.keep,
                        seed,
                    )
                    if setting not in tried:
                        tried.add(setting)
                        yield setting


class Study:
    """Runs on one position, each set beside DFPN alone with the same seed."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.game = Cached(find_game(args.game))
        self.lands = self.game.parse(args.position)
        self.prior = Prior() if args.no_prior else load(args.game)
        self.costs = args.costs
        self.rows: List[Row] = []
        self._alone: Dict[int, Run] = {}

    def alone(self, seed: int) -> Run:
        """DFPN alone."""
        if seed not in self._alone:
            self._alone[seed] = sequential(
                self.game, self.lands, self.costs, seed, self.prior, self.args.baseline_capacity
            )
        return self._alone[seed]

    def row(self, curve: Curve, setting: Setting) -> Row:
        """One run and what it is worth."""
        args = self.args
        alone = None if args.max_seconds else self.alone(setting.seed)
        limits: Dict[str, Any] = {"most_seconds": args.max_seconds}
        if alone:
            limits["most_seconds"] = SLOWEST * alone.seconds
            limits["most_expansions"] = int(args.max_overhead * alone.expansions)
        found = Simulation(
            self.game,
            self.lands,
            setting,
            self.costs,
            args.capacity,
            self.prior,
            **limits,
        ).run()
        row = {"curve": curve.name, "position": args.position, "cores": setting.cores}
        row.update(setting._asdict())
        row.update(asdict(found))
        solved = alone is not None and found.solved
        row["speedup"] = alone.seconds / found.seconds if alone and solved else None
        row["overhead"] = found.expansions / alone.expansions if alone and solved else None
        row["memory_bytes"] = peak_memory()
        return row

    def run(self, curves: Sequence[Curve]) -> None:
        """All runs, each shown when it is done and saved."""
        self.save()  # to fail now rather than after the first run
        print(header(), flush=True)
        for curve in curves:
            for cores in self.args.cores:
                for seed in self.args.seeds:
                    for setting in settings(curve, cores, seed):
                        self.rows.append(self.row(curve, setting))
                        print(line(self.rows[-1]), flush=True)
                        self.save()

    def save(self) -> None:
        """Write all there is so far."""
        if self.args.save:
            save(self.args.save, self.rows, {"costs": self.costs._asdict()})


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
"""Of Table 3, and those of the setting."""
OF_SEEDS = [column for column in COLUMNS if column[0] not in ("seed", "seconds")]
OF_SEEDS += [("least", "%6.2f"), ("most", "%6.2f")]
"""Of all seeds: the least and the largest speedup beside the mean."""
SHORT = {
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


def width(shown: str) -> int:
    return int(shown.strip("%-dsf").split(".")[0])


def header(columns: Sequence[Tuple[str, str]] = COLUMNS) -> str:
    """The first line of a table."""
    return " ".join([SHORT.get(name, name).rjust(width(shown)) for name, shown in columns])


def line(row: Row, columns: Sequence[Tuple[str, str]] = COLUMNS) -> str:
    """A line of a table; a dash where a search was not finished."""
    size = [
        shown % row[name] if row[name] is not None else "-".rjust(width(shown))
        for name, shown in columns
    ]
    return " ".join(size)


def best(rows: Sequence[Row]) -> List[Row]:
    """Of each curve and number of cores the setting with the best mean speedup, as its means.

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
        for name, shown in COLUMNS:
            if name in ("speedup", "overhead"):
                logs = [math.log(row[name]) for row in group] if solved else []
                mean[name] = math.exp(sum(logs) / len(logs)) if logs else None
            elif shown[-1] in "df" and name != "seed":
                mean[name] = sum([row[name] for row in group]) / len(group)
        speedups = sorted([row["speedup"] for row in group]) if solved else [None]
        mean["least"], mean["most"] = speedups[0], speedups[-1]
        known = found.get(key[:2])
        if known is None or (known["speedup"] or 0.0) < (mean["speedup"] or 0.0):
            found[key[:2]] = mean
    return list(found.values())


def paper(name: str, most: float) -> List[Point]:
    """The paper's figures of that name, up to a number of cores."""
    with open(PAPER, encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if float(row["cores"]) <= most]
    if name == "overhead":
        return [(float(row["cores"]), float(row["expansions"]) / PAPER_ALONE) for row in rows]
    return [(float(row["cores"]), float(row[name])) for row in rows if name in row]


def picture(rows: Sequence[Row], beside: bool) -> str:
    """Speedup, search overhead, utilisation and the master's load by cores, as SVG.

    With `beside` the paper's figures stand beside them, which are those of 47 spots.
    """
    charts = []
    for name, title in FIGURES:
        series: Dict[str, List[Point]] = {}
        for row in best(rows):
            points = series.setdefault(row["curve"], [])
            if row[name] is not None:
                points.append((float(row["cores"]), row[name]))
        known = paper(name, max([row["cores"] for row in rows])) if beside else []
        if series and known:
            series["paper, Table 3"] = known
        logarithmic = name in ("speedup", "overhead")
        charts.append(
            Chart(title, "cores", name.replace("_", " "), dict(series), True, logarithmic)
        )
    return svg(charts)


def save(path: str, rows: Sequence[Row], more: Dict[str, Any]) -> None:
    """Write runs to a file: JSON, or CSV if its name ends so; whole or not at all."""
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
    """The runs of a file that was saved as JSON."""
    try:
        rows: List[Row] = load_json(path)["runs"]
        best(rows)
        return rows
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError):
        die("%s: no runs that simulate.py saved as JSON" % path)


def draw(path: str, rows: Sequence[Row], beside: bool) -> None:
    """Write the picture."""
    try:
        drawn = picture(rows, beside)
    except ValueError:
        die("nothing to draw: no run solved its position")
    with open_whole(path) as stream:
        stream.write(drawn.encode())


def read_costs(words: Optional[str]) -> Costs:
    """Costs from NAME=MICROSECONDS, separated by commas, the others being the defaults."""
    changes: Dict[str, float] = {}
    for word in (words or "").split(",") if words else []:
        name, _, value = word.partition("=")
        try:
            changes[name] = float(value)
        except ValueError:
            changes[name] = -1.0
        if name not in Costs._fields or not 0.0 <= changes[name] < 1e12:
            raise argparse.ArgumentTypeError(
                "%s: write NAME=MICROSECONDS, with a name of %s"
                % (ascii(word), ", ".join(Costs._fields))
            )
    return Costs()._replace(**changes)


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("position", metavar="POSITION", nargs="?", default="0*12", help="default: 0*12")
    add("--game", choices=sorted(GAMES), default="sprouts", help="default: sprouts")
    add("--study", choices=sorted(STUDIES), help="the runs of Figure 4 (state) or 5 (ablation)")
    add("--cores", metavar="N,…", type=numbers, default=CORES, help="default: %s" % CORES)
    add("--processes", metavar="N,…", type=numbers, default="1", help="of a worker; default: 1")
    add("--iterations", metavar="N,…", type=numbers, default="100", help="default: 100")
    add("--updates", metavar="N", type=amount, default=1000, help="default: 1000")
    add("--grouping", metavar="N,…", type=numbers, default="1", help="cores of a machine")
    add("--no-sharing", action="store_true", help="tell workers no facts of others")
    add("--state-level", choices=(0, 1, 2), type=int, default=2, help="as of solve.py; default: 2")
    add("--seeds", metavar="N,…", default="0", help="one run for each; default: 0")
    add("--no-prior", action="store_true", help="expect nothing of positions never visited")
    add("--capacity", metavar="N", type=amount, default=1 << 16, help="entries of each table")
    add("--max-seconds", metavar="S", type=float, help="of virtual time, then stop")
    add(
        "--max-overhead",
        metavar="X",
        type=float,
        default=12.0,
        help="stop at X times the expansions of DFPN alone; default: 12",
    )
    add("--costs", metavar="NAME=US,…", type=read_costs, default=Costs(), help="microseconds")
    add("--measure", action="store_true", help="print the costs on this machine, simulate nothing")
    add("--save", metavar="FILE", help="write all runs to a JSON file, or to FILE.csv")
    add("--draw", metavar="SVG", help="draw the runs, or those of a --load file")
    add("--paper", action="store_true", help="draw the paper's figures for 47 spots too")
    add("--load", metavar="FILE", help="simulate nothing; show the best runs of a saved file")
    args = parser.parse_args()
    try:
        args.seeds = [amount(word) for word in args.seeds.split(",")]
    except argparse.ArgumentTypeError as error:
        parser.error("argument --seeds: %s" % error)
    if args.load and (args.save or args.study or args.measure):
        parser.error("--load simulates nothing: it takes no --save, --study or --measure")
    if args.paper and not args.draw:
        parser.error("--paper needs --draw")
    args.baseline_capacity = DEFAULT_CAPACITY
    check_options(Options(capacity=args.capacity))
    return args


def main() -> int:
    """Do what the command line says."""
    args = parse_arguments()
    if args.load:
        rows = read(args.load)
    elif args.measure:
        game = find_game(args.game)
        prior = Prior() if args.no_prior else load(args.game)
        costs = measured(game, game.parse(args.position), prior)
        print(",".join(["%s=%.4g" % pair for pair in costs._asdict().items()]))
        return 0
    else:
        study = Study(args)
        own = Curve(
            "own",
            not args.no_sharing,
            args.state_level,
            args.grouping,
            args.processes,
            args.iterations,
            args.updates,
        )
        study.run(STUDIES[args.study] if args.study else [own])
        rows = study.rows
    if args.load or len(args.seeds) > 1 or args.study:
        print("\nThe best settings, means of all seeds:")
        print("\n".join([header(OF_SEEDS), *[line(row, OF_SEEDS) for row in best(rows)]]))
    if args.draw:
        draw(args.draw, rows, args.paper)
    return 0


if __name__ == "__main__":
    run(main)
