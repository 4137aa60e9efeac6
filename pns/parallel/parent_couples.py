"""What the parent of processes does with the positions that they share.

It is not one of the processes, and holds no ids. All that it does there it does while it has the
lock of the store, so that no position is dropped meanwhile.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import Callable, Iterator, Tuple

from pns.facts import Contradiction, Facts
from pns.game import Game, Land
from pns.parallel.position_store import BLOCK, PositionStore
from pns.parallel.shared_couples import SharedCouples
from pns.positions.couple import Couples, bits_of
from pns.positions.exchange import WIN
from pns.positions.interned import UNKNOWN


class ParentView:
    """Facts and wins of all processes, by the texts of lands."""

    def __init__(self, game: Game, facts: Facts, store: PositionStore) -> None:
        self._couples = SharedCouples(game, facts, store)

    @contextmanager
    def _current(self) -> Iterator[SharedCouples]:
        """The couples in the half that is current, which stays so within the block."""
        couples = self._couples
        with couples.positions.store.locked():
            if couples.positions.is_old:
                couples.forget()
            yield couples

    def add_fact(self, land: Land, number: int) -> None:
        """Let all processes know a fact; raises Contradiction if they know another number."""
        with self._current() as couples:
            i = couples.land(land)
            known = couples.numbers[i]
            if 0 <= known != number:
                raise Contradiction(land, known, number)
            couples.numbers[i] = number
            couples.note_fact()

    def add_win(self, land: Land, heap: int) -> None:
        """Let all processes know that land + *heap is a win."""
        with self._current() as couples:
            couples.note(couples.land(land), 1 << heap)

    def has_win(self, land: Land, heap: int) -> bool:
        """Whether land + *heap is known to be a win."""
        with self._current() as couples:
            return bool(couples.option_numbers[couples.find(land)] >> heap & 1)

    def wins(self) -> Iterator[Tuple[Land, int]]:
        """(land, n) for each unknown land that is known to have a child worth *n.

        It may be read step by step while the search goes on; later wins may be missing. When the
        processes drop all positions meanwhile, it begins again.
        """
        i, epoch = 1, self._couples.positions.epoch
        while True:
            with self._current() as couples:
                positions = couples.positions
                if epoch != positions.epoch:
                    i, epoch = 1, positions.epoch
                end = min(i + BLOCK, positions.half.count)
                found = [
                    (couples.texts[k], couples.option_numbers[k])
                    for k in range(i, end)
                    if couples.numbers[k] == UNKNOWN and couples.option_numbers[k]
                ]
            if i >= end:
                return
            i = end
            for land, bits in found:
                for n in bits_of(bits):
                    yield land, n


class ParentCouples(Couples):
    """Couples of the parent of a parallel search, whose wins are those of its processes.

    `drain` makes its facts those of all processes.
    """

    def __init__(
        self, game: Game, facts: Facts, shared: ParentView, drain: Callable[[], None]
    ) -> None:
        super().__init__(game, facts)
        self._shared = shared
        self._drain = drain

    def apply(self, kind: int, number: int, text: Land) -> bool:
        if kind == WIN:
            self._shared.add_win(text, number)
            return False
        return super().apply(kind, number, text)

    def wins(self) -> Iterator[Tuple[Land, int]]:
        """The wins of all processes; after the last one the facts that they rest on are there."""
        yield from self._shared.wins()
        self._drain()
