"""Messages between a master and its workers: msgpack, checked on arrival; no pickle anywhere.

A message is a msgpack array [VERSION, kind, number, body...], preceded by its BLAKE2b digest
of DIGEST_BYTES. SHAPES has the kinds and the shapes of their bodies; a body of another shape
is refused, and so is a message that is too long. The digest protects against damage, not
against liars.
"""

from __future__ import annotations

import sys
from array import array
from hashlib import blake2b
from typing import Any, Callable, Collection, Dict, List, NamedTuple, Optional, Tuple

import msgpack

from pns.facts import LARGEST_NUMBER, Fact
from pns.facts.batch import BETWEEN, FactBatch
from pns.jobs.protocol import JOB, KEEP_ALL, LATER, JobReport, JobResult, JobSpec, Reply
from pns.positions.interned import HEAP
from pns.search.bounds import INF, ROOT

VERSION = 8
DIGEST_BYTES = 16
MOST_BYTES = 1 << 24
MOST_FACTS = 10_000
MOST_CHILDREN = 1 << 18
MOST_COUNT = 1 << 62
LONGEST_NAME = 100
LONGEST_LAND = 1 << 16

REPLY = "reply"


class WireError(ValueError):
    """A message, an address or a key file is not valid, or cannot be used; says why."""


class VersionError(WireError):
    """A message is of another version."""


Check = Callable[[Any], bool]


def is_int(least: int, most: int) -> Check:
    return lambda value: type(value) is int and least <= value <= most


def is_text(value: Any) -> bool:
    return type(value) is str and 0 < len(value) <= LONGEST_NAME and value.isprintable()


def is_bool(value: Any) -> bool:
    return type(value) is bool


def is_cursor(value: Any) -> bool:
    return value == "" or is_text(value)


def is_seconds(value: Any) -> bool:
    return type(value) is float and 0.0 <= value < 1e9


def is_land(value: Any) -> bool:
    """Whether a value is printable ASCII without white space, as every canonical text is."""
    return (
        type(value) is bytes
        and 0 < len(value) <= LONGEST_LAND
        and value.isascii()
        and not value.translate(None, PRINTABLE)
    )


PRINTABLE = bytes(range(33, 127))
LANDS = PRINTABLE + BETWEEN
NUMBERS = bytes(range(LARGEST_NUMBER + 1))


def is_facts(value: Any) -> bool:
    """Whether a value is the texts and the numbers of a `FactBatch`, as far as that can be seen."""
    if type(value) is not list or len(value) != 2:
        return False
    texts, numbers = value
    if type(texts) is not bytes or type(numbers) is not bytes or len(numbers) > MOST_FACTS:
        return False
    if not numbers:
        return not texts
    if texts.count(BETWEEN) != len(numbers) - 1 or 2 * BETWEEN in texts:
        return False
    if not texts or texts.startswith(BETWEEN) or texts.endswith(BETWEEN):
        return False
    if texts.translate(None, LANDS) or numbers.translate(None, NUMBERS):
        return False
    return len(texts) <= LONGEST_LAND or max(map(len, texts.split(BETWEEN))) <= LONGEST_LAND


def is_result(value: Any) -> bool:
    """Whether a value is None, or pairs of little-endian numbers of 4 bytes."""
    return value is None or (
        type(value) is bytes and not len(value) % PAIR and len(value) <= PAIR * MOST_CHILDREN
    )


PAIR = 8


def is_limits(value: Any) -> bool:
    """Whether a value has the form of `bounds.Thresholds`."""
    return fits(value, (COUNT,) * len(ROOT))


def fits(value: Any, shape: Tuple[Check, ...]) -> bool:
    """Whether a value is an array whose items pass the checks of a shape."""
    if type(value) is not list or len(value) != len(shape):
        return False
    for item, check in zip(value, shape):
        if not check(item):
            return False
    return True


def or_none(shape: Tuple[Check, ...]) -> Check:
    return lambda value: value is None or fits(value, shape)


NUMBER, COUNT, HEAPS = is_int(0, INF), is_int(0, MOST_COUNT), is_int(0, HEAP)
REPORT = (COUNT, is_land, HEAPS, NUMBER, NUMBER, COUNT, COUNT, is_seconds, COUNT, is_facts)
POSITIVE = is_int(1, MOST_COUNT)
SPEC = (COUNT, is_land, HEAPS, POSITIVE, POSITIVE, is_int(0, KEEP_ALL), POSITIVE, is_limits)

