"""Print the numbers of the heaps of an octal game, in normal play or in misère play."""

from __future__ import annotations

import argparse
import json
from typing import Optional

from pns.cli.common import die, program
from pns.cli.options.octal import MOST, MOST_MISERE, octal_parser
from pns.games.octal import MOST_NUMBERS, Code, grundy_numbers, parse_code, period

ROW = 20


def main(args: Optional[argparse.Namespace] = None) -> int:
    """Do what the command line says, unless it is given parsed; returns the exit status."""
    if args is None:
        args = octal_parser(program()).parse_args()
    most = args.most
    if most is None:
        most = MOST_MISERE if args.misere else MOST
    if most > MOST_NUMBERS:
        die("argument --most: %d is too large; write at most %d" % (most, MOST_NUMBERS))
    show = show_misere if args.misere else show_normal
    show(parse_code(args.code), most, args.json)
    return 0


def show_normal(code: Code, most: int, as_json: bool) -> None:
    """Print the Grundy numbers, and the period that they prove."""
    numbers = grundy_numbers(code, most)
    found = period(code, numbers)
    if as_json:
        length, last = found or (None, None)
        figures = {"grundy_numbers": numbers, "period": length, "last_exception": last}
        print(json.dumps({"code": code.text, **figures}))
        return
    width = len("%d" % max(numbers))
    for start in range(0, len(numbers), ROW):
        row = ["%*d" % (width, number) for number in numbers[start : start + ROW]]
        print("%5d: %s" % (start, " ".join(row)))
    if found:
        first = 0 if found[1] is None else found[1] + 1
        print("The period is %d from heap %d on." % (found[0], first))
    else:
        print("Heaps up to %d prove no period." % most)


def show_misere(code: Code, most: int, as_json: bool) -> None:
    """Print outcomes, genera and trees in misère play, and which heaps are not tame."""
    from pns.misere.octal import MOST_TREES, misere_heaps

    heaps, are_all = misere_heaps(code, most)
    if as_json:
        figures = [
            {
                "outcome": "win" if heap.is_won else "loss",
                "genus": heap.genus,
                "tame": heap.tame_pair is not None,
                "tree": heap.tree,
            }
            for heap in heaps
        ]
        print(json.dumps({"code": code.text, "misere": figures}))
        return
    print(" heap  outcome  genus      reduced tree")
    for size, heap in enumerate(heaps):
        outcome = "win" if heap.is_won else "loss"
        print("%5d  %-7s  %-9s  %s" % (size, outcome, heap.genus, heap.tree or "long"))
    wild = ["%d" % size for size, heap in enumerate(heaps) if heap.tame_pair is None]
    print("Not tame: heaps %s." % ", ".join(wild) if wild else "All these heaps are tame.")
    if not are_all:
        print("Larger heaps have more than %d trees." % MOST_TREES)
