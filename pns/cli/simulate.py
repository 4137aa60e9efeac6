"""Simulate PNS-PDFPN on many cores: real searches and the real master on a virtual clock.

Costs are given, or measured with --measure; otherwise nothing depends on this machine. Each
combination of --cores, --processes, --iterations and --grouping is one run for each seed. For
each number of cores the best setting is shown, as in [cizek2025].
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence

from pns.cli.common import Parser, add_game, amount, check_options, run
from pns.cli.costs import measured
from pns.cli.simulated_runs import MEAN_COLUMNS, Row, best, draw, header, line, read, save
from pns.cli.variants import (
    add_batch,
    add_counting,
    add_job_end,
    add_preset,
    add_search_options,
    add_sharing,
    add_sum_order,
    given_options,
)
from pns.distributed.policy import AT_ONCE, NEVER
from pns.game import GENERATED, SMALLEST, find_game, ordered, prior_file
from pns.machine import peak_memory
from pns.memory import DEFAULT_CAPACITY
from pns.options import DFPN, DISTRIBUTED, FIRST, PNS, PPN2, SEARCHES, Options
from pns.prior import load
from pns.simulation.cached import Cached
from pns.simulation.costs import Costs
from pns.simulation.simulation import Run, Setting, Simulation, sequential

CORES = "1,2,4,8,16,32,64,128,256,512,1024"


VARIANTS = (
    "epsilon",
    "start_numbers",
    "order",
    "counting",
    "process_weight",
    "job_end",
    "sharing",
    "batch",
)
"""The options of `pns.Options` that the workers have."""


class Curve(NamedTuple):
    """A line of a picture: its name, and the settings that its runs try."""

    name: str
    sharing: str = AT_ONCE
    state_level: int = 2
    grouping: Sequence[int] = (1,)
    processes: Sequence[int] = (1,)
    iterations: Sequence[int] = (100,)
    updates: int = 1000
    search: str = DFPN
    order: str = GENERATED


STUDIES: Dict[str, List[Curve]] = {
    "ppn2": [
        Curve("PNS, nothing", NEVER, 0, updates=100, search=PNS),
        Curve("PNS, facts", NEVER, 1, updates=100, search=PNS),
        Curve("DFPN, table", NEVER, 2, updates=100),
        Curve("DFPN, shared", AT_ONCE, 2, updates=100),
    ],
    "state": [
        Curve("nothing kept", NEVER, 0, updates=100),
        Curve("facts kept", NEVER, 1, updates=100),
        Curve("table kept", NEVER, 2, updates=100),
        Curve("facts shared", AT_ONCE, 2, updates=100),
    ],
    "ablation": [
        Curve("not shared", NEVER, iterations=(300,)),
        Curve("shared", iterations=(300,)),
        Curve("grouped", grouping=(32,), iterations=(300,)),
        Curve("second level", grouping=(32,), processes=(4, 16), iterations=(300,)),
        Curve("heuristic", grouping=(32,), iterations=(300,), order=SMALLEST),
    ],
    "updates": [Curve("updates %d" % n, iterations=(300,), updates=n) for n in (10, 100, 1000)],
    "iterations": [Curve("iterations %d" % n, iterations=(n,)) for n in (30, 100, 300, 1000)],
    "grouping": [Curve("grouping %d" % n, grouping=(n,), iterations=(300,)) for n in (1, 8, 32)],
    "threads": [
        Curve("threads %d" % n, grouping=(32,), processes=(n,), iterations=(300,))
        for n in (1, 2, 4, 8)
    ],
}
"""Runs after Figures 4 ("ppn2", or with DFPN in all workers "state"), 5 ("ablation"), 9 ("updates",
"iterations"), 10 ("grouping") and 11 ("threads") of [cizek2025]; with --preset paper the workers
follow its rules."""


def numbers(text: str) -> List[int]:
    """Counts of at least 1, separated by commas.

    >>> numbers("1,16,1k")
    [1, 16, 1000]
    """
    found = [amount(word) for word in text.split(",")]
    if not all(found):
        raise argparse.ArgumentTypeError("each must be at least 1")
    return found


def settings(curve: Curve, cores: int, seed: int, options: Options) -> Iterator[Setting]:
    """All settings that a curve tries on a number of cores."""
    sharing = options.sharing if curve.sharing == AT_ONCE else curve.sharing
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
                        sharing,
                        curve.state_level,
                        seed,
                        options.job_end,
                        options.shared_epsilon(),
                        options.counting,
                        options.process_weight,
                        options.start_numbers,
                        options.order if curve.order == GENERATED else curve.order,
                        options.batch,
                        curve.search,
                    )
                    if setting not in tried:
                        tried.add(setting)
                        yield setting


class Experiment:
    """Simulated runs on one position, each compared with DFPN alone with the same seed."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.options = given_options(args, PPN2 if args.search == PNS else DISTRIBUTED, VARIANTS)
        alone = given_options(args, "dfpn", ("sum_order",))
        self._first_land = alone.sum_order == FIRST
        self.game = Cached(find_game(args.game))
        self.lands = self.game.parse(args.position)
        self.prior = self.options.prior or load(args.game, prior_file(self.game))
        self.costs = args.costs
        self.rows: List[Row] = []
        self._alone: Dict[int, Run] = {}

    def alone(self, seed: int) -> Run:
        """The run of DFPN alone with this seed."""
        if seed not in self._alone:
            options = self.options
            self._alone[seed] = sequential(
                ordered(self.game, options.order),
                self.lands,
                self.costs,
                seed,
                self.prior.starting(options.start_numbers),
                self.args.baseline_capacity,
                options.shared_epsilon(),
                self._first_land,
            )
        return self._alone[seed]

    def row(self, curve: Curve, setting: Setting) -> Row:
        """Simulate one setting; returns its figures, speedup and overhead."""
        args = self.args
        alone = None if args.max_seconds else self.alone(setting.seed)
        limits: Dict[str, Any] = {"most_seconds": args.max_seconds}
        if alone:
            limits["most_seconds"] = args.max_slowdown * alone.seconds
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
        """Simulate all curves; each run is printed and saved when it is done."""
        self.save()  # to fail before the first run rather than after it
        print(header(), flush=True)
        for curve in curves:
            for cores in self.args.cores:
                for seed in self.args.seeds:
                    for setting in settings(curve, cores, seed, self.options):
                        self.rows.append(self.row(curve, setting))
                        print(line(self.rows[-1]), flush=True)
                        self.save()

    def save(self) -> None:
        """Save all runs so far."""
        if self.args.save:
            save(self.args.save, self.rows, {"costs": self.costs._asdict()})


