"""A master and its workers over sockets: restarts, names, limits, and messages of strangers."""

from __future__ import annotations

import random
import socket
import time
from pathlib import Path
from threading import Thread
from typing import Any, List, Set

import pytest

pytest.importorskip("zmq", reason="pyzmq is missing")
from helpers.masters import master_of
from helpers.servers import dealer, serving, work
from helpers.wire import damaged, samples

from pns.distributed.client import Client, NoAnswer
from pns.distributed.messages import decode, encode
from pns.distributed.transport import Server
from pns.facts import Fact, Facts
from pns.jobs.protocol import JOB, UNKNOWN, WAIT, JobReport, Reply
from pns.master import Master
from pns.worker import Worker


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
        assert (master.knowledge.grundy_number, server.refused) == (0, 0)
    assert master.jobs.counts.given > 5 and not master.workers
    assert 0 < master.statistics(0.0).utilisation <= 1


def test_damaged_messages_over_a_socket_change_nothing() -> None:
    import zmq

    master = master_of("0*5", iterations=30)
    rng = random.Random(4)
    with serving(master, ["127.0.0.1:0"]) as server:
        with zmq.Context() as context, context.socket(zmq.DEALER) as socket:
            socket.connect("tcp://" + server.addresses[0])
            for i in range(500):
                data = damaged(rng.choice(samples()), rng, 3)  # without right digests
                socket.send_multipart([data] if i % 9 else [data, data])
            while server.refused < 300:
                time.sleep(0.01)
            work(server.addresses[0])
    assert master.knowledge.outcome is True and not master.knowledge.failure


def test_a_worker_goes_on_after_the_restart_of_its_master(
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
        while first.jobs.counts.submitted < 20:
            time.sleep(0.01)
    assert reported and first.knowledge.outcome is None
    second = master_of("0*7", facts=Facts("sprouts"), iterations=30)
    with serving(second, [address]):
        thread.join(100)
    assert second.knowledge.outcome is False and found[0].reason == "solved"
    assert reported <= set(second.facts.items())


def test_a_connection_has_one_worker_at_a_time() -> None:
    import zmq

    master = master_of("0*5", iterations=30)
    with serving(master, ["127.0.0.1:0"]) as server, zmq.Context() as context:
        with dealer(context, server.addresses[0]) as peer:
            for i in range(300):
                peer.send(encode("join", i, ["w%d" % i, "sprouts", "g", "", False]))
                assert decode(peer.recv()).number == i
            assert list(master.workers) == ["w299"] and len(master.knowledge.log.names) == 3
            peer.send(encode("get", 300, []))
            assert decode(peer.recv()).body[0] == JOB
            peer.send(encode("join", 301, ["other", "sprouts", "g", "", False]))
            peer.recv()
        assert list(master.workers) == ["other"] and not master.jobs.leased


def test_a_name_is_free_once_its_connection_is_closed() -> None:
    warnings: List[str] = []
    master = master_of("0*5")
    with serving(master, ["127.0.0.1:0"]) as server:
        first, second = [Client(server.addresses[0], "w", warn=warnings.append) for _ in range(2)]
        first.join("sprouts")
        thread = Thread(target=second.join, args=("sprouts",))
        thread.start()
        while not warnings:
            time.sleep(0.01)
        assert first.get().status == JOB and thread.is_alive()
        first.disconnect()
        thread.join(60)
        assert not thread.is_alive() and list(master.workers) == ["w"] and not master.jobs.leased
        second.disconnect()
    assert warnings == ["%s: another worker has the name w; waiting" % server.addresses[0]]


def test_a_name_is_free_once_its_lease_has_run_out() -> None:
    master = master_of("0*5", lease=0.5)
    with serving(master, ["127.0.0.1:0"]) as server:
        warnings: List[str] = []
        first, second = [Client(server.addresses[0], "w", warn=warnings.append) for _ in range(2)]
        assert first.join("sprouts").status == second.join("sprouts").status == WAIT
        assert warnings
        warnings.clear()
        assert first.get().status == UNKNOWN
        first.disconnect()
        second.disconnect()


def test_no_more_workers_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pns.distributed.transport.MOST_WORKERS", 1)
    warnings: List[str] = []
    with serving(master_of("0*5"), ["127.0.0.1:0"]) as server:
        first = Client(server.addresses[0], "first")
        first.join("sprouts")
        second = Client(
            server.addresses[0], "second", None, lambda: bool(warnings), warn=warnings.append
        )
        with pytest.raises(NoAnswer, match="1 workers are here, and no more can be"):
            second.join("sprouts")
        first.leave()
        third = Client(server.addresses[0], "third")
        assert third.join("sprouts").status == WAIT
        for client in (first, second, third):
            client.disconnect()


def test_a_connection_without_a_handshake_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pns.distributed.transport.HANDSHAKE_SECONDS", 0.2)
    with serving(master_of("0*5"), ["127.0.0.1:0"]) as server:
        host, _, port = server.addresses[0].rpartition(":")
        with socket.create_connection((host, int(port))) as half:
            half.settimeout(10)
            while half.recv(100):
                pass


def test_only_a_few_messages_wait_for_a_busy_master() -> None:
    import zmq

    server = Server(master_of("0*5"), ["127.0.0.1:0"])  # which does not serve
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


def test_a_peer_that_reads_no_replies_does_not_block_the_master() -> None:
    import zmq

    master = master_of("0*5", iterations=30)
    facts = [(b"%d*%d" % (i, i), 0) for i in range(2000)]
    for land, number in facts:
        master.knowledge.log.append(land, number, 0)
    with serving(master, ["127.0.0.1:0"]) as server, zmq.Context() as context:
        with dealer(context, server.addresses[0]) as peer:
            for i in range(300):  # replies of 9 MB
                peer.send(encode("join", i, ["w%d" % (i % 2), "sprouts", "g", "", False]))
            peer.send(b"")
            while not server.refused:
                time.sleep(0.01)
        assert len(master.workers) == 1


def test_replayed_messages_do_no_harm() -> None:
    import zmq

    master = master_of("0*5", iterations=30)
    requests = [data for data in samples() if decode(data).kind != "reply"]
    with serving(master, ["127.0.0.1:0"]) as server, zmq.Context() as context:
        with dealer(context, server.addresses[0]) as peer:
            for _ in range(100):
                for data in requests:
                    peer.send(data)
                    assert decode(peer.recv()).number == decode(data).number
        assert (
            not master.workers and not master.jobs.leased and len(master.knowledge.log.names) < 10
        )
        work(server.addresses[0])
    assert master.knowledge.outcome is True and not master.knowledge.failure
