"""Costs of a simulation, measured: what a search, a master and its messages take here."""

from __future__ import annotations

import os
import resource
import signal
import time
from typing import Any, Dict, List, Sequence, Tuple

from pns.dfpn import Search
from pns.facts import Facts
from pns.facts.batch import FactBatch
from pns.game import Game, Land, Sum
from pns.jobs.policy import JobPolicy
from pns.jobs.protocol import GO_ON, Reply
from pns.master import Master
from pns.parallel.child_store import ChildStore, SharedGame
from pns.parallel.position_store import PositionStore
from pns.parallel.shared_couples import SharedCouples
from pns.positions.couple import Couples
from pns.positions.prior import Prior
from pns.search.table import Table
from pns.simulation.cached import Cached
from pns.simulation.costs import Costs
from pns.simulation.simulation import Setting, Simulation
from pns.system import lifeline, scratch

CAPACITY = 1 << 20
MESSAGES = 2000
"""Messages of a measurement."""
WORKERS = 16
STORE_BYTES = 1 << 26
CHILD_TURNS = 10
"""Turns of a measurement of what is read."""

Call = Tuple[str, int, int, int, float]
"""A call of the master: its name, facts in the report, facts in the reply, children of the leaf,
CPU seconds."""


class Timed:
    """A proxy of a master that times its calls."""

    def __init__(self, master: Master) -> None:
        self._master = master
        self.calls: List[Call] = []

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._master, name)
        if name not in ("get", "update", "submit"):
            return found

        def call(*arguments: Any) -> Any:
            began = time.process_time()
            reply = found(*arguments)
            seconds = time.process_time() - began
            report = arguments[1] if name != "get" else None
            result = arguments[2] if name == "submit" else None
            reported = len(report.facts) if report else 0
            children = len(result.numbers) // 2 if result else 0
            self.calls.append((name, reported, len(reply.facts), children, seconds))
            return reply

        return call


def fit(rows: Sequence[Sequence[float]], values: Sequence[float]) -> List[float]:
    """The least squares solution of rows * x = values, with negative components set to 0.

    >>> [round(x, 6) for x in fit([[1, 0], [1, 1], [1, 2]], [3, 5, 7])]
    [3.0, 2.0]
    """
    n = len(rows[0])
    left = [[sum([row[i] * row[j] for row in rows]) for j in range(n)] for i in range(n)]
    right = [sum([row[i] * value for row, value in zip(rows, values)]) for i in range(n)]
    for i in range(n):
        pivot = left[i][i] or 1.0
        for j in range(n):
            if j != i and left[j][i]:
                factor = left[j][i] / pivot
                left[j] = [a - factor * b for a, b in zip(left[j], left[i])]
                right[j] -= factor * right[i]
    return [max(0.0, right[i] / (left[i][i] or 1.0)) for i in range(n)]


def search_costs(game: Game, lands: Sum, prior: Prior) -> Tuple[float, float]:
    """Microseconds of (an expansion without its children, the generation of a child)."""
    cached = Cached(game)
    seconds: Dict[bool, float] = {}
    for warm in (False, True):
        for rules in (game, cached):
            couples = Couples(rules, Facts(game.name), 0, prior)
            search = Search(couples, Table(CAPACITY))
            began = time.process_time()
            search.outcome(lands)
            if warm:
                seconds[rules is cached] = time.process_time() - began
    inner = seconds[True] / search.expansions
    child = (seconds[False] - seconds[True]) / couples.children_generated
    return 1e6 * inner, 1e6 * max(0.0, child)


def reading_costs(game: Game, lands: Sum, prior: Prior) -> Tuple[float, float]:
    """Microseconds (to take a child over by its id, to read one as a text and give it an id).

    The children are those of a search. Of some turns, in which the code is compiled, the least
    counts.
    """
    store, children = PositionStore(2, STORE_BYTES), ChildStore(2, STORE_BYTES)
    shared = SharedGame(game, children, 0)
    searched = SharedCouples(shared, Facts(game.name), store, 0, 0, prior)
    Search(searched, Table(CAPACITY)).outcome(lands)
    parents = [searched.texts[land] for land in searched.lists]
    taken = [_seconds_to_take(game, store, parents) for _ in range(CHILD_TURNS)]
    read = [_seconds_to_read(SharedGame(game, children, 1), parents) for _ in range(CHILD_TURNS)]
    return 1e6 * min(taken), 1e6 * min(read)


