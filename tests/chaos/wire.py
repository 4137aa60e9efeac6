"""Bad messages: damaged, truncated, replayed and random ones, on any connection.

Most go to `decode` in the process of the run. Others go to a running master over ZeroMQ and
over plain sockets, or between a master and its workers, which have to finish all the same.
"""

from __future__ import annotations

import socket
import time
from random import Random
from typing import Any, Dict, List, Tuple

import zmq
from helpers.wire import damaged, samples

from chaos.kills import dismiss, finish, listening, start_solver
from chaos.run import Program, Run
from chaos.truth import POSITIONS, QUICK, check_contents, contents
from pns.distributed.keys import make_keys
from pns.distributed.messages import MOST_COUNT, SHAPES, WireError, decode, encode, fits

MOST_GROWTH = 64 << 20
"""Bytes by which the JIT and arenas of a master may grow in a storm."""
ANSWER_SECONDS = 200.0
GREETING = bytes([255, 0, 0, 0, 0, 0, 0, 0, 1, 127, 3])
"""The first bytes of ZeroMQ's protocol."""


def run(run: Run) -> None:
    """Decode many messages in process, and run one scenario with programs."""
    decode_damaged(run)
    run.rng.choice((storm, storm, proxied))(run)


def decode_damaged(run: Run) -> None:
    """Decode damaged messages, some of which have a right digest."""
    rng, good = run.rng, samples()
    for _ in range(run.amount(50_000)):
        data = damaged(rng.choice(good), rng)
        run.counts["messages"] += 1
        try:
            message = decode(data)
        except WireError:
            continue
        if not fits(message.body, SHAPES[message.kind]):
            run.fail("wrong", "a message of a wrong shape passed: %r" % (message,))


def storm(run: Run) -> None:
    """A storm of messages to a master on many connections; then a worker joins and solves."""
    rng = run.rng
    position, database = rng.choice(QUICK), run.work / "facts.lmdb"
    words: List[object] = [position, "--json", "--algorithm", "pns-pdfpn", "--workers", 0]
    words += ["--db", database, "--iterations", 50, "--listen"]
    keys = rng.random() < 0.3
    if keys:
        make_keys(str(run.work))
        words += ["0.0.0.0:0", "--keys", run.work / "master.key"]
    else:
        words += ["127.0.0.1:0"]
    master = start_solver(run, words, None)
    address = "127.0.0.1:" + listening(master).rpartition(":")[2]
    sockets: List[socket.socket] = []
    with zmq.Context() as context:
        pour(run, context, address, 500, keys)
        before = memory_of(master)
        for _ in range(rng.randint(0, 100)):
            sockets.append(half_open(address, rng))
        for _ in range(20):
            rubbish(run, address)
        pour(run, context, address, run.amount(5000), keys)
    growth = memory_of(master) - before
    if growth > MOST_GROWTH:
        run.fail("wrong", "the master grew by %d bytes in a storm" % growth)
    if contents(database):
        run.fail("wrong", "a storm brought facts")
    secret = ("--keys", run.work / "worker.key") if keys else ()
    worker = run.start("worker.py", "--connect", address, "--capacity", 100_000, *secret)
    finish(run, master, position, database)
    dismiss(run, [worker])
    for stream in sockets:
        stream.close()


def memory_of(program: Program) -> int:
    """The resident memory of a program in bytes."""
    with open("/proc/%d/statm" % program.pid) as stream:
        return int(stream.read().split()[1]) * 4096


