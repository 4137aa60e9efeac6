"""The conjectures on n spots, against all certificates of n spots and all published outcomes."""

from __future__ import annotations

import re
from typing import Any, Dict, List

import pytest
from helpers.paths import DECIDED, RESULTS, ROOT
from helpers.published import published

from pns.facts.known import known_facts
from pns.finding import find_game
from pns.proofs.certificate import read_certificate
from pns.proofs.why import Explainer
from pns.sprouts.conjecture import conjectured, departure

pytestmark = pytest.mark.search

NUMBERED = RESULTS / "grundy"
"""Certificates of Grundy numbers."""
MOST = 60
"""More spots than any certificate has."""


def test_published_outcomes() -> None:
    found = {n: outcome == "win" for n, outcome in published().items() if outcome}
    assert len(found) == 89 and set(found.values()) == {True, False}
    assert not [n for n, wins in found.items() if departure(n, wins, None)]
    assert all([departure(n, not wins, None) for n, wins in found.items()])


@pytest.mark.slow
def test_the_certificates_and_what_the_page_says_of_them() -> None:
    entries: Dict[bytes, int] = {}
    outcomes: List[int] = []
    for path in DECIDED:
        certificate, found = read_certificate(str(path))
        n = int(certificate.position.rpartition("*")[2])
        outcomes.append(n)
        assert n < MOST and departure(n, certificate.wins, None) is None
        assert all([entries.setdefault(land, value) == value for land, value in found.items()])
    for path in NUMBERED.glob("*.cert.gz"):
        for land, value in read_certificate(str(path))[1].items():
            assert entries.setdefault(land, value) == value
    game: Any = find_game("sprouts")
    explainer = Explainer(game, lambda land: entries.get(land, -1))
    steps = {n: explainer.outcome(game.parse("0*%d" % n)) for n in range(1, MOST)}
    for n, step in steps.items():
        assert (step.wins is not None) == (n in outcomes)
        if step.wins is not None:
            number = step.number if step.number >= 0 else None
            assert departure(n, step.wins, number) is None
    page = (ROOT / "docs" / "theory.md").read_text("utf-8")
    rows = re.findall(r"^      +(\d)  (win|loss), (\d) +(\d[\d ]*)$", page, re.MULTILINE)
    assert [int(row[0]) for row in rows] == list(range(6))
    for residue, word, number, known in rows:
        wins, value = conjectured(int(residue) + 6)
        assert (word, number) == ("win" if wins else "loss", str(value))
        numbers = {n for n in outcomes if n % 6 == int(residue)}
        by_number = {n for n in numbers if steps[n].number >= 0}
        first, *more = re.split("  +", known.strip())
        assert {int(n) for n in first.split()} == by_number
        assert {int(n) for n in " ".join(more).split()} == numbers - by_number


def test_the_families_of_lands_that_the_page_lists() -> None:
    """Their numbers are those that the package knows, and repeat as the page says."""
    page = (ROOT / "docs" / "theory.md").read_text("utf-8")
    rows = re.findall(r"^    (0\*k\S*) +((?:[\d-] +){29}[\d-])$", page, re.MULTILINE)
    assert len(rows) == 8
    game: Any = find_game("sprouts")
    known = known_facts("sprouts")
    checked = 0
    for family, row in rows:
        numbers = dict(enumerate(row.split(), 1))
        for k, number in numbers.items():
            (land,) = game.parse(family.replace("k", str(k)))
            value = known.get(land)
            if value >= 0:
                assert str(value) == number, (family, k)
                checked += 1
            if k >= 15 and "-" not in (number, numbers.get(k + 6, "-")):
                assert number == numbers[k + 6], (family, k)
    assert checked > 150
