"""Facts that processes have proved, in shared memory, to be looked up by the others.

Each process reads the facts of the others from their logs, and uses one at once if its land has
an id. It does not hold the others: it looks in the store when it gives a land an id. A fact
that has no place in the store, since its text is too long or its slots are taken, is held by each
process, as its record in the log says (STORED or FACT). A fact is missing from the store only if
its process was killed before it was written, or if two took one slot at the same moment; others
then prove it again.
"""

from __future__ import annotations

from pns.facts import Contradiction, Facts
from pns.facts.staged import StagedFacts
from pns.game import Land
from pns.parallel.slots import Slots
from pns.positions.interned import hash_key

FACT_PART = 32
"""The store of facts has 1/FACT_PART of the bytes for the children that processes share."""


class FactStore(Slots):
    """Facts of all processes, in about `size` bytes."""

    slot_bytes = 64
    what = "the facts that processes share"

    def number(self, land: Land) -> int:
        """The Grundy number of a land, -1 if it is not stored."""
        entry = self.get(hash_key(land))
        return entry[1] if entry and entry[0] == land else -1

    def place(self, land: Land) -> int:
        """A place for the fact of a land; -1 if there is none."""
        key = hash_key(land)
        entry = self.get(key)
        if len(land) > self.longest_land or entry and entry[0] != land:
            return -1
        return self.place_for(key)

    def put(self, place: int, land: Land, number: int) -> None:
        """Store a fact in a place; raises Contradiction if another number is stored."""
        known = self.number(land)
        if known < 0:
            self.write(place, hash_key(land), land, number)
        elif known != number:
            raise Contradiction(land, known, number)


class ProcessFacts(StagedFacts):
    """The facts of a process: its own above those of `base`, then those of the store."""

    def __init__(self, base: Facts, store: FactStore) -> None:
        super().__init__(base)
        self._store = store

    def get(self, land: bytes) -> int:
        number = super().get(land)
        return number if number >= 0 else self._store.number(land)
