"""The command line of `pns why`. This imports no search."""

from __future__ import annotations

import argparse

from pns.cli.common import die
from pns.cli.options.variants import add_no_known
from pns.cli.parser import Parser, add_game, amount

DESCRIPTION = """\
Explain who wins a position from known facts, without a search.

For a won position it prints a winning move, for a lost one an answer to each move,
and the known Grundy numbers of moves. --depth and --to-the-end print the
proof: why each land has its Grundy number, by its moves and the answers to them.
Each land is printed once, and [k] refers to the k-th."""
EXAMPLES = (
    ("'0*11'", "a winning move"),
    ("'0*4' --all", "and all moves with their Grundy numbers"),
    (
        "'0*17' --to-the-end --no-known --db sprouts-17",
        "the proof from a certificate alone",
    ),
    ("'0*5' --to-the-end --format dot | dot -Tsvg > 5.svg", "a drawing of a proof"),
)
STATUS = """\
exit status: 0; 1 if the facts do not show who wins, or with which move; 2 after
invalid input, or if the proof is longer than --most."""

TEXT, DOT, JSON = FORMATS = ("text", "dot", "json")
MOST_LINES = 50_000


def why_parser(prog: str) -> Parser:
    """The parser of `pns why`."""
    parser = Parser(
        prog=prog,
        usage="%(prog)s [OPTION ...] POSITION",
        description=DESCRIPTION,
        examples=EXAMPLES,
        status=STATUS,
        check=check,
    )
    add_options(parser)
    group = parser.add_argument_group("where the numbers are")
    group.add_argument(
        "--db",
        metavar="PATH",
        help="database, .spr file or certificate, used before the facts shipped with pns; "
        "default: the user's database",
    )
    add_game(group)
    group = parser.add_argument_group("output")
    group.add_argument("--json", action="store_true", help="the same as --format json")
    return parser


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the position, and what to print about it."""
    group = parser.add_argument_group("what is explained, and how")
    add = group.add_argument
    add("position", metavar="POSITION", help="like '0*11'")
    add("--all", action="store_true", help="list all moves, and all answers to them")
    depth = group.add_mutually_exclusive_group()
    depth.add_argument("--depth", metavar="N", type=amount, help="print N steps of the proof")
    depth.add_argument("--to-the-end", action="store_true", help="print the whole proof")
    add(
        "--most",
        metavar="LINES",
        type=amount,
        default=MOST_LINES,
        help="print no proof with more lines; 0: no limit; default: %(default)s",
    )
    add_no_known(group)
    add("--format", choices=FORMATS, default=TEXT, help="default: text")
    add("--no-pager", action="store_true", help="do not show long output in $PAGER or less")


def check(args: argparse.Namespace) -> None:
    """Exit for options that exclude each other, and for a bad position."""
    if args.depth == 0:
        die("argument --depth: invalid count 0; expected a whole number of at least 1")
    if args.all and (args.to_the_end or args.depth is not None or args.format == DOT):
        die("argument --all: not allowed with --depth, --to-the-end or --format dot")
    from pns.finding import find_game

    find_game(args.game).parse(args.position)
