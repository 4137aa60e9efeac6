"""Print the Grundy numbers of the heaps of an octal game, and its period where they prove one."""

from __future__ import annotations

import argparse
import json
from typing import Optional

from pns.cli.common import die, program
from pns.cli.options.octal import octal_parser
from pns.games.octal import MOST_NUMBERS, grundy_numbers, parse_code, period

ROW = 20


def main(args: Optional[argparse.Namespace] = None) -> int:
    """Do what the command line says, unless it is given parsed; returns the exit status."""
    if args is None:
        args = octal_parser(program()).parse_args()
    if args.most > MOST_NUMBERS:
        die("argument --most: %d is too large; write at most %d" % (args.most, MOST_NUMBERS))
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
        first = 0 if found[1] is None else found[1] + 1
        print("The period is %d from heap %d on." % (found[0], first))
    else:
        print("Heaps up to %d prove no period." % args.most)
    return 0
