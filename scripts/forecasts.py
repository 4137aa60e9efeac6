"""Record how searches went on, and what that says about how long others take.

Solves positions by an algorithm with several seeds, without simpler positions in place of children.
Each search becomes a row of a CSV file, with the growth of the root's numbers
(`pns.cli.reports.forecast`) at each twentieth of the search. Searches that the file has already are
not repeated. Then it prints, for all rows of the file and for each class of growth, what was left
of the searches: quartiles in units of the expansions so far, and how far the medians were off. For
that each position is forecast by the others.
"""

from __future__ import annotations

import bootstrap  # noqa: F401

import argparse
import math
from functools import partial
from statistics import mean
from typing import Dict, List, NamedTuple, Sequence, Tuple

from benchmarks.runs import Run
from benchmarks.study import Study

import pns
from pns import Solver
from pns.choices import ALGORITHMS
from pns.cli.common import run
from pns.cli.parser import Parser, amount
from pns.cli.reports.forecast import GROWTHS, LEAST_EXPANSIONS, Forecaster, Note, class_of

PARTS = 20
GROWTH_COLUMNS = ["growth_%d" % (100 * part // PARTS) for part in range(1, PARTS)]
"""The factor by which the root's numbers had grown, by the percentage of expansions done."""


class Sample(NamedTuple):
    """What was left of a search at a time."""

    position: Tuple[str, str]
    kind: int
    """The class of its growth."""
    left: float
    """The expansions still to come, in units of those so far."""


def record(game: str, position: str, algorithm: str, seed: int) -> Run:
    """Solve a position; returns its row."""
    forecaster = Forecaster()
    growths: List[Tuple[int, float]] = []

    def observe(solver: Solver) -> None:
        found = solver.progress()
        forecaster.note(Note(found.expansions, *found.root, 0.0))
        growth = forecaster.growth()
        if growth is not None:
            growths.append((found.expansions, growth))

    result = pns.solve(
        position, game, algorithm=algorithm, seed=seed, simplify=False, observer=observe
    )
    total = result.usage.expansions
    row: Run = {"outcome": result.outcome, "expansions": total}
    for part, name in enumerate(GROWTH_COLUMNS, 1):
        later = [growth for expansions, growth in growths if expansions >= total * part / PARTS]
        too_early = total * part / PARTS < LEAST_EXPANSIONS
        row[name] = None if too_early or not later else round(later[0], 4)
    return row


def samples_of(rows: Sequence[Run]) -> List[Sample]:
    """What was left at each twentieth of each search that has a growth there."""
    return [
        Sample((row["game"], row["position"]), class_of(row[name]), PARTS / part - 1)
        for row in rows
        for part, name in enumerate(GROWTH_COLUMNS, 1)
        if row[name] is not None
    ]


def quartiles(values: Sequence[float]) -> Tuple[float, float, float]:
    """The three quartiles of at least one value.

    >>> quartiles([4.0, 1.0, 2.0, 3.0])
    (2.0, 3.0, 4.0)
    """
    ordered = sorted(values)
    low, middle, high = [ordered[len(ordered) * i // 4] for i in (1, 2, 3)]
    return low, middle, high


def table(samples: Sequence[Sample]) -> List[Tuple[float, float, float]]:
    """The quartiles of what was left for each class, with all samples where a class has none."""
    by_class: Dict[int, List[float]] = {}
    for sample in samples:
        by_class.setdefault(sample.kind, []).append(sample.left)
    every = [sample.left for sample in samples]
    return [quartiles(by_class.get(kind, every)) for kind in range(len(GROWTHS) + 1)]


def errors(samples: Sequence[Sample], by_growth: bool) -> Tuple[float, float]:
    """(geometric mean of the factors by which medians were off, share within the quartiles).

    Each position is forecast by the others, by the class of growth or alike for all.
    """
    factors: List[float] = []
    within = 0
    for position in {sample.position for sample in samples}:
        others = [sample for sample in samples if sample.position != position]
        found = table(others)
        alike = quartiles([sample.left for sample in others])
        for sample in samples:
            if sample.position == position:
                low, middle, high = found[sample.kind] if by_growth else alike
                factors.append(abs(math.log(sample.left / middle)))
                within += low <= sample.left <= high
    return math.exp(mean(factors)), within / len(factors)


def print_table(rows: Sequence[Run]) -> None:
    """Print what all rows say."""
    samples = samples_of(rows)
    positions = {sample.position for sample in samples}
    print(
        "%d searches, %d positions" % (len(rows), len({(r["game"], r["position"]) for r in rows}))
    )
    print(
        "%-14s %8s %10s %8s %8s %8s" % ("growth", "samples", "positions", "low", "middle", "high")
    )
    for kind, found in enumerate(table(samples) if samples else []):
        bound = "< %s" % GROWTHS[kind] if kind < len(GROWTHS) else ">= %s" % GROWTHS[-1]
        here = [sample for sample in samples if sample.kind == kind]
        print(
            "%-14s %8d %10d %8.2f %8.2f %8.2f"
            % (bound, len(here), len({sample.position for sample in here}), *found)
        )
    if len(positions) > 1:
        for name, by_growth in (("by growth", True), ("alike for all", False)):
            factor, within = errors(samples, by_growth)
            print("%s: off by a factor of %.2f, %.2f within the quartiles" % (name, factor, within))


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("positions", nargs="*", metavar="POSITION", help="without any, the file is only evaluated")
    add("--save", metavar="CSV", required=True, help="the file for all searches")
    add("--game", metavar="NAME", default="sprouts", help="default: sprouts")
    add("--algorithm", choices=ALGORITHMS, default="dfpn", help="default: dfpn")
    add("--seeds", metavar="N", type=amount, default=3, help="seeds 0 to N - 1; default: 3")
    return parser.parse_args()


def main() -> int:
    """Do what the command line says; returns the exit status."""
    args = parse_arguments()
    study = Study(
        args.save, ("game", "algorithm", "seed"), ("outcome", "expansions", *GROWTH_COLUMNS)
    )
    for position in args.positions:
        for seed in range(args.seeds):
            names = {"game": args.game, "algorithm": args.algorithm, "seed": seed}
            measure = partial(record, args.game, position, args.algorithm, seed)
            study.row(measure, position=position, **names)
    print_table(study.rows)
    return 0


if __name__ == "__main__":
    run(main)
