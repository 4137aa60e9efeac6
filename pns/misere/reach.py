"""The reduced trees of all positions that can follow a position ([lemoine2009], page 15)."""

from __future__ import annotations

from typing import Dict, FrozenSet, Tuple

from pns.game import Land, Sum
from pns.misere.game import MisereGame
from pns.misere.trees import EMPTY

TreeSet = FrozenSet[int]


class Reach:
    """The trees of the positions that can follow, themselves included, in one game's `trees`.

    A sum reaches the sums of what its lands reach, so that only lands are visited. The caches of
    the game must not be emptied meanwhile.

    >>> from pns.finding import find_game
    >>> game = MisereGame(find_game("sprouts"))
    >>> reach = Reach(game)
    >>> [len(reach.of_sum(game.original.parse(text))) for text in ("0*2", "0*3", "0*4")]
    [5, 7, 35]
    """

    def __init__(self, game: MisereGame) -> None:
        self.game = game
        self._of_land: Dict[Land, TreeSet] = {}
        self._sums: Dict[Tuple[TreeSet, TreeSet], TreeSet] = {}
        self._kept: Dict[TreeSet, TreeSet] = {}
        self._empty = self._keep(frozenset([EMPTY]))

    def of_sum(self, lands: Sum) -> TreeSet:
        """The trees that a position of the original game reaches."""
        found = self._empty
        for land in lands:
            found = self._sum(found, self._of(land))
        return found

    def _of(self, land: Land) -> TreeSet:
        found = self._of_land.get(land)
        if found is None:
            reached = {self.game.tree_of((land,))}
            for child in self.game.original.children(land):
                reached |= self.of_sum(child)
            found = self._of_land[land] = self._keep(frozenset(reached))
        return found

    def _sum(self, first: TreeSet, second: TreeSet) -> TreeSet:
        """The sums of a tree of each set."""
        found = self._sums.get((first, second))
        if found is None:
            add = self.game.trees.sum
            found = self._keep(frozenset([add(a, b) for a in first for b in second]))
            self._sums[first, second] = found
        return found

    def _keep(self, trees: TreeSet) -> TreeSet:
        """The one object for equal sets."""
        return self._kept.setdefault(trees, trees)
