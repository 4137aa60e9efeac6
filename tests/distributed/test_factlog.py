"""Which facts a master sends to which workers, and whom it names in a contradiction."""

from __future__ import annotations

from helpers.masters import new_master

from pns.facts import Facts
from pns.facts.log import FactLog
from pns.jobs.protocol import DONE


def test_the_log_of_facts() -> None:
    log = FactLog()
    for i in range(300):
        log.append(b"0*%d" % i, i % 3, i)
    assert log[7] == (b"0*7", 1) and log.origin_of(b"0*299") == 299 and log.origin_of(b"x") == -1


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
