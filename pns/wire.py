"""Jobs and facts between machines: the messages of `pns.distributed.messages` over ZeroMQ.

The master answers each request with the number that it came with. A request that is not
answered in `patience` seconds is sent again, on a new connection; so every request may
come twice, which the protocol allows for.

Beyond this machine's own addresses connections are encrypted, and both ends prove who they
are (CURVE, with the keys of `pns.distributed.keys`); without keys `Server` refuses. Who may
connect is believed.
"""

from __future__ import annotations

import time
from typing import Any, Callable, Dict, List, Optional, Tuple

import zmq
import zmq.utils.z85

from pns.distributed.jobs import UNKNOWN, Reply, Report, Result
from pns.distributed.keys import Keys, endpoint, is_file, is_local
from pns.distributed.messages import (
    MOST_BYTES,
    REPLY,
    Message,
    WireError,
    decode,
    encode,
    pack_reply,
    pack_report,
    pack_result,
    unpack_facts,
    unpack_reply,
    unpack_report,
    unpack_result,
)
from pns.facts import Fact
from pns.master import Master

PATIENCE = 10.0
AWAY_SECONDS = 2.0
"""Between two calls of `serve`: then the process was stopped, or busy with something else."""


class Server:
    """The master's end, at one or more addresses; raises WireError for one that cannot be had.

    `refused` counts what came and was no request. An address that other machines can reach
    needs keys.
    """

    def __init__(self, master: Master, addresses: List[str], keys: Optional[Keys] = None) -> None:
        self.master = master
        self.refused = 0
        self._served = time.monotonic()
        self._names: Dict[bytes, str] = {}
        self._keys = keys
        self._context = zmq.Context()
        self._asked = self._context.socket(zmq.REP)
        self._asked.bind("inproc://zeromq.zap.01")  # ZeroMQ asks here whom to let in (RFC 27)
        self._socket = self._context.socket(zmq.ROUTER)
        self._socket.linger = 1000
        self._socket.router_handover = True  # a worker's new connection replaces its old one
        self._socket.maxmsgsize = MOST_BYTES
        self.addresses: List[str] = []
        try:
            for address in sorted(addresses, key=is_file, reverse=True):  # keys come after it
                self._bind(address)
        except WireError:
            self.close()
            raise

    def _bind(self, address: str) -> None:
        where = endpoint(address)
        if not is_local(address) and self._keys is None:
            raise WireError(
                "%s can be reached from other machines, so it needs keys: make them with "
                "worker.py keygen" % address
            )
        socket = self._socket
        secure = self._keys is not None and not is_file(address)
        socket.ipv6 = "[" in where
        if self._keys and secure:
            socket.curve_server, socket.zap_domain = True, b"pns"
            socket.curve_secretkey = self._keys.secret
        try:
            socket.bind(where)
        except zmq.ZMQError as error:
            raise WireError("%s: %s" % (address, zmq.strerror(error.errno or 0))) from None
        last: Any = socket.last_endpoint
        bound = last.rstrip(b"\0").decode()
        self.addresses.append(bound if bound.startswith("ipc:") else bound[len("tcp://") :])

    def serve(self, seconds: float) -> None:
        """Answer what comes within that time, and all that has come."""
        now = time.monotonic()
        if now - self._served > AWAY_SECONDS:
            self.master.forgive(now)
        poller = zmq.Poller()
        poller.register(self._socket, zmq.POLLIN)
        poller.register(self._asked, zmq.POLLIN)
        end = now + seconds
        while True:
            left = max(0.0, end - time.monotonic())
            ready = dict(poller.poll(int(1000 * left) + 1 if left else 0))
            if self._asked in ready:
                self._let_in(self._asked.recv_multipart())
            if self._socket in ready:
                self._answer(self._socket.recv_multipart())
            if not ready or not left:
                break
        self._served = time.monotonic()
        self.master.expire(self._served)

    def _let_in(self, frames: List[bytes]) -> None:
        """Answer whether a connection may be: with the worker's key only."""
        version, number = frames[:2]
        known = self._keys is not None and frames[5] == b"CURVE"
        known = known and zmq.utils.z85.encode(frames[6]) == getattr(self._keys, "other", None)
        status = [b"200", b"OK"] if known else [b"400", b"not the workers' key"]
        self._asked.send_multipart([version, number, *status, b"", b""])

    def _answer(self, frames: List[bytes]) -> None:
        try:
            if len(frames) != 2:
                raise WireError("%d frames" % len(frames))
            message = decode(frames[1])
            if message.kind == REPLY:
                raise WireError("a reply, to the master")
        except WireError:
            self.refused += 1
            return
        reply = self._call(frames[0], message)
        packed = encode(REPLY, message.number, pack_reply(reply))
        self._socket.send_multipart([frames[0], packed])

    def _call(self, sender: bytes, message: Message) -> Reply:
        """What the master answers to a request."""
        master, now = self.master, time.monotonic()
        kind, _, body = message
        if kind == "join":
            name, game, group = body
            self._names[sender] = name
            return master.join(name, game, now, group)
        name = self._names.get(sender, "")
        if kind == "get":
            return master.get(name, now)
        if kind == "update":
            return master.update(name, unpack_report(body), now)
        if kind == "submit":
            return master.submit(name, unpack_report(body[:-1]), unpack_result(body[-1]), now)
        if kind == "close":
            return master.close(name, unpack_report(body), now)
        if kind == "add_facts":
            return master.add_facts(name, unpack_facts(body[0]), now)
        master.leave(name, now)
        self._names.pop(sender, None)
        return Reply(UNKNOWN, None, [], "")

    def close(self) -> None:
        """Send what is to be sent, for a second at most, and close."""
        self._socket.close()
        self._asked.close(0)
        self._context.term()


