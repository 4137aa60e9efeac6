"""The server of `--metrics`: whom it answers, and that nobody waits for a silent client."""

from __future__ import annotations

import os
import resource
import socket
import threading
from contextlib import suppress
from typing import Iterator, List, Optional

import pytest
from helpers.http_client import get
from helpers.masters import Clock

from pns.cli.metrics.exposition import GAUGE, Metric
from pns.cli.metrics.server import (
    CLIENT_SECONDS,
    MOST_BYTES,
    MOST_CLIENTS,
    PAUSE_SECONDS,
    MetricsServer,
    answer,
)

METRICS = [Metric("a", GAUGE, "One.", {(): 1})]
TEXT = b"# HELP a One.\n# TYPE a gauge\na 1\n"


@pytest.fixture
def server() -> Iterator[MetricsServer]:
    found = MetricsServer(0, lambda: METRICS, True)
    found.start()
    yield found
    found.close()


def test_the_server_answers_only_its_own_address(server: MetricsServer) -> None:
    status, body, headers = get(server.port)
    assert (status, body) == (200, TEXT)
    assert headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert get(server.port, Host="localhost:%d" % server.port)[0] == 200
    for host in ("evil.example:%d" % server.port, "127.0.0.1", "127.0.0.1:1", ""):
        assert get(server.port, Host=host)[:2] == (403, b"the host is not that of this server\n")
    assert get(server.port, "/")[0] == get(server.port, "/metrics/x")[0] == 404
    assert get(server.port, "/metrics?x=1")[0] == 200
    assert get(server.port, method="POST")[0] == 501


def test_a_client_that_says_nothing_is_disconnected(server: MetricsServer) -> None:
    with socket.create_connection(("127.0.0.1", server.port), 60) as silent:
        assert silent.recv(1) == b""
    assert get(server.port)[0] == 200


def test_at_the_port_of_http_a_host_needs_no_port() -> None:
    for port, hosts, others in (
        (80, ("127.0.0.1", "localhost", "localhost:80"), ("evil.example", "127.0.0.1:81", "")),
        (8080, ("127.0.0.1:8080",), ("127.0.0.1", "127.0.0.1:80")),
    ):
        for host, status in [(host, b"200") for host in hosts] + [(h, b"403") for h in others]:
            said = answer(b"GET /metrics HTTP/1.1\r\nHost: %s\r\n\r\n" % host.encode(), port, list)
            assert said.split(b" ")[1] == status, host


def test_metrics_that_fail_leave_the_server_running() -> None:
    def collect() -> List[Metric]:
        raise KeyError("a")

    assert b" 500 " in answer(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", 80, collect)


class Rounds:
    """A server that a test drives round by round, on a clock of its own, and its clients."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.server = MetricsServer(0, lambda: METRICS, True, self.clock)
        self.clients: List[socket.socket] = []

    def connect(self, said: bytes = b"", client: Optional[socket.socket] = None) -> socket.socket:
        """A client that has said something, of which the server has taken note."""
        client = client or socket.socket()
        self.clients.append(client)
        client.connect(("127.0.0.1", self.server.port))  # it is in the backlog now
        client.sendall(said)
        client.setblocking(False)
        self.server.poll()
        return client

    def request(self) -> bytes:
        return b"GET /metrics HTTP/1.1\r\nHost: localhost:%d\r\n\r\n" % self.server.port

    def reply(self, client: socket.socket) -> bytes:
        """All that a client gets, the server doing rounds until it closes the connection."""
        found = b""
        while True:
            self.server.poll()
            with suppress(BlockingIOError):
                data = client.recv(1 << 16)
                if not data:
                    return found
                found += data


@pytest.fixture
def rounds() -> Iterator[Rounds]:
    found = Rounds()
    yield found
    for client in found.clients:
        client.close()
    found.server.close()


def is_open(client: socket.socket) -> bool:
    """Whether the server has kept the connection, on which it has sent nothing."""
    try:
        return client.recv(1) != b""
    except BlockingIOError:
        return True
    except ConnectionResetError:
        return False


def test_nobody_waits_for_silent_clients(rounds: Rounds) -> None:
    silent = [rounds.connect(said) for said in (b"", b"GET /metrics HTTP/1.1\r\n")]
    assert rounds.reply(rounds.connect(rounds.request())).endswith(TEXT)
    assert all(map(is_open, silent))
    rounds.clock.now = CLIENT_SECONDS
    rounds.server.poll()
    assert not any(map(is_open, silent))


def test_a_request_may_come_in_pieces(rounds: Rounds) -> None:
    client = rounds.connect()
    for letter in rounds.request():
        client.sendall(bytes([letter]))
        rounds.server.poll()
    assert rounds.reply(client).endswith(TEXT)


def test_one_client_too_many_takes_the_place_of_the_oldest(rounds: Rounds) -> None:
    silent = [rounds.connect() for _ in range(MOST_CLIENTS)]
    assert all(map(is_open, silent))
    assert rounds.reply(rounds.connect(rounds.request())).endswith(TEXT)
    assert [is_open(client) for client in silent] == [False] + (MOST_CLIENTS - 1) * [True]


def test_a_request_without_an_end_is_left(rounds: Rounds) -> None:
    client = rounds.connect(b"GET /" + MOST_BYTES * b"x")
    rounds.server.poll()
    assert not is_open(client)


def test_a_client_that_leaves_is_forgotten(rounds: Rounds) -> None:
    rounds.connect(b"GET").close()
    for _ in range(MOST_CLIENTS):  # the others have all places
        rounds.connect()
    rounds.server.poll()
    assert all(map(is_open, rounds.clients[1:]))


def test_without_descriptors_clients_wait(rounds: Rounds) -> None:
    client = socket.socket()
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = os.dup(client.fileno())  # all lower numbers are in use
    os.close(lowest)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, limit[1]))
    try:
        rounds.connect(rounds.request(), client)
        rounds.server.poll()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limit)
    rounds.server.poll()
    assert is_open(client)  # nothing has come: it is not spun upon meanwhile
    with pytest.raises(BlockingIOError):
        client.recv(1)
    rounds.clock.now = PAUSE_SECONDS
    assert rounds.reply(client).endswith(TEXT)


def test_a_closed_server_leaves_no_thread() -> None:
    before = threading.active_count()
    server = MetricsServer(0, list, True)
    server.start()
    assert threading.active_count() == before + 1 and get(server.port)[0] == 200
    server.close()
    assert threading.active_count() == before
    with pytest.raises(ConnectionRefusedError):
        get(server.port)


def test_the_server_listens_on_the_loopback_address_only(server: MetricsServer) -> None:
    with socket.socket() as other:  # any other address of this machine is free
        other.bind(("127.0.0.2", server.port))
