"""The command line of `pns solve`. This imports no search, so that it is parsed at once."""

from __future__ import annotations

import argparse

from pns.choices import (
    ALGORITHMS,
    CHECK_TIME,
    CHECKED_SHARE,
    CHECKPOINT_SECONDS,
    DEFAULT_CAPACITY,
    DFPN,
    DRAWN_GAMES,
    JOB_EXPANSIONS,
    REPORT_EXPANSIONS,
    STATE_LEVELS,
    WHEN_FULL,
    misfit,
)
from pns.cli.common import die
from pns.cli.options.variants import (
    add_batch,
    add_counting,
    add_job_end,
    add_preset,
    add_restart,
    add_search_options,
    add_seed,
    add_sharing,
    add_simplify,
    add_sum_order,
    add_work_limit,
)
from pns.cli.parser import (
    Parser,
    above_zero,
    add_game,
    add_metrics,
    amount,
    check_metrics,
    positive,
    real,
    share,
)
from pns.version import VERSION

DESCRIPTION = "Find out who wins a position, and store the facts that prove it."

EXAMPLES = (
    ("'0*11'", "who wins from 11 spots, and with which move"),
    ("'0*2 + 1a1a' --grundy", "the Grundy number of a sum"),
    ("'0*20' --algorithm pdfpn --max-memory 4G", "on all cores, within 4 GB"),
    (
        "'0*24' --max-seconds 600 --checkpoint 24.cp",
        "stop after ten minutes; continue with --resume",
    ),
    ("--game nim '3+5+6' --no-db --json", "another game, with JSON output"),
)

EXIT_STATUS = """\
exit status: 0 if the position is solved, whoever wins; 1 if facts contradict each other or
play outgrows what the game can represent; 2 after invalid input, or if the database cannot be
used or memory is missing; 3 if a budget ran out; 4 if the facts, the checkpoint of an unsolved
position, the report or the timeline could not be written; 130 if Ctrl-C or SIGTERM stopped the
search. Proved facts are stored at least once a second, however the search ends, and the same
command continues from there."""


def solve_parser(prog: str) -> Parser:
    """The parser of `pns solve`."""
    parser = Parser(
        prog=prog,
        usage="%(prog)s [OPTION ...] POSITION",
        description=DESCRIPTION,
        examples=EXAMPLES,
        status=EXIT_STATUS,
        check=check,
    )
    group = parser.add_argument_group("what is solved, and how")
    group.add_argument("position", metavar="POSITION", help="like '0*17', or '0*2 + 1a1a'")
    add_game(group)
    group.add_argument("--algorithm", choices=ALGORITHMS, default=DFPN, help="default: dfpn")
    group.add_argument(
        "--grundy", action="store_true", help="find the Grundy number, not only the outcome"
    )
    add_budgets(parser.add_argument_group("budgets: what ends an unsolved search"))
    add_memory(parser.add_argument_group("memory"))
    add_database(parser.add_argument_group("database"))
    add_checkpoints(parser.add_argument_group("checkpoints"))
    group = parser.add_argument_group("several processes")
    group.add_argument(
        "--processes",
        metavar="N",
        type=amount,
        help="processes of pdfpn or spdfpn (default: one for each physical core), or of each "
        "worker (default: 1)",
    )
    add_workers(parser.add_argument_group("workers, with --algorithm pns-pdfpn or ppn2"))
    add_choices(parser.add_argument_group("the published algorithms, and where searches depart"))
    add_output(parser.add_argument_group("output"))
    return parser


def add_database(group: argparse._ArgumentGroup) -> None:
    """Add what facts and solutions are used."""
    group.add_argument("--db", metavar="PATH", help="database of facts; default: the user's own")
    group.add_argument("--no-db", action="store_true", help="keep the facts in memory only")
    group.add_argument(
        "--no-known",
        action="store_true",
        help="do not use the facts shipped with pns; --preset implies this",
    )
    group.add_argument(
        "--table",
        metavar="DIR",
        help="look up positions in a strong solution of `pns strong`; the database is then "
        "only read",
    )


def add_choices(group: argparse._ArgumentGroup) -> None:
    """Add how the algorithms choose and work."""
    add_preset(group)
    add_search_options(group)
    add_simplify(group)
    add_seed(group)
    add_sum_order(group, "which land of a sum is next, the least (default) or the first")
    add_batch(group)
    add_restart(group)
    add_counting(group)
    add_work_limit(group)
    add_job_end(group)
    add_sharing(group)


