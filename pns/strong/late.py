"""Late positions that are solved in full when they are asked for, without a table.

The explorer of [irving2014] finds values beyond its database in this way (section VIII): all
descendants by retrograde analysis, two slices in memory. What is kept of them is the value of the
position and of each position that a move leads to, under their lands, as a search would prove them.
"""

from __future__ import annotations

from typing import Dict, List, Optional, Tuple

from pns.facts import Fact
from pns.front.draws import known_outcome, questions
from pns.game import Game, Land, Sum
from pns.positions.ranking import (
    DRAW,
    WIN,
    Codes,
    Ranking,
    SupportsLateRanking,
    code_at,
    packed_bytes,
)
from pns.strong.ranked import PART
from pns.system.machine import reserve, wipe
from pns.system.views import bytes_of


class LateValues:
    """Values of late positions of a game: those that were solved, and those one move later."""

    def __init__(self, game: Game) -> None:
        """Raises ValueError for a game without `SupportsLateRanking`."""
        if not isinstance(game, SupportsLateRanking):
            raise ValueError("%s has no late positions to solve; expected pentago" % game.name)
        self._game = game
        self._late = game
        self._wins: Dict[Land, bool] = {}
        """Whether the player to move wins, by land."""
        self._solved: Dict[Tuple[Sum, ...], List[Fact]] = {}

    def solve(self, position: str) -> List[Fact]:
        """Solve a late position unless it was solved before; returns the lands found to be lost.

        There are none for a position that is too early or at which play is over. Raises
        NotationError, and NoMemory.
        """
        asked = questions(self._game, position)
        if asked not in self._solved:
            ranking = self._late.late_ranking(position)
            if ranking is None:
                return []
            values: Dict[Land, bool] = {}
            for text, code in first_values(ranking).items():
                for lands, least in zip(questions(self._game, text), (WIN, DRAW)):
                    values.update({land: code >= least for land in lands})
            self._wins.update(values)
            self._solved[asked] = [(land, 0) for land, wins in values.items() if not wins]
        return self._solved[asked]

    def value(self, position: str) -> Optional[str]:
        """The value for the player to move, None unless it was found; raises NotationError."""
        return known_outcome(self._game, self._game.parse(position), self._known)

    def _known(self, lands: Sum) -> Optional[bool]:
        return self._wins.get(lands[0]) if lands else False


def first_values(ranking: Ranking) -> Dict[str, int]:
    """The codes of the root and of the positions after each move, by text; raises NoMemory.

    The ranking needs no marks.
    """
    sizes = ranking.sizes
    largest = [max(map(packed_bytes, sizes[parity::2]), default=1) for parity in (0, 1)]
    slices = [reserve(size, "a slice", "a later position") for size in largest]
    try:
        return _first_values(ranking, [bytes_of(memory) for memory in slices])
    finally:
        for memory in slices:
            wipe(memory)


def _first_values(ranking: Ranking, codes: List[Codes]) -> Dict[str, int]:
    """The same by memory for slices of even and of odd number."""
    for number in range(len(ranking.sizes) - 1, -1, -1):
        for start in range(0, ranking.sizes[number], PART):
            stop = min(ranking.sizes[number], start + PART)
            ranking.fill(number, start, stop, codes[1 - number % 2], codes[number % 2])
    found = {ranking.text(0, 0): code_at(codes[0], 0)}
    for child in ranking.children(0, 0):
        if child >= 0:
            found[ranking.text(1, child)] = code_at(codes[1], child)
    return found
