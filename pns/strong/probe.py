"""What a search knows by a strong solution: facts that it is given for each position it meets.

A search asks its facts about a position when it meets it for the first time, as a child of another
one. So a solution answers at the leaves, before they are visited, and whatever it has is never
searched. What a search proves then rests on the solution, and an audit of a database would miss
that. So new facts stay in memory.
"""

from __future__ import annotations

from heapq import merge
from typing import Iterator, List, Tuple

from pns.facts import BadEntryHandler, Fact, Facts, FactsError, raise_bad_entry
from pns.game import Game, Land, Sum
from pns.positions.ranking import LOSS, NONE, WIN
from pns.strong.blocks import SolutionError
from pns.strong.codes import GRUNDY_NUMBER
from pns.strong.solution import StrongSolution


class SolutionFacts(Facts):
    """New facts in memory, above those of `base` and of a strong solution, which are only read.

    `asked` counts the lands that the solution was asked for, `answered` those that it has.
    Damage of the solution raises FactsError.
    """

    knows_wins = True

    def __init__(self, base: Facts, solution: StrongSolution) -> None:
        super().__init__(base.game_name)
        self.base = base
        self.solution = solution
        self.asked = self.answered = 0
        self._has_numbers = solution.values == GRUNDY_NUMBER
        self._last: Tuple[Land, int] = b"", NONE

    def get(self, land: bytes) -> int:
        """The land's Grundy number, -1 when it is unknown."""
        number = super().get(land)
        if number < 0:
            number = self.base.get(land)
        if number >= 0:
            return number
        code = self._ask(land)
        return code - 1 if self._has_numbers or code == LOSS else -1

    def option_numbers(self, land: bytes) -> int:
        return 0 if self._has_numbers else int(self._ask(land) == WIN)

    def _ask(self, land: bytes) -> int:
        """The code of a land by the solution."""
        if self._last[0] != land:
            self.asked += 1
            try:
                self._last = land, self.solution.code(land)
            except SolutionError as error:
                raise FactsError(str(error)) from error
            self.answered += self._last[1] != NONE
        return self._last[1]

    def decides(self, lands: Sum) -> bool:
        """Whether the solution has the outcome of a position."""
        return all([self._ask(land) != NONE for land in lands])

    def items(self, on_bad: BadEntryHandler = raise_bad_entry) -> Iterator[Fact]:
        """The facts of the base and the new ones, sorted by land; those of the solution are not."""
        return merge(self.base.items(on_bad), super().items())

    def __len__(self) -> int:
        return len(self._numbers) + len(self.base)

    def in_memory(self) -> List[Fact]:
        return self.base.in_memory() + super().in_memory()

    def flush(self) -> None:
        self.base.flush()

    def tick(self) -> None:
        self.base.tick()

    def fork(self) -> Tuple[int, int]:
        return self.base.fork()

    def close(self) -> None:
        self.base.close()


class SolutionLayer:
    """A strong solution as a layer of `pns.facts.layers`: it answers, and lists nothing.

    Damage of the solution raises FactsError.
    """

    def __init__(self, solution: StrongSolution) -> None:
        self._solution = solution

    def get(self, land: bytes) -> int:
        """The land's Grundy number, -1 when it is unknown."""
        try:
            return self._solution.get(land)
        except SolutionError as error:
            raise FactsError(str(error)) from error

    def items(self) -> Iterator[Fact]:
        """Nothing: a solution has values of positions, not facts under their text."""
        return iter(())

    def __len__(self) -> int:
        return 0


def unfit(solution: StrongSolution, game: Game, text: str) -> str:
    """Why a solution has nothing of what play from a position reaches; "" where it may have."""
    if solution.game != game.name:
        return "%s is a solution of %s, not of %s" % (solution.path, solution.game, game.name)
    if not solution.shares_board(text):
        return "%s is a solution of %s, which is another board" % (solution.path, solution.position)
    return ""
