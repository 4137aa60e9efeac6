"""A group's facts as one of its workers sees them: with those that the master has not heard yet.

A fact comes into the group's file once the master has acknowledged it. So whatever another
worker proves from what it finds there, the master knows the reasons, also when the one who
found them is killed and nobody joins the group afterwards.
"""

from __future__ import annotations

from typing import Iterable, Iterator, Tuple

from pns.facts import Fact, Facts, FactsError, Refuse, raise_it


class HeldFacts(Facts):
    """The facts of `base`, and those that are held back until they are released to it."""

    def __init__(self, base: Facts) -> None:
        super().__init__(base.game_name)
        self.base = base
        if hasattr(base, "file"):
            self.file = base.file

    def get(self, land: bytes) -> int:
        """The land's Grundy number, -1 when it is unknown."""
        number = self._numbers.get(land, -1)
        return number if number >= 0 else self.base.get(land)

    def release(self, facts: Iterable[Fact]) -> None:
        """Give facts to all, once the master knows them; raises Contradiction."""
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
        if self.base.trouble:
            raise FactsError(self.base.trouble)

    def fork(self) -> Tuple[int, int]:
        return self.base.fork()

    def close(self) -> None:
        self.base.close()
