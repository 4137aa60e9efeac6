"""What a worker can learn about a master that does not let it in."""

from __future__ import annotations

import socket
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("zmq", reason="pyzmq is missing")
from helpers.masters import master_of

from pns.distributed.keys import make_keys, read_keys
from pns.distributed.reach import mechanism_at
from pns.distributed.transport import Server


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


def test_no_greeting_no_mechanism() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        where = "tcp://127.0.0.1:%d" % silent.getsockname()[1]
        assert mechanism_at(where) == b""
    assert mechanism_at(where) == b""
