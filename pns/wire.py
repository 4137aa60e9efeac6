"""Jobs and facts between machines: msgpack messages over ZeroMQ.

A message is the BLAKE2b digest, of DIGEST_BYTES, of what follows it: a msgpack array
[VERSION, kind, number, body...]. The kinds and the shapes of their bodies are in SHAPES;
whatever is not exactly of its kind's shape is refused, as is what is too long. Lands of a
position are separated by spaces. The master answers each request with the number that it
came with. A request that is not answered in `patience` seconds is sent again, on a new
connection; so every request may come twice, which the protocol allows for.

Beyond this machine's own addresses connections are encrypted, and both ends prove who they
are (CURVE, with the keys that `make_keys` writes); without keys `Server` refuses. The digest
is against damage, not against liars: who may connect is believed.
"""

from __future__ import annotations

import ipaddress
import json
import os
import sys
import time
from hashlib import blake2b
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

import msgpack
import zmq
import zmq.utils.z85

from pns.bounds import INF
from pns.couple import HEAP
from pns.facts import LARGEST_NUMBER, Fact
from pns.jobs import JOB, KEEP_ALL, UNKNOWN, Child, Order, Reply, Report, Result
from pns.master import Master

VERSION = 1
DIGEST_BYTES = 16
MOST_BYTES = 1 << 24
MOST_FACTS = 10_000
MOST_CHILDREN = 1 << 18
MOST_COUNT = 1 << 62
LONGEST_NAME = 100
LONGEST_LAND = 1 << 16
PATIENCE = 10.0
KEY_LENGTH = 40

REQUESTS = ("join", "get", "update", "submit", "close", "add_facts", "leave")
REPLY = "reply"


class WireError(ValueError):
    """What came is no message, an address cannot be used, a key file is none: what is wrong."""


Check = Callable[[Any], bool]


def is_int(least: int, most: int) -> Check:
    return lambda value: type(value) is int and least <= value <= most


def is_text(value: Any) -> bool:
    return type(value) is str and 0 < len(value) <= LONGEST_NAME and value.isprintable()


def is_seconds(value: Any) -> bool:
    return type(value) is float and 0.0 <= value < 1e9


def is_land(value: Any) -> bool:
    """Printable ASCII without white space, as every canonical text is."""
    return (
        type(value) is bytes
        and 0 < len(value) <= LONGEST_LAND
        and value.isascii()
        and not value.translate(None, PRINTABLE)
    )


PRINTABLE = bytes(range(33, 127))


def is_lands(value: Any) -> bool:
    """The lands of a position, separated by spaces; the empty position has none."""
    return type(value) is bytes and (not value or all(map(is_land, value.split(b" "))))


def list_of(shape: Tuple[Check, ...], most: int) -> Check:
    """An array of arrays of that shape."""

    def check(value: Any) -> bool:
        return type(value) is list and len(value) <= most and all([fits(i, shape) for i in value])

    return check


def fits(value: Any, shape: Tuple[Check, ...]) -> bool:
    """Whether a value is an array with the items of a shape."""
    if type(value) is not list or len(value) != len(shape):
        return False
    for item, check in zip(value, shape):
        if not check(item):
            return False
    return True


def or_none(shape: Tuple[Check, ...]) -> Check:
    return lambda value: value is None or fits(value, shape)


NUMBER, COUNT, HEAPS = is_int(0, INF), is_int(0, MOST_COUNT), is_int(0, HEAP)
FACTS = list_of((is_land, is_int(0, LARGEST_NUMBER)), MOST_FACTS)
CHILDREN = list_of((is_lands, HEAPS, NUMBER, NUMBER), MOST_CHILDREN)
REACHED = list_of((HEAPS,), HEAP + 1)
REPORT = (COUNT, is_land, HEAPS, NUMBER, NUMBER, COUNT, is_seconds, COUNT, FACTS)
ORDER = (COUNT, is_land, HEAPS, is_int(1, MOST_COUNT), is_int(1, MOST_COUNT), is_int(0, KEEP_ALL))

SHAPES: Dict[str, Tuple[Check, ...]] = {
    "join": (is_text, is_text),
    "get": (),
    "update": REPORT,
    "submit": (*REPORT, or_none((REACHED, CHILDREN))),
    "close": REPORT,
    "add_facts": (FACTS,),
    "leave": (),
    REPLY: (is_int(JOB, UNKNOWN), or_none(ORDER), FACTS, lambda value: type(value) is str),
}
"""The body of each kind of message, item by item. The first item of "join" is the worker's
name, its second the game. Positions, numbers and counts are those of `pns.jobs`."""


class Message(NamedTuple):
    """A message whose body has its kind's shape."""

    kind: str
    number: int
    body: List[Any]


