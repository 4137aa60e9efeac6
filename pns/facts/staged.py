"""Facts over those of a base: held apart until they may be given to all."""

from __future__ import annotations

from typing import Iterable, Iterator, Tuple

from pns.facts.store import Fact, Facts, FactsError, Refuse, raise_it

MOST_STAGED = 100_000
"""Facts that are held before those that the base has got by another way are dropped."""


class StagedFacts(Facts):
    """The facts of `base`, and new ones that wait in memory until they are released to it.

    A process of several only reads the base: what it proves reaches it by the one writer.
    A worker releases a fact to the database of its group once the master has acknowledged
    it. So whatever others prove from it, the master knows the reasons, also when the one
    who proved it is killed.
    """

    def __init__(self, base: Facts) -> None:
        super().__init__(base.game_name)
        self.base = base
        self.path = base.path

    def get(self, land: bytes) -> int:
        """The land's Grundy number, -1 when it is unknown."""
        number = self._numbers.get(land, -1)
        return number if number >= 0 else self.base.get(land)

    def release(self, facts: Iterable[Fact]) -> None:
        """Give facts to the base; raises Contradiction."""
        for land, number in facts:
            self._numbers.pop(land, None)
            self.base.add(land, number)

    def withdraw(self, facts: Iterable[Fact]) -> None:
        wrong = list(facts)
        super().withdraw(wrong)
        self.base.withdraw(wrong)

    def items(self, refuse: Refuse = raise_it) -> Iterator[Fact]:
        """Those of the base."""
        return self.base.items(refuse)

    def __len__(self) -> int:
        return len(self._numbers) + len(self.base)

    def flush(self) -> None:
        self.base.flush()

    def tick(self) -> None:
        """See what others stored; raises FactsError where facts cannot be stored for them."""
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
