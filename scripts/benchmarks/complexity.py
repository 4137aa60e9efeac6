"""The estimated size of the game tree of n spots against n ([cizek2025], Figure 1)."""

from __future__ import annotations

import math
from random import Random
from typing import Dict, List, Sequence

from benchmarks.curve import spots_of
from benchmarks.runs import Run
from pns.cli.options.estimate import MEAN_NUMBER
from pns.cli.reports.chart import Chart, Point, Range, svg
from pns.finding import find_game
from pns.tools.estimate import COUPLES, GAMES, Sampler, around, estimated

FIGURES = ("log_size", "error", "deviation", "log_low", "log_high", "greatest_share")
"""The figures of an estimate: fields of `pns.tools.estimate.Estimate`."""
NAMES = {GAMES: "all games", COUPLES: "with Grundy numbers"}
OTHERS = (("checkers", 70, 2.8), ("chess", 80, 35.0), ("Go", 150, 250.0))
"""Other games with their depth d and branching b by [allis1994thesis]: trees of size b^d."""


def measure(position: str, tree: str, samples: int, seed: int) -> Run:
    """An estimate for a position of Sprouts."""
    game, random = find_game("sprouts"), Random("%d %s %s" % (seed, tree, position))
    sampler = Sampler(game, random, around(MEAN_NUMBER, random))
    lands = game.parse(position)
    return estimated([sampler.sample(tree, lands) for _ in range(samples)])._asdict()


def picture(rows: Sequence[Run]) -> str:
    """Estimates for positions like 0*12, with the percentiles as ranges, as SVG."""
    series: Dict[str, List[Point]] = {}
    ranges: Dict[str, List[Range]] = {}
    for tree, name in NAMES.items():
        found = [(float(spots_of(row["position"])), row) for row in rows if row["tree"] == tree]
        found.sort(key=lambda pair: pair[0])
        series[name] = [(n, row["log_size"]) for n, row in found]
        ranges[name] = [(n, row["log_low"], row["log_high"]) for n, row in found]
    ends = [n for n, _ in series[NAMES[GAMES]]]
    for name, depth, branching in OTHERS:
        size = depth * math.log10(branching)
        label = "%s: %d moves of %g" % (name, depth, branching)
        series[label] = [(n, size) for n in sorted({min(ends), max(ends)})]
    title = "Terminal nodes of the game tree, estimated"
    return svg([Chart(title, "spots", "powers of ten", dict(series), ranges=ranges)])