def pour(run: Run, context: Any, address: str, count: int, keys: bool) -> None:
    """Send damaged messages, and good ones of a worker that never joined, on some connections.

    Altered messages have a wrong digest, or a right one and a wrong shape or content. None is a
    good "join". If the master has keys, nothing gets through.
    """
    rng, good = run.rng, samples()
    for _ in range(4):
        with context.socket(zmq.DEALER) as sender:
            sender.linger, sender.rcvtimeo = 0, int(1000 * ANSWER_SECONDS)
            sender.sndtimeo = 0 if keys else int(1000 * ANSWER_SECONDS)
            sender.connect("tcp://" + address)
            try:
                for i in range(count // 4):
                    data = damaged(rng.choice(good), rng, 3)
                    if i % 4 == 0:
                        data = damaged(rng.choice(good[1:]), rng)
                    if data == good[0]:
                        continue  # a bit was flipped twice
                    frames = [data] if i % 50 else [data, b"", data][: rng.randint(0, 3)] or [b""]
                    sender.send_multipart(frames)
                    run.counts["messages"] += 1
                    while sender.poll(0):
                        sender.recv()
                if keys:
                    continue
                if not is_answered(sender):
                    run.fail("hang", "the master answers nothing in %.0f s" % ANSWER_SECONDS)
                    return
            except zmq.Again:  # the connection takes no more
                pass


def is_answered(sender: "zmq.Socket[bytes]") -> bool:
    """Whether a good request is answered; it is repeated, as a busy master may drop it."""
    limit = time.monotonic() + ANSWER_SECONDS
    while time.monotonic() < limit:
        sender.send(encode("get", MOST_COUNT, []))
        while sender.poll(5000):
            if decode(sender.recv()).number == MOST_COUNT:
                return True
    return False


def connected(address: str) -> socket.socket:
    host, _, port = address.rpartition(":")
    return socket.create_connection((host, int(port)), timeout=ANSWER_SECONDS)


def half_open(address: str, rng: Random) -> socket.socket:
    """A connection that sends nothing or the start of a greeting, and stays open."""
    stream = connected(address)
    stream.sendall(GREETING[: rng.choice((0, 1, 10, 11))])
    return stream


def rubbish(run: Run, address: str) -> None:
    """Send random bytes, perhaps after a greeting, on a connection that closes."""
    rng = run.rng
    start = rng.choice((b"", GREETING, GREETING + b"NULL".ljust(20, b"\0") + bytes(32)))
    with connected(address) as stream:
        try:
            stream.sendall(start + rng.randbytes(rng.randrange(3000)))
        except OSError:
            pass  # the master closed the connection
    run.counts["messages"] += 1


class Proxy:
    """A proxy between a master and its workers that damages their communication.

    Each message arrives, but damaged copies, duplicates or old messages come before and after
    it; up to `losses` messages are lost.
    """

    def __init__(self, run: Run, master: str, losses: int) -> None:
        self.run, self.losses = run, losses
        self._master = "tcp://" + master
        self._context = zmq.Context()
        self._front = self._context.socket(zmq.ROUTER)
        self._front.linger = 0
        self._front.router_handover = True
        self.address = "127.0.0.1:%d" % self._front.bind_to_random_port("tcp://127.0.0.1")
        self._backs: Dict[bytes, "zmq.Socket[bytes]"] = {}
        self._old: List[Tuple[bytes, bytes]] = []

    def _garbled(self, data: bytes, old: List[bytes]) -> List[bytes]:
        """The messages that arrive in place of one."""
        rng = self.run.rng
        found = [data]
        if rng.random() < 0.01 and self.losses:
            self.losses -= 1
            self.run.counts["messages lost"] += 1
            found = []
        for _ in range(rng.choice((0, 0, 1, 3))):
            kind = rng.random()
            more = damaged(data, rng, 3)
            if kind < 0.1:
                more = data
            elif kind < 0.2 and old:
                more = rng.choice(old)
            found.insert(rng.randint(0, len(found)), more)
        self.run.counts["messages"] += len(found)
        return found

    def serve(self, seconds: float) -> None:
        """Forward messages for a time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            poller = zmq.Poller()
            for each in (self._front, *self._backs.values()):
                poller.register(each, zmq.POLLIN)
            ready = dict(poller.poll(50))
            if self._front in ready:
                name, *frames = self._front.recv_multipart()
                self._forward(name, frames[-1])
            for name, back in self._backs.items():
                if back in ready:
                    for data in self._garbled(back.recv(), []):
                        self._front.send_multipart([name, data])

    def _forward(self, name: bytes, data: bytes) -> None:
        back = self._backs.get(name)
        if back is None:
            back = self._backs[name] = self._context.socket(zmq.DEALER)
            back.linger = 0
            back.routing_id = name
            back.connect(self._master)
        for each in self._garbled(data, [old for whose, old in self._old if whose == name]):
            back.send(each)
        self._old = [*self._old[-200:], (name, data)]

    def close(self) -> None:
        for each in (self._front, *self._backs.values()):
            each.close()
        self._context.term()


def proxied(run: Run) -> None:
    """A master and two workers with a proxy between them."""
    rng = run.rng
    position, database = rng.choice(POSITIONS), run.work / "facts.lmdb"
    words: List[object] = [position, "--json", "--algorithm", "pns-pdfpn", "--workers", 0]
    words += ["--db", database, "--iterations", rng.choice((50, 10_000)), "--updates", 100]
    master = start_solver(run, [*words, "--listen", "127.0.0.1:0"], None)
    proxy = Proxy(run, listening(master), 2)
    connect = ("--connect", proxy.address, "--capacity", 100_000)
    workers = [run.start("worker.py", *connect, "--seed", seed) for seed in range(2)]
    limit = time.monotonic() + 300.0
    while (master.is_running or any([w.is_running for w in workers])) and time.monotonic() < limit:
        proxy.serve(0.5)
        if not master.is_running and time.monotonic() < limit - 60.0:
            limit = time.monotonic() + 60.0
            for worker in workers:  # one whose last reply was lost repeats its request
                worker.send(15)
    finish(run, master, position, database)
    for worker in workers:
        worker.expect(0, 130)
    proxy.close()
    check_contents(run, contents(database), database.name)
