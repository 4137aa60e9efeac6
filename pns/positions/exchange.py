"""Exchanges: how a search shares what it proves, and receives what others prove.

A record says what is known of a land: a fact is its Grundy number, a win is the Grundy number
of one of its children, so that land + *number is a win. `Couples` publishes what its search
proves and applies what it receives from others, both by its exchange. Which exchange that is
is decided where a search is built.

Every exchange keeps one invariant: a fact reaches another search, or a disk, only after the
facts it rests on. A search proves a fact from facts that it holds. So two conditions are
enough: an exchange passes on the records of each search in the order of publication, and
records that a search receives count as published before all that it proves from them.
"""

from __future__ import annotations

from typing import Callable, Iterable, Protocol, Tuple

from pns.game import Land

FACT, WIN = range(2)
"""Kinds of records."""
Record = Tuple[int, int, Land]
"""(kind, number, land)."""


class Exchange(Protocol):
    """The connection of a search with others of the same game."""

    def publish(self, kind: int, number: int, land: Land) -> None:
        """Send a record just proved here, at once or with the next poll."""

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
    """An exchange that passes each fact to a function and receives nothing."""

    def __init__(self, receive: Callable[[Land, int], object]) -> None:
        self._receive = receive

    def publish(self, kind: int, number: int, land: Land) -> None:
        if kind == FACT:
            self._receive(land, number)

    def poll(self) -> Iterable[Record]:
        return ()
