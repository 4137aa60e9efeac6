"""Rounds and spreads a drawing: forces on its vertices, and a mesh that keeps lines apart.

Lines pull themselves straight, as strings do, so that three of them leave a spot at equal
angles; vertices that are close in the plane but not along lines push each other away. A vertex
moves only as far as all triangles around it stay counterclockwise, so that lines cannot cross
[simonetto2011]. Edges between lines are flipped until the mesh is a Delaunay
triangulation of what is drawn, so that they rarely hold a vertex back.
"""

from __future__ import annotations

from math import hypot, sqrt
from typing import Dict, List, NamedTuple, Tuple

from pns.sprouts.drawing.board import Board, distances
from pns.sprouts.drawing.mesh import FRAME, Mesh, Point

STEP = 0.45
"""The distance of vertices along a line, in units."""
RANGE = 1.5
"""The distance at which things begin to push each other, in units."""
ALONG = 0.75
"""Two places of a line push each other if they are closer than this part of the way between."""
FLIPS = 4
"""The most passes over all edges at a time."""

SPREAD = 3.0
"""How much more two spots push each other than other things do."""
ROOM = 1.2
"""The area below which the lines around a face are pushed outwards, in square units."""


class Thing(NamedTuple):
    """A vertex of the drawing: on a line, `index` steps after a spot and before another.

    A spot is `index` 0 on a line of its own, whose number is negative.
    """

    vertex: int
    line: int
    index: int
    length: int
    first: int
    last: int
    string: Tuple[int, ...]


def relax(board: Board, rounds: int) -> None:
    """Improve the coordinates of a drawing, whose map stays as it is."""
    for i in range(rounds):
        if i % 3 == 0:
            resample(board)
            board.loose = [v for v in board.loose if not board.mesh.remove(v)]
        make_delaunay(board.mesh)
        push(board, 0.25 if i < rounds * 0.7 else 0.1)
    while board.mesh.scale > 1 and board.mesh.coarsen():
        pass


def resample(board: Board) -> None:
    """Put vertices at about equal distances on lines."""
    for path in board.paths:
        i = 0
        while i < len(path) - 1:
            (px, py), (qx, qy) = board.mesh.at[path[i]], board.mesh.at[path[i + 1]]
            if hypot(px - qx, py - qy) > 1.6 * STEP * board.unit:
                board.split(path, i)
            else:
                i += 1
        i = 1
        while i < len(path) - 1 and len(path) > 4:
            a, b, c = board.points(path[i - 1 : i + 2])
            if sum(distances([a, b, c])) < 1.3 * STEP * board.unit and board.mesh.remove(
                path[i], (path[i - 1], path[i + 1])
            ):
                del path[i]
            i += 1


def make_delaunay(mesh: Mesh) -> None:
    """Flip edges of no line while the angles opposite to them are wider than two right ones."""
    for _ in range(FLIPS):
        flipped = 0
        for (u, v), w in list(mesh.apex.items()):
            if u > v or (u, v) in mesh.fixed or mesh.apex.get((u, v)) != w:
                continue
            z = mesh.apex.get((v, u))
            if z is not None and _is_wide(mesh, u, v, w, z):
                flipped += mesh.flip(u, v)
        if not flipped:
            break


def _is_wide(mesh: Mesh, u: int, v: int, w: int, z: int) -> bool:
    at = mesh.at
    (ux, uy), (vx, vy), (wx, wy), (zx, zy) = at[u], at[v], at[w], at[z]
    ax, ay, bx, by = float(ux - wx), float(uy - wy), float(vx - wx), float(vy - wy)
    cx, cy, dx, dy = float(vx - zx), float(vy - zy), float(ux - zx), float(uy - zy)
    sine, cosine = ax * by - ay * bx, ax * bx + ay * by
    return sine * (cx * dx + cy * dy) + cosine * (cx * dy - cy * dx) < -1e-6 * sine * sine


def push(board: Board, most: float) -> None:
    """Move every vertex once, by at most a number of units."""
    things = _things(board)
    forces: Dict[int, List[float]] = {thing.vertex: [0.0, 0.0] for thing in things}
    _repel(board, things, forces)
    _tighten(board, things, forces)
    _make_room(board, forces)
    limit = most * board.unit
    for v, (fx, fy) in forces.items():
        length = hypot(fx, fy)
        if length > limit:
            fx, fy = fx * limit / length, fy * limit / length
        _move(board.mesh, v, fx, fy)
    for v in board.loose:
        link = board.mesh.link(v)
        if min(link) >= FRAME:
            (x, y), (mx, my) = board.mesh.at[v], _mean(board.points(link))
            _move(board.mesh, v, mx - x, my - y)


