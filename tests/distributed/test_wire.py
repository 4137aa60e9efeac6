"""Messages: round trips, refusals, damage; a master and workers over sockets, with and without
keys, through a restart."""

from __future__ import annotations

import errno
import json
import os
import random
import socket
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any, Iterator, List, Set

import pytest
from helpers.wire import REPORT, RESULT, SPEC, damaged, samples, sealed

pytest.importorskip("zmq", reason="pyzmq is missing")
import msgpack
from helpers.masters import SPROUTS, master_of

from pns.bounds import INF
from pns.dfpn import RECURSION_LIMIT
from pns.distributed import messages
from pns.distributed.client import Client, NoAnswer
from pns.distributed.keys import make_keys, read_keys
from pns.distributed.messages import WireError, decode, encode
from pns.distributed.protocol import JOB, UNKNOWN, WAIT, JobReport, Reply
from pns.distributed.reach import resolve
from pns.distributed.transport import Server
from pns.facts import Fact, Facts
from pns.master import Master
from pns.worker import Worker


def test_round_trips() -> None:
    found = [decode(data) for data in samples()]
    assert [message.kind for message in found[:3]] == ["join", "get", "update"]
    assert [message.number for message in found] == list(range(1, 10))
    assert messages.unpack_report(found[2].body) == REPORT
    assert messages.unpack_result(found[3].body[-1]) == RESULT
    assert messages.unpack_result(found[4].body[-1]) is None
    assert messages.unpack_reply(found[8].body) == Reply(JOB, SPEC, [(b"0", 0)], "")


@pytest.mark.parametrize(
    "parts",
    [
        [],
        ["get"],
        ["get", -1],
        ["get", 1, 1],
        ["fetch", 1],
        [b"get", 1],
        ["join", 1, "w", "sprouts"],
        ["join", 1, "w", "sprouts", "g"],
        ["join", 1, "", "sprouts", "g", ""],
        ["join", 1, "w" * 101, "sprouts", "g", ""],
        ["join", 1, "w\n", "sprouts", "g", ""],
        ["join", 1, "w", "sprouts", "g", "\n"],
        ["add_facts", 1, [[b"0*2", 251]]],
        ["add_facts", 1, [[b"0*2", -1]]],
        ["add_facts", 1, [[b"0*2", True]]],
        ["add_facts", 1, [[b"0*2", 1.0]]],
        ["add_facts", 1, [[b"0*2", 1, 1]]],
        ["add_facts", 1, [[b"0 2", 1]]],
        ["add_facts", 1, [[b"", 1]]],
        ["add_facts", 1, [["0*2", 1]]],
        ["add_facts", 1, [[b"\xff", 1]]],
        ["add_facts", 1, [[b"0", 1]] * (messages.MOST_FACTS + 1)],
        ["update", 1, 7, b"0*6", 256, 3, 4, 1, 1, 0.5, 1, []],
        ["update", 1, 7, b"0*6", 1, 3, INF + 1, 1, 1, 0.5, 1, []],
        ["update", 1, 7, b"0*6", 1, 3, 4, 1, 1, -0.5, 1, []],
        ["update", 1, 7, b"0*6", 1, 3, 4, 1, 1, float("nan"), 1, []],
        ["submit", 1, 7, b"0*6", 1, 3, 4, 1, 1, 0.5, 1, [], bytes(12)],
        ["submit", 1, 7, b"0*6", 1, 3, 4, 1, 1, 0.5, 1, [], [1, 1]],
        ["reply", 1, 9, None, [], ""],
        ["reply", 1, 0, [1, b"0", 0, 0, 1, 2], [], ""],
        {"get": 1},
    ],
)
def test_wrong_bodies_are_refused(parts: Any) -> None:
    packed = msgpack.packb([messages.VERSION, *parts] if type(parts) is list else parts)
    with pytest.raises(WireError):
        decode(sealed(packed))


