"""The kinds of solutions: how the positions of a game are found, and what is asked about one."""

from __future__ import annotations

from typing import Optional

from pns.game import Game
from pns.positions.ranking import Ranking, SupportsRanking, SupportsSections

RANKED, SECTIONS, LISTED = "ranked", "sections", "listed"
"""How positions are found: by their number, by their number in sections, or by a list of lands."""


def ranking_of(game: Game, text: str, kind: str) -> Optional[Ranking]:
    """The ranking of a game from a position on, by its kind; None if it has none.

    Raises NotationError, and ValueError if there are too many positions.
    """
    if kind == SECTIONS:
        return game.section_ranking(text) if isinstance(game, SupportsSections) else None
    return game.ranking(text) if kind == RANKED and isinstance(game, SupportsRanking) else None
