"""Samples of a strong solution compared with a search that knows nothing of it."""

from __future__ import annotations

from typing import Optional

from pns.choices import BRANCHING
from pns.dfpn import Search
from pns.facts import Facts
from pns.finding import named_game
from pns.front.draws import questions
from pns.game import Game, Sum, prior_file
from pns.positions.couple import Couples
from pns.positions.prior import load
from pns.search.counted_search import Stopped, StopToken
from pns.search.table import Table
from pns.strong.codes import GRUNDY_NUMBER
from pns.strong.kinds import LISTED
from pns.strong.solution import StrongSolution

MOST_EXPANSIONS = 200_000
"""Of the search for one value: some seconds."""
CAPACITY = 500_000
"""Entries of the transposition table: 10 MB."""


class Searcher:
    """Values of positions by DFPN, from nothing. What it has proved stays known to it."""

    def __init__(self, solution: StrongSolution) -> None:
        self._solution = solution
        self._game: Game = named_game(solution.game)
        prior = load(self._game.name, prior_file(self._game)).starting(BRANCHING)
        self._search = Search(
            Couples(self._game, Facts(self._game.name), prior=prior), Table(CAPACITY)
        )

    def value(self, text: str) -> Optional[str]:
        """The value of a sample as the solution stores it; None if the search is too long."""
        self._search.stop = StopToken()
        self._search.most_expansions = self._search.expansions + MOST_EXPANSIONS
        try:
            return self._value(text)
        except Stopped:
            return None

    def _value(self, text: str) -> str:
        game, solution = self._game, self._solution
        if solution.values == GRUNDY_NUMBER:
            (land,) = game.parse(text)
            return str(self._search.grundy_number(land))
        if solution.kind == LISTED:
            return "win" if self._wins(game.parse(text)) else "loss"
        for lands, found in zip(questions(game, text), ("win", "draw")):
            if self._wins(lands):
                return found
        return "loss"

    def _wins(self, lands: Sum) -> bool:
        return bool(lands) and self._search.outcome(lands)