def _seconds_to_take(game: Game, store: PositionStore, parents: List[Land]) -> float:
    couples = SharedCouples(game, Facts(game.name), store, 1)
    lands = [couples.land(text) for text in parents]
    began = time.process_time()
    for land in lands:
        couples.land_children(land, 0)
    return (time.process_time() - began) / (couples.children_taken or 1)


def _seconds_to_read(game: SharedGame, parents: List[Land]) -> float:
    couples = Couples(game, Facts(game.name))
    began = time.process_time()
    for land in parents:
        found = game.stored(land)
        if found:
            for child in found[0]:
                couples.code(child)
    return (time.process_time() - began) / (game.children_read or 1)


def master_costs(game: Game, lands: Sum, prior: Prior) -> Dict[str, float]:
    """Microseconds of the master's calls and of each fact and child in them, without messages."""
    cached = Cached(game)
    for _ in range(2):  # the first warms up
        simulation = Simulation(
            cached, lands, Setting(WORKERS, jobs=JobPolicy(100, 64)), Costs(), prior=prior
        )
        timed: Any = Timed(simulation.master)
        simulation.queue.master = timed
        simulation.run()
    names = ("get", "update", "submit")
    rows = [
        [float(name == other) for other in names] + list(map(float, counts))
        for name, *counts, _ in timed.calls
    ]
    found = dict(
        zip(
            (*names, "fact_in", "fact_out", "leaf_child"),
            fit(rows, [1e6 * seconds for *_, seconds in timed.calls]),
        )
    )
    found["fact_again"] = known_fact_cost(simulation.master)
    return found


def known_fact_cost(master: Master) -> float:
    """Microseconds of a fact in a report that the master has already."""
    facts = list(master.facts.items())
    master.join("again", master.game.name, 0.0)
    best = 1.0
    for _ in range(200):
        began = time.process_time()
        master.add_facts("again", facts, 0.0)
        best = min(best, time.process_time() - began)
    return 1e6 * best / max(1, len(facts))


def message_costs() -> Tuple[float, float]:
    """Microseconds of (a message one way over loopback, the master's CPU time for a request)."""
    from pns.distributed.client import Client
    from pns.distributed.transport import Server
    from pns.finding import find_game

    nim = find_game("nim")
    with scratch.directory() as directory:
        address = os.path.join(directory, "port")
        child, line = lifeline.fork()
        if not child:
            try:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
                master = Master(nim, nim.parse("1+2+4"), Facts("nim"), 1 << 10)
                server = Server(master, ["127.0.0.1:0"], None)
                with open(address + ".part", "w") as stream:
                    stream.write(server.addresses[0])
                os.rename(address + ".part", address)
                while not os.path.exists(address + ".end"):
                    server.serve(0.05)
            finally:
                os._exit(0)
        while not os.path.exists(address):
            time.sleep(0.01)
        with open(address) as stream:
            client = Client(stream.read(), "measuring", None, lambda: False)
        client.join("nim")
        for _ in range(MESSAGES):  # to warm up
            client.add_facts([])
        began = time.monotonic()
        for _ in range(MESSAGES):
            client.add_facts([])
        seconds = (time.monotonic() - began) / MESSAGES
        client.disconnect()
        open(address + ".end", "w").close()
        os.waitpid(child, 0)
        os.close(line)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    work = (used.ru_utime + used.ru_stime) / (2 * MESSAGES)
    return 1e6 * max(0.0, seconds - work) / 2, 1e6 * work


def fact_cost() -> float:
    """Microseconds of packing and unpacking a fact."""
    from pns.distributed.messages import REPLY, encode, pack_reply

    facts = FactBatch.of([(b"0*2.AB|AB" + b"%d" % i, i % 4) for i in range(1000)])
    best = 1.0
    for _ in range(200):
        began = time.process_time()
        encode(REPLY, 1, pack_reply(Reply(GO_ON, None, facts, "")))
        best = min(best, time.process_time() - began)
    return 1e6 * best / len(facts)


def measured(game: Game, lands: Sum, prior: Prior) -> Costs:
    """All costs, measured; messages go over loopback.

    Raises ImportError without the packages of the extra `wire`.
    """
    latency, message = message_costs()
    expansion, child = search_costs(game, lands, prior)
    taken, read = reading_costs(game, lands, prior)
    found = master_costs(game, lands, prior)
    fact = fact_cost()
    return Costs(
        expansion=expansion,
        child=child,
        taken=taken,
        read=read,
        latency=latency,
        message=message,
        get=found["get"],
        update=found["update"],
        submit=found["submit"],
        fact_in=found["fact_in"] + fact,
        fact_again=found["fact_again"] + fact,
        fact_out=found["fact_out"] + fact,
        leaf_child=found["leaf_child"],
    )
