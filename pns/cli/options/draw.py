"""The command line of `pns draw`. This imports no rules."""

from __future__ import annotations

import argparse
import os

from pns.choices import DRAWN_GAMES
from pns.cli.common import die
from pns.cli.parser import Parser, add_game, add_output, shown

DESCRIPTION = """\
Draw a position of Sprouts, or of a game on a board: as lines of Unicode on a terminal, as
SVG in a pipe or a file.

In Sprouts, spots have a point for each life, and no lines cross. A text does not contain the
dead parts of a drawing. It does not say how regions are turned, or which one is outside. The
choices made are printed on standard error."""
EXAMPLES = (
    ("'0*2.1a1a + 0*3'", "in the terminal"),
    ("'0*8.AB|0*8.AB' -o position.svg", "a picture for a web page"),
    ("'0*3' --move '0.1a1a' -o move.png", "the move that leads to a position"),
    ("--game cram '...|..#' --text | less", "a board, as text in a pipe"),
)
STATUS = """\
exit status: 0; 2 after bad input, or where a file cannot be written. PNG needs a program
that makes it from SVG: rsvg-convert or cairosvg."""
FORMATS = (".svg", ".png", ".txt")


def draw_parser(prog: str) -> Parser:
    """The parser of `pns draw`."""
    parser = Parser(
        prog=prog,
        usage="%(prog)s [OPTION ...] POSITION",
        description=DESCRIPTION,
        examples=EXAMPLES,
        status=STATUS,
        check=check,
    )
    group = parser.add_argument_group("what is drawn")
    group.add_argument("position", metavar="POSITION", help="like '0*8.AB|0*8.AB'")
    add_game(group)
    group.add_argument(
        "--move", metavar="POSITION", help="draw the move of Sprouts that leads there, highlighted"
    )
    group = parser.add_argument_group("output")
    add_output(group, "FILE", "a file that ends in .svg, .png or .txt")
    group.add_argument("--output", dest="out", help=argparse.SUPPRESS)  # its name up to 1.0
    group.add_argument("--text", action="store_true", help="write lines of Unicode, even to a pipe")
    return parser


def check(args: argparse.Namespace) -> None:
    """Refuse what does not fit together."""
    if args.move is not None and args.game not in DRAWN_GAMES:
        die("argument --move: only moves of sprouts are drawn, not those of %s" % args.game)
    if args.out is None:
        return
    if args.text:
        die("argument --text: not allowed with --out; name a file that ends in .txt instead")
    if os.path.splitext(args.out)[1] not in FORMATS:
        wrong = "invalid file name %s; expected one that ends in .svg, .png or .txt"
        die("argument -o/--out: " + wrong % shown(args.out))