def test_versions_depth_and_size_are_refused() -> None:
    sys.setrecursionlimit(RECURSION_LIMIT)  # as a search leaves it
    with pytest.raises(WireError, match="version 9; this is version 5"):
        decode(sealed(["get", 1], version=9))
    for packed in (b"\x91" * 1_000_000, b"\xdd\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff", b""):
        with pytest.raises(WireError):
            decode(sealed(packed))
    with pytest.raises(WireError, match="at most"):
        decode(bytes(messages.MOST_BYTES + 1))
    with pytest.raises(WireError, match="cannot be sent"):
        encode("add_facts", 1, [[[b"a b", 0]]])


def bombard(count: int, seed: int) -> None:
    """Damaged messages, also such whose digest is right, to a server that must not mind."""
    rng, good = random.Random(seed), samples()
    passed = 0
    for _ in range(count):
        data = damaged(rng.choice(good), rng)
        try:
            message = decode(data)
        except WireError:
            continue
        passed += data not in good
        assert messages.fits(message.body, messages.SHAPES[message.kind])
    assert passed > count // 200  # an altered count, say, under a digest made anew


def test_damaged_messages() -> None:
    bombard(20_000, 1)


@pytest.mark.slow
def test_a_million_damaged_messages() -> None:
    bombard(1_000_000, 2)


@contextmanager
def serving(master: Master, addresses: List[str], keys: Any = None) -> Iterator[Server]:
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
    client = Client(address, name, keys, patience=patience)
    worker = Worker(client, SPROUTS, 1 << 14)
    worker.run()
    client.disconnect()
    return worker


