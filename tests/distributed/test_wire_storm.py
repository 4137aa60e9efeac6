"""Damaged and foreign messages to a running master: no crash, no growth, no fact."""

from __future__ import annotations

import random
import socket
import time
from pathlib import Path
from typing import List

import pytest
from helpers.live import LiveMaster, LiveWorkers
from helpers.searches import brute_grundy
from helpers.solver import contents, needs_lmdb
from helpers.wire import damaged, samples

pytest.importorskip("zmq", reason="pyzmq is missing")
import zmq

from pns.distributed.keys import make_keys
from pns.distributed.messages import MOST_COUNT, decode, encode

POSITION = "0*5"
MOST_GROWTH = 16 << 20
"""Bytes by which the JIT and arenas of the master may grow, whatever the number of messages."""


def storm(sender: "zmq.Socket[bytes]", count: int, rng: random.Random) -> None:
    """Send damaged messages, and good ones of a worker that never joined; then wait for a reply.

    Altered messages have a wrong digest, but one in four gets a right digest, so that its
    shape or content is wrong. None is a good "join", since a worker that joins is believed.
    """
    good = samples()
    for i in range(count):
        data = damaged(rng.choice(good), rng, 3)
        if i % 4 == 0:
            data = damaged(rng.choice(good[1:]), rng)
        if data == good[0]:
            continue  # a bit was flipped twice
        sender.send_multipart([data] if i % 50 else [data, b"", data])
        while sender.poll(0):
            sender.recv()
    sender.send(encode("get", MOST_COUNT, []))
    while decode(sender.recv()).number != MOST_COUNT:
        pass


def rubbish(address: str, rng: random.Random) -> None:
    """Connect without ZeroMQ's greeting, and send random bytes."""
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port))) as stream:
        try:
            stream.sendall(rng.randbytes(rng.randrange(3000)))
        except OSError:
            pass  # the master closed the connection


def memory_after_storms(place: Path, counts: List[int]) -> List[int]:
    """Send storms to a master, which then must solve its position; its memory after each."""
    rng = random.Random(5)
    database = place / "facts"
    master = LiveMaster(place, POSITION, "--db", database, "--iterations", 50)
    bytes_held: List[int] = []
    try:
        with zmq.Context() as context, context.socket(zmq.DEALER) as sender:
            sender.linger, sender.rcvtimeo = 0, 200_000
            sender.connect("tcp://" + master.address)
            for count in counts:
                start = time.monotonic()
                storm(sender, count, rng)
                for _ in range(20):
                    rubbish(master.address, rng)
                bytes_held.append(master.memory())
                seconds = time.monotonic() - start
                print("%8d messages, %.1f s, %d bytes" % (count, seconds, bytes_held[-1]))
        assert not contents(database)
        with LiveWorkers("--connect", master.address) as workers:
            workers.start()
            result = master.result()
        assert (result["outcome"], result["distribution"]["joined"]) == ("win", 1)
        facts = contents(database)
        assert len(facts) > 20
        for land, number in facts.items():
            assert number == brute_grundy(land), land
    finally:
        master.kill()
    return bytes_held


@needs_lmdb
def test_a_storm(tmp_path: Path) -> None:
    memory_after_storms(tmp_path, [4000])


@needs_lmdb
@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_a_million_messages(tmp_path: Path) -> None:
    held = memory_after_storms(tmp_path, [100_000] * 10)
    assert held[-1] - held[0] < MOST_GROWTH, held


def test_a_storm_without_a_key(tmp_path: Path) -> None:
    keys, _ = make_keys(str(tmp_path))
    words = ("--no-db", "--keys", keys)
    master = LiveMaster(tmp_path, "0*3", *words, listen="0.0.0.0:0")
    address = "127.0.0.1:" + master.address.rpartition(":")[2]
    try:
        with zmq.Context() as context, context.socket(zmq.DEALER) as sender:
            sender.linger = sender.sndtimeo = 0
            sender.connect("tcp://" + address)
            try:
                for _ in range(3000):
                    sender.send(samples()[0])  # "join"
            except zmq.Again:
                pass  # the connection takes no more
            assert not sender.poll(1000)
        with LiveWorkers("--connect", address, "--keys", tmp_path / "worker.key") as workers:
            workers.start()
            result = master.result()
            assert result["distribution"]["joined"] == 1 and result["outcome"] == "win"
    finally:
        master.kill()
