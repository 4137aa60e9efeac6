"""The certificates of Node Kayles on strips of three rows, and what docs/first-results.md says."""

from __future__ import annotations

import re
from typing import List, Tuple

import pytest
from helpers.paths import RESULTS, ROOT

from pns.finding import find_game
from pns.proofs.audit import audit
from pns.proofs.certificate import read_certificate
from pns.proofs.sources import open_source

pytestmark = pytest.mark.search

DIRECTORY = RESULTS / "node-kayles"
PATHS = {0: 0, 1: 1, 2: 3, 3: 5, 5: 15}
"""The vertices of a path that has a Grundy number."""


def strip(n: int) -> str:
    """The edges of the 3 x n grid."""
    upright = ["%d-%d" % (v, v + 1) for v in range(3 * n) if v % 3 < 2]
    return ",".join(upright + ["%d-%d" % (v, v + 3) for v in range(3 * n - 3)])


def rows() -> List[Tuple[int, int, int]]:
    """(n, Grundy number, entries) of the table on the page."""
    page = (ROOT / "docs" / "first-results.md").read_text().split("## Node Kayles")[1]
    found = re.findall(r"^\| (\d+) \| (\d+) \| ([\d,]+) \|", page, re.M)
    return [(int(n), int(number), int(entries.replace(",", ""))) for n, number, entries in found]


def test_the_page_names_them() -> None:
    assert len(rows()) >= 10
    assert len(list(DIRECTORY.glob("*.cert.gz"))) == len(rows())


@pytest.mark.parametrize("n, number, count", rows(), ids=str)
def test_a_certificate_proves_the_number(n: int, number: int, count: int) -> None:
    path = str(DIRECTORY / ("3x%d.cert.gz" % n))
    certificate, entries = read_certificate(path)
    game = find_game("node-kayles")
    (land,) = game.parse(strip(n))
    vertices = PATHS[number]
    edges = ["%d-%d" % (v, v + 1) for v in range(vertices - 1)]
    other = game.parse(",".join(edges or ["0"])) if vertices else ()
    assert game.parse(certificate.position) == tuple(sorted([land, *other]))
    assert (certificate.wins, len(entries), entries[land]) == (False, count, number)
    found = audit(open_source(path, None), sample=10)
    assert (found.faults, found.why_unproved, found.checked) == ([], "", 10)
