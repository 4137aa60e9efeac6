"""A worker's connection with its master: the messages of `pns.distributed.messages` over ZeroMQ."""

from __future__ import annotations

import os
import time
from typing import Any, Callable, Dict, List, Optional

import zmq

from pns.distributed.keys import Keys, endpoint
from pns.distributed.messages import (
    MOST_BYTES,
    REPLY,
    VersionError,
    WireError,
    decode,
    encode,
    pack_facts,
    pack_report,
    pack_result,
    unpack_reply,
)
from pns.distributed.reach import HANDSHAKE_SECONDS, Watch, resolve
from pns.facts import Fact
from pns.jobs.addresses import is_file
from pns.jobs.protocol import LATER, WAIT, JobReport, JobResult, Reply, after_submit

PATIENCE = 10.0
"""Seconds after which a request without a reply is sent again."""
POLL_SECONDS = 0.2
WARN_SECONDS, LOST_SECONDS, WARN_AGAIN_SECONDS = 4.0, 60.0, 600.0
"""Time without a reply until a worker warns: before its first reply, after it, and repeatedly."""
LATER_SECONDS = 1.0
"""The pause between two attempts to join a master that replies LATER."""


class NoAnswer(Exception):
    """The worker was stopped while the master did not answer, or replied LATER; says which."""


def poll_socket(socket: Any, seconds: float) -> bool:
    """Wait for a message at a ZeroMQ socket; whether there is one."""
    return bool(socket.poll(int(1000 * seconds)))


