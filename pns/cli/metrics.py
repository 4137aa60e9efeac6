"""Metrics in the text exposition format of Prometheus, served on the loopback address.

The format is that of https://prometheus.io/docs/instrumenting/exposition_formats/, version 0.0.4.
Names are in base units; those of counters end in `_total`. Nothing but `GET /metrics` is answered,
and only if its Host is this server: a page of another site cannot read it by a name of its own.
"""

from __future__ import annotations

import math
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from pns.cli.common import die, warn

LOOPBACK = "127.0.0.1"
PATH = "/metrics"
TYPE = "text/plain; version=0.0.4; charset=utf-8"
CLIENT_SECONDS = 2.0
"""A client that is silent for so long is disconnected."""
COUNTER, GAUGE = "counter", "gauge"

Labels = Tuple[Tuple[str, str], ...]


class Metric(NamedTuple):
    """A metric: its name, COUNTER or GAUGE, what it is, and its value for each set of labels."""

    name: str
    kind: str
    help: str
    values: Dict[Labels, float]


def exposition(metrics: List[Metric]) -> bytes:
    """The metrics as text.

    >>> rooms = Metric("rooms", GAUGE, "Rooms of a house.", {(("house", "a"),): 3})
    >>> print(exposition([rooms]).decode(), end="")
    # HELP rooms Rooms of a house.
    # TYPE rooms gauge
    rooms{house="a"} 3
    """
    lines: List[str] = []
    for metric in metrics:
        lines.append("# HELP %s %s" % (metric.name, escaped(metric.help)))
        lines.append("# TYPE %s %s" % (metric.name, metric.kind))
        for labels, value in metric.values.items():
            words = ['%s="%s"' % (name, escaped(text, '"')) for name, text in labels]
            where = "{%s}" % ",".join(words) if words else ""
            lines.append("%s%s %s" % (metric.name, where, number(value)))
    return "".join([line + "\n" for line in lines]).encode("utf-8", "replace")


def escaped(text: str, more: str = "") -> str:
    """Text with a backslash before backslashes and the characters of `more`; \\n for new lines."""
    for letter in "\\" + more:
        text = text.replace(letter, "\\" + letter)
    return text.replace("\n", "\\n")


def number(value: float) -> str:
    """A value as the format has it.

    >>> number(12), number(0.25), number(math.inf)
    ('12', '0.25', '+Inf')
    """
    return "+Inf" if value == math.inf else repr(value)


class MetricsServer:
    """Serves what `collect` returns at a port of the loopback address, 0 for a free one.

    Exits if the port is in use. Requests are answered by `poll`, or by the thread of `start`.
    """

    def __init__(self, port: int, collect: Callable[[], List[Metric]], quiet: bool) -> None:
        try:
            self._server = Server((LOOPBACK, port), Handler)
        except OSError as error:
            die("argument --metrics: %d: %s; 0 takes a free one" % (port, error.strerror))
        self._server.collect = collect
        self.port: int = self._server.server_address[1]
        self._server.timeout = 0.0
        self._thread: Optional[threading.Thread] = None
        if not quiet:
            warn("metrics at http://%s:%d%s" % (LOOPBACK, self.port, PATH))

    def fileno(self) -> int:
        return self._server.fileno()

    def poll(self) -> None:
        """Answer a request if there is one."""
        self._server.handle_request()

    def start(self) -> None:
        """Answer all requests in a thread of their own."""
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Answer no more, and end the thread of `start`: over a closed socket it would spin."""
        if self._thread:
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()


class Server(HTTPServer):
    """An HTTP server that says nothing of clients that hang up."""

    collect: Callable[[], List[Metric]]

    def server_bind(self) -> None:
        super(HTTPServer, self).server_bind()  # without a look-up of the host's name

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    timeout = CLIENT_SECONDS
    server: Server
    server_version, sys_version = "pns", ""

    def do_GET(self) -> None:
        """Send the metrics, or say why not."""
        port = self.server.server_address[1]
        hosts = ["%s:%d" % (name, port) for name in (LOOPBACK, "localhost")]
        if self.headers.get("Host", "") not in hosts:
            self._send(403, "text/plain; charset=utf-8", b"the host is not that of this server\n")
        elif self.path.partition("?")[0] != PATH:
            self._send(404, "text/plain; charset=utf-8", b"there is only /metrics\n")
        else:
            self._send(200, TYPE, exposition(self.server.collect()))

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