UNPACKING_LIMIT = 1000
"""The recursion limit for unpacking: searches raise theirs, deep messages must not use it."""


def encode(kind: str, number: int, body: List[Any]) -> bytes:
    """A message; raises WireError if it would be refused."""
    if not fits(body, SHAPES[kind]):
        raise WireError("a message %s that cannot be sent" % kind)
    packed = msgpack.packb([VERSION, kind, number, *body])
    if len(packed) + DIGEST_BYTES > MOST_BYTES:
        raise WireError("a message of %d bytes; %d at most" % (len(packed), MOST_BYTES))
    return blake2b(packed, digest_size=DIGEST_BYTES).digest() + bytes(packed)


def decode(data: bytes) -> Message:
    """The message in what came; raises WireError."""
    if len(data) > MOST_BYTES:
        raise WireError("a message of %d bytes; %d at most" % (len(data), MOST_BYTES))
    digest, packed = data[:DIGEST_BYTES], data[DIGEST_BYTES:]
    if blake2b(packed, digest_size=DIGEST_BYTES).digest() != digest:
        raise WireError("a damaged message: its digest is wrong")
    limit = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(UNPACKING_LIMIT)
        parts = msgpack.unpackb(packed, max_map_len=0, max_ext_len=0)
    except Exception as error:  # of many kinds, whatever the bytes are
        raise WireError("no msgpack: %s" % type(error).__name__) from error
    finally:
        sys.setrecursionlimit(limit)
    if type(parts) is not list or len(parts) < 3 or type(parts[0]) is not int:
        raise WireError("no message")
    if parts[0] != VERSION:
        raise WireError("a message of version %d; this is version %d" % (parts[0], VERSION))
    kind, number, body = parts[1], parts[2], parts[3:]
    if type(kind) is not str or kind not in SHAPES or not COUNT(number):
        raise WireError("a message of no known kind")
    if not fits(body, SHAPES[kind]):
        raise WireError("a message %s with a wrong body" % kind)
    return Message(kind, number, body)


def pack_report(report: Report) -> List[Any]:
    return [*report[:-1], [list(fact) for fact in report.facts]]


def unpack_facts(body: List[Any]) -> List[Fact]:
    return [(land, number) for land, number in body]


def unpack_report(body: List[Any]) -> Report:
    return Report._make([*body[:8], unpack_facts(body[8])])


def pack_result(result: Optional[Result]) -> Optional[List[Any]]:
    if result is None:
        return None
    reached = [[n] for n in range(HEAP + 1) if result.reached >> n & 1]
    return [reached, [[b" ".join(child.lands), *child[1:]] for child in result.children]]


def unpack_result(body: Optional[List[Any]]) -> Optional[Result]:
    if body is None:
        return None
    reached = sum({1 << n for (n,) in body[0]})
    return Result(reached, [Child(tuple(lands.split()), *numbers) for lands, *numbers in body[1]])


def pack_reply(reply: Reply) -> List[Any]:
    order = None if reply.order is None else list(reply.order)
    return [reply.says, order, [list(fact) for fact in reply.facts], reply.reason]


def unpack_reply(body: List[Any]) -> Reply:
    says, order, facts, reason = body
    return Reply(says, None if order is None else Order(*order), unpack_facts(facts), reason)


# Addresses and keys.


class Keys(NamedTuple):
    """What one end holds: its own key pair, and the public key of the other end."""

    public: bytes
    secret: bytes
    other: bytes


def make_keys(directory: str) -> Tuple[str, str]:
    """Write a master's and its workers' keys, to be read by their owner only; the two paths.

    Raises OSError, also if one is there already.
    """
    master, worker = zmq.curve_keypair(), zmq.curve_keypair()
    paths = os.path.join(directory, "master.key"), os.path.join(directory, "worker.key")
    for path, own, other in ((paths[0], master, worker[0]), (paths[1], worker, master[0])):
        names = ("public", "secret", "other")
        held = {name: key.decode() for name, key in zip(names, (*own, other))}
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w") as stream:
            stream.write(json.dumps(held) + "\n")
    return paths


def read_keys(path: str) -> Keys:
    """The keys in a file that `make_keys` wrote; raises WireError, OSError."""
    with open(path, "rb") as stream:
        data = stream.read(1000)
    try:
        held = json.loads(data)
        keys = Keys(*[held[name].encode("ascii") for name in Keys._fields])
    except (ValueError, TypeError, KeyError, AttributeError):
        raise WireError("%s: no key file; make one with worker.py keygen" % path) from None
    if any([len(key) != KEY_LENGTH for key in keys]):
        raise WireError("%s: a damaged key file" % path)
    return keys