SHAPES: Dict[str, Tuple[Check, ...]] = {
    "join": (is_text, is_text, is_text, is_cursor, is_bool),
    "get": (),
    "update": REPORT,
    "submit": (*REPORT, is_result, is_bool),
    "close": REPORT,
    "add_facts": (is_facts,),
    "leave": (),
    REPLY: (is_int(JOB, LATER), or_none(SPEC), is_facts, lambda value: type(value) is str),
}
"""The checks for the items of each kind's body. These are those of `pns.jobs.protocol`;
of "join": the worker's name, the game, the name of its group, the cursor of FORGET, and whether it
searches simpler positions; the last of "submit": whether the worker asks for the next job."""


class Message(NamedTuple):
    """A message whose body has the shape of its kind."""

    kind: str
    number: int
    body: List[Any]


UNPACKING_LIMIT = 1000
"""The recursion limit for unpacking: that of a search is too high for deep messages."""


def encode(kind: str, number: int, body: List[Any]) -> bytes:
    """The bytes of a message; raises WireError if `decode` would refuse them."""
    if not fits(body, SHAPES[kind]):
        raise WireError("a message %s that cannot be sent" % kind)
    packed = msgpack.packb([VERSION, kind, number, *body])
    if len(packed) + DIGEST_BYTES > MOST_BYTES:
        raise WireError("a message of %d bytes; %d at most" % (len(packed), MOST_BYTES))
    return blake2b(packed, digest_size=DIGEST_BYTES).digest() + bytes(packed)


def decode(data: bytes) -> Message:
    """The message in received bytes; raises WireError."""
    if len(data) > MOST_BYTES:
        raise WireError("a message of %d bytes; %d at most" % (len(data), MOST_BYTES))
    digest, packed = data[:DIGEST_BYTES], data[DIGEST_BYTES:]
    if blake2b(packed, digest_size=DIGEST_BYTES).digest() != digest:
        raise WireError("a damaged message: its digest is wrong")
    limit = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(UNPACKING_LIMIT)
        parts = msgpack.unpackb(packed, max_map_len=0, max_ext_len=0)
    except Exception as error:  # bad bytes raise many kinds
        raise WireError("no msgpack: %s" % type(error).__name__) from error
    finally:
        sys.setrecursionlimit(limit)
    if type(parts) is not list or len(parts) < 3 or type(parts[0]) is not int:
        raise WireError("no message")
    if parts[0] != VERSION:
        raise VersionError("a message of version %d; this is version %d" % (parts[0], VERSION))
    kind, number, body = parts[1], parts[2], parts[3:]
    if type(kind) is not str or kind not in SHAPES or not COUNT(number):
        raise WireError("a message of an unknown kind")
    if not fits(body, SHAPES[kind]):
        raise WireError("a message %s with a wrong body" % kind)
    return Message(kind, number, body)


def pack_report(report: JobReport) -> List[Any]:
    return [*report[:-1], pack_facts(report.facts)]


def pack_facts(facts: Collection[Fact]) -> List[bytes]:
    batch = FactBatch.of(facts)
    return [batch.texts, batch.numbers]


def unpack_facts(body: List[bytes]) -> FactBatch:
    return FactBatch(*body)


def unpack_report(body: List[Any]) -> JobReport:
    return JobReport._make([*body[:-1], unpack_facts(body[-1])])


def pack_result(result: Optional[JobResult]) -> Optional[bytes]:
    return None if result is None else little_endian(result.numbers).tobytes()


def unpack_result(body: Optional[bytes]) -> Optional[JobResult]:
    return None if body is None else JobResult(little_endian(array("I", body)))


def little_endian(numbers: "array[int]") -> "array[int]":
    """Numbers with their bytes in the order of the wire, little-endian, or back."""
    if sys.byteorder == "big":
        numbers = numbers[:]
        numbers.byteswap()
    return numbers


def pack_reply(reply: Reply) -> List[Any]:
    spec = reply.spec and [*reply.spec[:-1], list(reply.spec.limits)]
    return [reply.status, spec, pack_facts(reply.facts), reply.reason]


def unpack_reply(body: List[Any]) -> Reply:
    status, spec, facts, reason = body
    spec = spec and JobSpec._make([*spec[:-1], tuple(spec[-1])])
    return Reply(status, spec, unpack_facts(facts), reason)
