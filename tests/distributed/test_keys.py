"""Keys: who may connect, and key files."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("zmq", reason="pyzmq is missing")
from helpers.masters import master_of
from helpers.servers import serving, work

from pns.distributed.client import Client
from pns.distributed.keys import make_keys, read_keys
from pns.distributed.messages import WireError
from pns.distributed.transport import Server


def test_an_address_for_other_machines_needs_keys(tmp_path: Path) -> None:
    for address in ("0.0.0.0:0", "*:0", "192.0.2.1:5000", "example.org:80", "[::]:0"):
        with pytest.raises(WireError, match="so it needs keys"):
            Server(master_of("0*3"), [address])
    for address in ("5000", "host:", ":5000", "host:port", "host:99999"):
        with pytest.raises(WireError, match="invalid address .*; expected HOST:PORT"):
            Server(master_of("0*3"), [address])


def test_only_workers_with_the_right_keys_are_let_in(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    master_path, worker_path = make_keys(str(tmp_path))
    make_keys(str(tmp_path / "other"))
    with pytest.raises(FileExistsError):
        make_keys(str(tmp_path))
    assert os.stat(master_path).st_mode & 0o777 == 0o600
    keys, own = read_keys(master_path), read_keys(worker_path)
    stranger = read_keys(str(tmp_path / "other" / "worker.key"))._replace(other=keys.public)
    master = master_of("0*5", iterations=30)
    with serving(master, ["0.0.0.0:0"], keys) as server:
        address = "127.0.0.1:" + server.addresses[0].rpartition(":")[2]
        for wrong, why in ((None, "requires keys"), (stranger, "does not know these keys")):
            client = Client(address, "stranger", wrong)
            with pytest.raises(WireError, match=why):
                client.join("sprouts")
            client.disconnect()
        assert not master.workers and master.knowledge.outcome is None
        work(address, "w", own)
    assert master.knowledge.outcome is True
    with serving(master, ["127.0.0.1:0"]) as server:
        client = Client(server.addresses[0], "w", own)
        with pytest.raises(WireError, match="does not use keys; leave out keys"):
            client.join("sprouts")
        client.disconnect()


def test_key_files_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "key"
    for text in ("", "{}", "[]", '{"public": 1, "secret": "a", "other": "b"}', "\x00"):
        path.write_text(text)
        with pytest.raises(WireError, match="no such key file"):
            read_keys(str(path))
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a regular file"):
        read_keys(str(tmp_path / "pipe"))
    path.write_text('{"public": "a", "secret": "a", "other": "b"}')
    with pytest.raises(WireError, match="damaged"):
        read_keys(str(path))


def test_both_keys_are_written_or_neither(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dumps, calls = json.dumps, [0]

    def full(value: Any) -> str:
        calls[0] += 1
        if calls[0] == 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return dumps(value)

    monkeypatch.setattr("pns.distributed.keys.json.dumps", full)
    with pytest.raises(OSError) as caught:
        make_keys(str(tmp_path))
    assert not list(tmp_path.iterdir()), caught.value
    assert len(make_keys(str(tmp_path))) == 2
    with pytest.raises(FileExistsError):
        make_keys(str(tmp_path))
    assert len(list(tmp_path.iterdir())) == 2
