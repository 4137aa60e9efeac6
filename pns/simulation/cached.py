"""Games that cache or count their children, for many searches in one process."""

from __future__ import annotations

from typing import Dict, Iterator, List, Tuple

from pns.game import Game, Land, Sum, WrappedGame

MOST_CACHED = 2_000_000
"""Upper bound on the cached children; beyond it all are dropped."""


class Cached(WrappedGame):
    """A game that generates each child once, when it is first asked for."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self._children: Dict[Land, Tuple[List[Sum], Iterator[Sum]]] = {}
        self._estimates: Dict[Land, Tuple[int, int]] = {}
        self._held = 0

    def estimate(self, land: Land) -> Tuple[int, int]:
        if land not in self._estimates:
            self._estimates[land] = self.original.estimate(land)
        return self._estimates[land]

    def children(self, land: Land) -> Iterator[Sum]:
        if land not in self._children:
            if self._held > MOST_CACHED:
                self._children.clear()
                self._estimates.clear()
                self._held = 0
            self._children[land] = [], iter(self.original.children(land))
        known, more = self._children[land]
        i = 0
        while True:
            while i < len(known):
                yield known[i]
                i += 1
            child = next(more, None)
            if child is None:
                return
            known.append(child)
            self._held += 1


class Counted(WrappedGame):
    """A game that counts the children taken from it in `generated`."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.generated = 0

    def children(self, land: Land) -> Iterator[Sum]:
        for child in self.original.children(land):
            self.generated += 1
            yield child
