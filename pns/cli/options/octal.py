"""The command line of `pns octal`. This imports no game."""

from __future__ import annotations

from pns.cli.parser import Parser, amount

DESCRIPTION = """\
Print the Grundy numbers of the heaps of an octal game, and its period if they prove one. With
--misere, print who wins each heap if whoever makes the last move loses, its genus, and its
reduced tree where that is short.

In a code like 0.77 the bits of the k-th digit say what may remain after taking k objects from
a heap: 1 nothing, 2 one heap, 4 two heaps. A code that begins with 4. instead of 0. allows
splitting a heap without taking objects."""
EXAMPLES = (
    ("0.77", "Kayles"),
    ("0.07 --most 200", "Dawson's Kayles, up to a heap of 200"),
    ("0.77 --misere", "Kayles in misère play"),
)
STATUS = """\
exit status: 0; 2 after bad input."""
MOST, MOST_MISERE = 300, 20
"""The largest heap unless another is given."""


def octal_parser(prog: str) -> Parser:
    """The parser of `pns octal`."""
    parser = Parser(
        prog=prog,
        usage="%(prog)s [OPTION ...] CODE",
        description=DESCRIPTION,
        examples=EXAMPLES,
        status=STATUS,
    )
    group = parser.add_argument_group("what is printed")
    group.add_argument("code", metavar="CODE", help="like 0.77, Kayles, or 0.07, Dawson's Kayles")
    group.add_argument(
        "--most",
        metavar="N",
        type=amount,
        help="the largest heap; default: %d, with --misere %d" % (MOST, MOST_MISERE),
    )
    group.add_argument(
        "--misere",
        action="store_true",
        help="who makes the last move loses: print outcomes, genera, reduced trees",
    )
    group.add_argument("--json", action="store_true", help="print one JSON object")
    return parser
