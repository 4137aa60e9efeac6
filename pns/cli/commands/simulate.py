"""Simulate PNS-PDFPN on many cores: real searches and the real master on a virtual clock."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, replace
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

from pns.choices import (
    AT_ONCE,
    DEFAULT_CAPACITY,
    DFPN,
    FIRST,
)
from pns.cli.common import check_options, die_of_missing, die_of_option, program, run
from pns.cli.options.simulate import simulate_parser
from pns.cli.options.variants import given_options
from pns.cli.reports.simulated_runs import (
    MEAN_COLUMNS,
    SHARE_COLUMNS,
    Row,
    best,
    draw,
    header,
    line,
    read,
    save,
)
from pns.cli.reports.timeline_picture import columns, picture
from pns.finding import find_game
from pns.front.options import OptionError, Options
from pns.game import Game, prior_file
from pns.positions.prior import load
from pns.positions.simplify import find_simplified, searched
from pns.positions.wrapped import ordered
from pns.simulation.cached import Cached
from pns.simulation.costs import Costs
from pns.simulation.machine import Machine
from pns.simulation.measured import measured
from pns.simulation.simulation import Run, Setting, Simulation, sequential
from pns.simulation.studies import STUDIES, StudyCurve, settings
from pns.system.files import open_whole
from pns.system.platform import peak_memory

VARIANTS = (
    "epsilon",
    "start_numbers",
    "order",
    "counting",
    "process_weight",
    "job_end",
    "sharing",
    "batch",
    "restart",
    "simplify",
    "work_limit",
)
"""The options of `pns.Options` that the workers have."""


class Experiment:
    """Simulated runs on one position, each compared with DFPN alone with the same seed."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.options = given_options(args, args.algorithm, VARIANTS)
        alone = given_options(args, "dfpn", ("sum_order",))
        self._first_land = alone.sum_order == FIRST
        self.game = Cached(searched_game(args.game, self.options))
        self.lands = self.game.parse(args.position)
        self.prior = self.options.prior or load(args.game, prior_file(self.game))
        self.costs = args.costs
        self.rows: List[Row] = []
        self._alone: Dict[int, Tuple[Run, Set[int]]] = {}

    def alone(self, seed: int) -> Tuple[Run, Set[int]]:
        """The run of DFPN alone with this seed, and the couples that it expands."""
        if seed not in self._alone:
            options = replace(self.options, algorithm=DFPN)
            self._alone[seed] = sequential(
                ordered(self.game, options.order),
                self.lands,
                self.costs,
                seed,
                self.prior.starting(options.start_numbers),
                self.args.baseline_capacity,
                options.epsilon_for(self.game.name),
                options.batch_for(self.game.name),
                self._first_land,
                options.restart_for(self.game.name),
            )
        return self._alone[seed]

    def row(self, curve: StudyCurve, setting: Setting) -> Row:
        """Simulate one setting; returns its figures, speedup and overhead."""
        args = self.args
        alone, keys = (None, None) if args.max_seconds else self.alone(setting.seed)
        limits: Dict[str, Any] = {"most_seconds": args.max_seconds, "memory": args.memory}
        if alone:
            limits["most_seconds"] = args.max_slowdown * alone.seconds
            limits["most_expansions"] = int(args.max_overhead * alone.expansions)
        what = self.game, self.lands, setting, self.costs, args.capacity, self.prior
        if setting.has_master:
            simulation = Simulation(*what, alone=keys, **limits)
            found = simulation.run()
            if args.timeline:
                self._draw_timeline(simulation, setting)
        else:
            # its processes share the children, so that a cache would only take time and memory
            found = Machine(self.game.original, *what[1:], **limits).run()
        row = {"curve": curve.name, "position": args.position, "cores": setting.cores}
        row.update(setting.as_row(), simplify=find_simplified(self.game) is not None)
        figures = asdict(found)
        for name, share in {**figures.pop("times"), **figures.pop("kinds")}.items():
            figures[name.replace(" ", "_")] = share
        figures.update({"master_" + task: share for task, share in figures.pop("tasks").items()})
        row.update(figures)
        solved = alone is not None and found.solved
        row["speedup"] = alone.seconds / found.seconds if alone and solved else None
        row["overhead"] = found.expansions / alone.expansions if alone and solved else None
        row["memory_bytes"] = peak_memory()
        return row

    def _draw_timeline(self, simulation: Simulation, setting: Setting) -> None:
        """Draw what master and workers did in a run."""
        title = "%s on %d cores" % (self.args.position, setting.cores)
        end = simulation.end
        master, *workers = [
            columns(diary.spans(end), end)
            for diary in (simulation.queue.diary, *simulation.diaries())
        ]
        with open_whole(self.args.timeline) as stream:
            stream.write(picture(title, master, workers, end, "virtual seconds").encode())

    def run(self, curves: Sequence[StudyCurve]) -> None:
        """Simulate all curves; each run is printed and saved when it is done."""
        self.save()  # to fail before the first run rather than after it
        if not self.args.json:
            print(header(), flush=True)
        for curve in curves:
            for cores in self.args.cores:
                for seed in self.args.seeds:
                    for setting in settings(curve, cores, seed, self.options, self.game.name):
                        self.rows.append(self.row(curve, setting))
                        row = self.rows[-1]
                        print(json.dumps(row) if self.args.json else line(row), flush=True)
                        self.save()

    def save(self) -> None:
        """Save all runs so far."""
        if self.args.save:
            save(self.args.save, self.rows, {"costs": self.costs._asdict()})


