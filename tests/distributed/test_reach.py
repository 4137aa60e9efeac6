"""Why a worker cannot reach its master: warnings, versions, host names, greetings."""

from __future__ import annotations

import socket
import time
from contextlib import closing
from pathlib import Path
from threading import Event
from typing import Any

import pytest

pytest.importorskip("zmq", reason="pyzmq is missing")
from helpers.masters import master_of
from helpers.servers import serving
from helpers.wire import sealed

from pns.distributed.client import Client, NoAnswer
from pns.distributed.keys import make_keys, read_keys
from pns.distributed.messages import WireError, decode
from pns.distributed.reach import mechanism_at, resolve
from pns.distributed.transport import Server

pytestmark = pytest.mark.search


def warning(address: str, monkeypatch: pytest.MonkeyPatch, reason: str, keys: Any = None) -> str:
    """The first warning with that reason of a worker that cannot reach a master; or the last.

    On a loaded machine, a worker may warn before a handshake has failed: so it warns again.
    """
    monkeypatch.setattr("pns.distributed.client.WARN_SECONDS", 0.5)
    monkeypatch.setattr("pns.distributed.client.WARN_AGAIN_SECONDS", 0.5)
    warnings = [""]
    limit = time.monotonic() + 60

    def given_up() -> bool:
        return reason in warnings[-1] or time.monotonic() > limit

    client = Client(address, "w", keys, given_up, warn=warnings.append)
    with pytest.raises(NoAnswer):
        client.join("sprouts")
    client.disconnect()
    return warnings[-1]


def test_a_worker_warns_why_it_has_no_master(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        address = "127.0.0.1:%d" % other.getsockname()[1]
        nobody = "no program listens at %s; still asking" % address
        assert warning(address, monkeypatch, nobody) == nobody
        other.listen()
        assert "no reply from" in warning(address, monkeypatch, "no reply from")
    path = "ipc://%s" % (tmp_path / "none")
    assert "no program listens" in warning(path, monkeypatch, "no program listens")
    master_path, worker_path = make_keys(str(tmp_path))
    (tmp_path / "other").mkdir()
    others = read_keys(make_keys(str(tmp_path / "other"))[1])
    with serving(master_of("0*3"), ["127.0.0.1:0"], read_keys(master_path)) as server:
        assert "other keys" in warning(server.addresses[0], monkeypatch, "other keys", others)


def test_a_worker_names_the_version_of_another_master(monkeypatch: pytest.MonkeyPatch) -> None:
    import zmq

    master = master_of("0*3")
    with serving(master, ["127.0.0.1:0"]) as server, monkeypatch.context() as other:
        other.setattr(
            "pns.distributed.transport.ALIVE", sealed(["reply", 0, 1, None, [], ""], version=9)
        )
        other.setattr(
            "pns.distributed.client.encode", lambda *_: sealed(["join", 1, "w"], version=9)
        )
        client = Client(server.addresses[0], "w")
        with pytest.raises(WireError, match="another version of pns: .* 9; this is version 8"):
            client.join("sprouts")
        client.disconnect()
    with serving(master, ["127.0.0.1:0"]) as server:
        with zmq.Context() as context, context.socket(zmq.DEALER) as sender:
            sender.connect("tcp://" + server.addresses[0])
            sender.send(sealed(["get", 1], version=9))
            assert sender.poll(10_000) and decode(sender.recv()).number == 0


def test_host_names() -> None:
    assert resolve("localhost:5000") == "tcp://127.0.0.1:5000"
    for address in ("127.0.0.1:5", "[::1]:5"):
        assert resolve(address) == "tcp://" + address
    for address in ("no.such.host.invalid:5", "a..b:5", "%s.b:5" % ("a" * 80)):
        with pytest.raises(WireError, match="cannot find the host"):
            resolve(address)


def test_a_silent_name_service_does_not_block(monkeypatch: pytest.MonkeyPatch) -> None:
    end = Event()

    def look_up(*_: Any) -> None:
        end.wait(60)
        raise OSError

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    start = time.monotonic()
    with pytest.raises(WireError, match="no answer from the name service"):
        resolve("example.org:5", lambda: True)
    end.set()
    assert time.monotonic() - start < 30


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]"])
@pytest.mark.parametrize("mechanism", [b"NULL", b"CURVE"])
def test_the_mechanism_of_a_server(tmp_path: Path, mechanism: bytes, host: str) -> None:
    keys: Any = None
    if mechanism == b"CURVE":
        make_keys(str(tmp_path))
        keys = read_keys(str(tmp_path / "master.key"))
    server = Server(master_of("0*6"), ["%s:0" % host], keys)
    try:
        assert mechanism_at("tcp://" + server.addresses[0]) == mechanism
    finally:
        server.close()


def test_without_a_greeting_there_is_no_mechanism() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        where = "tcp://127.0.0.1:%d" % silent.getsockname()[1]
        assert mechanism_at(where) == b""
    assert mechanism_at(where) == b""
