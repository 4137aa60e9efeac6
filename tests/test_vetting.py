"""What a master believes: texts that are no lands, and workers that lie."""

from __future__ import annotations

import random
from array import array
from typing import Any, List, Optional, Tuple

import pytest
from masters import SPROUTS, Clock, Desk, Hand, master_of

from pns.bounds import INF
from pns.distributed.jobs import DONE, Order, Reply, Report, Result
from pns.facts import Fact, Facts
from pns.master import Master
from pns.proofs.audit import Checker, FastRules

NO_LANDS = [b"00", b"xyz", b"0*2+0*2", b"!", b"0*1", b"A", b"0*2.BA|AB"]


def report_of(order: Order, facts: Any = (), pn: int = 1, dn: int = 1) -> Report:
    return Report(order.job, order.land, order.heap, pn, dn, 7, 20, 0.5, 3, list(facts))


def first(hand: Hand) -> Order:
    order = hand.take()
    assert order
    return order


def run(master: Master, hands: List[Hand], clock: Clock, turns: int = 3000) -> None:
    """Let workers take turns until the search is done; those that were dropped are replaced."""
    started = len(hands)
    for _ in range(turns):
        for i, hand in enumerate(hands):
            clock.now += 0.1
            if master.why_done:
                return
            if hand.reason:
                started += 1
                hands[i] = hand = Hand(master, "w%d" % started, clock)
            hand.turn()
    raise AssertionError("the search does not end")


@pytest.mark.parametrize("land", NO_LANDS)
@pytest.mark.parametrize("check", [0.0, 1.0])
def test_text_that_is_no_land_ends_the_session_of_its_sender(land: bytes, check: float) -> None:
    said: List[str] = []
    facts = Facts("sprouts")
    master, clock = master_of("0*6", iterations=10, facts=facts, check=check), Clock()
    master.warn = said.append
    hands = [Hand(master, "w%d" % i, clock) for i in range(4)]
    for _ in range(4):
        hands[3].do(first(hands[3]))
    orders = [first(hand) for hand in hands[:3]]
    wrong = orders[0]._replace(land=land)
    replies = [
        master.update("w0", report_of(wrong), clock()),
        master.submit("w1", report_of(orders[1]._replace(land=land)), None, clock()),
        master.close("w2", report_of(orders[2], facts=[(b"0", 0), (land, 0)]), clock()),
        master.add_facts("w3", [(land, 0)], clock()),
    ]
    for i, reply in enumerate(replies):
        assert reply.says == DONE and reply.reason.startswith(ascii(land.decode()))
        assert said[i] == "w%d is dropped: %s" % (i, reply.reason)
        assert "w%d" % i not in master.members
    assert not master.jobs and land not in dict(facts.items())
    assert master.join("w3", "sprouts", clock()).says == DONE
    run(master, [Hand(master, "good", clock)], clock)
    assert master.outcome is False and not master.failure


def test_impossible_grundy_numbers_are_refused() -> None:
    master = master_of("0*6", check=0.0)
    master.join("w", "sprouts", 0.0)
    reply = master.add_facts("w", [(b"0*2", 7)], 0.0)
    assert (reply.says, reply.reason) == (DONE, "'0*2' cannot have Grundy number 7")
    assert not len(master.facts)


class Liar(Hand):
    """A worker one in `odds` of whose facts is wrong, and which claims what it does not know."""

    def __init__(self, master: Master, name: str, clock: Clock, odds: int, seed: int) -> None:
        self.lies: List[Fact] = []
        self.rng = random.Random(seed)
        super().__init__(master, name, clock)
        self.link = Crooked(self, master, name, clock, odds)