def read_costs(words: Optional[str]) -> Costs:
    """The default costs, changed by NAME=MICROSECONDS, separated by commas."""
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
    add_game(parser)
    add(
        "--study",
        choices=sorted(STUDIES),
        help="runs after a figure of the paper: 4 (ppn2; state: all by DFPN), 5 (ablation),"
        " 9 (updates, iterations), 10 (grouping), 11 (threads)",
    )
    add("--cores", metavar="N,…", type=numbers, default=CORES, help="default: %s" % CORES)
    add(
        "--processes",
        metavar="N,…",
        type=numbers,
        default="1",
        help="processes of a worker; default: 1",
    )
    add("--iterations", metavar="N,…", type=numbers, default="100", help="default: 100")
    add("--updates", metavar="N", type=amount, default=1000, help="default: 1000")
    add("--grouping", metavar="N,…", type=numbers, default="1", help="cores of a machine")
    add("--search", choices=SEARCHES, default=DFPN, help="of workers: dfpn, or pns as with ppn2")
    add("--state-level", choices=(0, 1, 2), type=int, help="as of solve.py; default: 2, of pns 0")
    add("--seeds", metavar="N,…", help="one run for each; default: 0; 1,2,3 with --preset")
    add("--capacity", metavar="N", type=amount, default=1 << 16, help="entries of each table")
    add("--max-seconds", metavar="S", type=float, help="of virtual time, then stop")
    add(
        "--max-overhead",
        metavar="X",
        type=float,
        default=12.0,
        help="stop at X times the expansions of DFPN alone; default: 12",
    )
    add(
        "--max-slowdown",
        metavar="X",
        type=float,
        default=2.0,
        help="stop at X times the time of DFPN alone; default: 2",
    )
    add("--costs", metavar="NAME=US,…", type=read_costs, default=Costs(), help="microseconds")
    add("--measure", action="store_true", help="print the costs on this machine, simulate nothing")
    add("--save", metavar="FILE", help="write all runs to a JSON file, or to FILE.csv")
    add("--draw", metavar="SVG", help="draw the runs, or those of a --load file")
    add("--paper", action="store_true", help="draw the paper's figures for 47 spots too")
    add("--load", metavar="FILE", help="simulate nothing; show the best runs of a saved file")
    group = parser.add_argument_group("as of solve.py")
    add_preset(group)
    add_search_options(group)
    add_sum_order(group, "the land of a sum that DFPN alone searches next, least or first")
    add_counting(group)
    add_batch(group)
    add_job_end(group)
    add_sharing(group)
    args = parser.parse_args()
    try:
        words = args.seeds or ("1,2,3" if args.preset else "0")
        args.seeds = [amount(word) for word in words.split(",")]
    except argparse.ArgumentTypeError as error:
        parser.error("argument --seeds: %s" % error)
    if args.load and (args.save or args.study or args.measure):
        parser.error("--load simulates nothing: it takes no --save, --study or --measure")
    if args.paper and not args.draw:
        parser.error("--paper needs --draw")
    args.baseline_capacity = DEFAULT_CAPACITY
    check_options(Options(capacity=args.capacity))
    algorithm = PPN2 if args.search == PNS else DISTRIBUTED
    options = Options(algorithm, state_level=args.state_level)
    check_options(options)
    args.state_level = options.kept_state()
    if args.search == PNS and args.processes != [1]:
        parser.error("argument --processes: only --search dfpn has it")
    return args


def main() -> int:
    """Do what the command line says; returns the exit status."""
    args = parse_arguments()
    if args.load:
        rows = read(args.load)
    elif args.measure:
        game = find_game(args.game)
        given = given_options(args, DISTRIBUTED, VARIANTS).prior
        prior = given or load(args.game, prior_file(game))
        costs = measured(game, game.parse(args.position), prior)
        print(",".join(["%s=%.4g" % pair for pair in costs._asdict().items()]))
        return 0
    else:
        experiment = Experiment(args)
        own = Curve(
            "own",
            AT_ONCE,
            args.state_level,
            args.grouping,
            args.processes,
            args.iterations,
            args.updates,
            args.search,
        )
        experiment.run(STUDIES[args.study] if args.study else [own])
        rows = experiment.rows
    if args.load or len(args.seeds) > 1 or args.study:
        print("\nThe best settings, means of all seeds:")
        print("\n".join([header(MEAN_COLUMNS), *[line(row, MEAN_COLUMNS) for row in best(rows)]]))
    if args.draw:
        draw(args.draw, rows, args.paper)
    return 0


if __name__ == "__main__":
    run(main)