def add_output(group: argparse._ArgumentGroup) -> None:
    """Add what is printed and written."""
    group.add_argument("--json", action="store_true", help="print one JSON object")
    group.add_argument(
        "--report",
        metavar="FILE",
        help="write an HTML page: the answer, a drawing, plots over time, how to repeat the run",
    )
    group.add_argument("--draw", action="store_true", help="draw the winning move, in Sprouts")
    group.add_argument(
        "--quiet",
        action="store_true",
        help="print only the answer, without progress and statistics",
    )
    group.add_argument(
        "--statistics",
        metavar="FILE",
        help="pns-pdfpn, ppn2: write figures and options to FILE.csv, a line every 10 s, or the "
        "newest to FILE.json",
    )
    add_metrics(group, "pns-pdfpn, ppn2: figures")
    group.add_argument(
        "--timeline",
        metavar="FILE.svg",
        help="pns-pdfpn, ppn2: draw what the master and each worker did over time",
    )
    group.add_argument("--version", action="version", version="pns " + VERSION)


def add_budgets(group: argparse._ArgumentGroup) -> None:
    """Add what may end a search."""
    add = group.add_argument
    add("--max-expansions", metavar="N", type=amount, help="stop after N expansions")
    add("--max-seconds", metavar="S", type=real, help="stop after S seconds")
    add("--max-memory", metavar="BYTES", type=amount, help="stop at this size, like 2G")


def add_memory(group: argparse._ArgumentGroup) -> None:
    """Add the sizes of the table and the tree."""
    group.add_argument(
        "--capacity",
        metavar="N",
        type=amount,
        help="entries of the transposition table, 20 bytes each (default: %d), or nodes of "
        "the tree (default: as many as memory holds)" % DEFAULT_CAPACITY,
    )
    group.add_argument(
        "--when-full",
        choices=WHEN_FULL,
        help="how pns continues when the tree is full; default: pn2",
    )


def add_checkpoints(group: argparse._ArgumentGroup) -> None:
    """Add what saves and resumes a search."""
    group.add_argument(
        "--checkpoint",
        metavar="FILE",
        help="save the search to a file: its tree, or its transposition table",
    )
    group.add_argument(
        "--every",
        metavar="S",
        type=above_zero,
        help="seconds between checkpoints; default: %d" % CHECKPOINT_SECONDS,
    )
    group.add_argument(
        "--resume",
        metavar="FILE",
        help="resume a saved search, with its capacity or another; dfpn, pdfpn and spdfpn can"
        " resume each other's files",
    )


def add_workers(group: argparse._ArgumentGroup) -> None:
    """Add the options of searches by workers."""
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
        help="expansions of a leaf, in all its jobs, before it gets children; default: %d"
        % JOB_EXPANSIONS,
    )
    group.add_argument(
        "--updates",
        metavar="N",
        type=positive,
        help="expansions between two reports on a job; default: %d" % REPORT_EXPANSIONS,
    )
    group.add_argument(
        "--grouping",
        metavar="N",
        type=positive,
        help="workers that share a database on this machine; default: 1",
    )
    group.add_argument("--listen", metavar="HOST:PORT", help="accept workers of other machines")
    group.add_argument("--keys", metavar="FILE", help="master.key, written by `pns worker keygen`")
    group.add_argument(
        "--state-level",
        choices=STATE_LEVELS,
        type=int,
        help="what workers keep between jobs: 0 nothing (default of ppn2), 1 facts, 2 facts and"
        " table (default of pns-pdfpn)",
    )
    group.add_argument(
        "--check-facts",
        metavar="SHARE",
        type=share,
        help="share of claims that the master checks: all (before it uses them), none, or a"
        " number such as 0.1; default: %g, within a share of %g of the master's time"
        % (CHECKED_SHARE, CHECK_TIME),
    )


def check(args: argparse.Namespace) -> None:
    """Exit for options that do not fit each other or the algorithm, and for a bad position."""
    check_metrics(args)
    if args.no_db and args.db is not None:
        die("argument --no-db: not allowed with argument --db")
    for name, value in vars(args).items():
        wrong = misfit(name, args.algorithm)
        if wrong and value is not None and value is not False:
            die("argument --%s: %s" % (name.replace("_", "-"), wrong))
    if args.draw and (args.json or args.game not in DRAWN_GAMES):
        die("argument --draw: allowed only with --game sprouts and without --json")
    if args.every is not None and not args.checkpoint:
        die("argument --every: allowed only with --checkpoint")
    from pns.finding import find_game
    from pns.game import no_grundy_numbers

    game = find_game(args.game)
    if args.grundy and not game.decomposes:
        die("argument --grundy: %s" % no_grundy_numbers(game))
    game.parse(args.position)
