"""Diagnoses why a worker cannot reach its master: unknown host names, failed handshakes."""

from __future__ import annotations

import errno
import ipaddress
import socket
import time
from threading import Thread
from typing import Any, Callable, List

import zmq
from zmq.utils.monitor import recv_monitor_message

from pns.distributed.keys import endpoint
from pns.distributed.messages import WireError
from pns.jobs.addresses import is_file

RESOLVE_SECONDS = 5.0
HANDSHAKE_SECONDS = 3.0
"""After this time either end closes a connection whose handshake is not complete."""

GREETING_STARTS = b"\xff" + bytes(8) + b"\x7f\x03"
"""Signature and version of a greeting, on which a server sends its own greeting."""
GREETING_BYTES = 64
GREETING_SECONDS = 1.0

NOBODY = "no program listens at {0}"
SILENT = "no reply from {0}: the program there is busy, or is not a master"
HANGS_UP = "{0} closes the connection: the program there is not a master, or has other keys"
NO_MASTER = "the program at {0} is not a master"
NO_ANSWER = "{0} does not answer: it is busy, or a master of another version"
WANTS_KEYS = "the master at {0} requires keys; set keys to the file worker.key"
HAS_NO_KEYS = "the master at {0} does not use keys; leave out keys"
OTHER_KEYS = (
    "the master at {0} does not know these keys: worker.key and master.key must come from "
    "one call of keygen"
)
FINAL = (WANTS_KEYS, HAS_NO_KEYS, OTHER_KEYS)
"""Troubles that waiting does not resolve."""


def resolve(address: str, given_up: Callable[[], bool] = lambda: False) -> str:
    """ZeroMQ's name for HOST:PORT or ipc://PATH, with the host's IP address; raises WireError.

    ZeroMQ can resolve host names itself, but can neither be interrupted nor closed meanwhile.
    """
    where = endpoint(address)
    host, _, port = address.rpartition(":")
    name = host.strip("[]")
    if is_file(address) or is_number(name):
        return where
    family = socket.AF_INET6 if host.startswith("[") else socket.AF_INET
    found: List[str] = []
    wrong = ["no answer from the name service in %d s" % RESOLVE_SECONDS]

    def look_up() -> None:
        try:
            answers: List[Any] = socket.getaddrinfo(name, int(port), family, socket.SOCK_STREAM)
            found.append(answers[0][4][0])
        except UnicodeError:
            wrong[0] = "no host name"
        except OSError as error:
            wrong[0] = error.strerror or str(error)

    thread = Thread(target=look_up, daemon=True)
    thread.start()
    limit = time.monotonic() + RESOLVE_SECONDS
    while thread.is_alive() and time.monotonic() < limit and not given_up():
        thread.join(0.1)
    if not found:
        raise WireError("%s: cannot find the host: %s" % (address, wrong[0]))
    return endpoint(("[%s]:%s" if family == socket.AF_INET6 else "%s:%s") % (found[0], port))


def is_number(host: str) -> bool:
    """Whether a host is written as an IP address."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def mechanism_at(where: str) -> bytes:
    """The security mechanism in a server's greeting: b"CURVE" or b"NULL"; b"" without a greeting.

    A server with another mechanism may close the connection before its greeting is read, and
    then ZeroMQ does not report why. So this exchanges greetings only: it sends the first bytes
    of ours, which do not name a mechanism, and reads the 64 of the server (ZMTP 3.1, section
    3.2). Takes at most a second.
    """
    host, _, port = where[len("tcp://") :].rpartition(":")
    greeting = b""
    try:
        with socket.create_connection((host.strip("[]"), int(port)), GREETING_SECONDS) as peer:
            limit = time.monotonic() + GREETING_SECONDS
            peer.sendall(GREETING_STARTS)
            while len(greeting) < GREETING_BYTES and time.monotonic() < limit:
                received = peer.recv(GREETING_BYTES - len(greeting))
                if not received:
                    break
                greeting += received
    except OSError:
        return b""
    is_whole = len(greeting) == GREETING_BYTES and greeting[0] == 0xFF
    return greeting[12:32].rstrip(b"\0") if is_whole else b""


class Watch:
    """Monitors a socket's attempts to connect; `trouble` describes the last one.

    `where` is ZeroMQ's name for the address.
    """

    def __init__(self, watched: Any, address: str, where: str, with_keys: bool) -> None:
        events = zmq.EVENT_CONNECTED | zmq.EVENT_CLOSED | zmq.EVENT_DISCONNECTED
        events |= zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
        events |= zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL | zmq.EVENT_HANDSHAKE_FAILED_AUTH
        self._watched = watched
        self._monitor = watched.get_monitor_socket(events)
        self._address, self._where, self._with_keys = address, where, with_keys
        self._has_probed = False
        self._trouble = NOBODY
        self._shakes_hands = False

    def update(self) -> None:
        """Process the events since the last update."""
        while self._monitor.poll(0):
            event = recv_monitor_message(self._monitor)
            self._trouble = self._after(event["event"], event["value"])
        if self._trouble == HANGS_UP and not self._has_probed and not is_file(self._address):
            self._has_probed = True
            if mechanism_at(self._where) == (b"NULL" if self._with_keys else b"CURVE"):
                self._trouble = HAS_NO_KEYS if self._with_keys else WANTS_KEYS

    def _after(self, event: int, value: int) -> str:
        shook_hands, self._shakes_hands = self._shakes_hands, event == zmq.EVENT_CONNECTED
        if event == zmq.EVENT_CLOSED:
            return NOBODY
        if event == zmq.EVENT_CONNECTED:
            return SILENT
        if event == zmq.EVENT_HANDSHAKE_SUCCEEDED:
            return NO_ANSWER
        if event == zmq.EVENT_HANDSHAKE_FAILED_AUTH:
            return OTHER_KEYS
        if event == zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL:
            return SILENT if value in (errno.EAGAIN, errno.ETIMEDOUT) else HANGS_UP
        if event == zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL:
            if value != zmq.PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH:
                return NO_MASTER
            return HAS_NO_KEYS if self._with_keys else WANTS_KEYS
        return NO_MASTER if shook_hands else self._trouble  # disconnected

    def close(self) -> None:
        self._watched.disable_monitor()
        self._monitor.close(0)

    @property
    def trouble(self) -> str:
        return self._trouble.format(self._address)

    @property
    def is_final(self) -> bool:
        """Whether waiting does not resolve the trouble."""
        return self._trouble in FINAL
