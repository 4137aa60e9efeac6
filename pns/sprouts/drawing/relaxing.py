"""Rounds and spreads a drawing: forces on its vertices, and a mesh that keeps lines apart.

Lines pull themselves straight, as strings do, so that three of them leave a spot at equal
angles; vertices that are close in the plane but not along lines push each other away. A vertex
moves only as far as all triangles around it stay counterclockwise, so that lines cannot cross
[simonetto2011]. Edges between lines are flipped until the mesh is a Delaunay
triangulation of what is drawn, so that they rarely hold a vertex back.
"""

from __future__ import annotations

from math import hypot
from typing import Dict, List, NamedTuple, Tuple

from pns.sprouts.drawing.board import Board, distances
from pns.sprouts.drawing.mesh import FRAME, Mesh, Point

COARSE, FINE = 1.0, 0.45
"""Distances of vertices along a line, in units: few vertices move far soon, many make it round."""
RANGE = 1.5
"""The distance at which things begin to push each other, in units."""
ALONG = 0.75
"""Two places of a line push each other if they are closer than this part of the way between."""
ROUNDS = 40
"""The rounds of forces that make a drawing of up to about 100 lines round."""
FLIPS = 4
"""The most passes over all edges at a time."""

STRENGTHS = (0.06, 0.14, 0.5)
"""How strongly two things push each other of which none, one or both are spots."""
LENGTH = 1.2
"""The distance below which the ends of a line push each other, in units."""
TENSION, BY_HAND = 0.45, 0.1
"""How strongly a line pulls itself straight; one drawn by hand nearly keeps its shape."""
ROOM = 1.5
"""The area below which the lines around a face are pushed outwards, in square units."""

Forces = Dict[int, List[float]]


class Thing(NamedTuple):
    """A vertex of the drawing: on a line, `place` steps after a spot and before another.

    A spot is `place` 0 on a line of its own, whose number is negative.
    """

    vertex: int
    line: int
    place: int
    length: int
    first: int
    last: int
    string: Tuple[int, ...]


def settle(board: Board, rounds: int = ROUNDS) -> None:
    """Improve a new drawing: move it by few vertices first, then make it round by many.

    Few vertices would not keep the shape of lines drawn by hand.
    """
    relax(board, 2 * rounds, FINE if board.by_hand else COARSE)
    relax(board, rounds)


