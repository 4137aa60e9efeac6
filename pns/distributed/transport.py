"""The master's server: the messages of `pns.distributed.messages` over ZeroMQ.

The master answers each request with a reply of the same number. A worker repeats a request
without a reply after `pns.distributed.client.PATIENCE` seconds on a new connection. So every
request may come twice, which the protocol allows. No call of ZeroMQ blocks at either end:
each wait has a limit, or ends with a signal.

Connections between machines are encrypted, and both ends identify themselves (CURVE, with the
keys of `pns.distributed.keys`); without keys `Server` refuses such addresses. The limits below
keep those that may connect from exhausting the master. `pns.jobs.vetting` decides how
far they are believed.
"""

from __future__ import annotations

import errno
import time
from typing import Any, Callable, Dict, List, Optional

import zmq
import zmq.utils.z85

from pns.distributed.keys import Keys, endpoint
from pns.distributed.messages import (
    MOST_BYTES,
    REPLY,
    Message,
    VersionError,
    WireError,
    decode,
    encode,
    pack_reply,
    unpack_facts,
    unpack_report,
    unpack_result,
)
from pns.distributed.reach import HANDSHAKE_SECONDS, resolve
from pns.jobs.addresses import NEEDS_KEYS, is_file, is_local
from pns.jobs.protocol import LATER, UNKNOWN, WAIT, Reply
from pns.master import Master

AWAY_SECONDS = 2.0
"""A longer pause between two calls of `serve` means that the process was stopped or busy."""

MOST_WORKERS = 4096
"""Upper bound on the workers at a time."""
WAITING_CONNECTIONS = 1024
"""Connections that the system holds while the master has no descriptor for them."""
WAITING_MESSAGES = 4
"""For each connection and direction; a worker has at most two requests without a reply."""
QUIET_SECONDS, PROBE_SECONDS, PROBES = 60, 10, 6
"""TCP keepalive, which closes a connection to a machine that is gone: after QUIET_SECONDS of
silence, PROBES probes at intervals of PROBE_SECONDS."""

ALIVE = encode(REPLY, 0, pack_reply(Reply(WAIT, None, [], "")))
"""A reply to no request, which workers ignore: sending it shows whether a connection stands."""


