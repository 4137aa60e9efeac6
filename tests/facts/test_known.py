"""The facts that come with the package: where they are from, and what a search does with them."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest
from helpers.paths import DECIDED
from helpers.published import published, spots_of
from helpers.solver import contents, needs_lmdb
from helpers.tools import call

import pns
from pns.facts import Facts, known, open_facts
from pns.finding import find_game
from pns.proofs.audit_pool import check_chunk, small_caches
from pns.proofs.certificate import read_certificate
from pns.proofs.check import Checker
from pns.proofs.rules import find_rules
from pns.system.package_data import read_data

RULES = find_rules("sprouts", simplify=True)
SAMPLE = 500
PARTS = 8
"""The audit of all facts is divided into this number of tests, which run side by side."""


def entries() -> "dict[bytes, int]":
    """The entries of all certificates that prove who wins n spots."""
    found: "dict[bytes, int]" = {}
    for path in DECIDED:
        found.update(read_certificate(str(path))[1])
    return found


@pytest.mark.slow
def test_they_are_the_entries_of_the_certificates(tmp_path: Path) -> None:
    facts = pns.known_facts()
    assert dict(facts.items()) == entries() and len(facts) > 4000
    assert (facts.new, facts.game_name, facts.path) == (0, "sprouts", None)
    assert len(pns.known_facts("nim")) == 0
    made = tmp_path / "made"
    done = call("make_known.py", "--out", made)
    assert (done.status, done.output) == (0, "%s: %d facts\n" % (made, len(facts)))
    packed = read_data(known.file_name("sprouts"))
    assert packed is not None
    assert gzip.decompress(made.read_bytes()) == gzip.decompress(packed)
    done = call("make_known.py", "--game", "nim")
    assert done.status == 2 and "there is no certificate of nim" in done.errors


@pytest.mark.search
def test_a_sample_holds_by_the_others() -> None:
    facts = pns.known_facts()
    checker = Checker(RULES, facts.get)
    lands = random.Random(1).sample(sorted(facts.items()), SAMPLE)
    with small_caches(find_game("sprouts")):
        assert check_chunk(checker, lands) == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_each_holds_by_the_others(part: int) -> None:
    facts = pns.known_facts()
    lands = sorted(facts.items())
    first, last = [len(lands) * i // PARTS for i in (part, part + 1)]
    checker = Checker(RULES, facts.get)
    with small_caches(find_game("sprouts")):
        assert check_chunk(checker, lands[first:last]) == []


def test_a_wrong_one_would_be_found() -> None:
    facts = pns.known_facts()
    land, number = next(iter(facts.items()))
    checker = Checker(RULES, facts.get)
    assert [fault.land for fault in check_chunk(checker, [(land, number + 1)])] == [land]


@pytest.mark.search
def test_what_they_answer_is_as_published() -> None:
    proved = [spots_of(path) for path in DECIDED]
    assert len(proved) > 35
    outcomes, facts = published(), pns.known_facts()
    for spots in proved:
        result = pns.solve("0*%d" % spots, facts=facts)
        assert result.outcome == outcomes[spots], spots
        assert (result.usage.facts_new, result.usage.expansions < 2) == (0, True), spots


@pytest.mark.parametrize("change", ["cut", "flipped", "other"])
def test_a_damaged_file_is_refused(monkeypatch: pytest.MonkeyPatch, change: str) -> None:
    packed = read_data(known.file_name("sprouts"))
    assert packed is not None
    middle = len(packed) // 2
    flipped = packed[:middle] + bytes([packed[middle] ^ 1]) + packed[middle + 1 :]
    changed = {"cut": packed[:-9], "flipped": flipped, "other": b"no such file"}[change]
    monkeypatch.setattr(known, "read_data", lambda name: changed)
    with pytest.raises(pns.FactsError, match="sprouts.known.gz is damaged: "):
        pns.known_facts()


def test_facts_from_elsewhere_are_not_counted() -> None:
    facts = Facts("nim")
    facts.add(b"1", 1)
    facts.supply([(b"1", 1), (b"3", 3)])
    assert (facts.new, len(facts), facts.get(b"3")) == (1, 2, 3)
    with pytest.raises(pns.Contradiction):
        facts.supply([(b"3", 2)])


@needs_lmdb
@pytest.mark.search
def test_a_database_gets_them_once(tmp_path: Path) -> None:
    path = tmp_path / "db"
    words = ("0*6.1.1.1", "--quiet", "--json", "--db", path)
    first, second = [json.loads(call("solve.py", *words).output) for _ in range(2)]
    new = first["facts_new"]
    assert new > 0 == second["facts_new"]
    for found in (first, second):
        assert found["outcome"] == "loss"
        assert found["from_database"] is (found is second)
    stored = contents(path)
    known_lands = dict(pns.known_facts().items())
    assert len(stored) == len(known_lands) + new == second["facts_known"]
    assert known_lands.items() <= stored.items()
    with open_facts(str(path), "sprouts", readonly=True) as facts:
        claims = [(land, facts.get(land)) for land in list(known_lands)[:5]]
    assert claims == list(known_lands.items())[:5]
    other = tmp_path / "other"
    assert call("solve.py", "--no-known", "0*3", "--quiet", "--db", other).status == 0
    assert len(contents(other)) < 10


@needs_lmdb
def test_a_database_that_contradicts_them_is_named(tmp_path: Path) -> None:
    path = tmp_path / "db"
    with open_facts(str(path), "sprouts") as facts:
        facts.add(b"0*2.AB|AB", 3)
    done = call("solve.py", "0*3", "--quiet", "--db", path)
    wrong = "solve.py: contradiction: 0*2.AB|AB has Grundy number 2, but 3 is known already\n"
    assert (done.status, done.output, done.errors) == (1, "", wrong)
    assert contents(path) == {b"0*2.AB|AB": 3}


def test_the_command_says_so() -> None:
    done = call("solve.py", "--no-db", "0*12")
    sentence = "Answered from the facts that come with pns, without a search; --no-known searches."
    assert sentence in done.output.splitlines()
    for words in (("--no-known",), ("--preset", "paper")):
        searched = json.loads(call("solve.py", "--no-db", "--json", *words, "0*6").output)
        assert searched["expansions"] > 5 and searched["facts_new"] == searched["facts_known"]
