"""Decide who wins a position, and store the facts that prove it."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from contextlib import contextmanager
from typing import Iterator, List, Optional, Tuple

import pns
from pns import Distribution, OptionError, Options, Result, Solver, StopToken
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
from pns.cli.progress import Observer, open_progress, together
from pns.cli.records import Records
from pns.cli.solve_options import solve_parser
from pns.cli.variants import given_options
from pns.facts import Contradiction, Facts, FactsError, LmdbMissing, default_path, open_facts
from pns.machine import process_limits

EXIT_BUDGET, EXIT_UNSAVED = 3, 4


def open_database(args: argparse.Namespace, missing: List[str]) -> Facts:
    """The facts that the command line asks for; names a missing package in `missing`."""
    if not args.no_db:
        try:
            path = default_path(args.game) if args.db is None else args.db
            return open_facts(path, args.game)
        except LmdbMissing as error:
            if args.db is not None:
                raise
            missing.append(str(error))
    return Facts(args.game)


@contextmanager
def storing(facts: Facts) -> Iterator[Tuple[Facts, List[str]]]:
    """(the facts, a list); closes the facts, and adds to the list why some were not stored."""
    lost: List[str] = []
    try:
        yield facts, lost
    finally:
        waiting = facts.waiting
        try:
            facts.close()
        except Contradiction:
            raise
        except FactsError as error:
            lost.append(str(error))
            warn("%d facts could not be stored: %s" % (waiting, error))


def search_options(args: argparse.Namespace) -> Options:
    """The options of the search that the command line sets; exits if they are bad."""
    options = given_options(args, args.algorithm)
    check_options(options)
    return options


def search(
    args: argparse.Namespace, options: Options, facts: Facts, missing: List[str], stop: StopToken
) -> Result:
    """Search, showing progress."""
    observers: List[Observer] = []
    if args.statistics:
        args.workers = options.worker_count()
        args.state_level = options.kept_state()
        for name in ("iterations", "updates", "grouping"):
            setattr(args, name, getattr(options, name))
        observers.append(Records(args.statistics, args).observe)
    if args.listen and not args.quiet:
        observers.append(Announcer().observe)
    with open_progress(args.quiet, missing) as show:
        if missing and not args.quiet:
            warn("; ".join(missing))
        return pns.solve(
            args.position,
            args.game,
            options,
            facts=facts,
            stop=stop,
            observer=together(show, *observers),
            warn=warn,
        )


class Announcer:
    """Prints once where a master listens."""

    def __init__(self) -> None:
        self._is_done = False

    def observe(self, solver: Solver) -> None:
        if not self._is_done:
            self._is_done = True
            warn("listening at %s" % ", ".join(solver.progress().addresses))


def solve(args: argparse.Namespace) -> int:
    """Search, show progress, and print the result; returns the exit status."""
    stop = StopToken()
    for number, name in ((signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM")):
        signal.signal(number, lambda *_, name=name: stop.stop(name))
    options = search_options(args)
    missing: List[str] = []
    with storing(open_database(args, missing)) as (facts, lost):
        result = search(args, options, facts, missing, stop)
        if args.json:
            print(json.dumps(result.as_dict()))
        else:
            for line in report(result, args.grundy, args.quiet):
                print(line)
    if not result.solved:
        for line in how_to_resume(result, facts.path, args.checkpoint, bool(lost)):
            print(line, file=sys.stderr)
    if result.unsaved:
        warn("no checkpoint: %s" % result.unsaved)
    if lost or result.unsaved:
        return EXIT_UNSAVED
    if result.solved:
        return 0
    return STOPPED if result.stopped_by in ("Ctrl-C", "SIGTERM") else EXIT_BUDGET


def report(result: Result, grundy: bool, quiet: bool) -> List[str]:
    """The result in sentences; if `quiet` only the answer, without statistics."""
    lines = []
    name, usage = result.canonical, result.usage
    if result.outcome == "win":
        lines.append("%s is a win: the player to move wins." % name)
    elif result.outcome == "loss":
        lines.append("%s is a loss: the player to move loses, whatever the move." % name)
    if result.grundy_number is not None and (grundy or not quiet):
        lines.append("Its Grundy number is %d." % result.grundy_number)
    if quiet:
        return lines
    if result.winning_move is not None:
        lines.append("A winning move leads to %s" % result.winning_move)
    elif result.outcome == "win":
        lines.append("The facts decide it without naming a winning move.")
    if usage.replaced:
        lines.append("Killed and replaced on the way: %d processes." % usage.replaced)
    if usage.nodes is None:
        store = "%d table entries" % usage.table_entries
    else:
        store = "%d nodes of %.0f bytes" % (usage.nodes, usage.bytes_per_node or 0)
    if usage.tree_mode not in (None, result.algorithm):
        went_on = {"pn2": "as PN²", "dfpn": "with DFPN at its leaves"}[str(usage.tree_mode)]
        lines.append("The tree was full, and the search went on %s." % went_on)
    lines.append(
        "%d expansions, %d children, %d facts (%d new), %s, %.1f s, %d MB"
        % (
            usage.expansions,
            usage.children_generated,
            usage.facts_known,
            usage.facts_new,
            store,
            usage.seconds,
            usage.peak_memory_bytes // 1_000_000,
        )
    )
    if usage.distribution:
        lines.append(summary(usage.distribution))
    return lines


def summary(found: Distribution) -> str:
    """The statistics of workers and jobs, on one line."""
    jobs = found.jobs
    return (
        "%d workers, busy %.1f %% of the time, %d jobs (%d lost, %d late, %d dropped), "
        "%d claims checked"
    ) % (
        found.joined,
        100.0 * found.utilisation,
        jobs.given,
        jobs.lost,
        jobs.late,
        jobs.dropped,
        found.checked,
    )


def how_to_resume(
    result: Result, where: Optional[str], checkpoint: Optional[str], are_lost: bool
) -> List[str]:
    """Why a search is unsolved, what is kept, and how to resume it."""
    if result.unsaved:
        checkpoint = None
    reason = _reason(result.stopped_by)
    limits = process_limits()
    if result.stopped_by == "memory" and limits:
        reason = "the limit of memory (%s, or --max-memory)" % limits[0].name
    unsolved = "%s is not solved" % result.canonical
    what = "Its Grundy number is not known" if result.outcome else unsolved
    kept = "stored in %s; the same command goes on from there" % where
    lost = "lost with this run, as they were in no database"
    if checkpoint:
        lost = "all of them in the checkpoint"
    saved = ["Search saved: go on with --resume %s" % checkpoint] if checkpoint else []
    lines = ["%s: stopped by %s." % (what, reason)]
    if checkpoint or not are_lost:
        is_kept = where and not are_lost
        lines.append("Facts known: %d, %s." % (result.usage.facts_known, kept if is_kept else lost))
    return [*lines, *saved]


def _reason(stopped_by: Optional[str]) -> str:
    if stopped_by == "capacity":
        return "the capacity of its tree (--capacity)"
    budgets = ("expansions", "seconds", "memory")
    return "the budget of %s" % stopped_by if stopped_by in budgets else str(stopped_by)


def main(args: Optional[argparse.Namespace] = None) -> int:
    """Do what the command line says, unless it is given parsed; returns the exit status."""
    if args is None:
        args = solve_parser(program()).parse_args()
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
    run(main)
