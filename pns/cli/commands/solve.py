"""Decide who wins a position, and store the facts that prove it."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Set

import pns
from pns import OptionError, Options, Result, Solver, StopToken
from pns.cli.commands.solve_facts import Start, begin, storing
from pns.cli.common import (
    STOPPED,
    check_options,
    die,
    die_of_missing,
    die_of_option,
    program,
    run,
    warn,
)
from pns.cli.options.solutions import open_solution
from pns.cli.options.solve import solve_parser
from pns.cli.options.variants import given_options
from pns.cli.reports.forecast import Forecaster
from pns.cli.reports.records import Records, check_statistics
from pns.cli.reports.report import how_to_resume, report
from pns.cli.reports.series import Series
from pns.cli.terminal.panel import Heading
from pns.cli.terminal.progress import PANEL_SECONDS, SolverObserver, open_progress, together
from pns.facts import Contradiction, Facts
from pns.facts.layers import DATABASE, SOLUTION, Layer, kinds
from pns.finding import find_game
from pns.system.machine import total_memory

if TYPE_CHECKING:
    from pns.cli.reports.search_timeline import SearchTimeline
    from pns.strong.solution import StrongSolution

EXIT_BUDGET, EXIT_UNSAVED = 3, 4
MOST_NAMES = 3
"""Workers that a line names."""


def search_options(args: argparse.Namespace) -> Options:
    """The options of the search that the command line sets; exits if they are bad."""
    options = given_options(args, args.algorithm)
    check_options(options)
    return options


class Outputs:
    """The files that a search writes besides facts: statistics, a report and a timeline.

    Exits for a path that cannot be written.
    """

    def __init__(self, args: argparse.Namespace) -> None:
        self._args = args
        self._series: Optional[Series] = None
        self._timeline: Optional[SearchTimeline] = None
        if args.statistics is not None:
            check_statistics(args.statistics)
        if args.report is not None:
            from pns.cli.reports.report_page import check_path

            check_path(args.report)
            self._series = Series()
        if args.timeline is not None:
            from pns.cli.reports.search_timeline import SearchTimeline

            self._timeline = SearchTimeline(args.timeline, args.position)

    def observers(self, options: Options, forecaster: Forecaster) -> List[SolverObserver]:
        """What collects the figures while the search runs."""
        args = self._args
        found: List[SolverObserver] = [one.observe for one in (self._series, self._timeline) if one]
        is_shown = not args.quiet or args.statistics or args.metrics is not None
        if is_shown and not options.grundy:  # which takes a search for each number
            found.append(forecaster.observe)
        if args.statistics:
            args.workers = options.worker_count()
            args.state_level = options.kept_state()
            for name in ("iterations", "updates", "grouping"):
                setattr(args, name, getattr(options, name))
            found.append(Records(args.statistics, args, forecaster).observe)
        return found

    def write(self, result: Result) -> bool:
        """Write report and timeline; returns whether that went well, and warns otherwise."""
        series, timeline = self._series, self._timeline
        is_well = series is None or write_page(self._args, result, series)
        return (
            timeline is None or is_written("timeline", timeline.path, timeline.write)
        ) and is_well


def search(
    args: argparse.Namespace,
    options: Options,
    start: Start,
    stop: StopToken,
    solution: Optional[StrongSolution],
    outputs: Outputs,
) -> Result:
    """Search, showing progress."""
    forecaster = Forecaster()
    observers = outputs.observers(options, forecaster)
    if args.metrics is not None:
        from pns.cli.metrics.master import MasterMetrics

        names = (args.position, args.game, options.algorithm)
        observers.append(MasterMetrics(args.metrics, *names, forecaster, args.quiet).observe)
    if args.listen and not args.quiet:
        observers.append(Announcer().observe)
    with open_progress(args.quiet, heading(args, options, start.facts), forecaster) as show:
        return pns.solve(
            args.position,
            args.game,
            options,
            facts=start.facts,
            table=solution,
            stop=stop,
            observer=together(show, *observers),
            warn=warn,
        )


def heading(args: argparse.Namespace, options: Options, facts: Facts) -> Heading:
    """What the panel says about a search: what is searched, how, and its limits."""
    return Heading(
        args.position,
        args.game,
        options.algorithm,
        facts.path,
        options.max_seconds,
        options.max_expansions,
        options.max_memory or total_memory(),
    )


class Announcer:
    """Prints once where a master listens, and from then on which workers join and leave."""

    def __init__(self) -> None:
        self._present: Optional[Set[str]] = None
        self._due = 0.0

    def observe(self, solver: Solver) -> None:
        if time.monotonic() < self._due:
            return
        self._due = time.monotonic() + PANEL_SECONDS
        found = solver.progress()
        if self._present is None:
            self._present = set()
            warn("listening at %s" % ", ".join(found.addresses))
        present = {worker.name for worker in found.workers}
        for names, verb in (
            (present - self._present, "joined"),
            (self._present - present, "left"),
        ):
            if names:
                warn("%s %s; workers now: %d" % (some_of(sorted(names)), verb, len(present)))
        self._present = present


def some_of(names: List[str]) -> str:
    """The first of some workers, and how many others there are.

    >>> some_of(["a"]), some_of(["a", "b", "c", "d", "e"])
    ('a', 'a, b, c and 2 more')
    """
    more = " and %d more" % (len(names) - MOST_NAMES) if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more


def answering(sources: Sequence[Layer]) -> str:
    """What decided a position without a search, for the report, which names the database below."""
    names = ["the database" if one.kind == DATABASE else one.title for one in sources]
    return " and ".join(names)


def as_json(
    result: Result,
    database: Optional[str],
    solution: Optional[str] = None,
    sources: Sequence[str] = (),
) -> Dict[str, Any]:
    """The result as `--json` prints it (docs/schemas/solve.json)."""
    if result.from_table:
        sources = [SOLUTION]
    return {
        **result.as_dict(),
        "database": database,
        "from_database": DATABASE in sources,
        "sources": list(sources),
        "table": solution,
    }


def write_page(args: argparse.Namespace, result: Result, series: Series) -> bool:
    """Write the report; returns whether it could be written."""
    from pns.cli.reports.report_page import write

    sys.stdout.flush()
    return is_written("report", args.report, lambda: write(args.report, args, result, series))


def is_written(name: str, path: str, write: Callable[[], None]) -> bool:
    """Write a file; returns whether it could be written, and warns otherwise."""
    try:
        write()
    except OSError as error:
        warn("%s not written: %s: %s" % (name, path, error.strerror))
        return False
    return True


def show_result(
    args: argparse.Namespace, result: Result, start: Start, database: Optional[str]
) -> None:
    """Print the result, and draw it, as the options say; `database` is where its facts are."""
    if args.json:
        fields = as_json(result, start.database.path, args.table, kinds(start.sources))
        print(json.dumps(fields))
    else:
        answered = answering(start.sources)
        for line in report(result, database, args.grundy, args.quiet, answered):
            print(line)
    if args.draw and result.winning_move is not None:
        from pns.sprouts.drawing import draw_move

        print("\n" + draw_move(result.canonical, result.winning_move).text(), end="")


def solve(args: argparse.Namespace) -> int:
    """Search, show progress, and print the result; returns the exit status."""
    stop = StopToken()
    for number, name in ((signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM")):
        signal.signal(number, lambda *_, name=name: stop.stop(name))
    options = search_options(args)
    outputs = Outputs(args)
    solution = open_solution(args.table, find_game(args.game).name)
    missing: List[str] = []
    start = begin(args, options, missing)
    with storing(start.database) as lost:
        if missing and not args.quiet:
            warn("; ".join(missing))
        result = search(args, options, start, stop, solution, outputs)
        database = start.database.path if solution is None else None
        show_result(args, result, start, database)
        is_well = outputs.write(result)
        if args.statistics and start.sources:
            warn("statistics not written: nothing was searched")
    if not result.solved:
        for line in how_to_resume(result, database, args.checkpoint, bool(lost)):
            print(line, file=sys.stderr)
    if result.unsaved:
        warn("checkpoint not written: %s" % result.unsaved)
    if lost or result.unsaved or not is_well:
        return EXIT_UNSAVED
    if result.solved:
        return 0
    return STOPPED if result.stopped_by in ("Ctrl-C", "SIGTERM") else EXIT_BUDGET


def main(args: Optional[argparse.Namespace] = None) -> int:
    """Do what the command line says, unless it is given parsed; returns the exit status."""
    if args is None:
        args = solve_parser(program()).parse_args()
    if args.no_db and args.db is not None:
        die("argument --no-db: not allowed with argument --db")
    try:
        return solve(args)
    except pns.TooLittleMemory as error:
        die("argument --max-memory: %s" % error)
    except ImportError as error:  # of a package for messages
        die_of_missing(error)
    except OptionError as error:  # a bad address or key file
        die_of_option(error)
    except (Contradiction, pns.SearchFailed) as error:
        warn(str(error))
        return 1


if __name__ == "__main__":
    run(main, searches=True)
