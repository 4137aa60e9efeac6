"""Messages: round trips, and refusal of wrong shapes, versions and damage."""

from __future__ import annotations

import random
import sys
from typing import Any

import pytest

pytest.importorskip("msgpack", reason="msgpack is missing")
import msgpack
from helpers.wire import REPORT, RESULT, SPEC, damaged, samples, sealed

from pns.dfpn import RECURSION_LIMIT
from pns.distributed import messages
from pns.distributed.messages import WireError, decode, encode, pack_facts
from pns.jobs.protocol import JOB, Reply
from pns.search.bounds import INF

NONE = pack_facts([])


def test_round_trips() -> None:
    found = [decode(data) for data in samples()]
    assert [message.kind for message in found[:3]] == ["join", "get", "update"]
    assert [message.number for message in found] == list(range(1, 10))
    report = messages.unpack_report(found[2].body)
    assert report._replace(facts=list(report.facts)) == REPORT
    assert messages.unpack_result(found[3].body[-2]) == RESULT
    assert messages.unpack_result(found[4].body[-2]) is None
    reply = messages.unpack_reply(found[8].body)
    assert reply._replace(facts=list(reply.facts)) == Reply(JOB, SPEC, [(b"0", 0)], "")


@pytest.mark.parametrize(
    "parts",
    [
        [],
        ["get"],
        ["get", -1],
        ["get", 1, 1],
        ["fetch", 1],
        [b"get", 1],
        ["join", 1, "w", "sprouts"],
        ["join", 1, "w", "sprouts", "g"],
        ["join", 1, "w", "sprouts", "g", ""],
        ["join", 1, "w", "sprouts", "g", "", 0],
        ["join", 1, "", "sprouts", "g", "", False],
        ["join", 1, "w" * 101, "sprouts", "g", "", False],
        ["join", 1, "w\n", "sprouts", "g", "", False],
        ["join", 1, "w", "sprouts", "g", "\n", False],
        ["add_facts", 1, [b"0*2", b"\xfb"]],
        ["add_facts", 1, [b"0*2", b""]],
        ["add_facts", 1, [b"0*2", b"\0\0"]],
        ["add_facts", 1, [b"0*2\n0*3", b"\0"]],
        ["add_facts", 1, [b"0*2", "\0"]],
        ["add_facts", 1, [b"0*2", [0]]],
        ["add_facts", 1, [b"0*2"]],
        ["add_facts", 1, [b"0*2", b"\0", b""]],
        ["add_facts", 1, (b"0*2", 0)],
        ["add_facts", 1, [b"0 2", b"\0"]],
        ["add_facts", 1, [b"", b"\0"]],
        ["add_facts", 1, [b"\n", b"\0\0"]],
        ["add_facts", 1, [b"0*2\n", b"\0\0"]],
        ["add_facts", 1, [b"0" * (messages.LONGEST_LAND + 1), b"\0"]],
        ["add_facts", 1, ["0*2", b"\0"]],
        ["add_facts", 1, [b"\xff", b"\0"]],
        ["add_facts", 1, pack_facts([(b"0", 1)] * (messages.MOST_FACTS + 1))],
        ["update", 1, 7, b"0*6", 256, 3, 4, 1, 1, 0.5, 1, NONE],
        ["update", 1, 7, b"0*6", 1, 3, INF + 1, 1, 1, 0.5, 1, NONE],
        ["update", 1, 7, b"0*6", 1, 3, 4, 1, 1, -0.5, 1, NONE],
        ["update", 1, 7, b"0*6", 1, 3, 4, 1, 1, float("nan"), 1, NONE],
        ["submit", 1, 7, b"0*6", 1, 3, 4, 1, 1, 0.5, 1, NONE, bytes(12), True],
        ["submit", 1, 7, b"0*6", 1, 3, 4, 1, 1, 0.5, 1, NONE, [1, 1], True],
        ["submit", 1, 7, b"0*6", 1, 3, 4, 1, 1, 0.5, 1, NONE, bytes(8), 1],
        ["reply", 1, 9, None, NONE, ""],
        ["reply", 1, 0, [1, b"0", 0, 0, 1, 2], NONE, ""],
        {"get": 1},
    ],
)
def test_wrong_bodies_are_refused(parts: Any) -> None:
    packed = msgpack.packb([messages.VERSION, *parts] if type(parts) is list else parts)
    with pytest.raises(WireError):
        decode(sealed(packed))


def test_other_versions_and_too_deep_or_long_messages_are_refused() -> None:
    sys.setrecursionlimit(RECURSION_LIMIT)  # as a search sets it
    with pytest.raises(WireError, match="version 9; this is version 8"):
        decode(sealed(["get", 1], version=9))
    for packed in (b"\x91" * 1_000_000, b"\xdd\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff", b""):
        with pytest.raises(WireError):
            decode(sealed(packed))
    with pytest.raises(WireError, match="at most"):
        decode(bytes(messages.MOST_BYTES + 1))
    with pytest.raises(WireError, match="cannot be sent"):
        encode("add_facts", 1, [[b"a b", b"\0"]])


def test_facts_of_any_number_come_back_as_they_were() -> None:
    for count in (0, 1, 2, 300, messages.MOST_FACTS):
        facts = [(b"0*%d" % (i + 2), i % 251) for i in range(count)]
        body = decode(encode("add_facts", 1, [pack_facts(facts)])).body
        assert list(messages.unpack_facts(body[0])) == facts


def check_damaged_messages(count: int, seed: int) -> None:
    """Decode damaged messages, some with a right digest: refused, or of a valid shape."""
    rng, good = random.Random(seed), samples()
    passed = 0
    for _ in range(count):
        data = damaged(rng.choice(good), rng)
        try:
            message = decode(data)
        except WireError:
            continue
        passed += data not in good
        assert messages.fits(message.body, messages.SHAPES[message.kind])
    assert passed > count // 200  # such as another count under a right digest


def test_damaged_messages() -> None:
    check_damaged_messages(20_000, 1)


@pytest.mark.slow
def test_a_million_damaged_messages() -> None:
    check_damaged_messages(1_000_000, 2)