def searched_game(name: str, options: Options) -> Game:
    """A game as it is searched: with simpler positions or without, as the options say."""
    game = find_game(name)
    try:
        options.check_game(game)
    except OptionError as error:
        die_of_option(error)
    return searched(game, options.simplify)


def complete(args: argparse.Namespace) -> None:
    """Fill in defaults; exits for a bad option."""
    args.costs = args.costs or Costs()
    args.baseline_capacity = DEFAULT_CAPACITY
    check_options(Options(capacity=args.capacity))
    options = Options(args.algorithm, state_level=args.state_level)
    check_options(options)
    args.state_level = options.kept_state()


def measure(args: argparse.Namespace) -> None:
    """Print the costs on this machine."""
    options = given_options(args, args.algorithm, VARIANTS)
    game = searched_game(args.game, options)
    prior = options.prior or load(args.game, prior_file(game))
    try:
        costs = measured(game, game.parse(args.position), prior)
    except ImportError as error:
        die_of_missing(error)
    text = ",".join(["%s=%.4g" % pair for pair in costs._asdict().items()])
    print(json.dumps(costs._asdict()) if args.json else text)


def simulated(args: argparse.Namespace) -> List[Row]:
    """The runs that the command line asks for; each is printed when it is done."""
    own = StudyCurve(
        "own",
        AT_ONCE,
        args.state_level,
        args.grouping,
        args.processes,
        args.iterations,
        args.updates,
        args.search,
        leads=args.leaders,
        algorithm=args.algorithm,
    )
    experiment = Experiment(args)
    experiment.run(STUDIES[args.study] if args.study else [own])
    return experiment.rows


def summarise(args: argparse.Namespace, rows: List[Row]) -> None:
    """Print the best settings, and where the time of their runs went."""
    if args.json:
        for row in best(rows) if args.load else ():
            print(json.dumps(row))
        return
    if args.load or len(args.seeds) > 1 or args.study:
        print("\nThe best settings, means of all seeds:")
        print("\n".join([header(MEAN_COLUMNS), *[line(row, MEAN_COLUMNS) for row in best(rows)]]))
    if any(["searching" in row for row in rows]):
        print(
            "\nShares of the workers' time, of their expansions, of children, of the master's work:"
        )
        print("\n".join([header(SHARE_COLUMNS), *[line(row, SHARE_COLUMNS) for row in best(rows)]]))


def main(args: Optional[argparse.Namespace] = None) -> int:
    """Do what the command line says, unless it is given parsed; returns the exit status."""
    if args is None:
        args = simulate_parser(program()).parse_args()
    complete(args)
    if args.measure and not args.load:
        measure(args)
        return 0
    rows = read(args.load) if args.load else simulated(args)
    summarise(args, rows)
    if args.draw:
        draw(args.draw, rows, args.paper)
    return 0


if __name__ == "__main__":
    run(main)
