"""Where the corners of a drawing are in its picture, so that a click can be read as a move."""

from __future__ import annotations

from math import atan2, cos, pi, sin
from typing import List, NamedTuple

from pns.sprouts.drawing.board import Board
from pns.sprouts.drawing.curves import curves_of
from pns.sprouts.drawing.svg import big, frame

REACH = 20.0
"""How far a handle is from its spot, in pixels."""


class Handle(NamedTuple):
    """A corner that a line can start from, and a point of it in pixels of the picture."""

    corner: int
    spot: int
    face: int
    boundary: int
    """The first corner of its boundary, as `Move.left` names it."""
    x: float
    y: float


def handles(board: Board) -> List[Handle]:
    """The corners of all spots that are alive; the picture is `pns.sprouts.drawing.svg.picture`.

    A spot without lines has one, on the spot itself.
    """
    shown = frame(board, curves_of(board))[0]
    found: List[Handle] = []
    for number, face in enumerate(board.map.faces):
        for boundary in face:
            for corner in boundary:
                spot = board.map.spot(corner)
                if not board.map.lives[spot]:
                    continue
                x, y = shown(big(board, board.spots[spot]))
                if corner >= 0:
                    angle = _middle(board, spot, corner)
                    x, y = x + REACH * cos(angle), y - REACH * sin(angle)
                found.append(Handle(corner, spot, number, boundary[0], x, y))
    return found


def _middle(board: Board, spot: int, corner: int) -> float:
    """The angle halfway from a dart to the next one counterclockwise."""
    darts = board.map.around[spot]
    after = darts[(darts.index(corner) + 1) % len(darts)]
    start, end = _angle(board, corner), _angle(board, after)
    turn = (end - start) % (2 * pi) if after != corner else 2 * pi
    return start + turn / 2


def _angle(board: Board, dart: int) -> float:
    (x, y), (nx, ny) = board.points(board.path(dart)[:2])
    return atan2(ny - y, nx - x)
