"""The certificates in data/results, and what docs/first-results.md says of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.paths import RESULTS, ROOT

from pns.proofs.audit import audit
from pns.proofs.certificate import read_certificate
from pns.proofs.sources import open_source

FILES = sorted(RESULTS.glob("*.cert.gz"))
SAMPLE = 25


def board_of(game: str, size: str) -> str:
    """The first position of a game on a board of a size, "25" or "2x10"."""
    height, _, width = size.rpartition("x")
    rows = ["." * int(width)] * int(height or 1)
    if game == "clobber":
        rows = ["".join("OX"[(r + c) % 2] for c in range(len(row))) for r, row in enumerate(rows)]
    return "|".join(rows)


@pytest.mark.search
def test_the_page_names_each_with_its_claim() -> None:
    page = (ROOT / "docs" / "first-results.md").read_text()
    assert len(FILES) >= 2
    for path in FILES:
        name, size = path.name[: -len(".cert.gz")].split("-")
        certificate, entries = read_certificate(str(path))
        position, outcome = certificate.claim().split("=")
        assert (certificate.game, position) == (name, board_of(name, size))
        row = "| %s | %s | %s |" % (size.replace("x", "×"), outcome, format(len(entries), ","))
        assert row in page


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
