"""What a search knows by a strong solution: facts that it is given for each position it meets.

A search asks its facts about a position when it meets it for the first time, as a child of another
one. So a solution answers at the leaves, before they are visited, and whatever it has is never
searched. What a search proves then rests on the solution, and an audit of a database would miss
that. So new facts stay in memory (`pns.facts.staged`).
"""

from __future__ import annotations

from typing import Iterator, Tuple

from pns.facts import Fact, Facts, FactsError
from pns.facts.layers import DATABASE, SOLUTION, Layer, LayeredFacts
from pns.game import Game, Land, Sum
from pns.positions.ranking import LOSS, NONE, WIN
from pns.strong.blocks import SolutionError
from pns.strong.codes import GRUNDY_NUMBER
from pns.strong.solution import StrongSolution


class SolutionLayer:
    """A strong solution as a layer of `pns.facts.layers`: it answers, and lists nothing.

    `answered` counts the lands that it has. Damage of the solution raises FactsError.
    """

    def __init__(self, solution: StrongSolution) -> None:
        self._solution = solution
        self._has_numbers = solution.values == GRUNDY_NUMBER
        self._last: Tuple[Land, int] = b"", NONE
        self.answered = 0

    def get(self, land: bytes) -> int:
        """The land's Grundy number, -1 when it is unknown."""
        code = self._ask(land)
        return code - 1 if self._has_numbers or code == LOSS else -1

    def wins(self, land: bytes) -> bool:
        """Whether a land of a game of outcomes is a win, which is not a fact."""
        return not self._has_numbers and self._ask(land) == WIN

    def has(self, land: bytes) -> bool:
        """Whether the solution has a land."""
        return self._ask(land) != NONE

    def _ask(self, land: bytes) -> int:
        """The code of a land by the solution."""
        if self._last[0] != land:
            try:
                self._last = land, self._solution.code(land)
            except SolutionError as error:
                raise FactsError(str(error)) from error
            self.answered += self._last[1] != NONE
        return self._last[1]

    def items(self) -> Iterator[Fact]:
        """Nothing: a solution has values of positions, not facts under their text."""
        return iter(())

    def __len__(self) -> int:
        return 0


class SolutionFacts(LayeredFacts):
    """Facts for a search, then what a strong solution has; the solution shows wins, too."""

    knows_wins = True

    def __init__(self, facts: Facts, solution: StrongSolution) -> None:
        self._solution = SolutionLayer(solution)
        layers = (
            Layer(facts.path or "the facts of the search", DATABASE, facts),
            Layer(solution.path, SOLUTION, self._solution),
        )
        super().__init__(facts.game_name, layers)

    @property
    def answered(self) -> int:
        """The lands that the solution was asked for and has."""
        return self._solution.answered

    def option_numbers(self, land: bytes) -> int:
        return int(self._solution.wins(land))

    def decides(self, lands: Sum) -> bool:
        """Whether the solution has the outcome of a position."""
        return all([self._solution.has(land) for land in lands])


def unfit(solution: StrongSolution, game: Game, text: str) -> str:
    """Why a solution has nothing of what play from a position reaches; "" where it may have."""
    if solution.game == game.name and not solution.shares_board(text):
        wrong = "%s: a solution of %s; expected one on the board of %s"
        return wrong % (solution.path, solution.position, text)
    return solution.misfit(game.name)
