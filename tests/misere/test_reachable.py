"""The reduced trees of all positions that can follow: brute force, published numbers."""

from __future__ import annotations

from typing import Set

import pytest

from pns.finding import find_game
from pns.game import Sum, children_of
from pns.misere.game import MisereGame
from pns.misere.reach import Reach


@pytest.mark.parametrize("position", ["0*3", "0*2+0.A|A"])
def test_the_trees_are_those_of_all_positions_that_follow(position: str) -> None:
    game = MisereGame(find_game("sprouts"))
    seen: Set[Sum] = set()
    waiting = [game.original.parse(position)]
    while waiting:
        lands = waiting.pop()
        if lands not in seen:
            seen.add(lands)
            waiting.extend(children_of(game.original, lands))
    expected = {game.tree_of(lands) for lands in seen}
    assert Reach(game).of_sum(game.original.parse(position)) == expected
    assert len(seen) > 2 * len(expected) > 4


@pytest.mark.search
def test_five_spots_reach_1203_games() -> None:
    game = MisereGame(find_game("sprouts"))
    assert len(Reach(game).of_sum(game.original.parse("0*5"))) == 1203
