"""Messages of every kind, and damaged ones."""

from __future__ import annotations

import random
from array import array
from hashlib import blake2b
from typing import Any, List

import msgpack

from pns.distributed import messages
from pns.distributed.messages import encode
from pns.jobs.protocol import JOB, JobReport, JobResult, JobSpec, Reply
from pns.search.bounds import INF

REPORT = JobReport(7, b"0*6", 1, 3, INF, 100, 900, 0.25, 12, [(b"1a1a", 0), (b"0*3", 1)])

RESULT = JobResult(array("I", [5, 9, 0, INF]))

SPEC = JobSpec(7, b"0*6", 1, 1000, 100, 2, 50, (9, 8, 1 << 40, 1, 0))


def sealed(parts: Any, version: int = messages.VERSION) -> bytes:
    packed = parts if type(parts) is bytes else msgpack.packb([version, *parts])
    return blake2b(packed, digest_size=messages.DIGEST_BYTES).digest() + packed


def samples() -> List[bytes]:
    report, reply = messages.pack_report(REPORT), Reply(JOB, SPEC, [(b"0", 0)], "")
    return [
        encode("join", 1, ["a worker", "sprouts", "a group", "", False]),
        encode("get", 2, []),
        encode("update", 3, report),
        encode("submit", 4, [*report, messages.pack_result(RESULT), True]),
        encode("submit", 5, [*report, None, False]),
        encode("close", 6, report),
        encode("add_facts", 7, [[b"0*2", b"\0"]]),
        encode("leave", 8, []),
        encode("reply", 9, messages.pack_reply(reply)),
    ]


def damaged(data: bytes, rng: random.Random, kinds: int = 4) -> bytes:
    altered = bytearray(data)
    fate = rng.randrange(kinds)
    if fate == 0:
        return rng.randbytes(rng.randrange(200))
    if fate == 1:
        return data[: rng.randrange(len(data))]
    for _ in range(rng.randint(1, 4)):
        altered[rng.randrange(len(altered))] ^= 1 << rng.randrange(8)
    return bytes(altered) if fate == 2 else sealed(bytes(altered[messages.DIGEST_BYTES :]))
