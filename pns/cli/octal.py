"""Print the Grundy numbers of the heaps of an octal game, and its period where they prove one."""

from __future__ import annotations

import argparse
import json
from typing import Any

from pns.cli.common import Parser, amount, run
from pns.games.octal import MAX_HEAP, grundy_numbers, parse_code, period

MOST = 300
ROW = 20
EPILOG = """\
In a code like 0.77 the bits of the digit in place k say what may be left where k objects
are taken from a heap: 1 nothing, 2 one heap, 4 two heaps. 4. in place of 0. lets a heap be
split without taking any.

exit status: 0; 2 after bad input."""


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = Parser(
        description=__doc__, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("code", metavar="CODE", help="like 0.77, Kayles, or 0.07, Dawson's Kayles")
    add(
        "--most",
        metavar="N",
        type=heap,
        default=MOST,
        help="the largest heap, at most %d; default: %%(default)s" % MAX_HEAP,
    )
    add("--json", action="store_true", help="print one JSON object")
    return parser.parse_args()


def heap(text: str) -> int:
    """The size of a heap."""
    size = amount(text)
    if size > MAX_HEAP:
        raise argparse.ArgumentTypeError("a heap has at most %d" % MAX_HEAP)
    return size


def main() -> int:
    """Do what the command line says; returns the exit status."""
    args: Any = parse_arguments()
    code = parse_code(args.code)
    numbers = grundy_numbers(code, args.most)
    found = period(code, numbers)
    if args.json:
        length, last = found or (None, None)
        print(
            json.dumps(
                {
                    "code": code.text,
                    "grundy_numbers": numbers,
                    "period": length,
                    "last_exception": last,
                }
            )
        )
        return 0
    width = len("%d" % max(numbers))
    for start in range(0, len(numbers), ROW):
        row = ["%*d" % (width, number) for number in numbers[start : start + ROW]]
        print("%5d: %s" % (start, " ".join(row)))
    if found:
        print("The period is %d from heap %d on." % (found[0], found[1] + 1))
    else:
        print("Heaps up to %d prove no period." % args.most)
    return 0


if __name__ == "__main__":
    run(main)
