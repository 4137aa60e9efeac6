"""The certificates of Sprouts that do not come with the package, and what the pages say of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers.paths import DECIDED, LARGER, RESULTS, ROOT, SIMPLIFIED
from helpers.published import published, spots_of

from pns.proofs.audit import audit
from pns.proofs.certificate import read_certificate
from pns.proofs.sources import open_source

NUMBERED = sorted((RESULTS / "grundy").glob("*.cert.gz"))
"""They prove that n spots have the Grundy number 1."""
FILES = NUMBERED + LARGER + SIMPLIFIED
NAMING = [
    "README.md",
    *["docs/%s.md" % name for name in ("certificates", "faq", "paper", "theory")],
]
NAMING += ["docs/guides/%s.md" % name for name in ("audit", "solve")]
"""The pages that name all numbers of spots with a certificate."""
SAMPLE = 100
PAGE = (ROOT / "docs" / "certificates.md").read_text()
NUMBERS = (ROOT / "docs" / "theory.md").read_text().split("The certificates of this project")[1]


@pytest.mark.parametrize("path", LARGER, ids=lambda path: path.name)
def test_the_page_names_those_that_decide(path: Path) -> None:
    certificate, entries = read_certificate(str(path))
    spots = spots_of(path)
    outcome = published()[spots]
    assert certificate.claim() == "0*%d=%s" % (spots, outcome)
    assert "data/results/sprouts/%s" % path.name in PAGE
    row = "| %d | %s | %s | " % (spots, outcome, format(len(entries), ","))
    assert row in PAGE.split("## Beyond 35 spots")[1]


@pytest.mark.parametrize("path", SIMPLIFIED, ids=lambda path: path.name)
def test_the_page_names_those_with_exchanges(path: Path) -> None:
    certificate, entries = read_certificate(str(path))
    assert certificate.claim() == "0*%d=%s" % (spots_of(path), published()[spots_of(path)])
    figures = len(entries), len(certificate.exchanges), path.stat().st_size
    told = "| %d | %s | {:,} | {:,} | {:,} | " % (spots_of(path), published()[spots_of(path)])
    (row,) = [line for line in PAGE.splitlines() if "`data/results/sprouts/%s`" % path.name in line]
    assert row.startswith(told.format(*figures))


@pytest.mark.parametrize("path", NUMBERED, ids=lambda path: path.name)
def test_the_page_names_the_numbers(path: Path) -> None:
    spots = spots_of(path)
    certificate, entries = read_certificate(str(path))
    assert certificate.claim() == "0*%d+0*3=loss" % spots
    assert entries[b"0*%d" % spots] == entries[b"0*3"] == 1
    assert " %d " % spots in NUMBERS


@pytest.mark.parametrize("page", NAMING)
def test_pages_name_all_numbers_of_spots_with_a_certificate(page: str) -> None:
    spots = {spots_of(path) for path in DECIDED}
    end = next(n for n in range(1, 99) if n + 1 not in spots)
    *others, last = [str(n) for n in sorted(spots) if n > end]
    wanted = r"to %d( spots)?,?( and)?( for| from)? %s and %s\b" % (end, ", ".join(others), last)
    assert re.search(wanted, " ".join((ROOT / page).read_text("utf-8").split()))


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
