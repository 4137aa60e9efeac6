"""The children of a land behind the first ones: those that the whole list has there."""

from __future__ import annotations

from random import Random
from typing import List

import pytest
from helpers.searches import numbers_of

from pns.finding import find_game
from pns.game import Game, Land, SupportsMoreChildren
from pns.positions.simplify import Simplified

pytestmark = pytest.mark.search

SPROUTS = find_game("sprouts")
SIMPLER = Simplified(SPROUTS)


def some_lands() -> List[Land]:
    """Small lands, lands of random play from 12 and 20 spots, and one with too many names."""
    rng = Random(1)
    texts = sorted(text for text, _ in numbers_of("brute_grundy.tsv"))
    found = {SPROUTS.parse(text)[0] for text in rng.sample(texts, 60)}
    for spots in (12, 20):
        for _ in range(10):
            lands = SPROUTS.parse("0*%d" % spots)
            for _ in range(rng.randint(1, 12)):
                children = list(SPROUTS.children(rng.choice(lands))) if lands else []
                lands = rng.choice(children) if children else ()
            found.update(lands)
    names = ["0.n(1)", *["2n(%d)n(%d)" % (i, i + 1) for i in range(1, 122)], "2n(122)"]
    return sorted(found) + list(SPROUTS.parse("|".join(names)))


@pytest.mark.parametrize("game", [SPROUTS, SIMPLER], ids=["children", "simpler children"])
def test_children_behind_the_first_ones(game: Game) -> None:
    assert isinstance(game, SupportsMoreChildren)
    rng, repeated = Random(2), 0
    for land in some_lands():
        children = list(game.children(land))
        repeated += len(children) != len(list(game.more_children(land, ())))
        for count in {1, len(children) // 2, len(children) - 1, rng.randint(0, len(children))}:
            known = children[: max(0, count)]
            assert list(game.more_children(land, known)) == children[len(known) :], (land, count)
    assert not repeated
