"""A triangulation of a square by integer coordinates, in which lines are drawn.

Invariant: every triangle is counterclockwise, by exact arithmetic. The border of the square
stays where it is, so each point of it lies in exactly one triangle: the number of
triangles around a point is the winding number of the border, which is 1. No two edges
cross then, whatever is moved or flipped, as long as the triangles that change are
counterclockwise again. So all guards against crossings are local.
"""

from __future__ import annotations

from typing import Dict, Iterator, List, Optional, Sequence, Tuple

Point = Tuple[int, int]
Edge = Tuple[int, int]

FRAME = 4
"""The first four vertices are the corners of the square."""


def orientation(a: Point, b: Point, c: Point) -> int:
    """Twice the signed area of a triangle: positive if it is counterclockwise."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


class Mesh:
    """Vertices with coordinates, and the triangles between them.

    `apex` has the third corner of the triangle on the left of each directed edge. Edges in
    `fixed` are never flipped, nor crossed by a new line.
    """

    def __init__(self, half: int) -> None:
        self.at: List[Point] = [(-half, -half), (half, -half), (half, half), (-half, half)]
        self.apex: Dict[Edge, int] = {}
        self.fixed: Dict[Edge, int] = {}
        self.spoke: List[int] = [-1] * FRAME
        self.scale = 1
        self._add(0, 1, 2)
        self._add(0, 2, 3)

    def copy(self) -> Mesh:
        """An independent copy."""
        other = Mesh(1)
        other.at, other.spoke = list(self.at), list(self.spoke)
        other.apex, other.fixed = dict(self.apex), dict(self.fixed)
        other.scale = self.scale
        return other

    # Triangles

    def _add(self, a: int, b: int, c: int) -> None:
        self.apex[a, b], self.apex[b, c], self.apex[c, a] = c, a, b
        self.spoke[a], self.spoke[b], self.spoke[c] = b, c, a

    def _drop(self, a: int, b: int, c: int) -> None:
        del self.apex[a, b], self.apex[b, c], self.apex[c, a]

    def area(self, a: int, b: int, c: int) -> int:
        """Twice the area of a triangle of vertices, positive if it is counterclockwise."""
        at = self.at
        (x, y), (bx, by), (cx, cy) = at[a], at[b], at[c]
        return (bx - x) * (cy - y) - (by - y) * (cx - x)

    def triangles(self) -> Iterator[Tuple[int, int, int]]:
        """All triangles, each once."""
        for (a, b), c in self.apex.items():
            if a < b and a < c:
                yield a, b, c

    def link(self, v: int) -> List[int]:
        """The neighbours of an inner vertex, counterclockwise."""
        first = self.spoke[v]
        around = [first]
        apex = self.apex
        n = apex[v, first]
        while n != first:
            around.append(n)
            n = apex[v, n]
        return around

    def sector(self, v: int, first: int) -> List[int]:
        """The neighbours from one on, counterclockwise, to the next fixed edge or the border.

        All around, back to the first, if no edge there is fixed.
        """
        around = [first]
        n = self.apex.get((v, first))
        while n is not None:
            around.append(n)
            if n == first or (v, n) in self.fixed:
                break
            n = self.apex.get((v, n))
        return around

    def find(self, p: Point) -> Optional[Tuple[int, int, int]]:
        """The triangle that has a point inside; None if it lies on an edge."""
        for a, b, c in self.triangles():
            pa, pb, pc = self.at[a], self.at[b], self.at[c]
            sides = (orientation(pa, pb, p), orientation(pb, pc, p), orientation(pc, pa, p))
            if min(sides) > 0:
                return a, b, c
        return None

    # Changes, each of which keeps the invariant or changes nothing

    def vertex(self, p: Point) -> int:
        """A new vertex, which no triangle has yet."""
        self.at.append(p)
        self.spoke.append(-1)
        return len(self.at) - 1

    def insert(self, p: Point) -> int:
        """A new vertex at a point of the square, or close to it if it lies on an edge."""
        while (found := self.find(p)) is None:
            p = (p[0] + 3, p[1] + 1)
        return self.split_triangle(found, p)

    def split_triangle(self, triangle: Tuple[int, int, int], p: Point) -> int:
        """A new vertex at a point inside a triangle."""
        a, b, c = triangle
        v = self.vertex(p)
        self._drop(a, b, c)
        for x, y in ((a, b), (b, c), (c, a)):
            self._add(x, y, v)
        return v

    def centre(self, triangle: Tuple[int, int, int]) -> int:
        """A new vertex in the middle of a triangle; refines the grid where it is too coarse."""
        while True:
            a, b, c = [self.at[v] for v in triangle]
            p = ((a[0] + b[0] + c[0]) // 3, (a[1] + b[1] + c[1]) // 3)
            if min(orientation(a, b, p), orientation(b, c, p), orientation(c, a, p)) > 0:
                return self.split_triangle(triangle, p)
            self.refine()

    def split_edge(self, u: int, v: int, part: float = 0.5) -> int:
        """A new vertex on an inner edge, at a part of the way; refines the grid if need be."""
        a, b = self.at[u], self.at[v]
        p = (a[0] + round((b[0] - a[0]) * part), a[1] + round((b[1] - a[1]) * part))
        left, right = self.apex[u, v], self.apex[v, u]
        corners = (u, right, v, left)
        around = [self.at[x] for x in corners]
        if any([orientation(around[i - 1], around[i], p) <= 0 for i in range(4)]):
            self.refine()  # the middle is a point of the grid now
            a, b = self.at[u], self.at[v]
            p = ((a[0] + b[0]) // 2, (a[1] + b[1]) // 2)
        new = self.vertex(p)
        line = self.fixed.pop((u, v), None)
        self.fixed.pop((v, u), None)
        self._drop(u, v, left)
        self._drop(v, u, right)
        for i in range(4):
            self._add(corners[i - 1], corners[i], new)
        if line is not None:
            self.fix(u, new, line)
            self.fix(new, v, line)
        return new

    def refine(self) -> None:
        """Halve the unit of the grid, on which all vertices stay where they are."""
        self.at = [(2 * x, 2 * y) for x, y in self.at]
        self.scale *= 2

    def coarsen(self) -> bool:
        """Double the unit of the grid, if that is possible; returns whether it was."""
        old = self.at
        self.at = [((x + 1) // 2, (y + 1) // 2) for x, y in old]
        if any([self.area(*triangle) <= 0 for triangle in self.triangles()]):
            self.at = old
            return False
        self.scale //= 2
        return True

    def fix(self, u: int, v: int, line: int) -> None:
        """Make an edge part of a line."""
        self.fixed[u, v] = self.fixed[v, u] = line

    def free(self, u: int, v: int) -> None:
        """Make an edge part of no line."""
        del self.fixed[u, v], self.fixed[v, u]

    def may_move(self, link: Sequence[int], p: Point) -> bool:
        """Whether a vertex with these neighbours may lie at a point."""
        at = self.at
        x, y = p
        ax, ay = at[link[-1]]
        for n in link:
            bx, by = at[n]
            if (bx - ax) * (y - ay) - (by - ay) * (x - ax) <= 0:
                return False
            ax, ay = bx, by
        return True

    def flip(self, u: int, v: int) -> bool:
        """Replace an edge by the other diagonal of its two triangles, where these are convex."""
        w, z = self.apex[u, v], self.apex[v, u]
        if self.area(u, z, w) <= 0 or self.area(z, v, w) <= 0:
            return False
        self._drop(u, v, w)
        self._drop(v, u, z)
        self._add(u, z, w)
        self._add(z, v, w)
        return True

    def remove(self, v: int, chord: Optional[Edge] = None) -> bool:
        """Remove a vertex, if its neighbours can be joined; returns whether they could.

        With a chord, two neighbours are joined by a fixed edge of the line that v was on.
        """
        link = self.link(v)
        polygons = [link]
        if chord is not None:
            i, j = sorted((link.index(chord[0]), link.index(chord[1])))
            polygons = [link[i : j + 1], link[j:] + link[: i + 1]]
            if min(map(len, polygons)) < 3:
                return False
        found: List[Tuple[int, int, int]] = []
        for polygon in polygons:
            ears = self._ears(polygon)
            if ears is None:
                return False
            found += ears
        line = -1
        for i, n in enumerate(link):
            self._drop(v, link[i - 1], n)
            line = self.fixed.pop((v, n), line)
            self.fixed.pop((n, v), None)
        for triangle in found:
            self._add(*triangle)
        self.spoke[v] = -1
        if chord is not None:
            self.fix(*chord, line)
        return True

    def _ears(self, polygon: Sequence[int]) -> Optional[List[Tuple[int, int, int]]]:
        """Counterclockwise triangles that fill a polygon; None where none are found."""
        rest = list(polygon)
        found: List[Tuple[int, int, int]] = []
        while len(rest) > 2:
            best, ear = 0.0, -1
            for i in range(len(rest)):
                a, b, c = rest[i - 2], rest[i - 1], rest[i]
                if len(rest) > 3 and (a, c) in self.apex and (c, a) in self.apex:
                    continue
                quality = self._ear(a, b, c, rest)
                if quality > best:
                    best, ear = quality, i
            if ear < 0:
                return None
            found.append((rest[ear - 2], rest[ear - 1], rest[ear]))
            del rest[ear - 1]
        return found

    def _ear(self, a: int, b: int, c: int, polygon: Sequence[int]) -> float:
        """How round the triangle is that cuts off an ear; 0 if it is none."""
        area = self.area(a, b, c)
        if area <= 0:
            return 0.0
        for v in polygon:
            if (
                v not in (a, b, c)
                and min(self.area(a, b, v), self.area(b, c, v), self.area(c, a, v)) >= 0
            ):
                return 0.0
        (ax, ay), (bx, by), (cx, cy) = self.at[a], self.at[b], self.at[c]
        sides = (ax - bx) ** 2 + (ay - by) ** 2 + (bx - cx) ** 2 + (by - cy) ** 2
        return area / float(sides + (ax - cx) ** 2 + (ay - cy) ** 2)
