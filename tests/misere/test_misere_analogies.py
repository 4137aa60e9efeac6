"""Misère Sprouts: which positions are alike, and large ones proved from facts about small ones."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import List, Tuple

import pytest
from helpers.paths import ROOT
from helpers.tools import call

from pns.finding import find_game
from pns.positions.analogy import SupportsAnalogies
from pns.proofs.audit import audit
from pns.proofs.sources import open_source

pytestmark = pytest.mark.search

GAME = find_game("sprouts-misere")
CERTIFICATES = ROOT / "data" / "results" / "sprouts-misere"


def alike(text: str) -> List[Tuple[str, bool]]:
    """The texts of the positions like one, and whether they are firm."""
    assert isinstance(GAME, SupportsAnalogies)
    (land,) = GAME.parse(text)
    return [(one.land.decode(), one.firm) for one in GAME.analogies(land)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "0*13.A|2A+*(2)",
            [
                ("0*7.A|2A+*(2)", True),
                ("0*19.A|2A+*(2)", True),
                ("0*10.A|2A+*(3,(2))", False),  # the sum of *(2) and *1
                ("0*16.A|2A+*(3,(2))", False),
            ],
        ),
        ("0*7+*1", [("0*13+*1", True), ("0*10", False)]),  # *1 and *1 are nothing
        (
            "0*9+0*4",
            [
                ("0*15+0*4", True),
                ("0*12+0*4+*1", False),
                ("0*4+0*6+*1", False),
                ("0*10+0*9", True),
                ("0*4+*1", True),  # the land of 0*3 is small, and its tree is *1
            ],
        ),
        ("*2", []),
    ],
)
def test_positions_that_are_alike(text: str, expected: List[Tuple[str, bool]]) -> None:
    """Six isolated spots more or fewer, and three with a heap; small lands give way to trees."""
    assert sorted(alike(text)) == sorted(expected)


def test_their_texts_are_those_of_a_search() -> None:
    random, seen = Random(4), 0
    for _ in range(30):
        lands = GAME.parse("0*%d" % random.randint(8, 16))
        for _ in range(random.randint(1, 4)):
            lands = random.choice(list(GAME.children(lands[0])))
            if not lands:
                break
            for text, _ in alike(GAME.format(lands)):
                assert GAME.format(GAME.parse(text)) == text
                seen += 1
    assert seen > 100


def test_a_proof_from_six_spots_fewer(tmp_path: Path) -> None:
    path = tmp_path / "facts.lmdb"
    db = ("db", "--misere", "--db", path)
    assert call("pns", *db, "merge", CERTIFICATES / "sprouts-misere-5.cert.gz").status == 0
    done = call("pns", *db, "extend", "--no-known", "--processes", 1, "0*11")
    assert (done.status, done.errors) == (0, "") and done.output.startswith("0*11 is a win: ")
    found = audit(open_source(str(path), "sprouts-misere"), claim=("0*11", True))
    assert not found.faults and not found.why_unproved


def test_games_without_analogies_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "facts.lmdb"
    done = call("pns", "db", "--game", "nim", "--misere", "--db", path, "extend", "3+4")
    assert done.status == 2 and not path.exists()
    what = "nim-misere does not define which of its lands are alike"
    assert done.errors == "pns db: argument --game: %s\n" % what
