"""The limits of the server: requests that never end, too many connections, no descriptors."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import threading
from contextlib import suppress
from typing import Any, Awaitable, Callable, Dict, Iterator, List, Optional, cast

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
from helpers.masters import Clock

from pns.system.loopback import LOOPBACK, listen
from pns.web import serving
from pns.web.serving import Connection, make_server

HEAD = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n"
HALVES = (b"", b"GET / HTTP/1.1\r\nHost: a\r\n", HEAD, HEAD + b"12345")
REQUEST = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
STREAM = REQUEST.replace(b"/", b"/stream", 1)
FOREVER = 1e6

App = Callable[[Any, Any, Any], Awaitable[None]]


class Serving:
    """A server in a thread of its own, with limits of its own, on a clock that tests advance."""

    def __init__(self, seconds: float, most: int, app: App, listening: socket.socket) -> None:
        limits = {"request_seconds": seconds, "most_connections": most}
        self.said: List[str] = []
        self._clock = Clock()
        self._loop = asyncio.new_event_loop()
        cast(Any, self._loop).time = self._clock
        self._server = make_server(app, type("Limited", (Connection,), limits))
        self._listening = listening
        self._clients: List[socket.socket] = []
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        answered = serving.answer(self._server, self._listening, self.said.append)
        self._loop.run_until_complete(answered)
        self._loop.close()

    def connect(self, said: bytes = b"") -> socket.socket:
        """A client that has said something."""
        client = socket.create_connection(self._listening.getsockname(), 60)
        client.sendall(said)
        self._clients.append(client)
        return client

    def request(self) -> bytes:
        """The first byte of the answer to a whole request, which a new client sends."""
        return received(self.connect(REQUEST))

    def advance(self, seconds: float) -> None:
        """Let time pass for the server."""
        self._clock.now += seconds
        with suppress(RuntimeError):  # it has ended
            self._loop.call_soon_threadsafe(lambda: None)

    def later(self, client: socket.socket) -> bytes:
        """What a client receives next, while time passes."""
        client.settimeout(0.02)
        while True:
            try:
                return received(client)
            except socket.timeout:
                self.advance(1.0)

    def stop(self) -> None:
        """End the server, whoever is connected."""
        self._server.should_exit = True
        while self._thread.is_alive():
            self.advance(0.1)
            self._thread.join(0.02)

    def close(self) -> None:
        self.stop()
        for client in self._clients:
            client.close()


@pytest.fixture
def serve() -> Iterator[Callable[..., Serving]]:
    made: List[Serving] = []

    def start(
        seconds: float = FOREVER,
        most: int = 64,
        app: App = plain,
        listening: Optional[socket.socket] = None,
    ) -> Serving:
        made.append(Serving(seconds, most, app, listening or listen(0)))
        return made[-1]

    yield start
    for one in made:
        one.close()


async def reply(send: Any, more: bool = False) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"x", b"y")]})
    await send({"type": "http.response.body", "body": b"", "more_body": more})


async def plain(scope: Dict[str, Any], receive: Any, send: Any) -> None:
    """Answers when it has the whole request."""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        if not message["more_body"]:
            break
    await reply(send)


def received(client: socket.socket) -> bytes:
    """The next byte that a client receives, b"" where the server has closed the connection."""
    try:
        return client.recv(1)
    except ConnectionResetError:
        return b""


@pytest.mark.parametrize("said", HALVES)
def test_a_request_that_does_not_end_is_given_up(
    said: bytes, serve: Callable[..., Serving]
) -> None:
    server = serve(seconds=10.0)
    assert server.later(server.connect(said)) == b""


@pytest.mark.parametrize("said", HALVES[1:])
def test_so_is_one_that_follows_another(said: bytes, serve: Callable[..., Serving]) -> None:
    server = serve(seconds=10.0)
    client = server.connect(REQUEST + said)
    found = b""
    while not found.endswith(b"\r\n\r\n0\r\n\r\n"):
        found += client.recv(1)
    assert found.startswith(b"HTTP/1.1 200 ") and server.later(client) == b""


def test_an_answer_takes_its_time(serve: Callable[..., Serving]) -> None:
    servers: List[Serving] = []

    async def slow(scope: Dict[str, Any], receive: Any, send: Any) -> None:
        await receive()
        servers[0].advance(100.0)
        for _ in range(5):  # whatever is due happens now
            await asyncio.sleep(0)
        await reply(send)

    servers.append(serve(seconds=10.0, app=slow))
    assert servers[0].request() == b"H"


async def stream(scope: Dict[str, Any], receive: Any, send: Any) -> None:
    """Answers without an end at /stream."""
    await receive()
    is_endless = scope["path"] == "/stream"
    await reply(send, more=is_endless)
    while is_endless and (await receive())["type"] != "http.disconnect":
        pass


def test_one_too_many_closes_the_oldest_that_waits(serve: Callable[..., Serving]) -> None:
    server = serve(most=3, app=stream)
    answered = server.connect(STREAM)
    assert received(answered) == b"H"
    silent = [server.connect(HALVES[1]) for _ in range(4)]
    assert server.request() == b"H"
    assert [received(client) for client in silent[:3]] == 3 * [b""]
    silent[3].sendall(b"\r\n")
    assert received(silent[3]) == b"H"
    found = b""
    while not found.endswith(b"\r\n\r\n"):
        found += received(answered)
    answered.setblocking(False)
    with pytest.raises(BlockingIOError):  # it goes on
        answered.recv(1)


def test_where_all_are_answered_the_oldest_makes_room(serve: Callable[..., Serving]) -> None:
    server, clients = serve(most=2, app=stream), []
    for _ in range(5):
        clients.append(server.connect(STREAM))
        assert received(clients[-1]) == b"H"
    for client in clients[:3]:
        while received(client):
            pass


def test_a_server_that_ends_ends_streams(serve: Callable[..., Serving], capfd: Any) -> None:
    server = serve(app=stream)
    client = server.connect(STREAM)
    assert received(client) == b"H"
    server.stop()
    while received(client):
        pass
    assert capfd.readouterr().err == ""


class Refusing(socket.socket):
    """A socket that cannot accept anybody at first, as where too many files are open."""

    failures = 40

    def accept(self) -> Any:
        if self.failures:
            self.failures -= 1
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return super().accept()


def test_without_descriptors_there_is_one_line(serve: Callable[..., Serving], capfd: Any) -> None:
    listening = Refusing()
    listening.bind((LOOPBACK, 0))
    listening.listen()
    server = serve(listening=listening)
    assert server.later(server.connect(REQUEST)) == b"H"
    assert listening.failures == 0
    assert set(server.said) == {"a connection cannot be accepted: Too many open files"}
    assert len(server.said) < Refusing.failures / 2 and capfd.readouterr().err == ""
