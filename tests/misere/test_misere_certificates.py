"""The certificates of misère play: the published outcomes, and the single-file checker."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.misere import SPROUTS
from helpers.paths import RESULTS
from helpers.tools import call

from pns.facts.known import known_facts
from pns.finding import find_game
from pns.proofs.certificate import read_certificate
from pns.web.gallery import MOST_MISERE

FILES = {
    int(path.name.split("-")[2].split(".")[0]): path
    for path in (RESULTS / "sprouts-misere").glob("sprouts-misere-*.cert.gz")
}
"""By the number of spots."""
QUICK, CHECKED = 6, 10
"""Spots up to which a check takes seconds, and up to which it is tried."""
PARAMETERS = [
    pytest.param(path, marks=[pytest.mark.slow] * (spots > QUICK))
    for spots, path in sorted(FILES.items())
    if spots <= CHECKED
]


def test_they_claim_what_is_published() -> None:
    game = find_game("sprouts-misere")
    assert set(FILES) >= {*range(1, 21)}
    for spots, path in FILES.items():
        certificate, _ = read_certificate(str(path))
        assert certificate.game == game.name
        assert certificate.position == game.format(game.parse("0*%d" % spots))
        assert certificate.wins == (SPROUTS[spots - 1] == "1")


def test_the_facts_of_the_package_are_their_entries() -> None:
    entries = {n: read_certificate(str(path))[1] for n, path in FILES.items()}
    known = dict(known_facts("sprouts-misere").items())
    listed = {land for found in entries.values() for land in found}
    assert known.keys() <= listed and set(known.values()) == {0}
    for spots in range(1, MOST_MISERE + 1):
        assert entries[spots].items() <= known.items()


@pytest.mark.search
@pytest.mark.parametrize("path", PARAMETERS, ids=lambda path: path.name)
def test_the_checker_proves_them(path: Path) -> None:
    done = call("check_certificate.py", path)
    assert done.status == 0 and ": proved. " in done.output
