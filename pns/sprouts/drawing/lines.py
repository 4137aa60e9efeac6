"""The moves of a drawing with the texts that they lead to, so that a board can be marked."""

from __future__ import annotations

from itertools import islice
from typing import Dict, List, Optional, Tuple

from pns.checker import sprouts as plain
from pns.sprouts import notation
from pns.sprouts.drawing.planemap import Boundary, Move, PlaneMap


def lines(drawn: PlaneMap, most: int) -> Optional[List[Tuple[Move, str]]]:
    """(move, canonical text) for each move up to interchangeable boundaries; None if over `most`.

    The text is that of the land after the move, perhaps a sum of lands.
    """
    moves = list(islice(drawn.moves(), most + 1))
    if len(moves) > most:
        return None
    texts: Dict[str, str] = {}
    found: List[Tuple[Move, str]] = []
    for move in moves:
        raw = drawn.played(move).raw_text()
        if raw not in texts:
            texts[raw] = notation.format_position(notation.parse(raw))
        found.append((move, texts[raw]))
    return found


def alike(drawn: PlaneMap) -> Dict[int, int]:
    """For each corner of a boundary with lives, the one that stands for it in `lines`.

    It is the same corner of the first of all interchangeable boundaries.
    """
    found: Dict[int, int] = {}
    for face in drawn.faces:
        for kind in drawn.kinds(face):
            first = kind[0] if len(kind) == 1 else _aligned(drawn, kind[0])
            for boundary in kind:
                corners = boundary if len(kind) == 1 else _aligned(drawn, boundary)
                found.update(zip(corners, first))
    return found


def _aligned(drawn: PlaneMap, boundary: Boundary) -> Boundary:
    """The corners of a boundary from where it reads the same as all of its kind."""

    def reading(corners: Boundary) -> List[Tuple[int, int]]:
        walk = drawn.walk(corners)
        return [(drawn.lives[spot], walk.index(spot)) for spot in walk]

    return min(plain.rotations(boundary), key=reading)
