"""The way of a new line through a face: across edges of the mesh that belong to no line.

A line that joins two boundaries takes the shortest way. One that divides a face has to leave
the chosen boundaries on its left. For this, *cuts* join these to the part of the boundary on the
left of the line, and all others to the part on the right. Cuts are trees, so that what is
left of the face is a disc, in which every way from corner to corner is the one wanted: the
shortest is taken, and the cuts are removed again.
"""

from __future__ import annotations

from heapq import heappop, heappush
from math import hypot
from typing import Dict, List, NamedTuple, Sequence, Set, Tuple

from pns.sprouts.drawing.mesh import FRAME, Edge, Mesh

CUT = -1
"""The line of the edges of cuts."""

Place = Tuple[int, int]
"""A vertex, and the neighbour where the sector of its face begins; -1 for all around it."""
EdgeCrossing = Tuple[int, int, float]
"""An edge that is crossed, and at which part of it."""
NO_STEP: EdgeCrossing = (-1, -1, 0.0)
Crossed = Tuple[float, int, int, float, EdgeCrossing, int]
"""A way to an edge: its length, the edge and the part of it, the crossing before, the source."""
Way = Tuple[float, int, EdgeCrossing, int]
"""A whole way: its length, first vertex, last crossing and last vertex."""


class Wall(NamedTuple):
    """The places that cuts may start from; `once` if that is one place, for one cut."""

    places: List[Place]
    once: bool = False


def sector(mesh: Mesh, place: Place) -> List[int]:
    """The neighbours in the sector of a place."""
    v, n = place
    return mesh.sector(v, mesh.spoke[v] if n < 0 else n)


def carve(
    mesh: Mesh, sources: Sequence[Place], targets: Sequence[Place], clear: float
) -> List[int]:
    """The vertices of a shortest way from one of some places to one of others, now in the mesh.

    It crosses no fixed edge, and has at least one vertex between its ends. It keeps a distance
    of about `clear` from the ends of long edges. Raises ValueError if there is none.
    """
    start, steps, end = _shortest(mesh, sources, targets, clear)
    if not steps:
        return [start, mesh.split_edge(start, end), end]
    return [start, *[mesh.split_edge(*step) for step in steps], end]


def _shortest(
    mesh: Mesh, sources: Sequence[Place], targets: Sequence[Place], clear: float
) -> Tuple[int, List[EdgeCrossing], int]:
    """(first vertex, edges crossed, last vertex); no edges if the two are neighbours."""
    ends: Set[Edge] = set()
    spokes: Set[Edge] = set()
    for target in targets:
        around = sector(mesh, target)
        ends.update(zip(around, around[1:]))
        spokes.update((n, target[0]) for n in around)
    best = _straight(mesh, sources, spokes)
    queue = _first_crossings(mesh, sources, clear)
    came: Dict[EdgeCrossing, EdgeCrossing] = {}
    while queue:
        length, a, b, part, before, v = heappop(queue)
        step = (a, b, part)
        if length >= best[0]:
            break
        if step in came:
            continue
        came[step] = before
        p, q = mesh.at[a], mesh.at[b]
        here = (p[0] + (q[0] - p[0]) * part, p[1] + (q[1] - p[1]) * part)
        w = mesh.apex[a, b]
        if (a, b) in ends:
            total = length + _distance(here, mesh.at[w])
            if total < best[0]:
                best = (total, v, step, w)
        for x, y in ((w, b), (a, w)):
            for part, point in _crossings(mesh, x, y, clear):
                if (x, y, part) not in came:
                    heappush(queue, (length + _distance(here, point), x, y, part, step, v))
    _, start, last, end = best
    if start < 0:
        raise ValueError("there is no way")
    steps: List[EdgeCrossing] = []
    while last != NO_STEP:
        steps.append(last)
        last = came[last]
    return start, steps[::-1], end


def _straight(mesh: Mesh, sources: Sequence[Place], spokes: Set[Edge]) -> Way:
    """The shortest way along a free edge, among the spokes of targets; infinite if none is."""
    best: Way = (float("inf"), -1, NO_STEP, -1)
    for source in sources:
        v = source[0]
        for n in sector(mesh, source):
            if (v, n) in spokes and (v, n) not in mesh.fixed:
                length = _distance(mesh.at[v], mesh.at[n])
                if length < best[0]:
                    best = (length, v, NO_STEP, n)
    return best


