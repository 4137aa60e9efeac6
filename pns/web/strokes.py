"""Lines drawn by hand on the page, read as moves."""

from __future__ import annotations

from math import isfinite
from typing import Any, List, Tuple

from pns.sprouts.drawing.stroke import UnclearStroke, read_stroke
from pns.web.positions import play_in, sketch_of
from pns.web.reading import BadRequest, Json, number_in
from pns.web.session import WebSession

MOST_POINTS = 5000
FARTHEST = 1e6
"""The largest coordinate of a point, in pixels."""


def stroke(session: WebSession, data: Json) -> Json:
    """The step that a line drawn by hand means, or why it means none.

    `points` are [x, y] in pixels of the picture of the sheet with the number `sheet`. The answer is
    {"step": [...]} or {"error": word}, one of the reasons of `pns.sprouts.drawing.stroke`.
    """
    if not session.is_drawn:
        raise BadRequest("no drawing")
    found = sketch_of(session.sketchbook.at, *play_in(session, data)).sheets
    number = number_in(data, "sheet", 0, len(found) - 1)
    board = found[number].board
    if board is None:
        raise BadRequest("sheet %d is not drawn; choose a move of the list" % number)
    try:
        move, outside, points = read_stroke(board, points_in(data))
    except UnclearStroke as error:
        return {"error": str(error)}
    along = [round(100 * c) for point in points for c in point]
    return {"step": [number, move.first, move.second, sorted(move.left), outside, along]}


def points_in(data: Json) -> List[Tuple[float, float]]:
    """The points of a request."""
    points = data.get("points")
    if not isinstance(points, list) or len(points) > MOST_POINTS:
        raise BadRequest("points: not a list of at most %d" % MOST_POINTS)
    if not all([isinstance(p, list) and len(p) == 2 and all(map(is_near, p)) for p in points]):
        raise BadRequest("points: a point is [x, y] in pixels")
    return [(float(x), float(y)) for x, y in points]


def is_near(value: Any) -> bool:
    """Whether a value is a coordinate of a picture."""
    return type(value) in (int, float) and isfinite(value) and abs(value) <= FARTHEST
