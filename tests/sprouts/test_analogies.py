"""Which lands of Sprouts are alike: canonical texts, and mostly right about known numbers."""

from __future__ import annotations

from random import Random
from typing import List

import pytest

import pns
from pns.finding import find_game
from pns.game import Land
from pns.positions.analogy import SupportsAnalogies, guess
from pns.proofs.claims import STRONG
from pns.sprouts.analogies import analogies

pytestmark = pytest.mark.search

GAME = find_game("sprouts")
FACTS = pns.known_facts()


def sample(count: int) -> List[Land]:
    """Some lands of the facts that come with the package."""
    return Random(1).sample([land for land, _ in FACTS.items()], count)


def test_lands_that_are_alike_are_canonical() -> None:
    seen = 0
    for land in sample(1000):
        for alike in analogies(land):
            assert GAME.parse(alike.land.decode()) == (alike.land,) != (land,)
            assert alike.weight > 0
            seen += 1
    assert seen > 1000


@pytest.mark.parametrize(
    ("land", "alike"),
    [
        (b"0*2.A|2A", []),
        (b"0*9", [b"0*3", b"0*15", b"0*12"]),
        (
            b"0*8.A|0*7.2A",
            [b"0*14.A|0*7.2A", b"0*11.A|0*4.2A"],
        ),
    ],
)
def test_what_is_alike(land: Land, alike: List[Land]) -> None:
    found = [other.land for other in analogies(land)]
    assert set(alike) <= {*found} and bool(alike) == bool(found)


def test_more_isolated_spots_weigh_more() -> None:
    for more in (6, 3):
        weights = [
            [a.weight for a in analogies(b"0*%d.2" % k) if a.land == b"0*%d.2" % (k + more)]
            for k in (3, 9, 15, 21)
        ]
        assert weights == sorted(weights)


def test_sure_guesses_are_mostly_right() -> None:
    """Of the facts of the package, by the others: more than 99 of 100."""
    assert isinstance(GAME, SupportsAnalogies)
    right = wrong = 0
    for land, number in FACTS.items():
        found = guess(GAME, land, FACTS.get)
        if found.weight >= STRONG:
            if found.number == number:
                right += 1
            else:
                wrong += 1
    assert right > 1000 and wrong < right / 100, (right, wrong)
