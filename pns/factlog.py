"""The log of facts of a master: what was found, in which order, and who reported it."""

from __future__ import annotations

from array import array

from pns.facts import Fact
from pns.game import Land

DATABASE, MASTER = 0, 1
"""Who reported a fact, when it was no worker."""


class FactLog:
    """All facts in the order of their arrival, with the number of who reported each.

    >>> log = FactLog()
    >>> log.append(b"1a1a", 0, 7); log[0], len(log), log.origin_of(b"1a1a")
    ((b'1a1a', 0), 1, 7)
    """

    def __init__(self) -> None:
        self._text = bytearray()
        self._ends = array("Q", [0])
        self._numbers = bytearray()
        self.origins = array("I")

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, i: int) -> Fact:
        return bytes(self._text[self._ends[i] : self._ends[i + 1]]), self._numbers[i]

    def append(self, land: Land, number: int, origin: int) -> None:
        self._text += land
        self._ends.append(len(self._text))
        self._numbers.append(number)
        self.origins.append(origin)

    def origin_of(self, land: Land) -> int:
        """Who reported a land first, -1 if nobody did; reads all of the log."""
        for i in range(len(self)):
            if self[i][0] == land:
                return self.origins[i]
        return -1
