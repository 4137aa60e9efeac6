"""Measure how long positions take, each in a fresh process, or compare two measurements.

It measures: whatever the figures are, the exit status is 0.
"""

from __future__ import annotations

import bootstrap

import argparse
import json
import math
import os
import platform
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from itertools import product
from statistics import median
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence

from benchmarks import overhead, sharing
from benchmarks.capacities import METHODS, picture
from benchmarks.curve import picture as curve
from benchmarks.curve import reference_rows, spots_of

import pns
from pns import lifeline
from pns.cli.common import Parser, amount, die, run, warn
from pns.files import Reporter, load_json, open_whole
from pns.game import find_game
from pns.machine import physical_cores, total_memory
from pns.options import ALGORITHMS, PARALLEL
from pns.simulation.cached import Cached

MODES = ("capacities", "curve", "overhead", "table", "latency", "compare")
"""Options that say what to do instead of measuring positions."""
SUITES: Dict[str, Sequence[int]] = {
    "quick": range(6, 12),
    "standard": (12, 13, 16, 17),
    "reference": (12, 14, 16, 17, 18, 20, 22, 23, 29),
}
"""Numbers of isolated spots, the positions of each suite."""

Run = Dict[str, Any]
"""What solve.py --json said of a position, or the position, solved = False and an error."""


