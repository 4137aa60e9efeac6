"""Misère play by plain search: of positions, and of games given by their options."""

from __future__ import annotations

import random
from functools import lru_cache
from typing import Any, FrozenSet

from pns.game import Game, Sum, children_of
from pns.misere.trees import Trees

SPROUTS = "10001100011100011100"
"""OEIS A164950: 1 if the player to move wins 1, 2, ... spots."""
GameTree = FrozenSet[Any]
"""The options of a game, each a set of options."""


@lru_cache(maxsize=None)
def is_won(*games: GameTree) -> bool:
    """Whether the player to move wins a sum in misère play, by plain search."""
    moves = [
        games[:i] + (option,) + games[i + 1 :] for i, game in enumerate(games) for option in game
    ]
    return not moves or not all([is_won(*move) for move in moves])


def random_game(rng: random.Random, depth: int) -> GameTree:
    if not depth:
        return frozenset()
    count = rng.randint(0, 3)
    return frozenset([random_game(rng, rng.randrange(depth)) for _ in range(count)])


def tree_of(trees: Trees, game: GameTree) -> int:
    return trees.reduced([tree_of(trees, option) for option in game])


def is_position_won(game: Game, lands: Sum) -> bool:
    """Whether the player to move wins in misère play, by plain search."""

    @lru_cache(maxsize=None)
    def search(position: Sum) -> bool:
        moves = children_of(game, position)
        return not moves or not all([search(move) for move in moves])

    return search(lands)
