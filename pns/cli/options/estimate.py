"""The command line of `pns estimate`. This imports no game, unless one at a place is named."""

from __future__ import annotations

from pns.cli.parser import Parser, add_game, amount, positive, real

DESCRIPTION = """\
Estimate how large the game tree of a position is, from random games.

`games` counts complete games: the terminal nodes of the tree. `couples` counts those of the
tree with Grundy numbers, where the lands of a sum are searched apart; their Grundy numbers are
guessed. The values of random games differ by many powers of ten. `error` is the standard error
of their mean, `greatest` the share of the greatest in their sum. docs/paper.md says more."""
EXAMPLES = (
    ("'0*5' '0*17'", "five spots, and seventeen"),
    ("--samples 100k '0*5'", "a closer estimate"),
    ("--game kayles --mean-number 3 20", "a game whose Grundy numbers are larger"),
)
STATUS = """\
exit status: 0; 1 when play outgrows what a game can represent; 2 after bad input; 130 when
it was stopped, after printing the results so far."""
SAMPLES = 1000
MEAN_NUMBER = 0.9
MOST_MEAN = 250.0


def mean_number(text: str) -> float:
    """A mean of Grundy numbers."""
    return real(text, MOST_MEAN)


def estimate_parser(prog: str) -> Parser:
    """The parser of `pns estimate`."""
    parser = Parser(
        prog=prog,
        usage="%(prog)s [OPTION ...] [POSITION ...]",
        description=DESCRIPTION,
        examples=EXAMPLES,
        status=STATUS,
    )
    group = parser.add_argument_group("what is estimated")
    group.add_argument(
        "positions",
        metavar="POSITION",
        nargs="*",
        help="default: the examples of the game, if it has any",
    )
    add_game(group)
    group = parser.add_argument_group("how")
    group.add_argument(
        "--samples",
        metavar="N",
        type=positive,
        default=SAMPLES,
        help="random games for each estimate; default: %(default)s",
    )
    group.add_argument(
        "--seed", metavar="N", type=amount, default=0, help="seed of the random games; default: 0"
    )
    group.add_argument(
        "--mean-number",
        metavar="X",
        type=mean_number,
        default=MEAN_NUMBER,
        help="mean of the guessed Grundy numbers; default: %(default)s, that of proofs in Sprouts",
    )
    group = parser.add_argument_group("output")
    group.add_argument("--json", action="store_true", help="print JSON objects, one on each line")
    return parser
