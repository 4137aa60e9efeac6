"""The command line of `pns play`. This imports no search."""

from __future__ import annotations

import argparse

from pns.cli.options.late import add_late, check_late
from pns.cli.options.variants import add_no_known
from pns.cli.parser import Parser, add_game, real

DESCRIPTION = """\
Play against the solver. Whoever has no move loses; in games of rows, whoever has a row
wins, and a game that nobody can win any more is a draw.

The solver keeps every win that a database, a certificate or a short search shows, and says
so. Otherwise it chooses moves by proof and disproof numbers. Enter a move as the text of the
position after it, or as #N from the list of moves. A part of a text lists the moves that
contain it. Type help for the commands. Without a terminal, moves and commands are read line
by line."""
EXAMPLES = (
    ("'0*5'", "you begin, on five spots"),
    ("--db sprouts-17 --second", "against a certificate shipped with pns; the solver begins"),
    ("--game nim '3+4+5' --record game.txt", "another game, kept in a file"),
)
STATUS = """\
exit status: 0, whoever wins; 1 if facts contradict each other, play outgrows what the
game can represent, or --late lacks memory; 2 after invalid input, in a pipe also for an
invalid move; 130 after Ctrl-C."""
SECONDS = 3.0


def play_parser(prog: str) -> Parser:
    """The parser of `pns play`."""
    parser = Parser(
        prog=prog,
        usage="%(prog)s [OPTION ...] [POSITION]",
        description=DESCRIPTION,
        examples=EXAMPLES,
        status=STATUS,
        check=check,
    )
    group = parser.add_argument_group("what is played")
    group.add_argument(
        "position",
        metavar="POSITION",
        nargs="?",
        help="default: that of the certificate or solution, else a small one of the game",
    )
    add_game(group)
    first = group.add_mutually_exclusive_group()
    first.add_argument("--first", action="store_true", help="you begin; the default")
    first.add_argument("--second", action="store_true", help="the solver begins")
    group.add_argument(
        "--record", metavar="FILE", help="write the record of the game to FILE after every move"
    )
    group = parser.add_argument_group("what the solver knows")
    group.add_argument(
        "--db",
        metavar="PATH",
        help="database, .spr file, certificate or strong solution, only read, used before the "
        "facts shipped with pns; default: the user's database",
    )
    add_no_known(group)
    add_late(group)
    group.add_argument(
        "--seconds",
        metavar="S",
        type=real,
        default=SECONDS,
        help="search up to S seconds for a move; default: %(default)g",
    )
    return parser


def check(args: argparse.Namespace) -> None:
    """Refuse a bad position, and --late for a game that has no such positions."""
    check_late(args)
    if args.position is not None:
        from pns.finding import find_game

        find_game(args.game).parse(args.position)