def _move(mesh: Mesh, v: int, dx: float, dy: float) -> None:
    """Move a vertex, by less if it would come too far."""
    link = mesh.link(v)
    x, y = mesh.at[v]
    for _ in range(4):
        p = (x + int(round(dx)), y + int(round(dy)))
        if mesh.may_move(link, p):
            mesh.at[v] = p
            return
        dx, dy = dx / 2, dy / 2


def _mean(points: List[Point]) -> Tuple[float, float]:
    number = float(len(points) or 1)
    return sum([x for x, _ in points]) / number, sum([y for _, y in points]) / number


def _things(board: Board) -> List[Thing]:
    strings: Dict[int, List[int]] = {v: [] for v in board.spots}
    things: List[Thing] = []
    for line, path in enumerate(board.paths):
        last = len(path) - 1
        for i in range(1, last):
            string = (path[i - 1], path[i + 1])
            things.append(Thing(path[i], line, i, last, path[0], path[last], string))
        strings[path[0]].append(path[1])
        strings[path[last]].append(path[last - 1])
    spots = [Thing(v, -1 - v, 0, 0, v, v, tuple(string)) for v, string in strings.items()]
    return spots + things


def _repel(board: Board, things: List[Thing], forces: Dict[int, List[float]]) -> None:
    """Push things apart that are nearer than RANGE, and than it is along lines."""
    at, unit = board.mesh.at, board.unit
    size = RANGE * unit
    cells: Dict[Tuple[int, int], List[Thing]] = {}
    for thing in things:
        x, y = at[thing.vertex]
        column, row = int(x // size), int(y // size)
        force = forces[thing.vertex]
        for i in (column - 1, column, column + 1):
            for j in (row - 1, row, row + 1):
                for other in cells.get((i, j), ()):
                    ox, oy = at[other.vertex]
                    dx, dy = float(x - ox), float(y - oy)
                    square = dx * dx + dy * dy
                    if square >= size * size:
                        continue
                    reach, strength = size, 0.06
                    if thing.line < 0 and other.line < 0:
                        strength *= SPREAD
                    else:
                        reach = min(reach, ALONG * STEP * unit * _way(thing, other))
                    if square < reach * reach:
                        d = sqrt(square) + 1.0
                        part = min(reach / d - 1.0, 4.0) * unit * strength / d
                        force[0] += dx * part
                        force[1] += dy * part
                        opposite = forces[other.vertex]
                        opposite[0] -= dx * part
                        opposite[1] -= dy * part
        cells.setdefault((column, row), []).append(thing)


def _way(a: Thing, b: Thing) -> int:
    """The steps between two things along at most two lines; a large number if there is no way."""
    way = abs(a.index - b.index) if a.line == b.line else 1 << 20
    if a.first == b.first:
        way = min(way, a.index + b.index)
    if a.first == b.last:
        way = min(way, a.index + b.length - b.index)
    if a.last == b.first:
        way = min(way, a.length - a.index + b.index)
    if a.last == b.last:
        way = min(way, a.length - a.index + b.length - b.index)
    return way


def _tighten(board: Board, things: List[Thing], forces: Dict[int, List[float]]) -> None:
    """Pull things to the middle of their neighbours on lines, and a little to that of all."""
    at = board.mesh.at
    mx, my = _mean(board.points(board.spots))
    for thing in things:
        x, y = at[thing.vertex]
        force = forces[thing.vertex]
        force[0] += 0.004 * (mx - x)
        force[1] += 0.004 * (my - y)
        if thing.string:
            sx, sy = _mean([at[n] for n in thing.string])
            force[0] += 0.45 * (sx - x)
            force[1] += 0.45 * (sy - y)


def _make_room(board: Board, forces: Dict[int, List[float]]) -> None:
    """Push the lines around small faces outwards."""
    unit = board.unit
    for face in board.map.faces:
        for boundary in face:
            if boundary[0] < 0:
                continue
            walk = [v for dart in boundary for v in board.path(dart)[:-1]]
            points = board.points(walk)
            twice = 0
            for (ax, ay), (bx, by) in zip(points, points[1:] + points[:1]):
                twice += ax * by - ay * bx
            area = twice / (2.0 * unit * unit)
            if 0 < area < ROOM:
                part = 0.15 * (ROOM - area)
                for i, v in enumerate(walk):
                    (ax, ay), (bx, by) = points[i - 1], points[(i + 1) % len(points)]
                    length = hypot(bx - ax, by - ay) or 1.0
                    forces[v][0] += part * unit * (by - ay) / length
                    forces[v][1] -= part * unit * (bx - ax) / length
