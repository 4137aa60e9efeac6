"""Smooth curves through the middles of a line's steps, which cross nothing either.

At each vertex a parabola cuts the corner, from a part of the step before to a part of the step
after; it lies in the triangle of these two points and the vertex. Lines do not cross before.
If no vertex of the drawing lies in such a triangle, other than its own, then no line enters
it: a step that did would end in it, or cross a step of it. Two triangles do not overlap either:
their outlines would cross in two points, but only their third sides could, and these
are straight. So a corner is cut less until its triangle is empty, or not at all.
"""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Sequence, Set, Tuple

from pns.sprouts.drawing.board import Board
from pns.sprouts.drawing.mesh import Point, orientation

GRID = 16
"""Points of curves are in this fraction of the grid of the mesh, to be exact."""
PARTS = (GRID // 2, GRID // 4, GRID // 8)
"""The parts of a step at which a corner may be cut, the roundest first."""


class Corner(NamedTuple):
    """A parabola: where it begins, the vertex it turns at, and where it ends."""

    begin: Point
    vertex: Point
    end: Point

    def reversed(self) -> Corner:
        """The same curve from its end."""
        return Corner(self.end, self.vertex, self.begin)


class Curve(NamedTuple):
    """A line: straight from its start to the first corner, between corners, and to its end."""

    start: Point
    corners: Tuple[Corner, ...]
    end: Point

    def reversed(self) -> Curve:
        """The same curve from its end."""
        return Curve(self.end, tuple([c.reversed() for c in self.corners[::-1]]), self.start)


def curves_of(board: Board) -> List[Curve]:
    """The lines of a drawing as smooth curves, in units of 1/GRID of the mesh."""
    at = board.mesh.at
    used = {v for path in board.paths for v in path} | set(board.spots)
    big = {v: (GRID * at[v][0], GRID * at[v][1]) for v in used}
    cells: Dict[Point, List[Point]] = {}
    size = int(GRID * board.unit)
    for x, y in big.values():
        cells.setdefault((x // size, y // size), []).append((x, y))
    curves: List[Curve] = []
    for path in board.paths:
        points = [big[v] for v in path]
        steps = zip(points, points[1:], points[2:])
        corners = [_corner(before, p, after, cells, size) for before, p, after in steps]
        curves.append(Curve(points[0], tuple(corners), points[-1]))
    return curves


def _corner(
    before: Point, p: Point, after: Point, cells: Dict[Point, List[Point]], size: int
) -> Corner:
    """The roundest corner whose triangle is empty."""
    for part in PARTS:
        corner = Corner(_between(p, before, part), p, _between(p, after, part))
        if not _near(corner, cells, size):
            return corner
    return Corner(p, p, p)


def _between(p: Point, q: Point, part: int) -> Point:
    return p[0] + (q[0] - p[0]) // GRID * part, p[1] + (q[1] - p[1]) // GRID * part


def _near(corner: Corner, cells: Dict[Point, List[Point]], size: int) -> bool:
    """Whether a vertex lies in the triangle of a corner, apart from its own."""
    columns = [x // size for x, _ in corner]
    rows = [y // size for _, y in corner]
    found: Set[Point] = set()
    for column in range(min(columns), max(columns) + 1):
        for row in range(min(rows), max(rows) + 1):
            found.update(cells.get((column, row), ()))
    found.discard(corner.vertex)
    return any([_in_triangle(p, corner) for p in found])


def _in_triangle(p: Point, triangle: Sequence[Point]) -> bool:
    """Whether a point lies in a triangle or on its outline."""
    a, b, c = triangle
    sides = (orientation(a, b, p), orientation(b, c, p), orientation(c, a, p))
    if orientation(a, b, c) == 0:  # then the corner is a straight line
        inside = min(a[0], c[0]) <= p[0] <= max(a[0], c[0])
        return not any(sides) and inside and min(a[1], c[1]) <= p[1] <= max(a[1], c[1])
    return min(sides) >= 0 or max(sides) <= 0


def samples(curve: Curve, number: int = 4) -> List[Tuple[float, float]]:
    """Points along a curve, for devices without curves."""
    points: List[Tuple[float, float]] = [curve.start]
    for (ax, ay), (bx, by), (cx, cy) in curve.corners:
        for i in range(number + 1):
            t = i / number
            u = 1 - t
            x = u * u * ax + 2 * u * t * bx + t * t * cx
            points.append((x, u * u * ay + 2 * u * t * by + t * t * cy))
    return [*points, curve.end]
