"""The kinds of solutions: how the positions of a game are found, and what is asked about one."""

from __future__ import annotations

from typing import List, Optional

from pns.game import Game, Sum, SupportsDraws
from pns.ranking import Ranking, SupportsRanking, SupportsSections

RANKED, SECTIONS, LISTED = "ranked", "sections", "listed"
"""How positions are found: by their number, by their number in sections, or by a list of lands."""


def questions(game: Game, text: str) -> List[Sum]:
    """The positions whose outcomes make up the value of a position: two where it can be drawn.

    Raises NotationError.
    """
    if isinstance(game, SupportsDraws):
        return list(game.questions(text))
    return [game.parse(text)]


def ranking_of(game: Game, text: str, kind: str) -> Optional[Ranking]:
    """The ranking of a game from a position on, by its kind; None if it has none.

    Raises NotationError, and ValueError if there are too many positions.
    """
    if kind == SECTIONS:
        return game.section_ranking(text) if isinstance(game, SupportsSections) else None
    return game.ranking(text) if kind == RANKED and isinstance(game, SupportsRanking) else None
