"""The certificates of misère play: the published outcomes, and the single-file checker."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.misere import SPROUTS
from helpers.paths import RESULTS
from helpers.tools import call

from pns.finding import find_game
from pns.proofs.certificate import read_certificate

FILES = sorted((RESULTS / "sprouts-misere").iterdir(), key=lambda path: (len(path.name), path.name))
QUICK = 6
"""Spots up to which a check takes seconds."""
PARAMETERS = [
    pytest.param(path, marks=[pytest.mark.slow] * (spots > QUICK))
    for spots, path in enumerate(FILES, 1)
]


def test_they_claim_what_is_published() -> None:
    game = find_game("sprouts-misere")
    assert len(FILES) >= 9
    for spots, path in enumerate(FILES, 1):
        certificate, _ = read_certificate(str(path))
        assert path.name == "sprouts-misere-%d.cert.gz" % spots
        assert certificate.game == game.name
        assert certificate.position == game.format(game.parse("0*%d" % spots))
        assert certificate.wins == (SPROUTS[spots - 1] == "1")


@pytest.mark.search
@pytest.mark.parametrize("path", PARAMETERS, ids=lambda path: path.name)
def test_the_checker_proves_them(path: Path) -> None:
    done = call("check_certificate.py", path)
    assert done.status == 0 and ": proved. " in done.output
