"""The command line of `pns check-game`. This imports no game, unless one at a place is named."""

from __future__ import annotations

from pns.cli.parser import Parser, amount, game_name, positive

DESCRIPTION = """\
Check the laws of a game's contract by random play from some positions.

Every position is written and read back, also with mistakes. Children are generated twice,
counted and compared. Every line of play has to end. docs/architecture.md has the contract."""
EXAMPLES = (
    ("cram", "a game of the package, from its examples"),
    ("grundys_game:GAME '20+9'", "GAME in the module grundys_game, from a position"),
)
STATUS = """\
exit status: 0 when all laws hold, 1 when one is broken, 2 after bad input."""
TIMES = 20


def check_game_parser(prog: str) -> Parser:
    """The parser of `pns check-game`."""
    parser = Parser(
        prog=prog,
        usage="%(prog)s [OPTION ...] GAME [POSITION ...]",
        description=DESCRIPTION,
        examples=EXAMPLES,
        status=STATUS,
    )
    group = parser.add_argument_group("what is checked")
    group.add_argument("game", metavar="GAME", type=game_name, help="a game's name, or MODULE:GAME")
    group.add_argument(
        "positions",
        metavar="POSITION",
        nargs="*",
        help="where play begins; default: the examples of the game, if it has any",
    )
    group = parser.add_argument_group("how")
    group.add_argument(
        "--times",
        metavar="N",
        type=positive,
        default=TIMES,
        help="times to play from each position; default: %(default)s",
    )
    group.add_argument(
        "--seed", metavar="N", type=amount, default=0, help="seed of the random moves; default: 0"
    )
    return parser
