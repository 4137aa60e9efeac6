"""The invariant of every exchange: a fact arrives after the facts that it rests on.

Each exchange is tested with the same searches. One search publishes; another polls after
random publications, and all that has arrived by then must form a complete proof.
"""

from __future__ import annotations

from random import Random
from typing import Callable, Dict, Iterator, List, Tuple

import pytest

from pns.dfpn import Search
from pns.facts import Facts
from pns.finding import find_game
from pns.game import Land
from pns.jobs.peers import LocalPeers, PeerExchange, ReportExchange
from pns.parallel.child_store import ChildStore
from pns.parallel.logs import Logs
from pns.parallel.pool import PoolExchange
from pns.parallel.search_process import LogExchange
from pns.parallel.shared_state import SharedState
from pns.positions.couple import Couples
from pns.positions.exchange import ALONE, FACT, Exchange, Publisher
from pns.proofs.check import Checker
from pns.proofs.rules import FastRules
from pns.search.table import Table

pytestmark = pytest.mark.search

SPROUTS = find_game("sprouts")
POSITIONS = ("0*6", "0*4+0*5", "0*7")
Ends = Tuple[Exchange, Exchange]
"""The exchange of a search that proves, and that of one that receives."""


def by_a_pool() -> Ends:
    state = SharedState(2)
    return LogExchange(state, 0), PoolExchange(state, [0, 0])


def by_peers() -> Ends:
    store, logs = ChildStore(2, 1 << 16), Logs(2)
    one, other = [PeerExchange(LocalPeers(store, logs, place)) for place in range(2)]
    return one, other


class Reports:
    """The master's end of a worker's reports: all facts not reported yet, in their order."""

    def __init__(self, exchange: ReportExchange) -> None:
        self._exchange = exchange

    def publish(self, kind: int, number: int, land: Land) -> None:
        raise AssertionError("a master's reports are only polled")

    def poll(self) -> Iterator[Tuple[int, int, Land]]:
        waiting, self._exchange.unreported[:] = list(self._exchange.unreported), []
        for land, number in waiting:
            yield FACT, number, land


def by_reports() -> Ends:
    exchange = ReportExchange(Facts("sprouts"), ALONE)
    return exchange, Reports(exchange)


def by_reports_of_peers() -> Ends:
    """A worker that reports facts of another worker of its machine."""
    sender, receiver = by_peers()
    exchange = ReportExchange(Facts("sprouts"), receiver)

    class Relay(Reports):
        def poll(self) -> Iterator[Tuple[int, int, Land]]:
            list(exchange.poll())
            return super().poll()

    return sender, Relay(exchange)


def by_a_publisher() -> Ends:
    queue: List[Tuple[int, int, Land]] = []

    class Queue:
        def publish(self, kind: int, number: int, land: Land) -> None:
            pass

        def poll(self) -> Iterator[Tuple[int, int, Land]]:
            while queue:
                yield queue.pop(0)

    return Publisher(lambda land, number: queue.append((FACT, number, land))), Queue()


KINDS: Dict[str, Callable[[], Ends]] = {
    function.__name__: function
    for function in (
        by_a_pool,
        by_peers,
        by_reports,
        by_reports_of_peers,
        by_a_publisher,
    )
}


class Watched:
    """An exchange that calls `look` after each publication."""

    def __init__(self, inner: Exchange, look: Callable[[], None]) -> None:
        self._inner, self._look = inner, look

    def publish(self, kind: int, number: int, land: Land) -> None:
        self._inner.publish(kind, number, land)
        self._look()

    def poll(self) -> List[Tuple[int, int, Land]]:
        return list(self._inner.poll())


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("position", POSITIONS)
def test_what_has_arrived_is_a_proof_at_every_moment(kind: str, position: str) -> None:
    sender, receiver = KINDS[kind]()
    rng, arrived = Random(position), Facts("sprouts")
    receiving = Couples(SPROUTS, arrived, exchange=receiver)

    def look() -> None:
        if rng.random() < 0.2:
            before = dict(arrived.items())
            receiving.exchange_records()
            checker = Checker(FastRules(SPROUTS), arrived.get, cancel=True)  # it caches results
            for land, number in arrived.items():
                if land not in before:
                    assert checker.why_bad(land, number) == "", (land, number)

    sending = Couples(SPROUTS, Facts("sprouts"), exchange=Watched(sender, look))
    Search(sending, Table(1 << 14)).outcome(SPROUTS.parse(position))
    sending.exchange_records()  # a poll also sends waiting wins
    receiving.exchange_records()
    assert dict(arrived.items()) == dict(sending.facts.items()) and len(arrived) > 30


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_fact_before_its_reasons_is_detected(kind: str) -> None:
    """The test above fails for an exchange that reverses the order."""
    sender, receiver = KINDS[kind]()
    proved: List[Tuple[Land, int]] = []
    search = Search(
        Couples(
            SPROUTS,
            Facts("sprouts"),
            exchange=Publisher(lambda land, number: proved.append((land, number))),
        ),
        Table(1 << 14),
    )
    search.outcome(SPROUTS.parse("0*6"))
    for land, number in reversed(proved):
        sender.publish(FACT, number, land)
    arrived = Facts("sprouts")
    first = next(iter(receiver.poll()))
    arrived.add(first[2], first[1])
    assert Checker(FastRules(SPROUTS), arrived.get, cancel=True).why_bad(first[2], first[1])
