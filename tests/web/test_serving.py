"""The limits of the server: requests that never end, too many connections, no descriptors."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import threading
from typing import Any, Awaitable, Callable, Dict, Iterator, List, Optional

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
from helpers.http_client import get

from pns.loopback import LOOPBACK, listen
from pns.web import serving
from pns.web.serving import Connection, make_server

HEAD = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n"
HALVES = (b"", b"GET / HTTP/1.1\r\nHost: a\r\n", HEAD, HEAD + b"12345")
REQUEST = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
FOREVER = 1e6

App = Callable[[Any, Any, Any], Awaitable[None]]


class Serving:
    """A server in a thread of its own, with limits of its own."""

    def __init__(self, seconds: float, most: int, app: App, listening: socket.socket) -> None:
        limits = {"request_seconds": seconds, "most_connections": most}
        self.said: List[str] = []
        self.port: int = listening.getsockname()[1]
        self._server = make_server(app, type("Limited", (Connection,), limits))
        self._listening = listening
        self._clients: List[socket.socket] = []
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        asyncio.run(serving.answer(self._server, self._listening, self.said.append))

    def connect(self, said: bytes = b"") -> socket.socket:
        """A client that has said something."""
        client = socket.create_connection((LOOPBACK, self.port), 60)
        client.sendall(said)
        self._clients.append(client)
        return client

    def get(self) -> int:
        """The status of a whole request over a connection of its own."""
        return get(self.port, "/")[0]

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join()
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


def is_left(client: socket.socket) -> bool:
    """Wait until the server has said something, or has closed the connection: whether it has."""
    try:
        return client.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize("said", HALVES)
def test_a_request_that_does_not_end_is_given_up(
    said: bytes, serve: Callable[..., Serving]
) -> None:
    assert is_left(serve(seconds=0.05).connect(said))


@pytest.mark.parametrize("said", HALVES[1:])
def test_so_is_one_that_follows_another(said: bytes, serve: Callable[..., Serving]) -> None:
    client = serve(seconds=0.05).connect(REQUEST + said)
    found = b""
    while not found.endswith(b"\r\n\r\n"):
        found += client.recv(1)
    rest = client.makefile("rb").read()
    assert found.startswith(b"HTTP/1.1 200 ") and rest in (b"", b"0\r\n\r\n")


def test_an_answer_takes_its_time(serve: Callable[..., Serving]) -> None:
    """Two silent clients are given up one after the other while it is made."""
    clients: List[bool] = []
    server: List[Serving] = []

    async def slow(scope: Dict[str, Any], receive: Any, send: Any) -> None:
        await receive()
        for _ in range(2):
            silent = server[0].connect()
            left = asyncio.get_running_loop().run_in_executor(None, is_left, silent)
            clients.append(await left)
        await reply(send)

    server.append(serve(seconds=0.05, app=slow))
    assert server[0].get() == 200
    assert clients == [True, True]


def test_one_too_many_closes_the_oldest_that_waits(serve: Callable[..., Serving]) -> None:
    async def streams(scope: Dict[str, Any], receive: Any, send: Any) -> None:
        await receive()
        await reply(send, more=scope["path"] == "/stream")
        while scope["path"] == "/stream" and (await receive())["type"] != "http.disconnect":
            pass

    server = serve(most=3, app=streams)
    stream = server.connect(REQUEST.replace(b"/ ", b"/stream ", 1))
    assert stream.recv(1) == b"H"  # it is being answered
    silent = [server.connect(HALVES[1]) for _ in range(4)]
    assert server.get() == 200
    assert all(map(is_left, silent[:3]))
    for client in (silent[3], server.connect()):
        client.sendall(b"\r\n" if client is silent[3] else REQUEST)
        assert client.recv(1) == b"H"
    stream.setblocking(False)
    found = stream.recv(1 << 16)
    assert found and not found.endswith(b"0\r\n\r\n")  # neither ended nor given up
    with pytest.raises(BlockingIOError):
        stream.recv(1)


def test_where_all_are_answered_the_oldest_makes_room(serve: Callable[..., Serving]) -> None:
    async def stream(scope: Dict[str, Any], receive: Any, send: Any) -> None:
        await receive()
        await reply(send, more=True)
        while (await receive())["type"] != "http.disconnect":
            pass

    server = serve(most=2, app=stream)
    streams = []
    for _ in range(5):
        streams.append(server.connect(REQUEST))
        assert streams[-1].recv(1) == b"H"
    for old in streams[:3]:
        while not is_left(old):
            pass


class Refusing(socket.socket):
    """A socket that cannot accept anybody at first, as where too many files are open."""

    failures = 100

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
    assert server.get() == 200
    assert listening.failures == 0
    assert server.said == ["a connection cannot be accepted: Too many open files"]
    assert capfd.readouterr().err == ""
