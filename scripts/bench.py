"""Measure how long positions take, each in a fresh process, or compare two measurements.

The exit status is 0 whatever the figures are.
"""

from __future__ import annotations

import bootstrap

import argparse
import json
import os
import platform
import subprocess
import sys
from datetime import datetime, timezone
from itertools import product
from typing import Any, Dict, List, Optional, Sequence

from benchmarks import overhead, sharing
from benchmarks.curve import picture as curve
from benchmarks.runs import Run, measure
from benchmarks.tables import (
    COLUMNS,
    comparison,
    header,
    reference_columns,
    table_row,
)

import pns
from pns.choices import ALGORITHMS, PARALLEL
from pns.cli.common import die, run, warn
from pns.cli.parser import Parser, amount
from pns.finding import find_game
from pns.simulation.cached import Cached
from pns.system.files import Reporter, load_json, open_whole
from pns.system.machine import physical_cores, total_memory

MODES = ("curve", "overhead", "table", "latency", "compare")
"""Options that do something else than measure positions."""
SUITES: Dict[str, Sequence[int]] = {
    "quick": range(6, 12),
    "standard": (12, 13, 16, 17),
    "reference": (12, 14, 16, 17, 18, 20, 22, 23, 29),
}
"""The positions of each suite, as numbers of isolated spots."""


def commit() -> Optional[str]:
    """The commit that is checked out, marked if files differ from it; None outside of git."""
    if not os.path.exists(os.path.join(bootstrap.ROOT, ".git")):
        return None
    command = ["git", "-C", bootstrap.ROOT, "describe", "--always", "--dirty"]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    except OSError:
        return None
    return done.stdout.strip() or None


def interpreter() -> str:
    """The name and version of the interpreter, and the version of its language."""
    name, version = platform.python_implementation(), sys.implementation.version
    return "%s %d.%d.%d, Python %s" % (name, *version[:3], platform.python_version())


def machine() -> Dict[str, Any]:
    """The hardware, on which the figures depend."""
    model = platform.processor()
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            names = [line for line in file if line.startswith("model name")]
            model = names[0].split(":", 1)[1].strip() if names else model
    except OSError:
        pass
    return {"cpu": model, "cores": os.cpu_count(), "memory_bytes": total_memory()}


def load(path: str) -> List[Run]:
    """The runs of a saved measurement; exits if the file is none."""
    try:
        saved: List[Run] = load_json(path)["runs"]
        comparison(saved, saved)
        return saved
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError):
        die("%s is not a measurement saved by bench.py" % path)


def save(path: str, measurement: Dict[str, Any]) -> None:
    """Write a measurement to a file, wholly or not at all; raises OSError."""
    with open_whole(path) as file:
        file.write((json.dumps(measurement, indent=1) + "\n").encode())


def parse_arguments(arguments: List[str]) -> argparse.Namespace:
    """Parse the command line up to `--`."""
    parser = Parser(
        description=__doc__,
        usage="bench.py [OPTION...] [POSITION...] [-- OPTION OF solve.py...]\n"
        "       bench.py --curve PICTURE.svg A.json\n"
        "       bench.py --overhead PICTURE.svg [--repeat SEEDS] POSITION...\n"
        "       bench.py --table [--repeat N]\n"
        "       bench.py --latency POSITION...\n"
        "       bench.py --compare A.json B.json",
    )
    add = parser.add_argument
    add("positions", metavar="POSITION", nargs="*", help="position to measure instead of a suite")
    add("--suite", choices=sorted(SUITES), help="default: quick")
    add(
        "--repeat",
        metavar="N",
        type=amount,
        help="runs whose medians are shown; default: 1; for the reference 3",
    )
    add("--algorithm", choices=ALGORITHMS, default="dfpn", help="default: dfpn")
    add("--jobs", metavar="N", type=amount, default=1, help="processes at once; default: 1")
    add("--save", metavar="FILE", help="write all runs to a JSON file, after each position")
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
        help="milliseconds from a proof by a process of pdfpn to its receipt by another",
    )
    add(
        "--compare",
        metavar=("A", "B"),
        nargs=2,
        help="print the figures of B divided by those of A",
    )
    args = parser.parse_args(arguments)
    modes = [name for name in MODES if getattr(args, name)]
    if len(modes) > 1:
        parser.error("--%s and --%s exclude each other" % (modes[0], modes[1]))
    if modes and args.save:
        parser.error("--%s takes no --save" % modes[0])
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
        args.repeat = 3 if reference else 1
    if not args.repeat or not args.jobs:
        parser.error("--repeat and --jobs are at least 1")
    return args


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
    """Measure the search overhead of logical processes; prints a table and draws a picture."""
    game = Cached(find_game("sprouts"))
    with open_whole(path) as file:  # to fail before the runs rather than after them
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


def main() -> int:  # noqa: C901  (a case for each mode)
    """Do what the command line says; returns the exit status."""
    arguments = sys.argv[1:]
    end = arguments.index("--") if "--" in arguments else len(arguments)
    args = parse_arguments(arguments[:end])
    for mode in MODES:
        if getattr(args, mode) and arguments[end + 1 :]:
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
        save(args.save, measurement)  # to fail before the first run rather than after it
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
