"""The texts of moves: what a drawing shows, by the name that the list of moves has for it.

The canonical form of a land is quick and not exact: two equivalent lands may differ in it. What is
known is stored under one of the texts, so a line on a board is called as the rules call it.
"""

from __future__ import annotations

from typing import Dict, FrozenSet, Optional, Tuple

from pns.game import Game, Sum, children_of
from pns.sprouts.drawing import exact_lands

Exact = FrozenSet[Tuple[str, int]]


class Names:
    """The children of a position, found by any lands that are equivalent to theirs."""

    def __init__(self, game: Game, lands: Sum) -> None:
        self._children = frozenset(children_of(game, lands))
        self._by_exact: Optional[Dict[Exact, Sum]] = None

    def of(self, lands: Sum) -> Sum:
        """The child that is equivalent to these lands, or the lands if there is none."""
        if lands in self._children:
            return lands
        if self._by_exact is None:
            self._by_exact = {_exact(child): child for child in self._children}
        return self._by_exact.get(_exact(lands), lands)


def _exact(lands: Sum) -> Exact:
    return frozenset(exact_lands(lands).items())
