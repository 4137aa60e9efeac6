"""Wins that processes have proved, in shared memory, to be looked up by the others.

That P + *n is a win rests on facts, so a win has to be known by its exact text: the number
that the transposition table gives for a hash is only a hint. Most wins are of no use to most
processes. So they are not sent to all: one process stores a win, and another looks it up
where it comes to the couple, or where the table says that a child is won.

They are in the slots of `slots.py`. A win that another one replaces is only proved again.
"""

from __future__ import annotations

from typing import Callable, Iterator, Tuple

from pns.facts import Facts
from pns.game import Game, Land
from pns.parallel.slots import Slots
from pns.positions.couple import Couples
from pns.positions.exchange import WIN
from pns.positions.interned import HEAP_KEYS, hash_key

WIN_PART = 8
"""The store of wins has 1/WIN_PART of the bytes for the children that processes share."""


class WinStore(Slots):
    """Wins land + *heap of all processes, in about `size` bytes.

    Those of lands with texts longer than `longest_land` are not stored, so each process proves
    them itself.
    """

    what = "the wins that processes share"

    def add(self, land: Land, heap: int) -> None:
        """Store a win, unless the text of its land is too long."""
        if len(land) > self.longest_land:
            return
        key = hash_key(land) ^ HEAP_KEYS[heap]
        if self.holds(key, land, heap):
            return
        place = self.place_for(key)
        if place < 0:
            place = self.place_of_another(key)
        if place >= 0:
            self.write(place, key, land, heap)

    def holds(self, key: int, land: Land, heap: int) -> bool:
        """Whether a win is in the store; `key` is that of its couple."""
        return self.get(key) == (land, heap)


def take_win(wins: WinStore, couples: Couples, land: int, heap: int) -> bool:
    """Note that a land beside *heap is a win if that is stored; return whether it is known."""
    if couples.option_numbers[land] >> heap & 1:
        return True
    key = couples.keys[land] ^ couples.heap_keys[heap]
    if not wins.holds(key, couples.texts[land], heap):
        return False
    couples.note(land, 1 << heap)
    return True


class ParentCouples(Couples):
    """Couples of the parent of a parallel search, whose wins are those in the store.

    `drain` makes its facts those of all processes.
    """

    def __init__(self, game: Game, facts: Facts, wins: WinStore, drain: Callable[[], None]) -> None:
        super().__init__(game, facts)
        self._stored_wins = wins
        self._drain = drain

    def apply(self, kind: int, number: int, text: Land) -> bool:
        if kind == WIN:
            self._stored_wins.add(text, number)
            return False
        return super().apply(kind, number, text)

    def wins(self) -> Iterator[Tuple[Land, int]]:
        """The wins of all processes; after the last one the facts that they rest on are there."""
        yield from self._stored_wins.items()
        self._drain()
