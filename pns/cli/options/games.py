"""The command line of `pns games`. This imports no game."""

from __future__ import annotations

from pns.cli.parser import Parser

DESCRIPTION = """\
List the games: the name that --game takes, what a move is, and a small position.

The list includes games from other installed packages."""
EXAMPLES = (
    ("", "every game with one example"),
    ("--json", "a JSON object for each game, for a program"),
    ("| grep -A 1 -i clobber", "one of them"),
)
STATUS = "exit status: 0; 2 after bad input"


def games_parser(prog: str) -> Parser:
    """The parser of `pns games`."""
    parser = Parser(
        prog=prog,
        usage="%(prog)s [OPTION ...]",
        description=DESCRIPTION,
        examples=EXAMPLES,
        status=STATUS,
    )
    group = parser.add_argument_group("output")
    group.add_argument("--json", action="store_true", help="print a JSON object for each game")
    return parser
