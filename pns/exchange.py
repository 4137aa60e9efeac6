"""How what one search proves reaches others, and what others prove reaches it.

A record says what is known of a land: a fact is its Grundy number, a win is the Grundy number
of one of its options, so that land + *number is won. `Couples` publishes what its search
proves by its exchange, and applies what the exchange brings from others. Which exchange that
is, is decided where a search is built.

Every exchange keeps one invariant: a fact reaches another search, or a disk, only after the
facts it rests on. A search proves a fact from facts that it holds. So it is enough that an
exchange hands on the records of each search in the order in which they were published, and
that what a search receives counts as published by it before it proves anything from it.
"""

from __future__ import annotations

from typing import Callable, Iterable, Protocol, Tuple

from pns.game import Land

FACT, WIN = 0, 1
Record = Tuple[int, int, Land]
"""(FACT or WIN, number, land)."""


class Exchange(Protocol):
    """A search's way to others that work on the same game."""

    def publish(self, kind: int, number: int, land: Land) -> None:
        """Hand on what was just proved here, at once or with the next poll."""

    def poll(self) -> Iterable[Record]:
        """What others have proved since the last poll, in their order."""


class Alone:
    """The exchange of a search that shares nothing."""

    def publish(self, kind: int, number: int, land: Land) -> None:
        pass

    def poll(self) -> Iterable[Record]:
        return ()


ALONE = Alone()


class Publisher:
    """An exchange that hands each fact to a function, and brings nothing."""

    def __init__(self, receive: Callable[[Land, int], object]) -> None:
        self._receive = receive

    def publish(self, kind: int, number: int, land: Land) -> None:
        if kind == FACT:
            self._receive(land, number)

    def poll(self) -> Iterable[Record]:
        return ()
