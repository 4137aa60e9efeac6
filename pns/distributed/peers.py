"""What the workers of one machine tell each other at once, without the master.

Grundy numbers, and couples shown to be wins, go from worker to worker by logs in shared
memory, within milliseconds; by the master they would come with the next report. A worker
tells the master all that it learned so as if it had proved it itself: so whatever follows
from it reaches the master after its reasons, also when the one who found them is killed.
"""

from __future__ import annotations

from typing import Any, Optional

from pns.dfpn import Observer, Search
from pns.parallel.logs import FACT, OBSERVE_EVERY, WIN, Logs, Wins
from pns.parallel.member import CollectingCouples
from pns.parallel.optionstore import OptionStore
from pns.table import Table


class Machine:
    """What the workers of a machine share; this one has the place `place`, counted from 0."""

    def __init__(self, options: OptionStore, logs: Logs, place: int) -> None:
        self.options = options
        self.logs = logs
        self.place = place

    def tell(self, kind: int, number: int, lands: bytes) -> None:
        """Write a record; who misses it hears of it from the master."""
        self.logs.tell(self.place, kind, number, lands)


class PeerCouples(CollectingCouples):
    """Couples of a worker: they collect what is proved, and tell the others of its machine."""

    machine: Optional[Machine] = None

    def learn(self, land: int, number: int) -> None:
        super().learn(land, number)
        if self.machine:
            self.machine.tell(FACT, number, self.texts[land])


class PeerSearch(Search):
    """The search of a worker, who tells the others of its machine, and hears them."""

    couples: PeerCouples

    def __init__(
        self,
        couples: PeerCouples,
        table: Table,
        machine: Machine,
        observer: Observer,
        **options: Any,
    ) -> None:
        super().__init__(couples, table, observer=observer, observe_every=OBSERVE_EVERY, **options)
        couples.machine = machine
        self._machine = machine
        self._read = machine.logs.heads()
        self._untold = Wins()

    def _won(self, land: int, heap: int) -> None:
        self._untold.add(self.couples.texts[land], heap)

    def _observe(self) -> None:
        for heap, lands in self._untold.take():
            self._machine.tell(WIN, heap, lands)
        self.hear()
        super()._observe()

    def hear(self) -> None:
        """Take in what the others have told; raises Contradiction."""
        machine = self._machine
        for kind, number, land in machine.logs.records_of_others(machine.place, self._read):
            self.couples.told(kind, number, land)
