"""Facts held apart from a shared store until they may be released to it."""

from __future__ import annotations

from typing import Iterable, List

from pns.facts.database import FactsError
from pns.facts.layers import DATABASE, SEARCH, Layer, LayeredFacts
from pns.facts.store import Contradiction, Fact, Facts, check_number

MOST_STAGED = 100_000
"""Staged facts above which those that the base has meanwhile are dropped."""


class StagedFacts(LayeredFacts):
    """New facts in memory, the first layer, above those of `base` until they are released to it.

    A process of a parallel search only reads the base; its parent, the one writer, stores
    what it proves. A worker releases a fact to the database of its group once the master has
    acknowledged it. So the master knows the reasons of whatever others prove from it, even
    if the worker is killed. `pns play`, the page, and a search above a strong solution keep what
    they find above facts that are only read, and release nothing.
    """

    def __init__(self, base: Facts) -> None:
        self.base = base
        self._staged = Facts(base.game_name)
        layers = Layer("new facts", SEARCH, self._staged), Layer("the base", DATABASE, base)
        super().__init__(base.game_name, layers)
        self.path = base.path
        self.knows_wins = base.knows_wins

    def option_numbers(self, land: bytes) -> int:
        return self.base.option_numbers(land)

    def add(self, land: bytes, number: int) -> None:
        """Stage a proved Grundy number; raises Contradiction if another is known."""
        check_number(land, number)
        known = self.get(land)
        if known < 0:
            self._staged.add(land, number)
            self.new += 1
        elif known != number:
            raise Contradiction(land, known, number)

    def release(self, facts: Iterable[Fact]) -> None:
        """Add facts to the base, staged or not; raises Contradiction."""
        for land, number in facts:
            self._staged.withdraw([(land, self._staged.get(land))])
            self.base.add(land, number)

    def withdraw(self, facts: Iterable[Fact]) -> None:
        wrong = list(facts)
        before = len(self._staged)
        self._staged.withdraw(wrong)
        self.new -= before - len(self._staged)
        self.base.withdraw(wrong)

    def in_memory(self) -> List[Fact]:
        """The facts that are in no file: those of the base, then the staged ones."""
        return super().in_memory() + self._staged.in_memory()

    def tick(self) -> None:
        """Tick the base; raises FactsError where it cannot store facts."""
        super().tick()
        if len(self._staged) > MOST_STAGED:
            self._staged.withdraw([f for f in self._staged.in_memory() if self.base.get(f[0]) >= 0])
        if self.base.trouble:
            raise FactsError(self.base.trouble)
