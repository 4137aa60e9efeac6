"""The command line of `pns db`. This imports no search."""

from __future__ import annotations

import argparse
import re
from math import inf

from pns.choices import DEFAULT_CAPACITY, DEFAULT_GAME, DIALECTS
from pns.cli.options.variants import add_no_known, add_simplify
from pns.cli.options.why import add_options as add_why
from pns.cli.options.why import check as check_why
from pns.cli.parser import (
    Parser,
    add_game,
    add_output,
    check_output,
    file_name,
    positive,
    real,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Tuple

DESCRIPTION = """\
Query databases of Grundy numbers, exchange their facts, or reduce them to small proofs.

DATABASE may also be a .spr file or a certificate if nothing is stored in it. get, table,
conjecture and why use it first, then the facts shipped with pns. list, stats, export and
certify use DATABASE alone, or without --db the user's database and the facts shipped with pns."""
EXAMPLES = (
    ("stats", "how many facts there are, by number and by lives"),
    (
        "table --no-known --db sprouts-17",
        "who wins from n spots, from a certificate alone",
    ),
    ("get '0*2 + 1a1a'", "the number of a sum"),
    ("list --lives 4-9 --number 3", "facts that satisfy conditions"),
    ("reduce '0*11' --out 11.spr", "a small proof"),
)
EXIT_STATUS = """\
exit status: 0; 1 when `get` or `why` lacks a number, `diff` finds a difference,
`merge` or `convert` a contradiction, `check` a bad line, `conjecture` a departure,
`certify` no position or a certificate that does not hold, or any verb a bad entry of
a database, which is named and left out; 2 after bad input or when a database cannot
be used; 130 when it was stopped"""
EXTEND_EXAMPLES = (("--db 11.lmdb '0*17'", "17 spots, from a database that proves 11"),)
CERTIFY_EXAMPLES = (
    ("--db published.spr certificates", "all n spots that a published file decides"),
    ("--db all.lmdb certificates '0*17' '0*18'", "two positions"),
)
LIST_EXAMPLES = (
    ("--lives 2-6 --number 3", "small facts with the Grundy number 3"),
    ("--contains 'AB|AB' --limit 20", "lands with two regions around two spots"),
    ("--match '^0\\*[0-9]+$'", "the facts on isolated spots alone"),
    ("--spots 10-99 --count", "how many lands have ten isolated spots or more"),
)


def interval(text: str) -> Tuple[int, int]:
    """The two ends of a text like 4-9, or 4 alone."""
    first, dash, last = text.partition("-")
    if not (text.isascii() and first.isdigit() and (last.isdigit() or not dash) and len(text) < 20):
        wrong = "invalid range %s; expected one such as 4-9, or 4"
        raise argparse.ArgumentTypeError(wrong % ascii(text[:20]))
    low, high = int(first), int(last or first)
    if low > high:
        wrong = "empty range %s; expected the smaller number first, as in %d-%d"
        raise argparse.ArgumentTypeError(wrong % (ascii(text), high, low))
    return low, high


def line_count(text: str) -> int:
    """A number of lines."""
    if not (text.isascii() and text.isdigit()):
        wrong = "invalid count %s; expected a whole number such as 20"
        raise argparse.ArgumentTypeError(wrong % ascii(text[:20]))
    return int(text)


def pattern(text: str) -> "re.Pattern[str]":
    """A regular expression."""
    try:
        return re.compile(text)
    except re.error as error:
        wrong = "invalid regular expression %s: %s" % (ascii(text[:60]), error)
        raise argparse.ArgumentTypeError(wrong) from error


def add_options(parser: argparse.ArgumentParser, db: Any, game: Any, json: Any) -> None:
    """Add the options that may come before the verb or after it, with their defaults."""
    parser.add_argument("--db", metavar="DATABASE", default=db, help="default: the user's own")
    add_game(parser, game)
    parser.add_argument(
        "--json", action="store_true", default=json, help="print JSON objects, one on each line"
    )


def db_parser(prog: str) -> Parser:
    """The parser of `pns db`."""
    parser = Parser(
        prog=prog,
        usage="%(prog)s [OPTION ...] VERB [ARGUMENT ...]",
        description=DESCRIPTION,
        examples=EXAMPLES,
        status=EXIT_STATUS,
        check=check,
    )
    add_options(parser, None, DEFAULT_GAME, False)
    after = Parser(add_help=False)
    add_options(after, argparse.SUPPRESS, argparse.SUPPRESS, argparse.SUPPRESS)
    subparsers = parser.add_subparsers(dest="verb", metavar="VERB", required=True)

    def add_verb(name: str, text: str, examples: Any = ()) -> argparse.ArgumentParser:
        verb: argparse.ArgumentParser = subparsers.add_parser(
            name,
            prog="%s %s" % (prog, name),
            help=text,
            description=text[0].upper() + text[1:] + ".",
            parents=[after],
            examples=examples,
        )
        return verb

    add_queries(add_verb)
    add_transfers(add_verb)
    add_proofs(add_verb)
    return parser


def add_queries(add_verb: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the verbs that only read a database."""
    get = add_verb("get", "print the Grundy numbers of positions and their lands")
    get.add_argument("positions", metavar="POSITION", nargs="+")
    show = add_verb(
        "list", "print the facts that satisfy all conditions, sorted by land", LIST_EXAMPLES
    )
    add = show.add_argument_group("conditions").add_argument
    add("--lives", metavar="A-B", type=interval, help="lands of this size, like 4-9 or 4")
    add("--number", metavar="A-B", type=interval, help="lands with these Grundy numbers")
    add("--spots", metavar="A-B", type=interval, help="lands with this many isolated spots")
    add("--contains", metavar="TEXT", help="lands whose text contains this, like 'AB|AB'")
    add("--match", metavar="REGEX", type=pattern, help="lands that match a regular expression")
    show.add_argument("--limit", metavar="N", type=line_count, help="the first N only")
    show.add_argument("--count", action="store_true", help="print only how many there are")
    stats = add_verb("stats", "count the facts by number, lives and isolated spots")
    table = add_verb("table", "print who wins from n spots, as far as known")
    add_spots(table, (1, 60))
    conjecture = add_verb(
        "conjecture", "compare the known results for n spots with the Sprouts conjecture"
    )
    add_spots(conjecture, (1, 105))
    export = add_verb("export", "write all facts to a text file")
    export.add_argument("path", metavar="FILE.spr")
    for verb in (get, show, stats, table, conjecture, export):
        add_no_known(verb)


def add_spots(verb: argparse.ArgumentParser, default: Tuple[int, int]) -> None:
    """Add --spots, for verbs about the positions of isolated spots."""
    text = "default: %d-%d" % default
    verb.add_argument("--spots", metavar="A-B", type=interval, default=default, help=text)


def add_transfers(add_verb: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the verbs that read and write other files."""
    load = add_verb("import", "store the facts of a text file, if all is right")
    load.add_argument("path", metavar="FILE.spr")
    merge = add_verb("merge", "store the facts of other sources")
    merge.add_argument("paths", metavar="OTHER", nargs="+")
    add_output(merge, "FILE.spr", "write them to a file instead")
    diff = add_verb("diff", "print the differences of two sources")
    diff.add_argument("path", metavar="A")
    diff.add_argument("other", metavar="B")
    for name, text in (
        ("check", "print the bad lines of a file"),
        ("repair", "remove a truncated last line, and keep a copy"),
    ):
        add_verb(name, text).add_argument("path", metavar="FILE.spr")
    convert = add_verb("convert", "write a file in the dialect of another solver")
    convert.add_argument("path", metavar="FILE")
    convert.add_argument("out", metavar="OUT")
    convert.add_argument("--to", choices=DIALECTS, default="spots", help="default: spots")


def add_proofs(add_verb: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the verbs that explain, reduce and extend proofs."""
    add_why(add_verb("why", "explain who wins a position, as pns why does"))
    less = add_verb("reduce", "write a small set of facts that proves who wins a position")
    less.add_argument("position", metavar="POSITION")
    add_output(less, "FILE.spr", "the file that is written", required=True)
    add_cycles(less)
    less.add_argument(
        "--start",
        metavar="FILE",
        type=file_name,
        help="a proof to make smaller: a database, .spr or certificate",
    )
    add_no_known(less)
    every = add_verb(
        "certify",
        "write a checked certificate of each position that a database decides",
        CERTIFY_EXAMPLES,
    )
    every.add_argument(
        "directory", metavar="DIRECTORY", help="for the certificates; made if missing"
    )
    every.add_argument(
        "positions", metavar="POSITION", nargs="*", help="default: n spots, see --spots"
    )
    add_spots(every, (1, 60))
    every.add_argument(
        "--simplify",
        action="store_true",
        help="the facts rest on simpler positions, as those of searches by pns do",
    )
    add_cycles(every)
    add_no_known(every)
    more = add_verb("extend", "prove a position from facts about smaller ones", EXTEND_EXAMPLES)
    more.add_argument("position", metavar="POSITION")
    more.add_argument("--processes", metavar="N", type=positive, help="default: one for each core")
    more.add_argument(
        "--capacity",
        metavar="N",
        type=positive,
        help="entries of the transposition table, 20 bytes each (default: %d)" % DEFAULT_CAPACITY,
    )
    add_no_known(more)
    for verb in (less, more):
        add_simplify(verb)
        verb.add_argument("--seed", metavar="N", type=line_count, default=0, help="default: 0")
    for verb in (less, every, more):
        verb.add_argument("--quiet", action="store_true", help="no progress")


def add_cycles(verb: argparse.ArgumentParser) -> None:
    """Add how long a proof is made smaller."""
    verb.add_argument(
        "--cycles", metavar="N", type=line_count, default=20, help="default: %(default)s"
    )
    verb.add_argument(
        "--max-seconds",
        metavar="S",
        type=real,
        default=inf,
        help="end the cycles of a proof after S seconds",
    )


def check(args: argparse.Namespace) -> None:
    """Exit for options of a verb that exclude each other, and for a file that cannot be written."""
    if getattr(args, "out", None) is not None:
        check_output("OUT" if args.verb == "convert" else "--out", args.out)
    if args.verb == "why":
        check_why(args)
