"""Grundy numbers of small positions of any game, by their definition."""

from __future__ import annotations

from typing import Dict, Tuple

from pns.game import Game, Land

_known: Dict[Tuple[str, Land], int] = {}


def land_grundy(game: Game, land: Land) -> int:
    """The Grundy number of a land."""
    if (game.name, land) not in _known:
        numbers = set()
        for child in game.children(land):
            number = 0
            for part in child:
                number ^= land_grundy(game, part)
            numbers.add(number)
        _known[game.name, land] = min(set(range(len(numbers) + 1)) - numbers)
    return _known[game.name, land]


def grundy_of(game: Game, text: str) -> int:
    """The Grundy number of a position."""
    number = 0
    for land in game.parse(text):
        number ^= land_grundy(game, land)
    return number
