"""The certificates of Grundy numbers of n spots, and what docs/theory.md says of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.paths import ROOT

from pns.proofs.audit import audit
from pns.proofs.certificate import read_certificate
from pns.proofs.sources import open_source

FILES = sorted((ROOT / "data" / "results" / "grundy").glob("*.cert.gz"))
SAMPLE = 100
NUMBERS = (ROOT / "docs" / "theory.md").read_text().split("The certificates of this project")[1]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_claim_is_that_of_the_name(path: Path) -> None:
    spots = path.name[len("sprouts-") : -len(".cert.gz")]
    certificate, entries = read_certificate(str(path))
    assert certificate.claim() == "0*%s+0*3=loss" % spots
    assert entries[b"0*" + spots.encode()] == entries[b"0*3"] == 1
    assert " %s " % spots in NUMBERS


@pytest.mark.search
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_sample_holds(path: Path) -> None:
    found = audit(open_source(str(path), None), sample=SAMPLE)
    assert (found.faults, found.why_unproved, found.checked) == ([], "", SAMPLE)


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_all_entries_hold(path: Path) -> None:
    found = audit(open_source(str(path), None), processes=2)
    assert (found.faults, found.why_unproved, found.checked) == ([], "", found.entries)
