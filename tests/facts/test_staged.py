"""Facts that wait above others: what is known, what is released and what is dropped."""

from __future__ import annotations

import pytest

from pns.facts import Contradiction, Facts, FactsError, staged
from pns.facts.layers import DATABASE, PACKAGE, Layer, LayeredFacts
from pns.facts.staged import StagedFacts


@pytest.fixture
def base() -> Facts:
    facts = Facts("nim")
    facts.supply([(b"2", 2), (b"5", 5)])
    return facts


def test_new_facts_stay_above_the_base_until_they_are_released(base: Facts) -> None:
    facts = StagedFacts(base)
    facts.add(b"3", 3)
    facts.add(b"2", 2)
    assert [facts.get(land) for land in (b"2", b"3", b"4")] == [2, 3, -1]
    assert (facts.new, len(facts), len(base), base.get(b"3")) == (1, 3, 2, -1)
    assert list(facts.items()) == [(b"2", 2), (b"3", 3), (b"5", 5)]
    facts.release([(b"3", 3), (b"4", 4)])
    assert (base.get(b"3"), base.get(b"4"), len(facts), len(base)) == (3, 4, 4, 4)


def test_what_contradicts_staged_facts_or_the_base_is_refused(base: Facts) -> None:
    facts = StagedFacts(base)
    facts.add(b"3", 3)
    for land in (b"2", b"3"):
        with pytest.raises(Contradiction):
            facts.add(land, 7)
    with pytest.raises(FactsError, match="cannot be stored"):
        facts.add(b"9", 1000)
    facts.withdraw([(b"3", 3), (b"2", 2), (b"5", 4)])
    assert (facts.new, list(facts.items()), len(base)) == (0, [(b"5", 5)], 1)


def test_many_staged_facts_leave_when_the_base_has_them(
    base: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staged, "MOST_STAGED", 1)
    facts = StagedFacts(base)
    facts.add(b"3", 3)
    facts.add(b"4", 4)
    base.add(b"3", 3)
    assert len(facts) == 5
    facts.tick()
    assert len(facts) == 4 and facts.get(b"3") == 3
    base.trouble = "the disk is full"
    with pytest.raises(FactsError, match="the disk is full"):
        facts.tick()


def test_only_what_is_in_no_file_is_in_memory(base: Facts) -> None:
    shipped = Facts("nim")
    shipped.supply([(b"8", 8)])
    layers = [Layer("own", DATABASE, base), Layer("shipped", PACKAGE, shipped)]
    facts = StagedFacts(LayeredFacts("nim", layers))
    facts.add(b"3", 3)
    assert facts.in_memory() == [(b"2", 2), (b"5", 5), (b"3", 3)]
