"""Sprouts (Conway and Paterson 1967): notation, canonical form, moves, estimate."""

from __future__ import annotations

from typing import Iterable, Tuple

from pns.game import Game, Land, Sum
from pns.sprouts import estimate, moves, notation


class Sprouts:
    """The game contract for Sprouts; lands under the text shared with earlier solvers."""

    name = "sprouts"
    is_impartial = True

    def parse(self, text: str) -> Sum:
        return notation.parse(text)

    def format(self, lands: Sum) -> str:
        return notation.format_position(lands)

    def children(self, land: Land) -> Iterable[Sum]:
        return moves.children(land)

    def estimate(self, land: Land) -> Tuple[int, int]:
        return estimate.estimate(land)


GAME: Game = Sprouts()