def is_file(address: str) -> bool:
    return address.startswith("ipc://")


def endpoint(address: str) -> str:
    """ZeroMQ's name for HOST:PORT or ipc://PATH; raises WireError."""
    if is_file(address):
        return address
    host, colon, port = address.rpartition(":")
    if not (colon and host and port.isascii() and port.isdigit() and int(port) < 65536):
        raise WireError("%s is no address; write HOST:PORT" % ascii(address[:60]))
    return "tcp://%s:%s" % (host, port)


def is_local(address: str) -> bool:
    """Whether only programs on this machine can reach an address.

    >>> is_local("127.0.0.1:5000"), is_local("[::1]:5000"), is_local("0.0.0.0:5000")
    (True, True, False)
    """
    if is_file(address):
        return True
    host = address.rpartition(":")[0].strip("[]")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Server:
    """The master's end, at one or more addresses; raises WireError for one that cannot be had.

    `refused` counts what came and was no request. An address that other machines can reach
    needs keys.
    """

    def __init__(self, master: Master, addresses: List[str], keys: Optional[Keys] = None) -> None:
        self.master = master
        self.refused = 0
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
            raise WireError("%s: %s" % (address, error)) from None
        last: Any = socket.last_endpoint
        bound = last.rstrip(b"\0").decode()
        self.addresses.append(bound if bound.startswith("ipc:") else bound[len("tcp://") :])

    def serve(self, seconds: float) -> None:
        """Answer what comes within that time, and all that has come."""
        poller = zmq.Poller()
        poller.register(self._socket, zmq.POLLIN)
        poller.register(self._asked, zmq.POLLIN)
        end = time.monotonic() + seconds
        while True:
            left = max(0.0, end - time.monotonic())
            ready = dict(poller.poll(int(1000 * left) + 1 if left else 0))
            if self._asked in ready:
                self._let_in(self._asked.recv_multipart())
            if self._socket in ready:
                self._answer(self._socket.recv_multipart())
            if not ready or not left:
                break
        self.master.expire(time.monotonic())

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
            name, game = body
            self._names[sender] = name
            return master.join(name, game, now)
        name = self._names.get(sender, "")
        if kind == "get":
            return master.get(name, now)
        if kind == "update":
            return master.update(name, unpack_report(body), now)
        if kind == "submit":
            return master.submit(name, unpack_report(body[:9]), unpack_result(body[9]), now)
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


class Client:
    """A worker's end: a `pns.jobs.Link` that asks again until the master answers.

    `name` must be that of no other worker. Raises WireError for an address that is none;
    calls raise Gone once `given_up()` is true and there is no answer.
    """

    def __init__(
        self,
        address: str,
        name: str,
        keys: Optional[Keys] = None,
        given_up: Callable[[], bool] = lambda: False,
        patience: float = PATIENCE,
    ) -> None:
        self.address = endpoint(address)
        self.name = name
        self.keys = keys
        self.given_up = given_up
        self.patience = patience
        self._context = zmq.Context()
        self._number = 0
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
            raise WireError("%s: %s" % (self.address, error)) from None

    def _ask(self, kind: str, body: List[Any], wait: float = float("inf")) -> Optional[Reply]:
        """Ask until there is an answer, or for a time."""
        self._number += 1
        packed = encode(kind, self._number, body)
        start = sent = time.monotonic()
        self._socket.send(packed)
        while True:
            if self._socket.poll(200):
                try:
                    message = decode(self._socket.recv())
                except WireError:
                    continue
                if message.kind == REPLY and message.number == self._number:
                    return unpack_reply(message.body)
                continue
            now = time.monotonic()
            if now - start > wait or (self.given_up() and now - start > self.patience):
                return None
            if now - sent > self.patience:
                self._socket.close()
                self._connect()
                self._socket.send(packed)
                sent = now

    def _call(self, kind: str, body: List[Any]) -> Reply:
        reply = self._ask(kind, body)
        if reply is None:
            raise Gone
        return reply

    def join(self, game: str) -> Reply:
        return self._call("join", [self.name, game])

    def get(self) -> Reply:
        return self._call("get", [])

    def update(self, report: Report) -> Reply:
        return self._call("update", pack_report(report))

    def submit(self, report: Report, result: Optional[Result]) -> Reply:
        return self._call("submit", [*pack_report(report), pack_result(result)])

    def close(self, report: Report) -> Reply:
        return self._call("close", pack_report(report))

    def add_facts(self, facts: List[Fact]) -> Reply:
        return self._call("add_facts", [[list(fact) for fact in facts]])

    def leave(self) -> None:
        self._ask("leave", [], wait=1.0)

    def disconnect(self) -> None:
        """Close the connection."""
        self._socket.close()
        self._context.term()