class Server:
    """A server at one or more addresses; raises WireError for one that cannot be used.

    `refused` counts messages that were not requests. An address that other machines can reach
    needs keys. A connection stands for one worker at a time: joining under another name
    removes the first.
    """

    def __init__(self, master: Master, addresses: List[str], keys: Optional[Keys] = None) -> None:
        self.master = master
        self.refused = 0
        self._served = time.monotonic()
        self._names: Dict[bytes, str] = {}
        """The worker of each connection, by ZeroMQ's routing id."""
        self._keys = keys
        self._context = zmq.Context()
        self._zap = self._context.socket(zmq.REP)
        self._zap.bind("inproc://zeromq.zap.01")  # ZeroMQ asks here whom to let in (RFC 27)
        self._socket = self._context.socket(zmq.ROUTER)
        self._limit(self._socket)
        self.addresses: List[str] = []
        try:
            for address in sorted(addresses, key=is_file, reverse=True):  # CURVE stays set
                self._bind(address)
        except WireError:
            self.close()
            raise

    def _limit(self, socket: Any) -> None:
        """Limit the resources of a connection."""
        socket.linger = 1000
        socket.router_handover = True  # a worker's new connection replaces its old one
        socket.router_mandatory = True  # sending to a connection that is gone is an error
        socket.maxmsgsize = MOST_BYTES
        socket.handshake_ivl = int(1000 * HANDSHAKE_SECONDS)
        socket.backlog = WAITING_CONNECTIONS
        socket.sndhwm = socket.rcvhwm = WAITING_MESSAGES
        socket.tcp_keepalive = 1
        socket.tcp_keepalive_idle, socket.tcp_keepalive_intvl = QUIET_SECONDS, PROBE_SECONDS
        socket.tcp_keepalive_cnt = PROBES

    def _bind(self, address: str) -> None:
        where = endpoint(address)
        if not is_local(address) and self._keys is None:
            raise WireError(NEEDS_KEYS % address)
        socket = self._socket
        secure = self._keys is not None and not is_file(address)
        socket.ipv6 = "[" in where
        if self._keys and secure:
            socket.curve_server, socket.zap_domain = True, b"pns"
            socket.curve_secretkey = self._keys.secret
        try:
            try:
                socket.bind(where)
            except zmq.ZMQError as error:
                if error.errno != errno.ENODEV:  # it resolves network interfaces only
                    raise
                socket.bind(resolve(address))
        except zmq.ZMQError as error:
            raise WireError("%s: %s" % (address, zmq.strerror(error.errno or 0))) from None
        last: Any = socket.last_endpoint
        bound = last.rstrip(b"\0").decode()
        self.addresses.append(bound if bound.startswith("ipc:") else bound[len("tcp://") :])

    def serve(
        self, seconds: float, until: Callable[[], bool] = lambda: False, beside: Any = None
    ) -> bool:
        """Answer requests for that time, but not longer, even if others wait.

        It ends earlier once `until()` is true after a request, or when the socket `beside` has a
        message; returns whether it has.
        """
        now = time.monotonic()
        if now - self._served > AWAY_SECONDS:
            self.master.renew_leases(now)
        poller = zmq.Poller()
        poller.register(self._socket, zmq.POLLIN)
        poller.register(self._zap, zmq.POLLIN)
        if beside is not None:
            poller.register(beside, zmq.POLLIN)
        end = now + seconds
        while True:
            left = max(0.0, end - time.monotonic())
            ready = dict(poller.poll(int(1000 * left) + 1 if left else 0))
            if self._zap in ready:
                self._let_in(self._zap.recv_multipart())
            if self._socket in ready:
                began = time.monotonic()
                self._answer(self._socket.recv_multipart())
                now = time.monotonic()
                self.master.jobs.pace.note(now, now - began, len(self.master.workers))
            if not ready or not left or beside in ready or until():
                break
        self._served = time.monotonic()
        self.master.expire(self._served)
        return beside in ready

    def _let_in(self, frames: List[bytes]) -> None:
        """Answer whether to let a connection in: only with the workers' key."""
        version, number = frames[:2]
        known = self._keys is not None and frames[5] == b"CURVE"
        known = known and zmq.utils.z85.encode(frames[6]) == getattr(self._keys, "other", None)
        status = [b"200", b"OK"] if known else [b"400", b"not the workers' key"]
        self._zap.send_multipart([version, number, *status, b"", b""])

    def _answer(self, frames: List[bytes]) -> None:
        try:
            if len(frames) != 2:
                raise WireError("%d frames" % len(frames))
            message = decode(frames[1])
            if message.kind == REPLY:
                raise WireError("a reply, to the master")
        except WireError as error:
            self.refused += 1
            if isinstance(error, VersionError):
                self._send(frames[0], ALIVE)  # which shows this version
            return
        reply = self._call(frames[0], message)
        self._send(frames[0], encode(REPLY, message.number, pack_reply(reply)))

    def _send(self, to: bytes, packed: bytes) -> bool:
        """Send a message unless the connection is gone; whether the connection stands.

        The message is dropped if too many unread ones wait there.
        """
        try:
            self._socket.send_multipart([to, packed], zmq.NOBLOCK)
        except zmq.ZMQError as error:
            return error.errno == errno.EAGAIN
        return True

    def _call(self, sender: bytes, message: Message) -> Reply:
        """The master's reply to a request."""
        master, now = self.master, time.monotonic()
        kind, _, body = message
        if kind == "join":
            return self._join(sender, *body)
        name = self._names.get(sender, "")
        if kind == "get":
            return master.get(name, now)
        if kind == "update":
            return master.update(name, unpack_report(body), now)
        if kind == "submit":
            *report, result, asks = body
            return master.submit(name, unpack_report(report), unpack_result(result), now, asks)
        if kind == "close":
            return master.close(name, unpack_report(body), now)
        if kind == "add_facts":
            return master.add_facts(name, unpack_facts(body[0]), now)
        master.leave(name, now)
        self._names.pop(sender, None)
        return Reply(UNKNOWN, None, [], "")

    def _join(
        self, sender: bytes, name: str, game: str, group: str, forgotten: str, simplify: bool
    ) -> Reply:
        """Let a worker in unless another one has its name.

        A name is free again when its worker's connection is closed, as after the death of the
        process, or when its lease has run out, as after the loss of the machine.
        """
        master, now = self.master, time.monotonic()
        master.expire(now)
        self._names = {peer: held for peer, held in self._names.items() if held in master.workers}
        others = [peer for peer, held in self._names.items() if held == name and peer != sender]
        if any([self._send(peer, ALIVE) for peer in others]):
            return Reply(LATER, None, [], "another worker has the name %s" % name)
        before = self._names.get(sender, name)
        if before != name:
            master.lose(before, now)
        if name not in master.workers and len(master.workers) >= MOST_WORKERS:
            return Reply(LATER, None, [], "%d workers are here, and no more can be" % MOST_WORKERS)
        for peer in others:
            del self._names[peer]
        self._names[sender] = name
        return master.join(name, game, now, group, forgotten, simplify)

    def close(self) -> None:
        """Close, after sending waiting replies for at most a second."""
        self._socket.close()
        self._zap.close(0)
        self._context.term()
