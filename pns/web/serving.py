"""Serves an application by uvicorn, with limits for clients that uvicorn does not have.

A request that is not complete after some seconds is given up. One connection too many closes
another one: the oldest of those that wait for a request, or else the oldest of all, whose page
connects again. So whatever others do, a new request is answered.
"""

from __future__ import annotations

import asyncio
import errno
from itertools import count
from socket import socket
from typing import Any, Callable, Dict, Optional, Tuple, Type

import uvicorn
from h11 import IDLE, SEND_BODY
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from pns.system.files import Reporter

REQUEST_SECONDS = 10.0
"""A request that takes longer to arrive is given up."""
MOST_CONNECTIONS = 64
BACKLOG = 32
"""Connections accepted at once; each takes a descriptor for a moment."""
OUT_OF_RESOURCES = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_serials = count()
"""Numbers of connections, in the order in which they are made."""


class Connection(H11Protocol):
    """A connection of a client, closed when it waits too long or is one too many."""

    request_seconds = REQUEST_SECONDS
    most_connections = MOST_CONNECTIONS
    _deadline: Optional[asyncio.TimerHandle] = None
    _is_given_up = False

    @property
    def _waits(self) -> bool:
        """Whether the client is still to send a request, or the rest of one."""
        return self.conn.their_state in (IDLE, SEND_BODY)

    @property
    def _rank(self) -> Tuple[bool, bool, int]:
        """Less for those that are given up before others; first come those that end anyway."""
        return not self.transport.is_closing(), not self._waits, self._serial

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._serial = next(_serials)
        self._watch()
        others = [other for other in self.connections if not other._is_given_up]
        others.remove(self)
        if len(others) >= self.most_connections:
            min(others, key=lambda other: other._rank)._give_up()

    def handle_events(self) -> None:
        super().handle_events()
        self._watch()

    def shutdown(self) -> None:
        """The server ends: streams of events would go on."""
        self._give_up()

    def connection_lost(self, exc: Optional[Exception]) -> None:
        self._unwatch()
        super().connection_lost(exc)

    def _give_up(self) -> None:
        """Close at once, whatever is still to be sent."""
        self._is_given_up = True
        self.transport.abort()

    def _watch(self) -> None:
        """Set the deadline of the request that is awaited, if any; once for each request."""
        if not self._waits:
            self._unwatch()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(self.request_seconds, self._give_up)

    def _unwatch(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


ErrorHandler = Callable[[asyncio.AbstractEventLoop, Dict[str, Any]], None]


def exception_handler(report: Callable[[str], None]) -> ErrorHandler:
    """Handles exceptions of the event loop: one line where nobody can be let in, and otherwise
    what the loop does by default. The loop itself tries again.
    """

    def handle(loop: asyncio.AbstractEventLoop, context: Dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in OUT_OF_RESOURCES:
            report("a connection cannot be accepted: %s" % error.strerror)
        else:
            loop.default_exception_handler(context)

    return handle


def make_server(app: ASGIApp, protocol: Type[Connection] = Connection) -> uvicorn.Server:
    """A server that answers by an application."""
    config = uvicorn.Config(
        app,
        loop="asyncio",
        http=protocol,
        ws="none",
        lifespan="off",
        log_level="error",
        access_log=False,
        server_header=False,
        backlog=BACKLOG,
    )
    return uvicorn.Server(config)


async def answer(server: uvicorn.Server, listening: socket, warn: Callable[[str], None]) -> None:
    """Answer requests at a socket; `warn` gets a line, now and then, where none can be accepted."""
    handler = exception_handler(Reporter(warn).report)
    asyncio.get_running_loop().set_exception_handler(handler)
    await server.serve(sockets=[listening])


def serve(app: ASGIApp, listening: socket, warn: Callable[[str], None]) -> None:
    """Answer requests at a socket until Ctrl-C."""
    asyncio.run(answer(make_server(app), listening, warn))