def test_workers_over_sockets(tmp_path: Path) -> None:
    master = master_of("0*6", iterations=30, updates=10, grundy=True)
    with serving(master, ["127.0.0.1:0", "ipc://%s" % (tmp_path / "socket")]) as server:
        threads = [
            Thread(target=work, args=(address, "worker %s" % address))
            for address in server.addresses
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(100)
        assert (master.grundy_number, server.refused) == (0, 0)
    assert master.counts.given > 5 and not master.workers
    assert 0 < master.statistics(0.0).utilisation <= 1


def test_garbage_over_a_socket_changes_nothing() -> None:
    import zmq

    master = master_of("0*5", iterations=30)
    rng = random.Random(4)
    with serving(master, ["127.0.0.1:0"]) as server:
        with zmq.Context() as context, context.socket(zmq.DEALER) as socket:
            socket.connect("tcp://" + server.addresses[0])
            for i in range(500):
                data = damaged(rng.choice(samples()), rng, 3)  # who can seal is believed
                socket.send_multipart([data] if i % 9 else [data, data])
            while server.refused < 300:
                time.sleep(0.01)
            work(server.addresses[0])
    assert master.outcome is True and not master.failure


def test_an_address_that_others_reach_needs_keys(tmp_path: Path) -> None:
    for address in ("0.0.0.0:0", "*:0", "192.0.2.1:5000", "example.org:80", "[::]:0"):
        with pytest.raises(WireError, match="so it needs keys"):
            Server(master_of("0*3"), [address])
    for address in ("5000", "host:", ":5000", "host:port", "host:99999"):
        with pytest.raises(WireError, match="is no address; write HOST:PORT"):
            Server(master_of("0*3"), [address])


def test_keys_let_in_who_has_them_and_nobody_else(tmp_path: Path) -> None:
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
        for wrong, why in ((None, "wants keys"), (stranger, "does not know these keys")):
            client = Client(address, "stranger", wrong)
            with pytest.raises(WireError, match=why):
                client.join("sprouts")
            client.disconnect()
        assert not master.workers and master.outcome is None
        work(address, "w", own)
    assert master.outcome is True
    with serving(master, ["127.0.0.1:0"]) as server:
        client = Client(server.addresses[0], "w", own)
        with pytest.raises(WireError, match="has no keys: leave out --keys"):
            client.join("sprouts")
        client.disconnect()


def test_key_files_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "key"
    for text in ("", "{}", "[]", '{"public": 1, "secret": "a", "other": "b"}', "\x00"):
        path.write_text(text)
        with pytest.raises(WireError, match="no key file"):
            read_keys(str(path))
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a regular file"):
        read_keys(str(tmp_path / "pipe"))
    path.write_text('{"public": "a", "secret": "a", "other": "b"}')
    with pytest.raises(WireError, match="damaged"):
        read_keys(str(path))


def test_a_worker_survives_the_restart_of_its_master(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: Set[Fact] = set()

    def submit(name: str, report: JobReport, *rest: Any) -> Reply:
        reported.update(report.facts)
        return Master.submit(first, name, report, *rest)

    address = "ipc://%s" % (tmp_path / "socket")
    first = master_of("0*7", iterations=30, updates=10)
    monkeypatch.setattr(first, "submit", submit)
    found: List[Worker] = []
    thread = Thread(target=lambda: found.append(work(address, patience=0.5)))
    with serving(first, [address]):
        thread.start()
        while first.counts.submitted < 20:
            time.sleep(0.01)
    assert reported and first.outcome is None
    second = master_of("0*7", facts=Facts("sprouts"), iterations=30)
    with serving(second, [address]):
        thread.join(100)
    assert second.outcome is False and found[0].reason == "solved"
    assert reported <= set(second.facts.items())


def complaints(
    address: str, monkeypatch: pytest.MonkeyPatch, keys: Any = None, seconds: float = 0.5
) -> str:
    """What a worker says that finds no master, and is stopped then."""
    monkeypatch.setattr("pns.distributed.client.WARN_SECONDS", seconds)
    said: List[str] = []
    client = Client(address, "w", keys, lambda: bool(said), warn=said.append)
    with pytest.raises(NoAnswer):
        client.join("sprouts")
    client.disconnect()
    (line,) = said
    return line


def test_a_worker_says_why_there_is_no_master(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        address = "127.0.0.1:%d" % other.getsockname()[1]
        assert complaints(address, monkeypatch) == "nobody listens at %s; still asking" % address
        other.listen()
        assert "says nothing" in complaints(address, monkeypatch)
    path = "ipc://%s" % (tmp_path / "none")
    assert "nobody listens" in complaints(path, monkeypatch)
    master_path, worker_path = make_keys(str(tmp_path))
    (tmp_path / "other").mkdir()
    others = read_keys(make_keys(str(tmp_path / "other"))[1])
    with serving(master_of("0*3"), ["127.0.0.1:0"], read_keys(master_path)) as server:
        assert "other keys" in complaints(server.addresses[0], monkeypatch, others)


def test_a_master_of_another_version_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
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
        with pytest.raises(WireError, match="another version of pns: .* 9; this is version 5"):
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


def test_a_name_service_that_is_silent_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
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


def dealer(context: Any, address: str) -> Any:
    """A peer that may send what it likes."""
    import zmq

    peer = context.socket(zmq.DEALER)
    peer.linger, peer.rcvtimeo = 0, 20_000
    peer.connect("tcp://" + address)
    return peer


def test_a_connection_is_one_worker_at_a_time() -> None:
    import zmq

    master = master_of("0*5", iterations=30)
    with serving(master, ["127.0.0.1:0"]) as server, zmq.Context() as context:
        with dealer(context, server.addresses[0]) as peer:
            for i in range(300):
                peer.send(encode("join", i, ["w%d" % i, "sprouts", "g", ""]))
                assert decode(peer.recv()).number == i
            assert list(master.workers) == ["w299"] and len(master.log.names) == 3
            peer.send(encode("get", 300, []))
            assert decode(peer.recv()).body[0] == JOB
            peer.send(encode("join", 301, ["other", "sprouts", "g", ""]))
            peer.recv()
        assert list(master.workers) == ["other"] and not master.jobs


def test_a_name_is_free_once_its_connection_is_closed() -> None:
    said: List[str] = []
    master = master_of("0*5")
    with serving(master, ["127.0.0.1:0"]) as server:
        first, second = [Client(server.addresses[0], "w", warn=said.append) for _ in range(2)]
        first.join("sprouts")
        thread = Thread(target=second.join, args=("sprouts",))
        thread.start()
        while not said:
            time.sleep(0.01)
        assert first.get().status == JOB and thread.is_alive()
        first.disconnect()
        thread.join(60)
        assert not thread.is_alive() and list(master.workers) == ["w"] and not master.jobs
        second.disconnect()
    assert said == ["%s: another worker has the name w; waiting" % server.addresses[0]]


def test_a_name_is_free_once_its_lease_has_run_out() -> None:
    master = master_of("0*5", lease=0.5)
    with serving(master, ["127.0.0.1:0"]) as server:
        said: List[str] = []
        first, second = [Client(server.addresses[0], "w", warn=said.append) for _ in range(2)]
        assert first.join("sprouts").status == second.join("sprouts").status == WAIT
        assert said
        said.clear()
        assert first.get().status == UNKNOWN
        first.disconnect()
        second.disconnect()


def test_no_more_workers_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pns.distributed.transport.MOST_WORKERS", 1)
    said: List[str] = []
    with serving(master_of("0*5"), ["127.0.0.1:0"]) as server:
        first = Client(server.addresses[0], "first")
        first.join("sprouts")
        second = Client(server.addresses[0], "second", None, lambda: bool(said), warn=said.append)
        with pytest.raises(NoAnswer, match="1 workers are here, and no more can be"):
            second.join("sprouts")
        first.leave()
        third = Client(server.addresses[0], "third")
        assert third.join("sprouts").status == WAIT
        for client in (first, second, third):
            client.disconnect()


def test_half_a_connection_is_closed_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pns.distributed.transport.HANDSHAKE_SECONDS", 0.2)
    with serving(master_of("0*5"), ["127.0.0.1:0"]) as server:
        host, _, port = server.addresses[0].rpartition(":")
        with socket.create_connection((host, int(port))) as half:
            half.settimeout(10)
            while half.recv(100):
                pass


def test_few_messages_wait_for_a_master_that_is_busy() -> None:
    import zmq

    server = Server(master_of("0*5"), ["127.0.0.1:0"])  # and nobody serves
    with zmq.Context() as context, dealer(context, server.addresses[0]) as peer:
        peer.sndhwm, peer.sndtimeo = 1, 500
        peer.connect("tcp://" + server.addresses[0])
        taken, megabyte = 0, bytes(1 << 20)
        with pytest.raises(zmq.Again):
            while taken < 100:
                peer.send(megabyte)
                taken += 1
    server.close()
    assert taken


def test_a_peer_that_reads_nothing_is_left_alone() -> None:
    import zmq

    master = master_of("0*5", iterations=30)
    facts = [(b"%d*%d" % (i, i), 0) for i in range(2000)]
    for land, number in facts:
        master.log.append(land, number, 0)
    with serving(master, ["127.0.0.1:0"]) as server, zmq.Context() as context:
        with dealer(context, server.addresses[0]) as peer:
            for i in range(300):  # replies of 9 MB
                peer.send(encode("join", i, ["w%d" % (i % 2), "sprouts", "g", ""]))
            peer.send(b"")
            while not server.refused:
                time.sleep(0.01)
        assert len(master.workers) == 1


def test_replays_do_no_harm() -> None:
    import zmq

    master = master_of("0*5", iterations=30)
    requests = [data for data in samples() if decode(data).kind != "reply"]
    with serving(master, ["127.0.0.1:0"]) as server, zmq.Context() as context:
        with dealer(context, server.addresses[0]) as peer:
            for _ in range(100):
                for data in requests:
                    peer.send(data)
                    assert decode(peer.recv()).number == decode(data).number
        assert not master.workers and not master.jobs and len(master.log.names) < 10
        work(server.addresses[0])
    assert master.outcome is True and not master.failure


def test_keys_are_written_both_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