class Figure(NamedTuple):
    """A figure of a run: its name, how it is shown, and how it is derived."""

    name: str
    shown: str
    figure: Callable[[Run], float]


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
    """Columns that set a run beside the C++ solver's, where its figures are known.

    >>> run = {"position": "0*29", "seconds": 28.8, "expansions": 543439}
    >>> [column.shown % column.figure(run) for column in reference_columns("dfpn")]
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
    """a / b, and not a number where b is 0."""
    return a / b if b else math.nan


def row(first: str, second: str, size: Sequence[str]) -> str:
    """A line of a table.

    >>> row("0*6", "loss", ["1.25", "17"])
    '0*6          loss             1.25         17'
    """
    return "%-12s %-10s" % (first, second) + "".join([" %10s" % cell for cell in size])


def header(second: str, columns: Sequence[Figure] = COLUMNS) -> str:
    """The first line of a table."""
    return row("position", second, [column.name for column in columns])


def medians(runs: Sequence[Run], columns: Sequence[Figure] = COLUMNS) -> List[float]:
    """The median of each column over the runs of one position, all of them solved."""
    return [median([column.figure(run) for run in runs]) for column in columns]


def table_row(runs: Sequence[Run], columns: Sequence[Figure] = COLUMNS) -> str:
    """The line for the runs of one position."""
    position = runs[0]["position"]
    for one in runs:
        if not one["solved"]:
            return "%-12s not solved: %s" % (position, one.get("error") or one.get("stopped_by"))
    figures = zip(columns, medians(runs, columns))
    return row(position, runs[0]["outcome"], [column.shown % figure for column, figure in figures])


def by_position(runs: Sequence[Run]) -> Dict[str, List[Run]]:
    """The runs of each position, in the order of the positions."""
    groups: Dict[str, List[Run]] = {}
    for one in runs:
        groups.setdefault(one["position"], []).append(one)
    return groups


def comparison(a: Sequence[Run], b: Sequence[Run]) -> List[str]:
    """A table of b's figures over a's for the positions that both solved, and their means."""
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
    """The geometric mean of those that are positive numbers.

    >>> round(geometric_mean([0.5, 8.0, math.nan, 0.0]), 6)
    2.0
    """
    logarithms = [math.log(value) for value in values if value > 0]
    return math.exp(math.fsum(logarithms) / len(logarithms)) if logarithms else math.nan


def solved(position: str, options: Sequence[str], running: List[subprocess.Popen[str]]) -> Run:
    """What a process of its own finds; its seconds are those of the whole process."""
    script = os.path.join(bootstrap.ROOT, "scripts", "solve.py")
    command = [sys.executable, script, "--json", "--quiet", "--no-db", *options, "--", position]
    pipe = subprocess.PIPE
    start = time.monotonic()
    process, line = lifeline.start(command, stdout=pipe, stderr=pipe, text=True)
    running.append(process)
    output, errors = process.communicate()
    os.close(line)
    seconds = time.monotonic() - start
    said = errors.strip().splitlines() or ["exit status %d" % process.returncode]
    if process.returncode == 2:
        die("%s: %s" % (position, said[0]))
    try:
        return {**json.loads(output), "seconds": seconds}
    except ValueError:
        return {"position": position, "solved": False, "error": said[-1]}


def measure(positions: Sequence[str], options: Sequence[str], jobs: int) -> Iterator[Run]:
    """The run of each position, in order, with so many processes at once."""
    running: List[subprocess.Popen[str]] = []
    with ThreadPoolExecutor(jobs) as pool:
        try:
            yield from pool.map(lambda position: solved(position, options, running), positions)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in running:
                process.kill()


def commit() -> Optional[str]:
    """The commit that the project is at, marked when files differ from it."""
    if not os.path.exists(os.path.join(bootstrap.ROOT, ".git")):
        return None
    command = ["git", "-C", bootstrap.ROOT, "describe", "--always", "--dirty"]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    except OSError:
        return None
    return done.stdout.strip() or None


def interpreter() -> str:
    """Its name and version, and that of its language."""
    name, version = platform.python_implementation(), sys.implementation.version
    return "%s %d.%d.%d, Python %s" % (name, *version[:3], platform.python_version())


def machine() -> Dict[str, Any]:
    """What the figures depend on."""
    model = platform.processor()
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            names = [line for line in file if line.startswith("model name")]
            model = names[0].split(":", 1)[1].strip() if names else model
    except OSError:
        pass
    return {"cpu": model, "cores": os.cpu_count(), "memory_bytes": total_memory()}


def load(path: str) -> List[Run]:
    """The runs of a saved measurement."""
    try:
        saved: List[Run] = load_json(path)["runs"]
        comparison(saved, saved)
        return saved
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError):
        die("%s is no measurement saved by bench.py" % path)


def save(path: str, measurement: Dict[str, Any]) -> None:
    """Write a measurement to a file, or leave that as it is; raises OSError."""
    with open_whole(path) as file:
        file.write((json.dumps(measurement, indent=1) + "\n").encode())


def parse_arguments(arguments: List[str]) -> argparse.Namespace:
    """The command line, up to `--`."""
    parser = Parser(
        description=__doc__,
        usage="bench.py [OPTION...] [POSITION...] [-- OPTION OF solve.py...]\n"
        "       bench.py --capacities PICTURE.svg POSITION [-- OPTION OF solve.py...]\n"
        "       bench.py --curve PICTURE.svg A.json\n"
        "       bench.py --overhead PICTURE.svg [--repeat SEEDS] POSITION...\n"
        "       bench.py --table [--repeat N]\n"
        "       bench.py --latency POSITION...\n"
        "       bench.py --compare A.json B.json",
    )
    add = parser.add_argument
    add("positions", metavar="POSITION", nargs="*", help="what to measure instead of a suite")
    add("--suite", choices=sorted(SUITES), help="default: quick")
    add(
        "--repeat",
        metavar="N",
        type=amount,
        help="runs whose medians are shown; default: 1, for the reference and --capacities 3",
    )
    add("--algorithm", choices=ALGORITHMS, default="dfpn", help="default: dfpn")
    add("--jobs", metavar="N", type=amount, default=1, help="processes at once; default: 1")
    add("--save", metavar="FILE", help="write all runs to a JSON file, after each position")
    add(
        "--capacities", metavar="SVG", help="measure PNS, and DFPN with several capacities; draw it"
    )
    add("--curve", metavar=("SVG", "A"), nargs=2, help="draw the cost of n spots from a saved file")
    add(
        "--overhead",
        metavar="SVG",
        help="measure the search overhead of logical processes with N seeds (default: 5); draw it",
    )
    add(
        "--table",
        action="store_true",
        help="nanoseconds of lookups and stores, alone and beside another process",
    )
    add(
        "--latency",
        action="store_true",
        help="milliseconds until a process of pdfpn knows what another one proved",
    )
    add("--compare", metavar=("A", "B"), nargs=2, help="print the figures of B over those of A")
    args = parser.parse_args(arguments)
    modes = [name for name in MODES if getattr(args, name)]
    if len(modes) > 1:
        parser.error("--%s and --%s exclude each other" % (modes[0], modes[1]))
    if modes and args.save:
        parser.error("--%s takes no --save" % modes[0])
    if args.capacities and len(args.positions) != 1:
        parser.error("--capacities takes one position")
    if not args.positions and (args.overhead or args.latency):
        parser.error("--%s takes positions" % modes[0])
    if args.positions and (args.table or args.compare or args.curve):
        parser.error("--%s takes no positions" % modes[0])
    if args.positions and args.suite:
        parser.error("--suite and positions exclude each other")
    args.suite = args.suite or "quick"
    if (args.overhead or args.table) and args.repeat is None:
        args.repeat = 5
    if args.repeat is None:
        reference = args.suite == "reference" and not args.positions
        args.repeat = 3 if reference or args.capacities else 1
    if not args.repeat or not args.jobs:
        parser.error("--repeat and --jobs are at least 1")
    return args


def compare_capacities(path: str, position: str, options: Sequence[str], repeat: int) -> None:
    """Measure the methods of the paper's Figure 3 on a position; a table and a picture of medians.

    All methods take turns, so that what else the machine does meets each of them.
    """
    with open_whole(path) as file:  # to fail now rather than after the runs
        print(row("method", "outcome", [column.name for column in COLUMNS]))
        runs: List[List[Run]] = [[] for _ in METHODS]
        for turn in range(1, repeat + 1):
            for found, (name, method) in zip(runs, METHODS):
                found += measure([position], [*method, *options], 1)
                if turn == repeat:
                    print(table_row([{**one, "position": name} for one in found]), flush=True)
        middle = [median_run(found) for found in runs]
        if any([one["solved"] for one in middle]):
            file.write(picture(position, middle).encode())


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


def draw_curve(path: str, saved: str) -> None:
    """Draw the cost of n-spot positions from a saved measurement."""
    try:
        drawn = curve(load(saved))
    except ValueError as error:
        die("%s: %s" % (saved, error))
    with open_whole(path) as file:
        file.write(drawn.encode())
    print("%s: drawn" % path)


def draw_overhead(path: str, positions: Sequence[str], seeds: int) -> None:
    """Measure what logical processes expand more than one alone; a table and a picture."""
    game = Cached(find_game("sprouts"))
    with open_whole(path) as file:  # to fail now rather than after the runs
        measured: List[overhead.Overhead] = []
        for position in positions:
            if not overhead.sequential(game, position):
                die("%s needs no search" % position)
        print(overhead.HEADER)
        for position, algorithm in product(positions, PARALLEL):
            for found in overhead.measure(game, position, algorithm, seeds):
                print(overhead.row(found), flush=True)
                measured.append(found)
        file.write(overhead.picture(measured).encode())


def main() -> int:
    """Do what the command line says."""
    arguments = sys.argv[1:]
    end = arguments.index("--") if "--" in arguments else len(arguments)
    args = parse_arguments(arguments[:end])
    for mode in MODES:
        if getattr(args, mode) and mode != "capacities" and arguments[end + 1 :]:
            die("--%s takes no options of solve.py" % mode)
    if args.compare:
        print("\n".join(comparison(*map(load, args.compare))))
        return 0
    if args.curve:
        draw_curve(*args.curve)
        return 0
    if args.overhead:
        draw_overhead(args.overhead, args.positions, args.repeat)
        return 0
    if args.table:
        for line in sharing.table_figures(args.repeat):
            print(line, flush=True)
        return 0
    if args.latency:
        for position in args.positions:
            print(sharing.latency_line(position, max(2, physical_cores())), flush=True)
        return 0
    if args.capacities:
        compare_capacities(args.capacities, args.positions[0], arguments[end + 1 :], args.repeat)
        return 0
    suite = None if args.positions else args.suite
    positions = args.positions or ["0*%d" % spots for spots in SUITES[args.suite]]
    options = ["--algorithm", args.algorithm] + arguments[end + 1 :]
    for argument in positions + options:
        if not argument.isascii():
            die("%s is not ASCII" % ascii(argument))
    runs: List[Run] = []
    measurement = {
        "version": pns.__version__,
        "commit": commit(),
        "time": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "interpreter": interpreter(),
        "machine": machine(),
        "suite": suite,
        "jobs": args.jobs,
        "options": options,
        "runs": runs,
    }
    if args.save:
        save(args.save, measurement)  # to fail now rather than after the first run
    columns = COLUMNS + (reference_columns(args.algorithm) if suite == "reference" else [])
    print(header("outcome", columns))
    each = [position for position in positions for _ in range(args.repeat)]
    reporter = Reporter(warn)
    for found in measure(each, options, args.jobs):
        runs.append(found)
        if len(runs) % args.repeat == 0:
            print(table_row(runs[-args.repeat :], columns), flush=True)
            if args.save and len(runs) < len(each):
                try:
                    save(args.save, measurement)
                except OSError as error:
                    reporter.report("%s: %s; the runs go on" % (args.save, error.strerror))
    if args.save:
        save(args.save, measurement)
    return 0


if __name__ == "__main__":
    run(main)
