"""Couples of a process that takes over the children which other processes have generated.

Processes that share a table should agree on what their numbers mean. A process that has fewer
children of a land than another one would store the numbers of a larger rest, which look
smaller, and generate the same batches at expansions of its own.
"""

from __future__ import annotations

from array import array
from typing import Any, Dict, List

from pns.facts import Contradiction
from pns.game import Land, Sum
from pns.parallel.child_store import SharedGame
from pns.positions.couple import Couples
from pns.positions.exchange import STORED

BYTES_PER_COUNT = 32
"""About the memory of a number of children that were taken."""


class SharedCouples(Couples):
    """Couples of a process whose game shares children with other processes."""

    def __init__(self, game: SharedGame, *arguments: Any) -> None:
        super().__init__(game, *arguments)
        self._shared = game

    def _clear(self) -> None:
        super()._clear()
        self._taken: Dict[int, int] = {}
        """The number of stored children that were read of a land with a rest."""

    def keep(self, live: bytearray) -> "array[int]":
        self._taken.clear()
        return super().keep(live)

    def bytes(self) -> int:
        return super().bytes() + BYTES_PER_COUNT * len(self._taken)

    def land_children(self, land: int, heap: int) -> List[int]:
        if land not in self.lists:
            self._take_first(land)
        codes = super().land_children(land, heap)
        return super().land_children(land, heap) if self.take_stored(land) else codes

    def more_children(self, land: int, heap: int) -> bool:
        is_undecided = super().more_children(land, heap)
        self._shared.store_part()
        return is_undecided

    def apply(self, kind: int, number: int, text: Land) -> bool:
        if kind != STORED:
            return super().apply(kind, number, text)
        land = self.find(text)
        if not land:
            return False
        known = self.numbers[land]
        if known < 0:
            self.numbers[land] = number
            self.generation += 1
            return True
        if known != number:
            raise Contradiction(text, known, number)
        return False

    def take_stored(self, land: int) -> bool:
        """Take children of a land's rest from the store; return whether its list has changed."""
        number = self.lists.number(land)
        if number < 0 or not self._rests[number]:
            return False
        found = self._shared.of_others(self.texts[land], self._taken.get(land, 0))
        if found is None:
            return False
        return self._take(land, *found)

    def _take_first(self, land: int) -> None:
        """Give a land without a list what others have stored, but no rest if there is no batch."""
        found = self._shared.of_others(self.texts[land], 0)
        if found and (self.batch or not found[1]):
            self._take(land, *found)

    def _take(self, land: int, children: List[Sum], has_rest: bool) -> bool:
        """Add stored children to the list of a land; return whether it has changed."""
        codes = self.lists.get(land)
        listed = set(codes)
        new = [code for code in map(self.code, children) if code not in listed]
        self._taken[land] = len(children)
        if has_rest and not new:
            return False
        self._unfinished.pop(land, None)  # it is behind: the game begins after the stored ones
        if not has_rest:
            del self._taken[land]
        self._mix(new)
        self._unknown(land, codes + new, has_rest)
        return True
