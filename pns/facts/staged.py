"""Facts held apart from a shared store until they may be released to it."""

from __future__ import annotations

from typing import Iterable, Iterator, Tuple

from pns.facts.database import FactsError
from pns.facts.store import BadEntryHandler, Fact, Facts, raise_bad_entry

MOST_STAGED = 100_000
"""Staged facts above which those that the base has meanwhile are dropped."""


class StagedFacts(Facts):
    """The facts of `base`, and new ones that wait in memory until they are released to it.

    A process of a parallel search only reads the base; its parent, the one writer, stores
    what it proves. A worker releases a fact to the database of its group once the master has
    acknowledged it. So the master knows the reasons of whatever others prove from it, even
    if the worker is killed. `pns play` and the page keep what they find above facts that are
    only read, and release nothing.
    """

    def __init__(self, base: Facts) -> None:
        super().__init__(base.game_name)
        self.base = base
        self.path = base.path
        self.knows_wins = base.knows_wins

    def get(self, land: bytes) -> int:
        """The land's Grundy number, -1 when it is unknown."""
        number = self._numbers.get(land, -1)
        return number if number >= 0 else self.base.get(land)

    def option_numbers(self, land: bytes) -> int:
        return self.base.option_numbers(land)

    def release(self, facts: Iterable[Fact]) -> None:
        """Add facts to the base, staged or not; raises Contradiction."""
        for land, number in facts:
            self._numbers.pop(land, None)
            self.base.add(land, number)

    def withdraw(self, facts: Iterable[Fact]) -> None:
        wrong = list(facts)
        super().withdraw(wrong)
        self.base.withdraw(wrong)

    def items(self, on_bad: BadEntryHandler = raise_bad_entry) -> Iterator[Fact]:
        """The facts of the base; staged ones are left out."""
        return self.base.items(on_bad)

    def __len__(self) -> int:
        return len(self._numbers) + len(self.base)

    def flush(self) -> None:
        self.base.flush()

    def tick(self) -> None:
        """Tick the base; raises FactsError where it cannot store facts."""
        self.base.tick()
        if len(self._numbers) > MOST_STAGED:
            base = self.base
            kept = [fact for fact in self._numbers.items() if base.get(fact[0]) < 0]
            self._numbers = dict(kept)
        if self.base.trouble:
            raise FactsError(self.base.trouble)

    def fork(self) -> Tuple[int, int]:
        return self.base.fork()

    def close(self) -> None:
        self.base.close()
