"""A worker's end of the messages of `pns.distributed.messages`, over ZeroMQ."""

from __future__ import annotations

import os
import time
from typing import Any, Callable, Dict, List, Optional

import zmq

from pns.distributed.keys import Keys, endpoint, is_file
from pns.distributed.messages import (
    MOST_BYTES,
    REPLY,
    VersionError,
    WireError,
    decode,
    encode,
    pack_report,
    pack_result,
    unpack_reply,
)
from pns.distributed.protocol import LATER, JobReport, JobResult, Reply
from pns.distributed.reach import HANDSHAKE_SECONDS, Watch, resolve
from pns.facts import Fact

PATIENCE = 10.0
POLL_SECONDS = 0.2
SAY_SECONDS, MISSED_SECONDS, SAY_AGAIN_SECONDS = 4.0, 60.0, 600.0
"""When a worker says that it has no answer: one that never had any, one that had, and again."""
LATER_SECONDS = 1.0
"""Between two attempts to join a master that does not let a worker in."""


class NoAnswer(Exception):
    """The worker was to stop while the master did not answer, or did not let it in; says which."""


class Client:
    """A worker's end: a `pns.distributed.protocol.Link` that asks again until the master answers.

    `name` must be that of no other worker; workers of one `group` share their facts. `warn`
    says what is probably wrong while there is no answer. Raises WireError for an address that
    is none, or where no waiting helps; calls raise NoAnswer once `given_up()` is true and there is
    no answer.
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
    ) -> None:
        self.address = address
        self.name = name
        self.group = group or name
        self.keys = keys
        self.given_up = given_up
        self.patience = patience
        self.warn = warn
        endpoint(address)
        self._context = zmq.Context()
        self._socket: Any = None
        self._watch: Optional[Watch] = None
        """Until the first answer: then it is known that the master can be reached."""
        self._endpoint = ""
        self._routing_id = b"w" + os.urandom(15)
        """The same after a reconnection, and known to nobody else, who could take it over."""
        self._joined = self._has_gone = False
        self._number = 0
        self._open: Dict[int, bytes] = {}
        """Requests that are not answered yet, in their order."""
        self._unsent: List[bytes] = []
        self._replies: Dict[int, Reply] = {}
        self._submitted = 0
        """The number of a job that is being handed in."""
        self._asked = 0
        """The number of a request for a job that is on its way."""

    def _connect(self) -> None:
        """Connect, and send what is not answered."""
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
        """Send a request; its number, by which to wait for the reply."""
        if self._has_gone:
            raise NoAnswer("no answer from %s" % self.address)
        self._number += 1
        packed = self._open[self._number] = encode(kind, self._number, body)
        self._unsent.append(packed)
        self._flush()
        return self._number

    def _flush(self) -> None:
        """Send what is to be sent, as far as there is a connection for it."""
        try:
            while self._unsent:
                self._socket.send(self._unsent[0], zmq.NOBLOCK)
                del self._unsent[0]
        except zmq.Again:
            pass

    def _wait(self, number: int, wait: float = float("inf")) -> Optional[Reply]:
        """The reply to a request, asking again until there is one, or for a time."""
        start = asked = time.monotonic()
        complain_at = start + (MISSED_SECONDS if self._joined else SAY_SECONDS)
        complained = False
        while number not in self._replies:
            if self._receive(POLL_SECONDS):
                continue
            now = time.monotonic()
            patience = self.patience if self._joined else 0.0
            if now - start > wait or (self.given_up() and now - start > patience):
                return None
            trouble = self._trouble()
            if now >= complain_at:
                complain_at, complained = now + SAY_AGAIN_SECONDS, True
                self.warn("%s; still asking" % trouble)
            if now - asked > self.patience:
                self._connect()
                asked = now
            self._flush()
        if complained:
            self.warn("%s answers" % self.address)
        return self._replies.pop(number)

    def _trouble(self) -> str:
        """Why there is no answer; raises WireError for what waiting does not mend."""
        if not self._watch:
            return "no answer from %s" % self.address
        self._watch.look()
        if self._watch.is_final:
            raise WireError(self._watch.trouble)
        return self._watch.trouble

    def _receive(self, seconds: float) -> bool:
        """Take in a message, if one comes within that time; whether one did."""
        if not self._socket.poll(int(1000 * seconds)):
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
            self._has_gone = True
            raise NoAnswer(self._trouble())
        return reply

    def join(self, game: str, forgotten: str = "") -> Reply:
        if not self._socket:
            self._connect()
        said = ""
        while True:
            reply = self._call("join", [self.name, game, self.group, forgotten])
            if reply.says != LATER:
                self._joined = True
                if self._watch:
                    self._watch.close()
                    self._watch = None
                return reply
            if reply.reason != said:
                said = reply.reason
                self.warn("%s: %s; waiting" % (self.address, said))
            if self.given_up():
                self._has_gone = True
                raise NoAnswer("%s: %s" % (self.address, said))
            self._receive(LATER_SECONDS)

    def get(self) -> Reply:
        number, self._asked = self._asked or self._send("get", []), 0
        return self._answer(number)

    def update(self, report: JobReport) -> Reply:
        return self._call("update", pack_report(report))

    def submit(self, report: JobReport, result: Optional[JobResult]) -> None:
        """Hand in a job; the next one is asked for in the same breath."""
        self._submitted = self._send("submit", [*pack_report(report), pack_result(result)])
        if not self.given_up():
            self._asked = self._send("get", [])

    def answered(self) -> bool:
        """Whether what the master says to both has come."""
        while self._receive(0.0):
            pass
        self._flush()
        return not (self._submitted in self._open or self._asked in self._open)

    def answer(self) -> Reply:
        assert self._submitted
        number, self._submitted = self._submitted, 0
        return self._answer(number)

    def close(self, report: JobReport) -> Reply:
        return self._call("close", pack_report(report))

    def add_facts(self, facts: List[Fact]) -> Reply:
        return self._call("add_facts", [[list(fact) for fact in facts]])

    def leave(self) -> None:
        self._wait(self._send("leave", []), wait=1.0)

    def disconnect(self) -> None:
        """Close the connection."""
        self._disconnect()
        self._context.term()
