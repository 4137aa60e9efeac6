"""Decide who wins a position, and store the facts that prove it."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from contextlib import contextmanager
from typing import Any, Iterator, List, Optional, Tuple

import pns
from pns import Distribution, OptionError, Options, Result, Solver, StopToken
from pns.cli.common import (
    STOPPED,
    Parser,
    add_game,
    amount,
    check_options,
    die,
    die_of_missing,
    die_of_option,
    run,
    warn,
)
from pns.cli.progress import Observer, open_progress, together
from pns.cli.records import Records
from pns.cli.variants import (
    add_batch,
    add_counting,
    add_job_end,
    add_preset,
    add_search_options,
    add_seed,
    add_sharing,
    add_sum_order,
    given_options,
    ratio,
)
from pns.distributed.vetting import DEFAULT_SHARE, DEFAULT_TIME
from pns.facts import Contradiction, Facts, FactsError, LmdbMissing, default_path, open_facts
from pns.game import find_game
from pns.machine import physical_cores, process_limits
from pns.memory import DEFAULT_CAPACITY
from pns.options import ALGORITHMS, CHECKPOINT_SECONDS, ITERATIONS, UPDATES, WHEN_FULL, WITH_MASTER
from pns.spdfpn import WORK_LIMIT

EXIT_STATUS = """\
exit status: 0 when it is solved, whoever wins; 1 when facts contradict each other or
play outgrows what the game can represent; 2 after bad input, or when the database cannot
be used or there is no memory; 3 when a budget ran out; 4 when in the end the facts, or
the checkpoint of an unsolved position, could not be written; 130 when Ctrl-C or SIGTERM
stopped it. What a run proved is stored at least once a second, however it ends: the same
command goes on from there."""

EXIT_BUDGET, EXIT_UNSAVED = 3, 4


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = Parser(
        description=__doc__,
        epilog=EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("position", metavar="POSITION", help="like '0*17'")
    add_game(parser)
    add("--algorithm", choices=ALGORITHMS, default="dfpn", help="default: dfpn")
    add(
        "--processes",
        metavar="N",
        type=amount,
        help="processes of pdfpn or spdfpn (default: the physical cores, %d), or of each "
        "worker (default: 1)" % physical_cores(),
    )
    add("--db", metavar="PATH", help="database of Grundy numbers; default: the user's own")
    add("--no-db", action="store_true", help="keep the facts in memory only")
    add("--grundy", action="store_true", help="find the Grundy number, not only the outcome")
    add(
        "--capacity",
        metavar="N",
        type=amount,
        help="entries of the transposition table, 20 bytes each (default: %d), or nodes of "
        "the tree (default: as many as memory holds)" % DEFAULT_CAPACITY,
    )
    add(
        "--when-full",
        choices=WHEN_FULL,
        help="how pns goes on when the tree is full; default: pn2",
    )
    add("--max-expansions", metavar="N", type=amount, help="stop after N expansions")
    add("--max-seconds", metavar="S", type=ratio, help="stop after S seconds")
    add("--max-memory", metavar="BYTES", type=amount, help="stop at this size, like 2G")
    add(
        "--checkpoint",
        metavar="FILE",
        help="save the search to a file: its tree, or its transposition table",
    )
    add(
        "--every",
        metavar="S",
        type=ratio,
        help="seconds between checkpoints; default: %d" % CHECKPOINT_SECONDS,
    )
    add(
        "--resume",
        metavar="FILE",
        help="resume a saved search; dfpn, pdfpn and spdfpn resume each other's, with its capacity"
        " or another",
    )
    group = parser.add_argument_group("with --algorithm pns-pdfpn or ppn2")
    group.add_argument(
        "--workers",
        metavar="N",
        type=amount,
        help="workers to start here; default: one for each core, none with --listen",
    )
    group.add_argument(
        "--iterations",
        metavar="N",
        type=positive,
        default=ITERATIONS,
        help="expansions of a leaf, in all its jobs, before it gets children; default: %(default)s",
    )
    group.add_argument(
        "--updates",
        metavar="N",
        type=positive,
        default=UPDATES,
        help="expansions between two reports on a job; default: %(default)s",
    )
    group.add_argument(
        "--grouping",
        metavar="N",
        type=positive,
        default=1,
        help="workers that share a database on this machine; default: 1",
    )
    group.add_argument("--listen", metavar="HOST:PORT", help="accept workers of other machines")
    group.add_argument("--keys", metavar="FILE", help="master.key, as worker.py keygen wrote it")
    group.add_argument(
        "--state-level",
        choices=(0, 1, 2),
        type=int,
        help="workers keep between jobs: 0 nothing, the default of ppn2, 1 facts, 2 facts and"
        " table, the default of pns-pdfpn",
    )
    group.add_argument(
        "--check-facts",
        metavar="SHARE",
        type=share,
        help="claims of workers that the master checks: all, before it uses them, or a share, like"
        " 0.1, or none; default: %g, within a share of %g of the master's time"
        % (DEFAULT_SHARE, DEFAULT_TIME),
    )
    group.add_argument(
        "--statistics",
        metavar="FILE",
        help="write figures and options to FILE.csv, a line every 10 s, or the newest to FILE.json",
    )
    group = parser.add_argument_group("the published algorithms, and where searches depart")
    add_preset(group)
    add_search_options(group)
    add_seed(group)
    add_sum_order(group, "dfpn: the land of a sum that is next, the least (default) or the first")
    add_batch(group)
    add_counting(group)
    group.add_argument(
        "--work-limit",
        metavar="N",
        type=positive,
        help="spdfpn: the most expansions of a job; default: %d" % WORK_LIMIT,
    )
    add_job_end(group)
    add_sharing(group)
    add("--json", action="store_true", help="print one JSON object")
    add("--quiet", action="store_true", help="print only the answer: no progress, no statistics")
    add("--version", action="version", version="pns " + pns.__version__)
    return parser.parse_args()


def positive(text: str) -> int:
    """A count from 1 on."""
    count = amount(text)
    if not count:
        raise argparse.ArgumentTypeError("it must be at least 1")
    return count


def share(text: str) -> float:
    """A number from 0 to 1, or all or none."""
    words = {"all": 1.0, "none": 0.0}
    try:
        value = words[text] if text in words else float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(
            "%s is neither all nor none nor a number from 0 to 1" % ascii(text[:20])
        )
    return value


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
    if args.every is not None and not args.checkpoint:
        die("--every needs --checkpoint")
    if args.statistics and args.algorithm not in WITH_MASTER:
        names = " and ".join(WITH_MASTER)
        die("argument --statistics: only %s have it, not %s" % (names, args.algorithm))
    return options


def search(
    args: argparse.Namespace, options: Options, facts: Facts, missing: List[str], stop: StopToken
) -> Result:
    """Search, showing progress."""
    observers: List[Observer] = []
    if args.statistics:
        args.workers = options.worker_count()
        args.state_level = options.kept_state()
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
    game = find_game(args.game)
    game.parse(args.position)  # before anything is opened or created
    options.check_game(game)
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


def main() -> int:
    """Do what the command line says; returns the exit status."""
    args: Any = parse_arguments()
    if args.no_db and args.db is not None:
        die("--db and --no-db exclude each other")
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