def _first_crossings(mesh: Mesh, sources: Sequence[Place], clear: float) -> List[Crossed]:
    """A heap of the ways from the sources to points of the edges around them."""
    queue: List[Crossed] = []
    for source in sources:
        v = source[0]
        around = sector(mesh, source)
        for a, b in zip(around, around[1:]):
            for part, point in _crossings(mesh, b, a, clear):
                heappush(queue, (_distance(mesh.at[v], point), b, a, part, NO_STEP, v))
    return queue


def _distance(p: Tuple[float, float], q: Tuple[float, float]) -> float:
    return hypot(p[0] - q[0], p[1] - q[1])


def _crossings(mesh: Mesh, u: int, v: int, clear: float) -> List[Tuple[float, Tuple[float, float]]]:
    """Where an edge may be crossed: (part of it, point); nowhere if it is fixed or the border."""
    if (u, v) in mesh.fixed or (u, v) not in mesh.apex:
        return []
    (ux, uy), (vx, vy) = mesh.at[u], mesh.at[v]
    length = hypot(vx - ux, vy - uy)
    part = clear / length
    parts = [0.5]
    if part < 0.3:
        parts = [] if u < FRAME or v < FRAME else [0.5]
        parts += ([part] if u >= FRAME else []) + ([1 - part] if v >= FRAME else [])
    return [(part, (ux + (vx - ux) * part, uy + (vy - uy) * part)) for part in parts or [0.5]]


class Cuts:
    """The cuts that keep boundaries on one side of a line."""

    def __init__(self, mesh: Mesh, clear: float) -> None:
        self.mesh = mesh
        self.clear = clear
        self.edges: List[Edge] = []
        self.vertices: Set[int] = set()

    def grow(self, wall: Wall, islands: Sequence[Sequence[Place]]) -> int:
        """Join islands, given by their places, to a wall, the nearest first.

        From a wall that is used once, a single cut starts, into the face if there are no
        islands. Returns the first vertex of the first cut, or -1 if there is none.
        """
        places, first = list(wall.places), -1
        rest = [list(island) for island in islands]
        if wall.once and not rest:
            around = sector(self.mesh, places[0])
            pairs = [
                (self.mesh.area(places[0][0], *pair), pair) for pair in zip(around, around[1:])
            ]
            tip = self._tip((places[0][0], *max(pairs)[1]))
            self._fix([places[0][0], tip])
            self.vertices.add(tip)
            return tip
        while rest:
            path = carve(self.mesh, places, [p for island in rest for p in island], self.clear)
            self._fix(path)
            self.vertices.update(path[1:-1])
            island = next(some for some in rest if path[-1] in [v for v, _ in some])
            rest.remove(island)
            island = [place for place in island if place != (path[-1], -1)]
            if first < 0:
                first = path[1]
                places = [] if wall.once else places
            places += island
            if not (wall.once and path[0] == wall.places[0][0]):
                places.append((path[0], path[1]))
            places.append((path[-1], path[-2]))
            for before, v, after in zip(path, path[1:], path[2:]):
                places += [(v, before), (v, after)]
        return first

    def _tip(self, triangle: Tuple[int, int, int]) -> int:
        """A new vertex in a triangle, near its first one: a loop around nothing begins small."""
        mesh = self.mesh
        tip = mesh.centre(triangle)
        (x, y), (u, v) = mesh.at[triangle[0]], mesh.at[tip]
        part = min(1.0, self.clear / (hypot(u - x, v - y) + 1.0))
        p = (x + round((u - x) * part), y + round((v - y) * part))
        if mesh.may_move(mesh.link(tip), p):
            mesh.at[tip] = p
        return tip

    def _fix(self, path: Sequence[int]) -> None:
        for edge in zip(path, path[1:]):
            self.mesh.fix(*edge, CUT)
            self.edges.append(edge)

    def remove(self) -> List[int]:
        """Remove all cuts from the mesh; returns the vertices that had to stay."""
        for edge in self.edges:
            self.mesh.free(*edge)
        return [v for v in self.vertices if not self.mesh.remove(v)]
