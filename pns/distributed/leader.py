"""A leader as a process: the master of the workers of its machine, and a worker of a master.

It listens at an address of its machine once its own master has let it in, and answers its workers
whenever it waits: for their reports, for its master, or for a job. When its search ends, it
first lets them hand in their jobs and leave, and then reports their last facts.

A leader that is killed is started again under its name. Its workers stay, find that the new one
does not know them, and report all facts that they ever proved. If its master withdraws facts, it
ends with START_OVER; one that was started after that has its workers forget them.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Callable, Optional

from pns.choices import GENERATED, LEAST_CAPACITY
from pns.distributed.client import Client, poll_socket
from pns.distributed.keys import read_keys
from pns.distributed.transport import Server
from pns.distributed.worker import Ended, games_of, positions_of, run_worker
from pns.front.memory import LEAST_BYTES_PER_NODE
from pns.jobs.policy import JobPolicy
from pns.jobs.setup import WorkerPlace, WorkerSetup
from pns.leader import LeaderSearcher
from pns.search.counted_search import StopToken
from pns.system.machine import total_memory
from pns.system.program import warn
from pns.worker import Worker

SERVE_SECONDS = 0.1
"""How long a leader answers its workers before it looks at its own master's wishes again."""
LEAVE_SECONDS = 10.0
"""How long its workers have for their last reports when the search has ended."""


class ServedWorkers:
    """The workers of a leader at `address`, and its searcher, which waits by answering them.

    `setup`, `policy` and `stop` are those of the leader.
    """

    def __init__(
        self, setup: WorkerSetup, policy: JobPolicy, address: str, stop: StopToken
    ) -> None:
        game, simpler = games_of(replace(setup, order=GENERATED))  # its tree orders children
        room = (total_memory() if setup.memory is None else setup.memory) // 2
        capacity = max(LEAST_CAPACITY, room // LEAST_BYTES_PER_NODE)
        positions_of(setup, game)
        self.searcher = LeaderSearcher(
            setup, game, policy, capacity, self._wait, simpler, dismiss=self._dismiss
        )
        self._address = address
        self._stop = stop
        self._server: Optional[Server] = None

    def listen(self) -> None:
        """Let workers in; raises WireError if the address cannot be used."""
        self._server = Server(self.searcher.master, [self._address])

    def close(self) -> None:
        """Close the address, if it is open."""
        if self._server:
            self._server.close()

    def poll(self, socket: Any, seconds: float) -> bool:
        """Answer workers until a message comes at a socket, or for a time; whether one came."""
        if self._server is None:
            return poll_socket(socket, seconds)
        return self._server.serve(seconds, beside=socket)

    def pause(self, seconds: float) -> None:
        """Answer workers for a time."""
        if self._server:
            self._server.serve(seconds)

    def _wait(self) -> None:
        """Answer workers until the search has something to do, or for a while."""
        assert self._server
        search = self.searcher.search
        self._server.serve(SERVE_SECONDS, lambda: search.is_due)
        if self._stop.reason:
            search.observer(search)  # which ends the job

    def _dismiss(self) -> None:
        """Let the workers hand in their jobs and leave."""
        server, master = self._server, self.searcher.master
        if server is None or server.master is not master:  # the machine starts over
            return
        master.stop("its leader's search is done")
        end = time.monotonic() + LEAVE_SECONDS
        while master.workers and time.monotonic() < end:
            server.serve(SERVE_SECONDS, lambda: not master.workers)


def lead(
    setup: WorkerSetup,
    place: WorkerPlace,
    policy: JobPolicy,
    address: str,
    stop: StopToken,
    announce: Callable[[], None] = lambda: None,
) -> Ended:
    """Lead the workers at `address` until the master reports the end, or `stop` is set.

    `setup` and `place` are those of a worker, as which the leader works; `policy` says how it
    divides its jobs. `announce` is called once the master has let it in. Raises WireError for an
    address or keys that cannot be used.
    """
    with ExitStack() as stack:
        keys = read_keys(place.keys) if place.keys else None
        workers = ServedWorkers(setup, policy, address, stop)
        stack.callback(workers.close)
        client = Client(
            place.address,
            place.name,
            keys,
            lambda: bool(stop.reason),
            warn=warn,
            poll=workers.poll,
        )
        stack.callback(client.disconnect)

        def begin() -> None:
            """Let the workers in, as the master has let the leader in."""
            workers.listen()
            announce()

        return run_worker(
            Worker(client, workers.searcher, stop, pause=workers.pause, warn=warn, announce=begin)
        )
