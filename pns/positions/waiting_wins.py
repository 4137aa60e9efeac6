"""Wins of lands that have no id yet, as other processes have published them.

A worker reads the wins of all others of its machine, and holds most of them for lands that it
never meets. So they are held as texts and bits, in about a fifth of the memory of a dict.
"""

from __future__ import annotations

from typing import Iterator, Tuple

from pns.game import Land
from pns.positions.columns import Bits, Texts


class WaitingWins:
    """The `option_numbers` of lands by their texts.

    >>> wins = WaitingWins()
    >>> wins.add(b"0*2", 1 << 3); wins.add(b"0*2", 1); wins.add(b"1a1a", 1)
    >>> wins.get(b"0*2"), wins.get(b"0*3"), list(wins)
    (9, 0, [(b'0*2', 9), (b'1a1a', 1)])
    """

    def __init__(self) -> None:
        self._texts = Texts()
        self._bits = Bits()

    def __len__(self) -> int:
        return len(self._texts)

    def __iter__(self) -> Iterator[Tuple[Land, int]]:
        """The lands and their bits; later lands come too, if any are added meanwhile."""
        i = 0
        while i < len(self._texts):
            yield self._texts[i], self._bits[i]
            i += 1

    def add(self, land: Land, option_numbers: int) -> None:
        """Add bits to those of a land."""
        i = self._texts.find(land)
        if i >= 0:
            self._bits[i] |= option_numbers
        else:
            self._texts.append(land)
            self._bits.append(option_numbers)

    def get(self, land: Land) -> int:
        """The bits of a land, 0 if nothing was published."""
        i = self._texts.find(land)
        return self._bits[i] if i >= 0 else 0

    def bytes(self) -> int:
        """Memory in bytes."""
        return self._texts.bytes() + len(self._texts)
