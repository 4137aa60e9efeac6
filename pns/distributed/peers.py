"""The exchanges of a worker: what reaches its master, and what workers of one machine share.

Workers of one machine publish Grundy numbers, and couples shown to be wins, by logs in
shared memory, within milliseconds. By the master they would come with the next report. A
worker reports what it received so as if it had proved it itself: so whatever follows from
it reaches the master after its reasons, also when the one who proved them is killed.
"""

from __future__ import annotations

from typing import Iterable, Iterator, List

from pns.exchange import FACT, WIN, Exchange, Record
from pns.facts import Fact, Facts
from pns.game import Land
from pns.parallel.child_store import ChildStore
from pns.parallel.logs import Logs, Wins


class LocalPeers:
    """What the workers of a machine share; this one has the place `place`, counted from 0."""

    def __init__(self, options: ChildStore, logs: Logs, place: int) -> None:
        self.options = options
        self.logs = logs
        self.place = place


class PeerExchange:
    """The exchange with the other workers of a machine; who misses a record gets it by the master.

    Wins are published together with the next poll.
    """

    def __init__(self, machine: LocalPeers) -> None:
        self._logs = machine.logs
        self._place = machine.place
        self._read = machine.logs.heads()
        self._wins = Wins()

    def publish(self, kind: int, number: int, land: Land) -> None:
        if kind == WIN:
            self._wins.add(land, number)
        else:
            self._logs.tell(self._place, kind, number, land)

    def poll(self) -> Iterable[Record]:
        for heap, lands in self._wins.take():
            self._logs.tell(self._place, WIN, heap, lands)
        return self._logs.records_of_others(self._place, self._read)


class ReportExchange:
    """The exchange of a worker: facts proved here or by `others` wait for the next report."""

    def __init__(self, facts: Facts, others: Exchange) -> None:
        self._facts = facts
        self._others = others
        self.unreported: List[Fact] = []

    def publish(self, kind: int, number: int, land: Land) -> None:
        if kind == FACT:
            self.unreported.append((land, number))
        self._others.publish(kind, number, land)

    def poll(self) -> Iterator[Record]:
        for record in self._others.poll():
            kind, number, land = record
            if kind == FACT and self._facts.get(land) != number:
                self.unreported.append((land, number))
            yield record