class Gone(Exception):
    """The worker was told to stop while the master did not answer."""


Request = Tuple[int, bytes]
"""Its number and the message."""


class Client:
    """A worker's end: a `pns.distributed.jobs.Link` that asks again until the master answers.

    `name` must be that of no other worker; workers of one `group` share their facts. Raises
    WireError for an address that is none; calls raise Gone once `given_up()` is true and
    there is no answer.
    """

    def __init__(
        self,
        address: str,
        name: str,
        keys: Optional[Keys] = None,
        given_up: Callable[[], bool] = lambda: False,
        patience: float = PATIENCE,
        group: str = "",
    ) -> None:
        self.address = endpoint(address)
        self.name = name
        self.group = group or name
        self.keys = keys
        self.given_up = given_up
        self.patience = patience
        self._context = zmq.Context()
        self._number = 0
        self._replies: Dict[int, Reply] = {}
        self._submitted: Optional[Request] = None
        """A job that is being handed in."""
        self._asked: Optional[Request] = None
        """A request for a job that is on its way."""
        self._connect()

    def _connect(self) -> None:
        socket = self._socket = self._context.socket(zmq.DEALER)
        socket.linger = 0
        socket.maxmsgsize = MOST_BYTES
        socket.ipv6 = "[" in self.address
        socket.routing_id = self.name.encode()[:200]  # the same after a reconnection
        if self.keys and not is_file(self.address):
            socket.curve_publickey, socket.curve_secretkey = self.keys.public, self.keys.secret
            socket.curve_serverkey = self.keys.other
        try:
            socket.connect(self.address)
        except zmq.ZMQError as error:
            raise WireError("%s: %s" % (self.address, zmq.strerror(error.errno or 0))) from None

    def _send(self, kind: str, body: List[Any]) -> Request:
        """Send a request, whose reply is to be waited for."""
        self._number += 1
        packed = encode(kind, self._number, body)
        self._socket.send(packed)
        return self._number, packed

    def _wait(self, request: Request, wait: float = float("inf")) -> Optional[Reply]:
        """The reply to a request, asking again until there is one, or for a time."""
        number, packed = request
        start = sent = time.monotonic()
        while number not in self._replies:
            if self._socket.poll(200):
                self._receive()
                continue
            now = time.monotonic()
            if now - start > wait or (self.given_up() and now - start > self.patience):
                return None
            if now - sent > self.patience:
                self._socket.close()
                self._connect()
                self._socket.send(packed)
                sent = now
        reply = self._replies.pop(number)
        asked = self._asked[0] if self._asked else number
        for old in [n for n in self._replies if n < min(number, asked)]:  # answered twice
            del self._replies[old]
        return reply

    def _receive(self) -> None:
        """Take in a message that has come."""
        try:
            message = decode(self._socket.recv())
        except WireError:
            return
        if message.kind == REPLY:
            self._replies[message.number] = unpack_reply(message.body)

    def _call(self, kind: str, body: List[Any]) -> Reply:
        return self._answer(self._send(kind, body))

    def _answer(self, request: Request) -> Reply:
        reply = self._wait(request)
        if reply is None:
            raise Gone
        return reply

    def join(self, game: str) -> Reply:
        return self._call("join", [self.name, game, self.group])

    def get(self) -> Reply:
        request, self._asked = self._asked or self._send("get", []), None
        return self._answer(request)

    def update(self, report: Report) -> Reply:
        return self._call("update", pack_report(report))

    def submit(self, report: Report, result: Optional[Result]) -> None:
        """Hand in a job; the next one is asked for in the same breath."""
        self._submitted = self._send("submit", [*pack_report(report), pack_result(result)])
        if not self.given_up():
            self._asked = self._send("get", [])

    def answered(self) -> bool:
        """Whether what the master says to both has come."""
        while self._socket.poll(0):
            self._receive()
        asked = [request for request in (self._submitted, self._asked) if request]
        return all([number in self._replies for number, _ in asked])

    def answer(self) -> Reply:
        assert self._submitted
        request, self._submitted = self._submitted, None
        return self._answer(request)

    def close(self, report: Report) -> Reply:
        return self._call("close", pack_report(report))

    def add_facts(self, facts: List[Fact]) -> Reply:
        return self._call("add_facts", [[list(fact) for fact in facts]])

    def leave(self) -> None:
        self._wait(self._send("leave", []), wait=1.0)

    def disconnect(self) -> None:
        """Close the connection."""
        self._socket.close()
        self._context.term()