class Client:
    """A `pns.jobs.protocol.Link` that repeats requests until the master answers.

    `name` must be unique among the workers; workers of one `group` share their facts. `warn`
    is called with the probable reason while there is no answer. `poll` waits up to some seconds
    for a message at a socket, and returns whether there is one. Raises WireError for a bad
    address, or if waiting does not help. Calls raise NoAnswer if there is no answer and
    `given_up()` is true.
    """

    def __init__(
        self,
        address: str,
        name: str,
        keys: Optional[Keys] = None,
        given_up: Callable[[], bool] = lambda: False,
        patience: float = PATIENCE,
        group: str = "",
        warn: Callable[[str], None] = lambda text: None,
        poll: Callable[[Any, float], bool] = poll_socket,
    ) -> None:
        self.address = address
        self.name = name
        self.group = group or name
        self.keys = keys
        self.given_up = given_up
        self.patience = patience
        self.warn = warn
        self._poll = poll
        endpoint(address)
        self._context = zmq.Context()
        self._socket: Any = None
        self._watch: Optional[Watch] = None
        """Set until the first answer, which shows that the master can be reached."""
        self._endpoint = ""
        self._routing_id = b"w" + os.urandom(15)
        """The same for all connections of this worker, and secret: its owner gets the replies."""
        self._joined = self._gave_up = False
        self._number = 0
        self._open: Dict[int, bytes] = {}
        """Requests without a reply, in their order."""
        self._unsent: List[bytes] = []
        self._replies: Dict[int, Reply] = {}
        self._submitted = 0
        """The number of the last `submit` request, 0 once its reply was returned."""
        self._asked = False
        """Whether that request asked for the next job."""
        self._next: Optional[Reply] = None
        """The next job, or WAIT, as far as it has come."""

    def _connect(self) -> None:
        """Connect, and send all requests without a reply."""
        self._disconnect()
        try:
            self._endpoint = resolve(self.address, self.given_up)
        except WireError:
            if not self._endpoint:
                raise
        socket = self._socket = self._context.socket(zmq.DEALER)
        socket.linger = 0
        socket.maxmsgsize = MOST_BYTES
        socket.handshake_ivl = int(1000 * HANDSHAKE_SECONDS)
        socket.ipv6 = "[" in self._endpoint
        socket.routing_id = self._routing_id
        secure = self.keys is not None and not is_file(self.address)
        if self.keys and secure:
            socket.curve_publickey, socket.curve_secretkey = self.keys.public, self.keys.secret
            socket.curve_serverkey = self.keys.other
        if not self._joined:
            self._watch = Watch(socket, self.address, self._endpoint, secure)
        try:
            socket.connect(self._endpoint)
        except zmq.ZMQError as error:
            raise WireError("%s: %s" % (self.address, zmq.strerror(error.errno or 0))) from None
        self._unsent = list(self._open.values())

    def _disconnect(self) -> None:
        if self._watch:
            self._watch.close()
            self._watch = None
        if self._socket:
            self._socket.close()

    def _send(self, kind: str, body: List[Any]) -> int:
        """Send a request; its number, for `_answer`."""
        if self._gave_up:
            raise NoAnswer("no answer from %s" % self.address)
        self._number += 1
        packed = self._open[self._number] = encode(kind, self._number, body)
        self._unsent.append(packed)
        self._flush()
        return self._number

    def _flush(self) -> None:
        """Send unsent requests as far as the connection takes them."""
        try:
            while self._unsent:
                self._socket.send(self._unsent[0], zmq.NOBLOCK)
                del self._unsent[0]
        except zmq.Again:
            pass

    def _wait(self, number: int, seconds: float = float("inf")) -> Optional[Reply]:
        """The reply to a request, which is repeated; None if none comes within a time."""
        start = asked = time.monotonic()
        warn_at = start + (LOST_SECONDS if self._joined else WARN_SECONDS)
        warned = False
        while number not in self._replies:
            if self._receive(POLL_SECONDS):
                continue
            now = time.monotonic()
            patience = self.patience if self._joined else 0.0
            if now - start > seconds or (self.given_up() and now - start > patience):
                return None
            trouble = self._trouble()
            if now >= warn_at:
                warn_at, warned = now + WARN_AGAIN_SECONDS, True
                self.warn("%s; still asking" % trouble)
            if now - asked > self.patience:
                self._connect()
                asked = now
            self._flush()
        if warned:
            self.warn("%s answers" % self.address)
        return self._replies.pop(number)

    def _trouble(self) -> str:
        """Why there is no answer; raises WireError if waiting does not help."""
        if not self._watch:
            return "no answer from %s" % self.address
        self._watch.update()
        if self._watch.is_final:
            raise WireError(self._watch.trouble)
        return self._watch.trouble

    def _receive(self, seconds: float) -> bool:
        """Receive a message if one comes within that time; whether one did."""
        if not self._poll(self._socket, seconds):
            return False
        try:
            message = decode(self._socket.recv(zmq.NOBLOCK))
        except VersionError as error:
            if not self._joined:
                raise WireError("%s: another version of pns: %s" % (self.address, error)) from None
        except (WireError, zmq.Again):
            pass
        else:
            if message.kind == REPLY and message.number in self._open:
                del self._open[message.number]
                self._replies[message.number] = unpack_reply(message.body)
        return True

    def _call(self, kind: str, body: List[Any]) -> Reply:
        return self._answer(self._send(kind, body))

    def _answer(self, number: int) -> Reply:
        reply = self._wait(number)
        if reply is None:
            self._gave_up = True
            raise NoAnswer(self._trouble())
        return reply

    def join(self, game: str, forgotten: str = "", simplify: bool = False) -> Reply:
        if not self._socket:
            self._connect()
        self._next = None
        reason = ""
        while True:
            reply = self._call("join", [self.name, game, self.group, forgotten, simplify])
            if reply.status != LATER:
                self._joined = True
                if self._watch:
                    self._watch.close()
                    self._watch = None
                return reply
            if reply.reason != reason:
                reason = reply.reason
                self.warn("%s: %s; waiting" % (self.address, reason))
            if self.given_up():
                self._gave_up = True
                raise NoAnswer("%s: %s" % (self.address, reason))
            self._receive(LATER_SECONDS)

    def get(self) -> Reply:
        reply, self._next = self._next, None
        return reply or self._call("get", [])

    def update(self, report: JobReport) -> Reply:
        return self._call("update", pack_report(report))

    def submit(self, report: JobReport, result: Optional[JobResult]) -> None:
        """Hand in a job, and ask for the next one with the same message."""
        self._asked = not self.given_up()
        body = [*pack_report(report), pack_result(result), self._asked]
        self._submitted = self._send("submit", body)

    def answered(self) -> bool:
        """Whether the reply to `submit` has come."""
        while self._receive(0.0):
            pass
        self._flush()
        return self._submitted not in self._open

    def answer(self) -> Reply:
        assert self._submitted
        number, self._submitted = self._submitted, 0
        reply = self._answer(number)
        self._next = after_submit(reply) if self._asked else None
        return reply._replace(status=WAIT, spec=None) if self._next else reply

    def close(self, report: JobReport) -> Reply:
        return self._call("close", pack_report(report))

    def add_facts(self, facts: List[Fact]) -> Reply:
        return self._call("add_facts", [pack_facts(facts)])

    def leave(self) -> None:
        self._wait(self._send("leave", []), seconds=1.0)

    def disconnect(self) -> None:
        """Close the connection."""
        self._disconnect()
        self._context.term()
