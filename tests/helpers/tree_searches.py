"""Searches on the explicit tree within limits, for tests."""

from __future__ import annotations

from typing import Any

from pns.facts import Facts
from pns.game import Game
from pns.pn2 import LimitedSearch
from pns.positions.tree_couples import TreeCouples

MUCH = 1 << 30


def search_of(
    game: Game, capacity: int, most_bytes: int = MUCH, mode: str = "pns", **options: Any
) -> LimitedSearch:
    couples = TreeCouples(game, Facts(game.name), options.pop("seed", 0))
    return LimitedSearch(couples, capacity, most_bytes, mode, **options)
