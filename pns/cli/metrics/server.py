"""Serves metrics over HTTP on the loopback address.

Nothing but `GET /metrics` is answered, and only if its Host is this server. No client waits for
another: a round of the server takes from each what it has sent and sends each what it takes, and
never waits for one of them.
"""

from __future__ import annotations

import io
import os
import selectors
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler
from typing import Any, Callable, List, Optional

from pns.cli.common import listen, warn
from pns.cli.metrics.exposition import Metric, exposition
from pns.system.loopback import LOOPBACK, own_hosts

PATH = "/metrics"
PLAIN = "text/plain; charset=utf-8"
TYPE = "text/plain; version=0.0.4; charset=utf-8"
CLIENT_SECONDS = 2.0
"""A client that takes longer than this to send its request, or to take the answer, is left."""
MOST_CLIENTS = 32
"""Clients at once; one more takes the place of the oldest."""
PAUSE_SECONDS = 1.0
"""Nobody is let in for so long after a client could not be, for want of descriptors."""
MOST_BYTES = 1 << 14
"""The longest request."""
CHUNK = 1 << 16


class MetricsServer:
    """Serves what `collect` returns at a port of the loopback address, 0 for a free one.

    Exits if the port is in use. Requests are answered by `poll`, or by the thread of `start`.
    """

    def __init__(
        self,
        port: int,
        collect: Callable[[], List[Metric]],
        quiet: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._listening = listen(port, "--metrics")
        self._listening.setblocking(False)
        self.port: int = self._listening.getsockname()[1]
        self._collect, self._clock = collect, clock
        self._clients: List[MetricsClient] = []
        """The oldest first."""
        self._selector = selectors.PollSelector()
        """Not epoll, whose state a forked child that closes the server would change."""
        self._selector.register(self._listening, selectors.EVENT_READ)
        self._deaf_until: Optional[float] = None
        """When clients are let in again; None while they are."""
        self._thread: Optional[threading.Thread] = None
        self._wakes: List[int] = []
        """The ends of a pipe; what is written there ends the thread."""
        if not quiet:
            warn("metrics at http://%s:%d%s" % (LOOPBACK, self.port, PATH))

    def poll(self) -> None:
        """Serve all clients as far as that is possible without waiting."""
        self._serve(0.0)

    def start(self) -> None:
        """Serve all clients in a thread of their own."""
        self._wakes = list(os.pipe())
        self._selector.register(self._wakes[0], selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Answer no more, and end the thread of `start`."""
        if self._thread:
            os.write(self._wakes[1], b"x")
            self._thread.join()
        for client in self._clients:
            client.socket.close()
        for end in self._wakes:
            os.close(end)
        self._listening.close()
        self._selector.close()

    def _run(self) -> None:
        while self._serve(self._seconds_left()):
            pass

    def _seconds_left(self) -> Optional[float]:
        """The time until something is due, None if nothing is."""
        times = [client.until for client in self._clients[:1]]
        if self._deaf_until is not None:
            times.append(self._deaf_until)
        return max(0.0, min(times) - self._clock()) if times else None

    def _serve(self, seconds: Optional[float]) -> bool:
        """Wait up to `seconds`, then do a round; returns False when the thread is to end."""
        for key, _ in self._selector.select(seconds):
            if key.fileobj is self._listening:
                self._accept()
            elif key.data is None:
                return False
            elif key.data in self._clients:
                self._follow(key.data)
        now = self._clock()
        while self._clients and self._clients[0].until <= now:
            self._leave(self._clients[0])
        if self._deaf_until is not None and self._deaf_until <= now:
            self._deaf_until = None
            self._selector.register(self._listening, selectors.EVENT_READ)
        return True

    def _accept(self) -> None:
        """Let a client in; where that fails, nobody for a while: the client still waits."""
        if len(self._clients) == MOST_CLIENTS:
            self._leave(self._clients[0])
        try:
            link, _ = self._listening.accept()
        except OSError:
            self._deaf_until = self._clock() + PAUSE_SECONDS
            self._selector.unregister(self._listening)
            return
        link.setblocking(False)
        client = MetricsClient(link, self._clock() + CLIENT_SECONDS)
        self._clients.append(client)
        self._selector.register(link, selectors.EVENT_READ, client)

    def _follow(self, client: MetricsClient) -> None:
        """Read a request or send an answer, as far as it goes."""
        try:
            if client.answer is None and client.receive():
                client.answer = memoryview(answer(client.request, self.port, self._collect))
                self._selector.modify(client.socket, selectors.EVENT_WRITE, client)
            if client.answer is None or client.send():
                return
        except BlockingIOError:
            return
        except OSError:
            pass
        self._leave(client)

    def _leave(self, client: MetricsClient) -> None:
        self._selector.unregister(client.socket)
        self._clients.remove(client)
        client.socket.close()


class MetricsClient:
    """A connection: what has come of its request, then what is left to send of the answer."""

    def __init__(self, link: socket.socket, until: float) -> None:
        self.socket, self.until = link, until
        self.request = b""
        self.answer: Optional[memoryview] = None

    def receive(self) -> bool:
        """Read on; returns whether the request is complete. Raises OSError for one that ends."""
        data = self.socket.recv(CHUNK)
        self.request += data
        if not data or len(self.request) > MOST_BYTES:
            raise ConnectionAbortedError
        return b"\r\n\r\n" in self.request

    def send(self) -> bool:
        """Send on; returns whether something is left."""
        assert self.answer is not None
        self.answer = self.answer[self.socket.send(self.answer) :]
        return bool(self.answer)


def answer(request: bytes, port: int, collect: Callable[[], List[Metric]]) -> bytes:
    """What is answered to the head of a request."""
    return Handler(request, port, collect).written.getvalue()


class Handler(BaseHTTPRequestHandler):
    """Answers a request that lies in memory; `written` has the answer."""

    server_version, sys_version = "pns", ""

    def __init__(self, request: bytes, port: int, collect: Callable[[], List[Metric]]) -> None:
        self.written = io.BytesIO()
        self.rfile, self.wfile = io.BytesIO(request), self.written
        self.client_address = (LOOPBACK, 0)
        self._port, self._collect = port, collect
        self.handle_one_request()

    def do_GET(self) -> None:
        """Write the metrics, or say why not."""
        if self.headers.get("Host", "") not in own_hosts(self._port):
            self._send(403, PLAIN, b"the host is not that of this server\n")
        elif self.path.partition("?")[0] != PATH:
            self._send(404, PLAIN, b"there is only /metrics\n")
        else:
            try:
                body = exposition(self._collect())
            except Exception as error:  # whoever runs the server goes on
                self._send(500, PLAIN, b"%s\n" % type(error).__name__.encode())
            else:
                self._send(200, TYPE, body)

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        for name, value in (
            ("Content-Type", kind),
            ("Content-Length", "%d" % len(body)),
            ("X-Content-Type-Options", "nosniff"),
            ("Cache-Control", "no-store"),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass
