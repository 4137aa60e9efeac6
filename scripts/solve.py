"""Decide who wins a position, and prove it: the facts that the proof rests on are stored."""

from __future__ import annotations

import bootstrap  # noqa: F401

import argparse
import json
import signal
import sys
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, Iterator, List, Optional, Tuple

import distribute
from common import Parser, amount, die, run, warn
from panel import open_panel, together
from progress import open_progress
from records import Records

import pns
from pns.distributed.members import Statistics
from pns.distributed.vetting import DEFAULT_SHARE, DEFAULT_TIME
from pns.facts import Contradiction, Facts, FactsError, LmdbMissing, default_path, open_facts
from pns.game import GAMES, find_game
from pns.machine import physical_cores, process_limits
from pns.memory import DEFAULT_CAPACITY
from pns.prior import Prior

EXIT_STATUS = """\
exit status: 0 when it is solved, whoever wins; 1 when facts contradict each other or
play outgrows what the game can represent; 2 after bad input, or when the database cannot
be used or there is no memory; 3 when a budget ran out; 4 when in the end the facts, or
the checkpoint of an unsolved position, could not be written; 130 when Ctrl-C or SIGTERM
stopped it. What a run proved is stored at least once a second, however it ends: the same
command goes on from there."""

DISTRIBUTED = "pns-pdfpn"
EXIT_BUDGET, EXIT_UNSAVED, EXIT_STOPPED = 3, 4, 130
ITERATIONS, UPDATES = 10_000, 1000
"""Of a job, measured in docs/parallel-search.md."""


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = Parser(
        description=__doc__,
        epilog=EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("position", metavar="POSITION", help="like '0*17'")
    add("--game", choices=sorted(GAMES), default="sprouts", help="default: sprouts")
    algorithms = (*pns.ALGORITHMS, DISTRIBUTED)
    add("--algorithm", choices=algorithms, default="dfpn", help="default: dfpn")
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
        choices=pns.WHEN_FULL,
        help="how pns goes on when the tree is full; default: pn2",
    )
    add(
        "--epsilon",
        metavar="E",
        type=ratio,
        help="stay below a child until its number exceeds (1 + E) times the next; default: 0.25"
        " for pdfpn and spdfpn, else 0",
    )
    add("--seed", metavar="N", type=amount, default=0, help="shuffle equal children; default: 0")
    add("--no-prior", action="store_true", help="expect nothing of positions never visited")
    add("--max-expansions", metavar="N", type=amount, help="stop after so many")
    add("--max-seconds", metavar="S", type=ratio, help="stop after so long")
    add("--max-memory", metavar="BYTES", type=amount, help="stop at so much, like 2G")
    add("--checkpoint", metavar="FILE", help="save the tree of pns, pn2 or pns-pdfpn to a file")
    add(
        "--every",
        metavar="S",
        type=ratio,
        help="seconds between checkpoints; default: %d" % pns.CHECKPOINT_SECONDS,
    )
    add("--resume", metavar="FILE", help="go on with a saved tree")
    group = parser.add_argument_group("with --algorithm pns-pdfpn")
    group.add_argument(
        "--workers",
        metavar="N",
        type=amount,
        help="processes to start here; default: one for each core, none with --listen",
    )
    group.add_argument(
        "--iterations",
        metavar="N",
        type=positive,
        default=ITERATIONS,
        help="expansions of a leaf, in however many jobs, before it gets children;"
        " default: %(default)s",
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
    group.add_argument("--listen", metavar="HOST:PORT", help="let in workers from elsewhere")
    group.add_argument("--keys", metavar="FILE", help="master.key, as worker.py keygen wrote it")
    group.add_argument("--no-sharing", action="store_true", help="tell workers no facts of others")
    group.add_argument(
        "--state-level",
        choices=(0, 1, 2),
        type=int,
        default=2,
        help="workers keep from job to job: 0 nothing, 1 facts, 2 their table too; default: 2",
    )
    group.add_argument(
        "--check-facts",
        metavar="SHARE",
        type=share,
        help="of what workers claim, check and then use all, or check a share, like 0.1, or none;"
        " default: %g, as far as it takes no more than %g of the master's time"
        % (DEFAULT_SHARE, DEFAULT_TIME),
    )
    group.add_argument(
        "--statistics",
        metavar="FILE",
        help="write figures and options to FILE.csv, a line every 10 s, or the newest to FILE.json",
    )
    add("--json", action="store_true", help="print one JSON object")
    add("--quiet", action="store_true", help="no progress, no statistics, only what was asked for")
    add("--version", action="version", version="pns " + pns.__version__)
    return parser.parse_args()


def ratio(text: str) -> float:
    """A number from 0 on."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value < float("inf"):
        raise argparse.ArgumentTypeError("%s is no number from 0 on" % ascii(text[:20]))
    return value


def positive(text: str) -> int:
    """A count from 1 on."""
    count = amount(text)
    if not count:
        raise argparse.ArgumentTypeError("it must be at least 1")
    return count


def share(text: str) -> float:
    """What --check-facts says: a part of one."""
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
    """The facts that the command line asks for; what is missing for them is added to a list."""
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
    """Facts that are closed at the end, and a list to which it is added why some are not stored."""
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


def search(
    args: argparse.Namespace, facts: Facts, missing: List[str], stop: pns.StopToken
) -> pns.Result:
    """Search in this process, showing progress."""
    with open_progress(args.quiet, missing) as progress:
        if missing and not args.quiet:
            print("solve.py: %s" % "; ".join(missing), file=sys.stderr)
        return pns.solve(
            args.position,
            args.game,
            algorithm=args.algorithm,
            facts=facts,
            grundy=args.grundy,
            processes=args.processes,
            capacity=args.capacity,
            when_full=args.when_full or "pn2",
            epsilon=args.epsilon,
            seed=args.seed,
            prior=Prior() if args.no_prior else None,
            max_expansions=args.max_expansions,
            max_seconds=args.max_seconds,
            max_memory=args.max_memory,
            stop=stop,
            observer=progress,
            checkpoint=args.checkpoint,
            every=args.every,
            resume=args.resume,
            warn=warn,
        )


def solve(args: argparse.Namespace) -> int:
    """Search, showing progress; then print the result. The exit status."""
    stop = pns.StopToken()
    for number, name in ((signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM")):
        signal.signal(number, lambda *_, name=name: stop.stop(name))
    find_game(args.game).parse(args.position)  # before anything is opened or created
    try:
        if args.capacity is not None:
            kind = "dfpn" if args.algorithm == DISTRIBUTED else args.algorithm
            pns.check_capacity(args.capacity, kind)
    except ValueError as error:
        die("argument --capacity: %s" % error)
    pns.check_memory(args.max_memory, args.algorithm)
    if args.processes is not None:
        parallel = (*pns.PARALLEL, DISTRIBUTED)
        if args.algorithm not in parallel:
            die("--processes needs --algorithm %s" % " or ".join(parallel))
        if not 1 <= args.processes <= pns.MOST_PROCESSES:
            die("argument --processes: write 1 to %d" % pns.MOST_PROCESSES)
    if args.algorithm not in (*pns.TREES, DISTRIBUTED) and (args.checkpoint or args.resume):
        die("--checkpoint and --resume need --algorithm pns, pn2 or %s" % DISTRIBUTED)
    if args.every is not None and not args.checkpoint:
        die("--every needs --checkpoint")
    args.every = pns.CHECKPOINT_SECONDS if args.every is None else args.every
    if args.algorithm != "pns" and args.when_full:
        die("--when-full needs --algorithm pns")
    check_distribution(args)
    missing: List[str] = []
    statistics: Optional[Statistics] = None
    records = Records(args.statistics, args) if args.statistics else None
    with storing(open_database(args, missing)) as (facts, lost):
        if args.algorithm == DISTRIBUTED:
            with open_panel(args.quiet, missing) as show:
                if missing and not args.quiet:
                    print("solve.py: %s" % "; ".join(missing), file=sys.stderr)
                observe = together(show, records.observe) if records else show
                result, statistics = distribute.solve(args, facts, stop, observe)
        else:
            result = search(args, facts, missing, stop)
        where = getattr(facts, "file", None)
        if args.json:
            more = {"distribution": asdict(statistics)} if statistics else {}
            print(json.dumps({**asdict(result), **more}))
        else:
            for line in report(result, args.grundy, args.quiet):
                print(line)
            if statistics and not args.quiet:
                print(distribute.summary(statistics))
    if not result.solved:
        for line in how_to_go_on(result, where, args.checkpoint, bool(lost)):
            print(line, file=sys.stderr)
    if result.unsaved:
        warn("no checkpoint: %s" % result.unsaved)
    if lost or result.unsaved:
        return EXIT_UNSAVED
    if result.solved:
        return 0
    return EXIT_STOPPED if result.stopped_by in ("Ctrl-C", "SIGTERM") else EXIT_BUDGET


def check_distribution(args: argparse.Namespace) -> None:
    """Refuse options that do not go together; say how many workers to start."""
    named = [args.workers, args.listen, args.keys, args.no_sharing or None, args.statistics]
    named.append(args.check_facts)
    given = any([value is not None for value in named]) or args.state_level != 2
    if args.algorithm != DISTRIBUTED:
        if given or (args.iterations, args.updates, args.grouping) != (ITERATIONS, UPDATES, 1):
            die("the options of %s need --algorithm %s" % (DISTRIBUTED, DISTRIBUTED))
        return
    if args.epsilon is not None:
        die("--epsilon cannot be used with --algorithm %s" % DISTRIBUTED)
    if args.workers is None:
        args.workers = 0 if args.listen else max(1, physical_cores() // (args.processes or 1))
    if not args.workers and not args.listen:
        die("--workers 0 needs --listen: somebody must do the work")


def report(result: pns.Result, grundy: bool, quiet: bool) -> List[str]:
    """What was found, in sentences; when quiet what was asked for, without statistics."""
    lines = []
    name = result.canonical
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
        lines.append("The facts at hand decide it without naming a winning move.")
    if result.replaced:
        lines.append("Killed and replaced on the way: %d processes." % result.replaced)
    if result.nodes is None:
        store = "%d table entries" % result.table_entries
    else:
        store = "%d nodes of %.0f bytes" % (result.nodes, result.bytes_per_node or 0)
    if result.tree_mode not in (None, result.algorithm):
        went_on = {"pn2": "as PN²", "dfpn": "with DFPN at its leaves"}[str(result.tree_mode)]
        lines.append("The tree was full, and the search went on %s." % went_on)
    lines.append(
        "%d expansions, %d children, %d facts (%d new), %s, %.1f s, %d MB"
        % (
            result.expansions,
            result.children_generated,
            result.facts_known,
            result.facts_new,
            store,
            result.seconds,
            result.peak_memory_bytes // 1_000_000,
        )
    )
    return lines


def how_to_go_on(
    result: pns.Result, where: Optional[str], checkpoint: Optional[str], are_lost: bool
) -> List[str]:
    """Why a search ended before it was done, and what is kept."""
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
        lost = "all of them in the saved tree"
    tree = ["Tree saved: go on with --resume %s" % checkpoint] if checkpoint else []
    lines = ["%s: stopped by %s." % (what, reason)]
    if checkpoint or not are_lost:
        is_kept = where and not are_lost
        lines.append("Facts known: %d, %s." % (result.facts_known, kept if is_kept else lost))
    return [*lines, *tree]


def _reason(stopped_by: Optional[str]) -> str:
    budgets = ("expansions", "seconds", "memory")
    return "the budget of %s" % stopped_by if stopped_by in budgets else str(stopped_by)


def main() -> int:
    """Do what the command line says; the exit status."""
    args: Any = parse_arguments()
    if args.no_db and args.db is not None:
        die("--db and --no-db exclude each other")
    try:
        return solve(args)
    except pns.TooLittleMemory as error:
        die("argument --max-memory: %s" % error)
    except (Contradiction, distribute.Contradictory, pns.ProcessesDied) as error:
        print("solve.py: %s" % error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    run(main)
