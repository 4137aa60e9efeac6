"""Estimate the size of game trees from random games."""

from __future__ import annotations

import argparse
import json
import sys
from random import Random
from typing import List, Optional, Tuple

from pns.cli import layout
from pns.cli.commands.check_game import start_positions
from pns.cli.common import STOPPED, program, warn
from pns.cli.options.estimate import estimate_parser
from pns.cli.terminal.progress import Counter, open_counter
from pns.finding import find_game
from pns.game import Game, Sum
from pns.tools.estimate import COUPLES, Estimate, Sampler, around, estimated, trees_of

HEADING = ("position", "tree", "size", "error", "1 %", "99 %", "greatest")
MOST_EXACT = 6.0
"""The logarithm of the largest size that is written with all its digits."""


def main(args: Optional[argparse.Namespace] = None) -> int:
    """Do what the command line says, unless it is given parsed; returns the exit status."""
    if args is None:
        args = estimate_parser(program()).parse_args()
    game = find_game(args.game)
    positions = [game.parse(text) for text in start_positions(game, args.positions)]
    rows: List[Tuple[str, ...]] = []
    doubted = is_stopped = False
    with open_counter(not sys.stderr.isatty()) as count:
        for lands, tree in [(lands, tree) for lands in positions for tree in trees_of(game)]:
            values = random_values(args, game, lands, tree, count)
            is_stopped = len(values) < args.samples
            if values:
                found = estimated(values)
                doubted |= not found.is_trusted
                name = game.format(lands)
                if args.json:
                    print(as_json(args, name, tree, found), flush=True)
                rows.append((name, tree, *cells(found)))
            if is_stopped:
                break
    if not args.json and rows:
        print("\n".join(layout.table([HEADING, *rows], right=range(2, len(HEADING)))))
        if doubted:
            print("! A few games make up the sum: the error says nothing, and the size is")
            print("  more likely too small than too large. More --samples help a small position.")
    if is_stopped:
        warn("stopped after %d of %d games" % (len(values), args.samples))
        return STOPPED
    return 0


def random_values(
    args: argparse.Namespace, game: Game, lands: Sum, tree: str, count: Counter
) -> List[int]:
    """The values of the random games from a position; less than `--samples` after Ctrl-C."""
    name = game.format(lands)
    random = Random("%d %s %s" % (args.seed, tree, name))
    sampler = Sampler(game, random, around(args.mean_number, random))
    values: List[int] = []
    try:
        while len(values) < args.samples:
            values.append(sampler.sample(tree, lands))
            count(len(values), args.samples, 0, "%s of %s" % (tree, layout.shortened(name, 40)))
    except KeyboardInterrupt:
        pass
    return values


def cells(found: Estimate) -> List[str]:
    """The figures of an estimate, as a table shows them; `!` marks an error that says nothing."""
    error = "" if found.error is None else layout.percent(found.error)
    mark = "" if found.is_trusted else "!"
    sizes = [size(log) for log in (found.log_size, found.log_low, found.log_high)]
    return [sizes[0], error + mark, *sizes[1:], layout.percent(found.greatest_share)]


def size(log: float) -> str:
    """A size from its logarithm to the base 10.

    >>> size(3.0), size(1.2), size(123.45)
    ('1,000', '16', '2.8e123')
    """
    if log < MOST_EXACT:
        return layout.count(round(10.0**log))
    power = int(log)
    digits = "%.1f" % 10.0 ** (log - power)
    return "%se%d" % (digits, power) if digits != "10.0" else "1.0e%d" % (power + 1)


def as_json(args: argparse.Namespace, name: str, tree: str, found: Estimate) -> str:
    """An estimate as a JSON object."""
    return json.dumps(
        {
            "position": name,
            "game": args.game,
            "tree": tree,
            "seed": args.seed,
            "mean_number": args.mean_number if tree == COUPLES else None,
            "samples": found.samples,
            "log10_size": found.log_size,
            "relative_error": found.error,
            "relative_deviation": found.deviation,
            "log10_percentile_1": found.log_low,
            "log10_percentile_99": found.log_high,
            "greatest_share": found.greatest_share,
            "is_trusted": found.is_trusted,
        }
    )
