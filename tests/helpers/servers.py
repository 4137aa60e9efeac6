"""Servers and workers in threads, and raw connections, for tests over ZeroMQ."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Event, Thread
from typing import Any, Iterator, List

from helpers.masters import SPROUTS, worker_of
from pns.distributed.client import Client
from pns.distributed.transport import Server
from pns.master import Master
from pns.worker import Worker


@contextmanager
def serving(master: Master, addresses: List[str], keys: Any = None) -> Iterator[Server]:
    """A server for a master, in a thread of its own."""
    server, stop = Server(master, addresses, keys), Event()

    def loop() -> None:
        while not stop.is_set():
            server.serve(0.05)

    thread = Thread(target=loop)
    thread.start()
    try:
        yield server
    finally:
        stop.set()
        thread.join()
        server.close()


def work(address: str, name: str = "w", keys: Any = None, patience: float = 10.0) -> Worker:
    """Run a worker to its end."""
    client = Client(address, name, keys, patience=patience)
    worker = worker_of(client, SPROUTS)
    worker.run()
    client.disconnect()
    return worker


def dealer(context: Any, address: str) -> Any:
    """A socket by which a test sends arbitrary messages."""
    import zmq

    peer = context.socket(zmq.DEALER)
    peer.linger, peer.rcvtimeo = 0, 20_000
    peer.connect("tcp://" + address)
    return peer
