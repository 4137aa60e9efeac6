"""The search overhead of parallel searches by the number of processes, which are logical."""

from __future__ import annotations

from statistics import median
from typing import Dict, Iterator, List, NamedTuple, Sequence

from benchmarks.logical import LogicalSearch
from pns.algorithms import process_class
from pns.cli.reports.chart import Chart, Point, Range, svg
from pns.dfpn import Search
from pns.facts import Facts
from pns.game import Game
from pns.positions.couple import Couples
from pns.positions.prior import load
from pns.search.table import Table

PROCESSES = (1, 2, 4, 8, 16, 32, 64)
CAPACITY = 1_000_000
PAPER_BEST = 21.35
"""The best speedup of PDFPN in [cizek2025]: 47 spots, time over that of DFPN, on real cores."""


class Overhead(NamedTuple):
    """Runs of a position by a number of logical processes, one for each seed."""

    position: str
    algorithm: str
    sequential: int
    """Expansions of DFPN."""
    processes: int
    expansions: List[int]
    """Expansions of all processes together, by run."""
    longest: List[int]
    """Expansions of the process that had most, by run."""

    def overheads(self) -> List[float]:
        """Expansions divided by those of DFPN, ascending."""
        return sorted([count / self.sequential for count in self.expansions])

    def speedups(self) -> List[float]:
        """Expansions of DFPN divided by those of the longest process, ascending."""
        return sorted([self.sequential / count for count in self.longest])


def sequential(game: Game, position: str) -> int:
    """Expansions of DFPN from an empty database; raises NotationError."""
    couples = Couples(game, Facts(game.name), prior=load(game.name))
    search = Search(couples, Table(CAPACITY))
    search.outcome(game.parse(position))
    return search.expansions


def measure(game: Game, position: str, algorithm: str, seeds: int) -> Iterator[Overhead]:
    """The overhead for each number of processes, with the seeds 1 to `seeds`."""
    alone = sequential(game, position)
    for processes in PROCESSES:
        found = Overhead(position, algorithm, alone, processes, [], [])
        for seed in range(1, seeds + 1):
            search = LogicalSearch(
                processes,
                game,
                Facts(game.name),
                CAPACITY,
                seed=seed,
                prior=load(game.name),
                searcher=process_class(algorithm),
            )
            search.outcome(game.parse(position))
            found.expansions.append(search.expansions)
            found.longest.append(search.longest)
        yield found


HEADER = "%-8s %-9s %9s %10s %8s %13s %10s %8s %13s" % (
    "position",
    "algorithm",
    "processes",
    "expansions",
    "overhead",
    "from-to",
    "longest",
    "speedup",
    "from-to",
)


def row(found: Overhead) -> str:
    """A line of the table: medians, and the range over all seeds.

    >>> print(row(Overhead("0*9", "pdfpn", 1000, 2, [1100, 1500, 1200], [600, 800, 625])))
    0*9      pdfpn             2       1200     1.20     1.10-1.50        625     1.60     1.25-1.67
    """
    overheads, speedups = found.overheads(), found.speedups()
    return "%-8s %-9s %9d %10d %8.2f %13s %10d %8.2f %13s" % (
        found.position,
        found.algorithm,
        found.processes,
        median(found.expansions),
        median(overheads),
        "%.2f-%.2f" % (overheads[0], overheads[-1]),
        median(found.longest),
        median(speedups),
        "%.2f-%.2f" % (speedups[0], speedups[-1]),
    )


def picture(measured: Sequence[Overhead]) -> str:
    """Overhead and speedup against the number of processes, with their ranges, as SVG."""
    overheads: Dict[str, List[Point]] = {}
    speedups: Dict[str, List[Point]] = {}
    ranges: List[Dict[str, List[Range]]] = [{}, {}]
    for found in measured:
        x = float(found.processes)
        pairs = ((overheads, found.overheads()), (speedups, found.speedups()))
        for (series, values), spans in zip(pairs, ranges):
            name = "%s %s" % (found.position, found.algorithm)
            series.setdefault(name, []).append((x, median(values)))
            spans.setdefault(name, []).append((x, values[0], values[-1]))
    ends = (1.0, float(PROCESSES[-1]))
    speedups["the paper's best"] = [(x, PAPER_BEST) for x in ends]
    speedups["no overhead"] = [(x, x) for x in ends]
    label = "logical processes"
    charts = [
        Chart("Search overhead", label, "expansions / DFPN", dict(overheads), True),
        Chart("Speedup without costs", label, "DFPN / longest", dict(speedups), True, True),
    ]
    return svg([chart._replace(ranges=dict(spans)) for chart, spans in zip(charts, ranges)])
