"""The command line of `pns explore`. This imports no rules."""

from __future__ import annotations

import argparse

from pns.cli.common import die
from pns.cli.options.late import add_late, check_late
from pns.cli.options.variants import add_no_known
from pns.cli.parser import Parser, add_game

DESCRIPTION = """\
Show positions in the browser: draw moves by clicks, see which of them win, and why.

The page is served on the loopback address only and works offline. Known facts come from a
database, a .spr file or a certificate, and from the package. Searches started on the page
add facts to the database."""
EXAMPLES = (
    ("", "the user's database, from five spots on"),
    ("'0*11'", "a position"),
    ("--game mnk --table ttt", "the value of every move, from a strong solution"),
    ("'0*17' --db sprouts-17", "the proof in a certificate shipped with pns"),
    ("--export site", "the page as static files, which run in any browser"),
)
STATUS = """\
exit status: 0 or 130 when Ctrl-C or SIGTERM ends it; 2 after bad input. It needs the
packages of the extra [web]; --export needs none, and fetches 6 MB from npm once."""
PYODIDE_VERSION = "314.0.7"
"""That of `pns.web.npm`, which takes long to import."""
SERVED_ONLY = ("db", "table", "no_known", "late")
"""Options that the page as static files does not have."""
DEFAULT_PORT = 8017
MOST_PORT = 65535


def explore_parser(prog: str) -> Parser:
    """The parser of `pns explore`."""
    parser = Parser(
        prog=prog,
        usage="%(prog)s [OPTION ...] [POSITION]",
        description=DESCRIPTION,
        examples=EXAMPLES,
        status=STATUS,
        check=check,
    )
    group = parser.add_argument_group("what is shown")
    group.add_argument(
        "position",
        metavar="POSITION",
        nargs="?",
        help="default: that of the certificate or solution, else a small one of the game",
    )
    group.add_argument(
        "--db",
        metavar="PATH",
        help="database, .spr file or certificate, used before the facts shipped with pns; "
        "default: the user's database",
    )
    add_no_known(group)
    group.add_argument(
        "--table",
        metavar="DIR",
        help="show the value of every move from a strong solution of `pns strong`",
    )
    add_late(group)
    add_game(group)
    group = parser.add_argument_group("how it is served")
    group.add_argument(
        "--port",
        metavar="N",
        type=int,
        default=DEFAULT_PORT,
        help="port of the loopback address, 0 for a free one; default: %(default)s",
    )
    group.add_argument("--no-browser", action="store_true", help="only print the address")
    group = parser.add_argument_group("as static files, in place of a server")
    group.add_argument(
        "--export",
        metavar="DIR",
        help="write the page into a new directory, or over an earlier export, for any web "
        "server, such as GitHub Pages; everything then runs in the browser, and offline",
    )
    group.add_argument(
        "--pyodide",
        metavar="PATH",
        help="the archive of npm's package pyodide %s, or a directory with its files; "
        "default: fetched from npm once" % PYODIDE_VERSION,
    )
    return parser


def check(args: argparse.Namespace) -> None:
    """Refuse what does not fit together, and a bad position."""
    if not 0 <= args.port <= MOST_PORT:
        wrong = "invalid port %d; expected a number from 0 to %d"
        die("argument --port: " + wrong % (args.port, MOST_PORT))
    if args.pyodide is not None and args.export is None:
        die("argument --pyodide: nothing is exported; expected --export DIR, too")
    for name in SERVED_ONLY if args.export is not None else ():
        if getattr(args, name):
            flag = "--" + name.replace("_", "-")
            die("argument %s: --export writes the facts shipped with pns; leave it out" % flag)
    check_late(args)
    if args.position is not None:
        from pns.finding import find_game

        find_game(args.game).parse(args.position)
