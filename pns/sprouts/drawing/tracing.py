"""The way of a new line along points that a hand has drawn, where it crosses no other line.

From each vertex the way goes straight on to the next point, across edges of the mesh that belong
to no line. The points themselves become vertices, and each step of the way an edge that is fixed
at once, so that the line does not cross itself either.
"""

from __future__ import annotations

from typing import List, Optional, Sequence, Set, Tuple

from pns.sprouts.drawing.mesh import Mesh, Point, orientation

APART = 0.12
"""How far from the ends of an edge it is crossed, in units, or at 0.3 of a short one."""
MOST_STEPS = 2000
"""Steps of a way; a longer one is given up."""


def trace(
    mesh: Mesh, ends: Tuple[int, int], points: Sequence[Tuple[float, float]], unit: int, line: int
) -> Optional[List[int]]:
    """The vertices of a line from one vertex to another along points, in `unit`s of the first grid.

    The mesh has its edges afterwards, fixed. None if there is no such way, which leaves the mesh
    changed: it draws the same, but should be dropped.
    """
    tracer = _Tracer(mesh, ends[0], unit, line)
    for x, y in points:
        if not tracer.reach(x, y):
            return None
    return tracer.path if tracer.arrive(ends[1]) else None


def enclosed(mesh: Mesh, first: int, second: int) -> Set[int]:
    """The vertices on the left of a fixed edge, as far as no fixed edge is crossed."""
    found: Set[int] = set()
    seen: Set[Tuple[int, int]] = set()
    waiting = [(first, second)]
    while waiting:
        a, b = waiting.pop()
        if (a, b) in seen or (a, b) not in mesh.apex:
            continue
        c = mesh.apex[a, b]
        found.update((a, b, c))
        seen.update(((a, b), (b, c), (c, a)))
        waiting += [(v, u) for u, v in ((a, b), (b, c), (c, a)) if (u, v) not in mesh.fixed]
    return found


class _Tracer:
    """A line that grows from a vertex."""

    def __init__(self, mesh: Mesh, start: int, unit: int, line: int) -> None:
        self.mesh = mesh
        self.path = [start]
        self._unit = unit
        self._line = line

    def reach(self, x: float, y: float) -> bool:
        """Go on to a new vertex at a point; returns whether that is possible."""
        while len(self.path) < MOST_STEPS:
            size = self._unit * self.mesh.scale  # the grid may be refined on the way
            goal = (int(x * size), int(y * size))
            if goal == self.mesh.at[self.path[-1]]:
                return True
            ahead = self._ahead(goal)
            if ahead is None:
                return False
            a, b = ahead
            if orientation(self.mesh.at[a], self.mesh.at[b], goal) > 0:
                self._append(self.mesh.split_triangle((self.path[-1], a, b), goal))
                return True
            if not self._cross(a, b, goal):
                return False
        return False

    def arrive(self, end: int) -> bool:
        """Go on to a vertex of the mesh; returns whether that is possible."""
        mesh = self.mesh
        while len(self.path) < MOST_STEPS:
            here = self.path[-1]
            is_near = (here, end) in mesh.apex and (here, end) not in mesh.fixed
            if is_near and len(self.path) > 1:
                self._append(end)
                return True
            if is_near:
                self._append(mesh.split_edge(here, end))
                continue
            ahead = self._ahead(mesh.at[end])
            if ahead is None or not self._cross(*ahead, mesh.at[end]):
                return False
        return False

    def _append(self, v: int) -> None:
        self.mesh.fix(self.path[-1], v, self._line)
        self.path.append(v)

    def _ahead(self, goal: Point) -> Optional[Tuple[int, int]]:
        """The edge opposite to the last vertex in the direction of a point.

        None if that is the direction of an edge that is fixed.
        """
        at, here = self.mesh.at, self.mesh.at[self.path[-1]]
        link = self.mesh.link(self.path[-1])
        for i, b in enumerate(link):
            a = link[i - 1]
            side = orientation(here, at[a], goal)
            if side < 0 or orientation(here, goal, at[b]) <= 0:
                continue
            if side == 0 and (self.path[-1], a) in self.mesh.fixed:
                return None
            return a, b
        return None

    def _cross(self, a: int, b: int, goal: Point) -> bool:
        """Cross an edge on the way to a point; returns whether that is possible."""
        mesh = self.mesh
        if (a, b) in mesh.fixed or (b, a) not in mesh.apex:
            return False
        here, p, q = mesh.at[self.path[-1]], mesh.at[a], mesh.at[b]
        before, after = orientation(here, p, goal), orientation(here, goal, q)
        length = ((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2) ** 0.5
        least = min(0.3, APART * self._unit * mesh.scale / length)
        part = min(max(before / (before + after), least), 1 - least)
        self._append(mesh.split_edge(a, b, part))
        return True
