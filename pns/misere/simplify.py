"""Games in misère play with simpler positions: their large lands give way to equal ones."""

from __future__ import annotations

from itertools import islice
from typing import Callable, Iterable, List, Optional, Sequence

from pns.game import Game, Land, Sum
from pns.misere.contract import LandSimplifier, SupportsMisereSimplify
from pns.misere.game import MisereGame
from pns.misere.trees import Trees
from pns.positions.simplify import LandExchange


class SimplifiableMisereGame(MisereGame):
    """A game in misère play whose original knows simpler lands (`positions.SupportsSimplify`).

    Simpler positions are equal to others in misère play: whatever is added, the same player wins.
    Raises ValueError for a game that knows none, and as `MisereGame` does.
    """

    def __init__(
        self, original: Game, use_table: bool = True, for_search: Optional[MisereGame] = None
    ) -> None:
        super().__init__(original, use_table, for_search)
        self._most_bytes: Optional[int] = None
        self._simplifying: Optional[MisereGame] = None
        self._trees = Trees()
        """Of the lands beside what exchanges replace."""

    def simplify(self, lands: Sum) -> Sum:
        return self._simpler.simplified(lands)

    def simplified_children(self, land: Land) -> Iterable[Sum]:
        return self._simpler.children(land)

    def more_simplified_children(self, land: Land, known: Sequence[Sum]) -> Iterable[Sum]:
        return islice(self._simpler.children(land), len(known), None)

    def exchanges(self, lands: Sum) -> List[LandExchange]:
        found = self._simplifier_by().exchanged
        return [exchange for land in self.large_lands(lands) for exchange in found(land)]

    def simplifier(self, exchanges: Sequence[LandExchange]) -> Callable[[Sum], Sum]:
        by = self._simplifier_by(exchanges)
        return MisereGame(self.original, self._kept is not None, simplifier=by).simplified

    def limit_caches(self, most_bytes: Optional[int]) -> None:
        """Let the caches of this game and of the one with simpler positions have half each."""
        self._most_bytes = None if most_bytes is None else most_bytes // 2
        super().limit_caches(self._most_bytes)
        if self._simplifying:
            self._simplifying.limit_caches(self._most_bytes)

    @property
    def _simpler(self) -> MisereGame:
        """The game whose large lands are all replaced by simpler ones."""
        if self._simplifying is None:
            by = self._simplifier_by()
            self._simplifying = MisereGame(self.original, self._kept is not None, simplifier=by)
            self._simplifying.limit_caches(self._most_bytes)
        return self._simplifying

    def _simplifier_by(self, exchanges: Optional[Sequence[LandExchange]] = None) -> LandSimplifier:
        """What replaces lands: by all exchanges of the original game, or by those given."""
        if not isinstance(self.original, SupportsMisereSimplify):
            raise ValueError("%s does not define simpler positions" % self.name)
        return self.original.misere_simplifier(self._trees, exchanges)


def misere_game(original: Game) -> MisereGame:
    """A game in misère play, with simpler positions if it knows any; raises ValueError."""
    if isinstance(original, SupportsMisereSimplify):
        return SimplifiableMisereGame(original)
    return MisereGame(original)
