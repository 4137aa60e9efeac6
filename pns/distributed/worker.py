"""A worker from its start to its end: its game, facts, memory and connection.

As a program it is a worker that a master has started on its own machine. Its one argument is the
text of `pns.jobs.setup.to_text`.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from contextlib import ExitStack
from hashlib import blake2b
from typing import Callable, NamedTuple, Optional, Tuple

from pns.distributed.client import Client, NoAnswer
from pns.distributed.keys import read_keys
from pns.distributed.messages import WireError
from pns.facts import Contradiction, Facts, FactsError, open_facts
from pns.finding import find_game
from pns.front.memory import caches, caches_of_process
from pns.game import Game, limit_caches, prior_file
from pns.jobs.peers import LocalPeers
from pns.jobs.protocol import Link, ProtocolError
from pns.jobs.searcher import JobSearcher
from pns.jobs.setup import WorkerPlace, WorkerSetup, from_text
from pns.parallel.child_store import open_child_store, store_bytes
from pns.parallel.logs import open_logs
from pns.parallel.processes import ProcessesDied
from pns.positions.prior import Prior, load
from pns.positions.simplify import Simplified, SupportsSimplify
from pns.positions.wrapped import ordered
from pns.search.counted_search import StopToken
from pns.system.program import die, run, warn
from pns.system.start import require_descriptors
from pns.worker import Worker

DESCRIPTORS = 24
"""Files that a worker has open, whatever the number of its processes, with a margin."""
START_OVER = 75
"""The exit status of a worker whose shared memory holds facts that the master has withdrawn."""


class Ended(NamedTuple):
    """The end of a worker."""

    status: int
    """Its exit status: 0, 1 after a failure, or START_OVER."""
    jobs: int
    reason: str


def stop_on_signals(reason: str) -> StopToken:
    """A token that SIGTERM and Ctrl-C set."""
    stop = StopToken()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.stop(reason))
    return stop


def work(
    setup: WorkerSetup,
    place: WorkerPlace,
    stop: StopToken,
    announce: Callable[[], None] = lambda: None,
    machine: Optional[LocalPeers] = None,
    watched: Callable[[Link], Link] = lambda link: link,
) -> Ended:
    """Work until the master reports that the search is done, or `stop` is set.

    `announce` is called once the master has let the worker in. `machine` is the memory that it
    shares with others of its machine, unless `place` says so. `watched` may wrap its connection.
    Raises WireError, FactsError and NotationError for what cannot be used.
    """
    require_descriptors(DESCRIPTORS)
    if place.memory:
        machine = open_memory(place, setup.processes)
    keys = read_keys(place.keys) if place.keys else None
    game, simpler = games_of(setup)
    positions = positions_of(setup, game)
    prior = load(setup.game, prior_file(game)) if setup.has_prior else Prior()
    with ExitStack() as stack:
        facts: Optional[Facts] = None
        if place.database is not None:
            facts = open_facts(place.database, setup.game)
            stack.callback(close, facts)
        group = group_of(place.database)
        client = Client(
            place.address, place.name, keys, lambda: bool(stop.reason), group=group, warn=warn
        )
        stack.callback(client.disconnect)
        searcher = JobSearcher(
            setup,
            game,
            prior.starting(setup.start_numbers),
            facts,
            machine,
            simpler=simpler,
            max_bytes=positions,
        )
        return run_worker(Worker(watched(client), searcher, stop, warn=warn, announce=announce))


def run_worker(worker: Worker) -> Ended:
    """Let a worker work until its end; a failure is reported in a line."""
    status = 0
    try:
        worker.run()
    except NoAnswer as error:
        warn(str(error))
    except (Contradiction, ProtocolError, ProcessesDied) as error:
        warn(str(error))
        status = 1
    if worker.is_stale:
        status = START_OVER
    return Ended(status, worker.jobs, worker.reason or worker.stop.reason)


def games_of(setup: WorkerSetup) -> Tuple[Game, Optional[Game]]:
    """The game, and that of its simpler positions if it knows any, in the order of the set-up."""
    rules = find_game(setup.game)
    can_simplify = isinstance(rules, SupportsSimplify)
    simpler = ordered(Simplified(rules), setup.order) if can_simplify else None
    return ordered(rules, setup.order), simpler


def positions_of(setup: WorkerSetup, game: Game) -> int:
    """The bytes for interned positions; limits the caches of the game to their share."""
    if setup.processes > 1:
        store = store_bytes(setup.memory)
        positions, game_cache = caches_of_process(
            setup.processes, setup.capacity, setup.memory, store
        )
    else:
        positions, game_cache = caches(setup.capacity, setup.memory)
    limit_caches(game, game_cache)
    return positions


def open_memory(place: WorkerPlace, processes: int) -> LocalPeers:
    """The memory that a master and its workers share; exits if it cannot be opened."""
    assert place.memory
    store, logs, index = place.memory
    try:
        return LocalPeers(open_child_store(store, index * processes), open_logs(logs), index)
    except (OSError, ValueError):
        die("the memory of the workers here cannot be opened")


def close(facts: Facts) -> None:
    """Close a group's facts; if they cannot be stored, the master has them all the same."""
    try:
        facts.close()
    except FactsError as error:
        warn(str(error))


def group_of(path: Optional[str]) -> str:
    """The name of the group of workers that share a database, "" without one."""
    if path is None:
        return ""
    where = "%s:%s" % (socket.gethostname(), os.path.realpath(path))
    return blake2b(where.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def main() -> int:
    """Work as the argument of the program says; returns the exit status."""
    setup, place = from_text(sys.argv[1])
    try:
        return work(setup, place, stop_on_signals("a signal")).status
    except WireError as error:
        die(str(error))


if __name__ == "__main__":
    run(main, searches=True)
