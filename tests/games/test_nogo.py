"""The children of NoGo are those of the checker's plain rules, on lines and grids."""

from __future__ import annotations

import random
from typing import Iterator

import pytest

from pns.checker.games import GAMES
from pns.finding import find_game
from pns.game import Land, NotationError

pytestmark = pytest.mark.search

GAME, RULES = find_game("nogo"), GAMES["nogo"]


def random_lands(height: int, width: int, times: int) -> Iterator[Land]:
    """Lands of random boards of a size, with settled squares too, and some below them."""
    rng = random.Random("%d %d" % (height, width))
    while times:
        letters = "." * rng.randint(4, 12) + "XO#xo-"
        text = "|".join("".join(rng.choices(letters, k=width)) for _ in range(height))
        try:
            lands = GAME.parse(text)
        except NotationError:
            continue
        while lands and times:
            land = rng.choice(lands)
            yield land
            times -= 1
            lands = rng.choice([*GAME.children(land), ()])


def check_children(land: Land) -> None:
    children = [GAME.format(lands) for lands in GAME.children(land)]
    assert len(set(children)) == len(children), land
    assert set(children) == set(RULES.child_texts(land.decode())), land


@pytest.mark.parametrize("height, width", [(1, 9), (1, 24), (2, 3), (2, 9), (3, 5), (4, 4)])
def test_children(height: int, width: int) -> None:
    for land in random_lands(height, width, 25):
        check_children(land)


@pytest.mark.parametrize("height, width", [(1, 70), (7, 9)])
def test_children_beyond_a_machine_word(height: int, width: int) -> None:
    for land in random_lands(height, width, 2):
        check_children(land)