def relax(board: Board, rounds: int, step: float = FINE) -> None:
    """Improve the coordinates of a drawing, whose map stays as it is."""
    board.step = step
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
            if hypot(px - qx, py - qy) > 1.6 * board.step * board.unit:
                board.split(path, i)
            else:
                i += 1
        i = 1
        while i < len(path) - 1 and len(path) > 4:
            a, b, c = board.points(path[i - 1 : i + 2])
            if sum(distances([a, b, c])) < 1.3 * board.step * board.unit and board.mesh.remove(
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
    forces: Forces = {thing.vertex: [0.0, 0.0] for thing in things}
    _repel(board, {thing.vertex: thing for thing in things}, forces)
    _stretch(board, forces)
    _make_room(board, forces)
    _smooth(board, forces)
    _slide(board, forces)
    _tighten(board, things, forces)
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


def _repel(board: Board, things: Dict[int, Thing], forces: Forces) -> None:
    """Push apart what is joined by an edge of the mesh, or a vertex and a line that it sees."""
    at, unit, fixed = board.mesh.at, board.unit, board.mesh.fixed
    size = RANGE * unit
    for (u, v), w in board.mesh.apex.items():
        if (u, v) in fixed:
            if w not in things:
                continue
            (ux, uy), (vx, vy), (wx, wy) = at[u], at[v], at[w]
            ex, ey = float(vx - ux), float(vy - uy)
            part = ((wx - ux) * ex + (wy - uy) * ey) / (ex * ex + ey * ey)
            if not 0.1 < part < 0.9:
                continue
            dx, dy = wx - ux - ex * part, wy - uy - ey * part
            a, b, shares = w, u, (1.0, part - 1.0, -part)
            way = min(_way(things[w], things[u]), _way(things[w], things[v]))
        elif u > v or u not in things or v not in things:
            continue
        else:
            (ux, uy), (vx, vy) = at[u], at[v]
            dx, dy = float(ux - vx), float(uy - vy)
            a, b, shares = u, v, (1.0, -1.0, 0.0)
            way = _way(things[u], things[v])
        spots = (things[a].line < 0) + (things[b].line < 0)
        reach = size if spots == 2 else min(size, ALONG * board.step * unit * way)
        distance = hypot(dx, dy) + 1.0
        if distance < reach:
            strength = STRENGTHS[spots] * min(reach / distance - 1.0, 4.0) * unit / distance
            for n, share in zip((w, u, v) if shares[2] else (u, v), shares):
                forces[n][0] += dx * strength * share
                forces[n][1] += dy * strength * share


def _stretch(board: Board, forces: Forces) -> None:
    """Push the ends of short lines apart."""
    at, reach = board.mesh.at, LENGTH * board.unit
    for path in board.paths:
        a, b = path[0], path[-1]
        (ax, ay), (bx, by) = at[a], at[b]
        distance = hypot(bx - ax, by - ay)
        if a != b and distance < reach:
            part = 0.3 * (reach - distance) / (distance + 1.0)
            forces[a][0] -= part * (bx - ax)
            forces[a][1] -= part * (by - ay)
            forces[b][0] += part * (bx - ax)
            forces[b][1] += part * (by - ay)


def _slide(board: Board, forces: Forces) -> None:
    """Pull a spot between two lines along the longer one, so that rings are divided evenly."""
    at = board.mesh.at
    for v, darts in zip(board.spots, board.map.around):
        if len(darts) == 2:
            paths = [board.path(dart) for dart in darts]
            for path, other in (paths, paths[::-1]):
                extra = (len(path) - len(other)) / float(len(path) + len(other))
                if extra > 0:
                    forces[v][0] += 0.6 * extra * (at[path[1]][0] - at[v][0])
                    forces[v][1] += 0.6 * extra * (at[path[1]][1] - at[v][1])


def _smooth(board: Board, forces: Forces) -> None:
    """Spread forces along lines, so that these stay round."""
    for path in board.paths:
        for _ in range(3):
            old = [forces[v] for v in path]
            for i in range(1, len(path) - 1):
                (ax, ay), (bx, by), (cx, cy) = old[i - 1 : i + 2]
                forces[path[i]] = [(ax + 2 * bx + cx) / 4, (ay + 2 * by + cy) / 4]


def _way(a: Thing, b: Thing) -> int:
    """The steps between two things along at most two lines; a large number if there is no way."""
    way = abs(a.place - b.place) if a.line == b.line else 1 << 20
    if a.first == b.first:
        way = min(way, a.place + b.place)
    if a.first == b.last:
        way = min(way, a.place + b.length - b.place)
    if a.last == b.first:
        way = min(way, a.length - a.place + b.place)
    if a.last == b.last:
        way = min(way, a.length - a.place + b.length - b.place)
    return way


def _tighten(board: Board, things: List[Thing], forces: Forces) -> None:
    """Pull things to the middle of their neighbours on lines, and a little to that of all."""
    at = board.mesh.at
    mx, my = _mean(board.points(board.spots))
    slack = {v for line in board.by_hand for v in board.paths[line]}
    for thing in things:
        x, y = at[thing.vertex]
        force = forces[thing.vertex]
        force[0] += 0.004 * (mx - x)
        force[1] += 0.004 * (my - y)
        if thing.string:
            sx, sy = _mean([at[n] for n in thing.string])
            pull = BY_HAND if thing.vertex in slack else TENSION
            force[0] += pull * (sx - x)
            force[1] += pull * (sy - y)


def _make_room(board: Board, forces: Forces) -> None:
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
                part = 0.3 * (ROOM - area)
                for i, v in enumerate(walk):
                    (ax, ay), (bx, by) = points[i - 1], points[(i + 1) % len(points)]
                    length = hypot(bx - ax, by - ay) or 1.0
                    forces[v][0] += part * unit * (by - ay) / length
                    forces[v][1] -= part * unit * (bx - ax) / length
