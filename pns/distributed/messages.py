"""Messages between a master and its workers: msgpack, checked on arrival; no pickle anywhere.

A message is the BLAKE2b digest, of DIGEST_BYTES, of what follows it: a msgpack array
[VERSION, kind, number, body...]. The kinds and the shapes of their bodies are in SHAPES;
whatever is not exactly of its kind's shape is refused, as is what is too long. The digest
is against damage, not against liars.
"""

from __future__ import annotations

import sys
from array import array
from hashlib import blake2b
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

import msgpack

from pns.bounds import INF, ROOT
from pns.couple import HEAP
from pns.distributed.protocol import JOB, KEEP_ALL, LATER, JobReport, JobResult, JobSpec, Reply
from pns.facts import LARGEST_NUMBER, Fact

VERSION = 5
DIGEST_BYTES = 16
MOST_BYTES = 1 << 24
MOST_FACTS = 10_000
MOST_CHILDREN = 1 << 18
MOST_COUNT = 1 << 62
LONGEST_NAME = 100
LONGEST_LAND = 1 << 16

REPLY = "reply"


class WireError(ValueError):
    """What came is no message, an address cannot be used, a key file is none: what is wrong."""


class VersionError(WireError):
    """What came is a message of another version."""


Check = Callable[[Any], bool]


def is_int(least: int, most: int) -> Check:
    return lambda value: type(value) is int and least <= value <= most


def is_text(value: Any) -> bool:
    return type(value) is str and 0 < len(value) <= LONGEST_NAME and value.isprintable()


def is_place(value: Any) -> bool:
    return value == "" or is_text(value)


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


def is_result(value: Any) -> bool:
    """None, or pairs of numbers of 4 bytes, the lowest first."""
    return value is None or (
        type(value) is bytes and not len(value) % PAIR and len(value) <= PAIR * MOST_CHILDREN
    )


PAIR = 8


def is_limits(value: Any) -> bool:
    """Thresholds, in the order of `bounds.Thresholds`."""
    return fits(value, (COUNT,) * len(ROOT))


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
REPORT = (COUNT, is_land, HEAPS, NUMBER, NUMBER, COUNT, COUNT, is_seconds, COUNT, FACTS)
SOME = is_int(1, MOST_COUNT)
ORDER = (COUNT, is_land, HEAPS, SOME, SOME, is_int(0, KEEP_ALL), SOME, is_limits)

SHAPES: Dict[str, Tuple[Check, ...]] = {
    "join": (is_text, is_text, is_text, is_place),
    "get": (),
    "update": REPORT,
    "submit": (*REPORT, is_result),
    "close": REPORT,
    "add_facts": (FACTS,),
    "leave": (),
    REPLY: (is_int(JOB, LATER), or_none(ORDER), FACTS, lambda value: type(value) is str),
}
"""The body of each kind of message, item by item: those of `pns.distributed.protocol`, and for
"join" the worker's name, the game, the name of its group, and what it has forgotten."""


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
        raise VersionError("a message of version %d; this is version %d" % (parts[0], VERSION))
    kind, number, body = parts[1], parts[2], parts[3:]
    if type(kind) is not str or kind not in SHAPES or not COUNT(number):
        raise WireError("a message of no known kind")
    if not fits(body, SHAPES[kind]):
        raise WireError("a message %s with a wrong body" % kind)
    return Message(kind, number, body)


def pack_report(report: JobReport) -> List[Any]:
    return [*report[:-1], [list(fact) for fact in report.facts]]


def unpack_facts(body: List[Any]) -> List[Fact]:
    return [(land, number) for land, number in body]


def unpack_report(body: List[Any]) -> JobReport:
    return JobReport._make([*body[:-1], unpack_facts(body[-1])])


def pack_result(result: Optional[JobResult]) -> Optional[bytes]:
    return None if result is None else in_order(result.numbers).tobytes()


def unpack_result(body: Optional[bytes]) -> Optional[JobResult]:
    return None if body is None else JobResult(in_order(array("I", body)))


def in_order(numbers: "array[int]") -> "array[int]":
    """Numbers with the bytes of each as they travel, or back."""
    if sys.byteorder == "big":
        numbers = numbers[:]
        numbers.byteswap()
    return numbers


def pack_reply(reply: Reply) -> List[Any]:
    order = reply.order and [*reply.order[:-1], list(reply.order.limits)]
    return [reply.says, order, [list(fact) for fact in reply.facts], reply.reason]


def unpack_reply(body: List[Any]) -> Reply:
    says, order, facts, reason = body
    order = order and JobSpec._make([*order[:-1], tuple(order[-1])])
    return Reply(says, order, unpack_facts(facts), reason)
