"""The question of a master's search: the outcome of a position, or its Grundy number."""

from __future__ import annotations

from typing import Optional

from pns.game import Sum
from pns.jobs.jobtree import JobTree
from pns.positions.interned import HEAP, HEAP_BITS


class RootQuery:
    """The outcome of a position, or with `grundy` its Grundy number, as far as facts decide it."""

    def __init__(self, tree: JobTree, lands: Sum, grundy: bool, heap: int = 0) -> None:
        self._tree = tree
        self._couples = tree.couples
        self._position = tree.couples.code(lands) ^ heap
        self._grundy = grundy

    @property
    def outcome(self) -> Optional[bool]:
        """Whether the player to move wins, None while it is not known."""
        code = self._couples.fold(self._position)
        if code <= HEAP:
            return code != 0
        return True if self._tree.is_solved(code) else None

    @property
    def grundy_number(self) -> Optional[int]:
        """The position's Grundy number, None while it is not known."""
        code = self._couples.fold(self._position)
        return code if code <= HEAP else None

    @property
    def is_answered(self) -> bool:
        return (self.grundy_number if self._grundy else self.outcome) is not None

    @property
    def root(self) -> int:
        """The folded couple that has to be searched next."""
        code = self._couples.fold(self._position)
        if self.outcome is None or code <= HEAP:
            return code
        return self.first_couple(code)

    def first_couple(self, code: int) -> int:
        """The couple of the first unknown land of a folded position, with its least heap."""
        land = (self._couples.parts[code >> HEAP_BITS] or (code >> HEAP_BITS,))[0]
        return self._couples.least_couple(land)