class Crooked(Desk):
    def __init__(self, liar: Liar, master: Master, name: str, clock: Clock, odds: int) -> None:
        super().__init__(master, name, clock)
        self.liar, self.odds = liar, odds

    def bent(self, facts: List[Fact]) -> List[Fact]:
        told = []
        for land, number in facts:
            if self.liar.rng.randrange(self.odds) == 0:
                number = self.liar.rng.choice([n for n in range(3) if n != number])
                if SPROUTS.estimate(land)[0] >= number:
                    self.liar.lies.append((land, number))
            told.append((land, number))
        return told

    def update(self, report: Report) -> Reply:
        return super().update(report._replace(facts=self.bent(report.facts)))

    def submit(self, report: Report, result: Optional[Result]) -> None:
        super().submit(report._replace(facts=self.bent(report.facts)), result)

    def add_facts(self, facts: List[Fact]) -> Reply:
        return super().add_facts(self.bent(facts))


def assert_right(master: Master) -> None:
    """All that is stored is shown by the rest, and so is true."""
    facts = dict(master.facts.items())
    checker = Checker(FastRules(SPROUTS), lambda land: facts.get(land, -1), cancel=True)
    for land, number in facts.items():
        assert not checker.why_bad(land, number), land


@pytest.mark.parametrize("seed", range(3))
def test_no_lie_gets_through_where_all_is_checked(seed: int) -> None:
    said: List[str] = []
    master, clock = master_of("0*7", iterations=60, updates=20, check=1.0), Clock()
    master.warn = said.append
    liar = Liar(master, "liar", clock, 100, seed)
    honest = [Hand(master, "w%d" % i, clock) for i in range(2)]
    run(master, [liar, *honest], clock)
    assert master.outcome is False
    assert_right(master)
    print(len(master.facts), liar.lies, said)
    assert list(master.dropped) == (["liar"] if liar.lies else [])
    assert len(said) == len(master.dropped)


def test_a_sample_that_finds_a_lie_has_all_checked() -> None:
    """What holds is kept, what does not is withdrawn, and the search ends well."""
    for seed in range(3):
        said: List[str] = []
        master, clock = master_of("0*6", iterations=30, updates=10, check=0.3), Clock()
        master.warn = said.append
        master.vetting.random = random.Random(seed)
        liar = Liar(master, "liar", clock, 5, seed)
        honest = [Hand(master, "w%d" % i, clock) for i in range(2)]
        run(master, [liar, *honest], clock)
        assert liar.lies and not master.vetting.trusts
        assert master.outcome is False and not master.failure
        assert_right(master)
        assert "w0" not in master.dropped and "w1" not in master.dropped, said


def test_claims_without_facts_are_not_believed_where_all_is_checked() -> None:
    """Won leaves, lost leaves, won children."""
    for pn, dn in ((0, INF), (INF, 0), (0, 0)):
        master, clock = master_of("0*6", iterations=1, check=1.0), Clock()
        hand = Hand(master, "w", clock)
        master.join("liar", "sprouts", 0.0)
        for _ in range(40):
            order = master.get("liar", clock()).order
            if not order:
                break
            reply = master.submit("liar", report_of(order, pn=pn, dn=dn), None, clock())
            assert reply.says != DONE or "liar" in master.dropped
            assert master.outcome is None
        if pn == 0:
            assert "is won" in master.dropped["liar"]
        run(master, [hand], clock)
        assert master.outcome is False
        assert_right(master)


def test_won_children_without_facts_are_not_believed_where_all_is_checked() -> None:
    master, clock = master_of("0*5", iterations=1, check=1.0), Clock()
    hand = Hand(master, "w", clock)
    master.join("liar", "sprouts", 0.0)
    lied = 0
    while "liar" not in master.dropped:
        order = master.get("liar", clock()).order
        assert order and master.outcome is None
        children = len(SPROUTS_OPTIONS(order.land)) + order.heap
        result = Result(array("I", [0, INF] * children))
        master.submit("liar", report_of(order), result, clock())
        lied += 1
        assert lied < 40
    run(master, [hand], clock)
    assert master.grundy_number in (None, 1) and master.outcome is True
    assert_right(master)


def SPROUTS_OPTIONS(land: bytes) -> List[Tuple[bytes, ...]]:
    return sorted(SPROUTS.children(land))
