"""Games that cache or count their children, for many searches in one process."""

from __future__ import annotations

from itertools import islice
from typing import Dict, Iterable, Iterator, List, Sequence, Tuple

from pns.game import Game, Land, Sum
from pns.positions.children_text import pack, unpack
from pns.positions.wrapped import WrappedGame, more_children_of

MOST_BYTES = 1 << 31
"""Upper bound on the texts of cached children; beyond it all are dropped."""
MOST_BEGUN = 10_000
"""Upper bound on the lands of which only the first children were generated. The land that has
waited longest for the others is forgotten first."""


class Cached(WrappedGame):
    """A game that generates each child once, when it is first asked for.

    The children of a land are held as one text: seven million of them take a quarter of a gigabyte.
    """

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self._more_children = more_children_of(game)
        self._forget()

    def _forget(self) -> None:
        self._packed: Dict[Land, bytes] = {}
        self._lost: Dict[Land, List[Sum]] = {}
        """Lands without children."""
        self._begun: Dict[Land, Tuple[List[Sum], Iterator[Sum]]] = {}
        self._estimates: Dict[Land, Tuple[int, int]] = {}
        self._held = 0

    def estimate(self, land: Land) -> Tuple[int, int]:
        if land not in self._estimates:
            self._estimates[land] = self.original.estimate(land)
        return self._estimates[land]

    def children(self, land: Land) -> Iterable[Sum]:
        packed = self._packed.get(land)
        if packed is not None:
            return unpack(packed)
        return self._lost[land] if land in self._lost else self._generate(land)

    def more_children(self, land: Land, known: Sequence[Sum]) -> Iterable[Sum]:
        is_cached = land in self._packed or land in self._lost or land in self._begun
        if not is_cached and self._more_children:
            self._begin(land, [*known], self._more_children(land, known))
        return islice(self.children(land), len(known), None)

    def _begin(self, land: Land, known: List[Sum], more: Iterable[Sum]) -> None:
        """Note the first children of a land, and where the others come from."""
        if len(self._begun) >= MOST_BEGUN:
            del self._begun[next(iter(self._begun))]
        self._begun[land] = known, iter(more)

    def _generate(self, land: Land) -> Iterator[Sum]:
        """The children of a land, of which not all are cached."""
        if land not in self._begun:
            self._begin(land, [], self.original.children(land))
        known, more = self._begun[land]
        i = 0
        while True:
            while i < len(known):
                yield known[i]
                i += 1
            child = next(more, None)
            if child is None:
                break
            known.append(child)
        if self._begun.pop(land, None):
            self._keep(land, known)

    def _keep(self, land: Land, children: List[Sum]) -> None:
        """Cache all children of a land."""
        if self._held > MOST_BYTES:
            self._forget()
        if children:
            self._packed[land] = packed = pack(children)
            self._held += len(land) + len(packed)
        else:
            self._lost[land] = []


class Counted(WrappedGame):
    """A game that counts the children taken from it in `generated`.

    `seen` has how many children of each land were taken from any of the games that share it.
    Those taken again are counted in `repeated`, too.
    """

    def __init__(self, game: Game, seen: Dict[Land, int]) -> None:
        super().__init__(game)
        self.generated = self.repeated = 0
        self._more_children = more_children_of(game)
        self._seen = seen

    def children(self, land: Land) -> Iterator[Sum]:
        return self._count(land, 0, self.original.children(land))

    def more_children(self, land: Land, known: Sequence[Sum]) -> Iterator[Sum]:
        if self._more_children:
            return self._count(land, len(known), self._more_children(land, known))
        return self._count(land, len(known), islice(self.original.children(land), len(known), None))

    def _count(self, land: Land, known: int, children: Iterable[Sum]) -> Iterator[Sum]:
        """The children of a land, which follow a number of known ones."""
        seen = self._seen
        for i, child in enumerate(children, known):
            self.generated += 1
            if i < seen.get(land, 0):
                self.repeated += 1
            else:
                seen[land] = i + 1
            yield child
