"""Grundy numbers of small positions of any game, by their definition."""

from __future__ import annotations

from functools import lru_cache

from pns.game import Game, Land


@lru_cache(maxsize=None)
def land_grundy(game: Game, land: Land) -> int:
    """The Grundy number of a land."""
    numbers = set()
    for child in game.children(land):
        number = 0
        for part in child:
            number ^= land_grundy(game, part)
        numbers.add(number)
    return min(set(range(len(numbers) + 1)) - numbers)


def grundy_of(game: Game, text: str) -> int:
    """The Grundy number of a position."""
    number = 0
    for land in game.parse(text):
        number ^= land_grundy(game, land)
    return number
