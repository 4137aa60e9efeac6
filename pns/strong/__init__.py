"""Strong solutions: the value of every position of a small game, by retrograde analysis.

`build_solution` computes and writes one, `read_solution` opens it, and `check_solution` checks it.
The method is that of [irving2014]: slices from the last to the first, each from the ones after it.
"""

from pns.strong.blocks import SolutionError
from pns.strong.build import build_lands, build_solution
from pns.strong.check import SolutionReport, check_solution
from pns.strong.solution import SolutionSlice, SolvedMove, StrongSolution, read_solution

__all__ = [
    "SolutionError",
    "SolutionReport",
    "SolutionSlice",
    "SolvedMove",
    "StrongSolution",
    "build_lands",
    "build_solution",
    "check_solution",
    "read_solution",
]
