"""Strong solutions that command lines name by --table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from pns.cli.common import die

if TYPE_CHECKING:
    from pns.strong.solution import StrongSolution


def open_solution(path: Optional[str], game: str) -> Optional[StrongSolution]:
    """The strong solution in a directory, None for none; exits unless it is one of the game."""
    if path is None:
        return None
    from pns.strong.blocks import SolutionError
    from pns.strong.solution import read_solution

    try:
        solution = read_solution(path)
    except SolutionError as error:
        die("argument --table: %s" % error)
    if solution.game != game:
        die("argument --table: %s" % solution.misfit(game))
    return solution
