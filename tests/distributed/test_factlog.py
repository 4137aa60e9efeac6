"""Which facts a master sends to which workers, and whom it names in a contradiction."""

from __future__ import annotations

import random
from collections import Counter
from typing import Dict, List, Sequence, Tuple

import pytest
from helpers.masters import new_master

import pns.facts.log
from pns.facts import Fact, Facts
from pns.facts.batch import FactBatch
from pns.facts.log import FactLog, Group, facts_in
from pns.jobs.protocol import DONE


def test_the_log_of_facts() -> None:
    log = FactLog()
    for i in range(300):
        log.append(b"0*%d" % i, i % 3, i // 7)
    assert log[7] == (b"0*7", 1) and log.origin(7) == 1
    assert log.origin_of(b"0*299") == 42 and log.origin_of(b"*29") == -1
    assert list(facts_in(log.dump())) == list(log) == [(b"0*%d" % i, i % 3) for i in range(300)]
    assert log.reported(5) == [(b"0*%d" % i, i % 3) for i in range(7, 300)]
    assert list(log.of_database()) == [(b"0*%d" % i, i % 3) for i in range(7)]


def test_facts_of_a_database_are_sent_in_their_order_by_replies_of_bounded_length() -> None:
    facts = [(b"0*%d" % i, i % 3) for i in range(5000)]
    log, group = FactLog(), Group()
    log.extend(iter(facts), 0)
    replies = [list(log.next_facts(group, float(i))) for i in range(4)]
    assert [len(reply) for reply in replies] == [2000, 2000, 1000, 0]
    assert sum(replies, []) == list(log) == facts and log[4321] == facts[4321]


MOST = 100
"""Facts in a reply of the test below."""


def reference(
    log: FactLog, group: Group, again: int, groups: Sequence[Group], end: int
) -> Tuple[List[Fact], int]:
    """What a group has to get next, fact by fact, and the index that it reaches."""
    facts: List[Fact] = []
    i = group.next
    while i < end and len(facts) < MOST:
        if groups[log.origin(i)] is not group or i < again:
            facts.append(log[i])
        i += 1
    return facts, i


@pytest.mark.parametrize("seed", range(5))
def test_groups_get_what_they_lack_whatever_the_batches(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reports of any length arrive, and members of groups that have lost facts get them again."""
    monkeypatch.setattr(pns.facts.log, "FACTS_IN_REPLY", MOST)
    rng, log, count, now = random.Random(seed), FactLog(), 0, 0.0
    groups = [Group("none"), Group("none"), Group("a"), Group("b"), Group("c")]
    for group in groups[2:]:
        assert log.enter(group.name, group) == groups.index(group)
    again: Dict[str, int] = Counter()
    for _ in range(120):
        now += rng.choice((0.1, 2.0))
        size = rng.choice((0, 1, 3, 70, 250))
        facts = [(b"0*%d" % i, i % 5) for i in range(count, count + size)]
        count += size
        origin = rng.randrange(5)
        log.extend(FactBatch.of(facts) if rng.random() < 0.5 else facts, origin)
        for group in groups[2:]:
            if rng.random() < 0.05:
                again[group.name] = max(again[group.name], group.next)
                group.rewind()
                again[group.name] *= group.next < again[group.name]
            if rng.random() < 0.7:
                waiting = rng.randint(0, min(len(log) - group.next, 100))
                end = len(log) - waiting
                expected = reference(log, group, again[group.name], groups, end)
                assert list(log.next_facts(group, now, waiting)) == expected[0]
                if len(expected[0]) < MOST:
                    assert group.next == expected[1]
    assert list(facts_in(log.dump())) == [(b"0*%d" % i, i % 5) for i in range(count)]
    for i in range(0, count, 97):
        assert log.origin_of(b"0*%d" % i) == log.origin(i)


def test_each_fact_is_sent_to_each_worker_once() -> None:
    master, clock = new_master(facts=Facts("sprouts"))
    master.facts.add(b"1a1a", 0)
    for name in ("a", "b"):
        assert list(master.join(name, "sprouts", 0.0).facts) == []  # the master did not log it
    new = [(b"0", 0), (b"0*2", 0)]
    assert list(master.add_facts("a", new, 0.0).facts) == []
    assert list(master.get("b", 0.0).facts) == new
    assert list(master.add_facts("b", new, 0.0).facts) == []
    assert list(master.join("late", "sprouts", 0.0).facts) == new


class SlowFacts(Facts):
    """Facts of which the last `waiting` are not stored yet."""

    waiting = 0


def test_facts_are_sent_only_when_they_are_stored() -> None:
    facts = SlowFacts("sprouts")
    master, _ = new_master(facts=facts)
    for name in ("a", "b"):
        master.join(name, "sprouts", 0.0)
    new = [(b"0", 0), (b"0*2", 0)]
    facts.waiting = 1
    master.add_facts("a", new, 0.0)
    assert list(master.get("b", 0.0).facts) == new[:1]
    assert list(master.get("b", 0.0).facts) == []
    facts.waiting = 0
    assert list(master.get("b", 0.0).facts) == new[1:]


def test_each_fact_is_sent_to_each_group_once() -> None:
    master, _ = new_master()
    for name, group in (("a", "near"), ("b", "near"), ("c", "far")):
        master.join(name, "sprouts", 0.0, group)
    master.add_facts("c", [(b"0", 0)], 0.0)
    assert list(master.get("a", 0.0).facts) == [(b"0", 0)]
    assert list(master.get("b", 0.0).facts) == []
    master.add_facts("a", [(b"0*2", 0)], 1.0)
    assert list(master.get("b", 1.0).facts) == []
    assert list(master.get("c", 1.0).facts) == [(b"0*2", 0)]
    assert list(master.join("d", "sprouts", 3.0, "far").facts) == []
    assert list(master.join("e", "sprouts", 3.0, "new").facts) == [(b"0", 0), (b"0*2", 0)]
    master.lose("a", 3.0)  # perhaps with the facts that it received or proved last
    assert list(master.get("b", 3.0).facts) == [(b"0", 0), (b"0*2", 0)]
    master.leave("b", 4.0)
    assert list(master.join("f", "sprouts", 99.0, "near").facts) == [(b"0", 0), (b"0*2", 0)]
    master.leave("c", 99.0)
    assert list(master.get("d", 99.0).facts) == []
    master.lose("e", 99.0)
    assert list(master.get("f", 99.0).facts) == []


def test_a_contradiction_names_both_reporters() -> None:
    master, clock = new_master()
    master.join("one", "sprouts", 0.0)
    master.join("two", "sprouts", 0.0)
    master.add_facts("one", [(b"0*3", 1)], 0.0)
    reply = master.add_facts("two", [(b"0*2", 0), (b"0*3", 2), (b"0", 0)], 0.0)
    assert reply.status == DONE
    assert reply.reason == (
        "contradiction: 0*3 has Grundy number 2, but 1 is known already (this by two, that by one)"
    )
    assert master.get("one", 0.0).status == DONE
    assert dict(master.facts.items()) == {b"0*2": 0, b"0*3": 1}
