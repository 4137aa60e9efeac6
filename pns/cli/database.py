"""Read databases of Grundy numbers, exchange their facts, or reduce them to a proof."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from contextlib import contextmanager
from functools import reduce
from itertools import islice
from operator import xor
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from pns.cli import database_verbs as verbs
from pns.cli.common import Parser, add_game, program, run
from pns.facts import Contradiction, FactsError, open_facts
from pns.facts.formats import DIALECTS
from pns.facts.spr import read_spr, write_spr
from pns.game import Game, find_game
from pns.proofs.sources import Entries

EXIT_STATUS = """\
exit status: 0; 1 when `get` or `why` lacks a number, `diff` finds a difference, `merge`
or `convert` a contradiction, `check` a bad line, or any verb a bad entry of a database,
which is named and left out; 2 after bad input or when a database cannot be used; 130 when
it was stopped"""


def lives_range(text: str) -> Tuple[int, int]:
    """The two ends of a text like 4-9, or 4 alone."""
    first, dash, last = text.partition("-")
    if not (text.isascii() and first.isdigit() and (last.isdigit() or not dash)):
        raise argparse.ArgumentTypeError("%s is no range; write 4-9, or 4" % ascii(text[:20]))
    return int(first), int(last or first)


def line_count(text: str) -> int:
    """A number of lines."""
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError("%s is no count; write 20" % ascii(text[:20]))
    return int(text)


def add_options(parser: argparse.ArgumentParser, db: Any, game: Any) -> None:
    """Add the options that may come before the verb or after it, with their defaults."""
    parser.add_argument("--db", metavar="PATH", default=db, help="default: the user's database")
    add_game(parser, game)


def parse_arguments(words: List[str], before: Optional[str] = None) -> argparse.Namespace:
    """The command line; `before` stands before the verb in its usage."""
    parser = Parser(
        description=__doc__,
        epilog=EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_options(parser, None, "sprouts")
    after = Parser(add_help=False)
    add_options(after, argparse.SUPPRESS, argparse.SUPPRESS)
    subparsers = parser.add_subparsers(dest="verb", metavar="VERB", required=True, prog=before)

    def add_verb(name: str, text: str) -> argparse.ArgumentParser:
        return subparsers.add_parser(name, help=text, description=text, parents=[after])

    get = add_verb("get", "print the numbers of lands, and of sums of them")
    get.add_argument("positions", metavar="POSITION", nargs="+")
    show = add_verb("list", "print all facts, sorted by land")
    show.add_argument("--lives", metavar="A-B", type=lives_range, help="lands of this size only")
    show.add_argument("--limit", metavar="N", type=line_count, help="the first N only")
    add_verb("stats", "count the facts by Grundy number and by lives")
    add_verb("export", "write all facts to a text file").add_argument("path", metavar="FILE.spr")
    load = add_verb("import", "store the facts of a text file, if all of it is right")
    load.add_argument("path", metavar="FILE.spr")
    merge = add_verb("merge", "store the facts of other databases, .spr files or certificates")
    merge.add_argument("paths", metavar="OTHER", nargs="+")
    merge.add_argument("--out", metavar="FILE.spr", help="write them to a file instead")
    diff = add_verb("diff", "print the differences of two databases, .spr files or certificates")
    diff.add_argument("path", metavar="A")
    diff.add_argument("other", metavar="B")
    for name, text in (
        ("check", "print the bad lines of a file"),
        ("repair", "drop a last line that was cut off, and keep a copy"),
    ):
        add_verb(name, text).add_argument("path", metavar="FILE.spr")
    convert = add_verb("convert", "write a file of any solver in the dialect of another")
    convert.add_argument("path", metavar="FILE")
    convert.add_argument("out", metavar="OUT")
    convert.add_argument("--to", choices=sorted(DIALECTS), default="spots", help="default: spots")
    why = add_verb("why", "print the winning move, or for a loss each move with its answer")
    why.add_argument("position", metavar="POSITION")
    why.add_argument("--to-the-end", action="store_true", help="and so on, for what follows")
    why.add_argument("--json", action="store_true", help="print a JSON object on each line")
    less = add_verb("reduce", "write a small set of facts that proves who wins a position")
    less.add_argument("position", metavar="POSITION")
    less.add_argument("--out", metavar="FILE.spr", required=True)
    less.add_argument(
        "--cycles", metavar="N", type=line_count, default=200, help="default: %(default)s"
    )
    less.add_argument("--seed", metavar="N", type=line_count, default=0, help="default: 0")
    less.add_argument("--quiet", action="store_true", help="no progress")
    return parser.parse_args(words)


@contextmanager
def open_database(args: argparse.Namespace, game: Game) -> Iterator[Tuple[str, Entries]]:
    """(the file, the entries) of the database that the command line names."""
    path = verbs.db_path(args)
    with open_facts(path, args.game, readonly=True) as facts:
        yield str(facts.path), Entries(facts, game, path, verbs.report_bad)


def get(args: argparse.Namespace, game: Game) -> int:
    """Print the Grundy number of each position, and of each land of a sum."""
    positions = [game.parse(text) for text in args.positions]
    status = 0
    with open_database(args, game) as (_, facts):
        for lands in positions:
            numbers = [facts.get(land) for land in lands]
            if len(lands) > 1:
                for land, number in dict(zip(lands, numbers)).items():
                    print(land.decode(), number if number >= 0 else "unknown")
            if min(numbers, default=0) < 0:
                print(game.format(lands), "unknown")
                status = 1
            else:
                print(game.format(lands), reduce(xor, numbers, 0))
    return status


def show(args: argparse.Namespace, game: Game) -> int:
    """Print facts as the lines of a .spr file."""
    with open_database(args, game) as (_, facts):
        chosen = facts.items()
        if args.lives is not None:
            low, high = args.lives
            chosen = (fact for fact in chosen if low <= game.estimate(fact[0])[0] <= high)
        for land, number in islice(chosen, args.limit):
            print(land.decode(), number)
    return 1 if facts.bad else 0


def stats(args: argparse.Namespace, game: Game) -> int:
    """Print the number of facts, by Grundy number and by lives, and their space on the disk."""
    numbers: Counter[int] = Counter()
    lives: Counter[int] = Counter()
    with open_database(args, game) as (file, facts):
        for land, number in facts.items():
            numbers[number] += 1
            lives[game.estimate(land)[0]] += 1
        print("database  %s" % file)
        print("game      %s" % args.game)
        print("on disk   %d bytes" % (os.stat(file).st_blocks * 512))
    print("facts     %d" % sum(numbers.values()))
    if facts.bad:
        print("bad       %d" % len(facts.bad))
    for title, counts in (("number", numbers), ("lives", lives)):
        print("\n%7s %12s" % (title, "facts"))
        for value in sorted(counts):
            print("%7d %12d" % (value, counts[value]))
    return 1 if facts.bad else 0


def export(args: argparse.Namespace, game: Game) -> int:
    """Write a .spr file."""
    with open_database(args, game) as (_, facts):
        written = write_spr(args.path, facts.items())
    print("%d facts written to %s%s" % (written, args.path, verbs.left_out(facts)))
    return 1 if facts.bad else 0


def load(args: argparse.Namespace, game: Game) -> int:
    """Store the facts of a .spr file."""
    read = sum(1 for _ in read_spr(args.path, game))
    with open_facts(verbs.db_path(args), args.game) as facts:
        try:
            added = facts.add_all(lambda: read_spr(args.path, None))
        except Contradiction as error:
            raise FactsError("%s: %s" % (args.path, error)) from error
    print("%d facts read, %d of them new" % (read, added))
    return 0


VERBS: Dict[str, Callable[[argparse.Namespace, Game], int]] = {
    "get": get,
    "list": show,
    "stats": stats,
    "export": export,
    "import": load,
    "merge": verbs.merge,
    "diff": verbs.diff,
    "check": verbs.check_file,
    "repair": verbs.repair_file,
    "convert": verbs.convert_file,
    "why": verbs.why,
    "reduce": verbs.reduce,
}


def main() -> int:
    """Do what the command line says; returns the exit status."""
    return call(parse_arguments(sys.argv[1:]))


def explain() -> int:
    """Do what the command line of the verb `why` says, as a program of its own."""
    return call(parse_arguments(["why", *sys.argv[1:]], program().rpartition(" ")[0]))


def call(args: argparse.Namespace) -> int:
    """Do what a verb does; returns the exit status."""
    return VERBS[args.verb](args, find_game(args.game))


if __name__ == "__main__":
    run(main)
