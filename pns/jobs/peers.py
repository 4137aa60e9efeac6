"""The exchanges of a worker: with its master, and with the other workers of its machine.

Workers of one machine publish facts and wins by logs in shared memory, within milliseconds;
by way of the master a fact arrives with the next report. A worker reports received facts as if
it had proved them itself. So the reasons of whatever follows from them reach the master first,
even if the worker that proved them is killed.
"""

from __future__ import annotations

from typing import Iterable, Iterator, List

from pns.facts import Fact, Facts
from pns.game import Land
from pns.parallel.child_store import ChildStore
from pns.parallel.logs import Logs, Wins
from pns.positions.exchange import FACT, WIN, Exchange, Record


class LocalPeers:
    """The shared memory of a machine's workers, seen by the one with the index `place`.

    `store` begins with the rings of its processes.
    """

    def __init__(self, store: ChildStore, logs: Logs, place: int) -> None:
        self.store = store
        self.logs = logs
        self.place = place


class PeerExchange:
    """The exchange with the other workers of a machine; wins are published with the next poll.

    A worker that misses a fact receives it from the master.
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
            self._logs.broadcast(self._place, kind, number, land)

    def poll(self) -> Iterable[Record]:
        for heap, lands in self._wins.take():
            self._logs.broadcast(self._place, WIN, heap, lands)
        return self._logs.records_of_others(self._place, self._read)


class ReportExchange:
    """The exchange of a worker, which collects facts, proved or received, for the next report.

    `others` is its exchange with the workers of its machine or with its own processes.
    """

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
