"""A player that is mistaken now and then, as people are; the same game has the same mistakes."""

from __future__ import annotations

from random import Random
from typing import Optional

from pns.game import Game, Sum, children_of

EVERY = 3
"""One move in this number, on average, is chosen at random."""


def careless_move(game: Game, lands: Sum, seed: int) -> Optional[Sum]:
    """A move chosen at random where the player does not think; None where it thinks.

    Which it is depends on the position and the seed alone.
    """
    rng = Random("%d %s" % (seed, game.format(lands)))
    moves = sorted(children_of(game, lands))
    return rng.choice(moves) if moves and rng.randrange(EVERY) == 0 else None
