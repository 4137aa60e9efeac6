"""A drawing with coordinates: a combinatorial map, and its lines in a triangulation."""

from __future__ import annotations

from math import cos, hypot, pi, sin, sqrt
from typing import List, Optional, Sequence, Set, Tuple

from pns.sprouts.drawing.mesh import FRAME, Mesh, Point
from pns.sprouts.drawing.planemap import Boundary, Move, PlaneMap
from pns.sprouts.drawing.routing import Cuts, Place, Wall, carve
from pns.sprouts.drawing.tracing import enclosed, trace

UNIT = 1024
"""The distance that things of a drawing keep, in the first grid."""


class Board:
    """A position as it is drawn; moves change it. `map` says what is where."""

    def __init__(self, start: PlaneMap, points: Sequence[Tuple[float, float]]) -> None:
        """Spots without lines at points, whose distances are about 1."""
        reach = max([1.0, *[max(abs(x), abs(y)) for x, y in points]])
        self.map = start
        self.mesh = Mesh(int(UNIT * 8 * reach))
        self.spots: List[int] = []
        self.paths: List[List[int]] = []
        self.outer = 0
        self.loose: List[int] = []
        self.by_hand: Set[int] = set()
        self.step = 1.0
        for x, y in points:
            self.spots.append(self.mesh.insert((int(x * UNIT), int(y * UNIT))))

    @classmethod
    def of_spots(cls, number: int) -> Board:
        """The first position of a game."""
        return cls(PlaneMap.start([3] * number), circle(number) if number < 9 else disc(number))

    @property
    def unit(self) -> float:
        """The distance that things keep, in the present grid."""
        return float(UNIT * self.mesh.scale)

    def copy(self) -> Board:
        """An independent copy."""
        other = Board(self.map, ())
        other.mesh, other.spots = self.mesh.copy(), list(self.spots)
        other.paths = [list(path) for path in self.paths]
        other.outer, other.loose = self.outer, list(self.loose)
        other.by_hand = set(self.by_hand)
        return other

    def path(self, dart: int) -> List[int]:
        """The vertices along a dart, from its origin on."""
        path = self.paths[dart >> 1]
        return path[::-1] if dart & 1 else path

    # Moves

    def play(
        self,
        move: Move,
        outside: Optional[bool] = None,
        along: Sequence[Tuple[float, float]] = (),
    ) -> int:
        """Draw a move; returns the new spot. Raises IllegalMove, which changes nothing.

        `outside` says which side of a line that divides the outer face is the outer one then:
        True for the left. By default it is the side with more on it. `along` are points in units
        that the line passes, if it then crosses nothing and is the same move.
        """
        after = self.map.played(move)
        is_followed = bool(along) and self._follow(move, outside, along)
        line = len(self.paths) - 1 if is_followed else self.draw_line(move, outside)
        path = self.paths[line]
        while len(path) < 5:
            self.split(path, longest(self.points(path)))
        lengths = distances(self.points(path))
        middle, passed = 2, lengths[0] + lengths[1]
        while middle < len(path) - 3 and passed < sum(lengths) / 2:
            passed += lengths[middle]
            middle += 1
        self.paths[line : line + 1] = [path[: middle + 1], path[middle:]]
        for edge in zip(path[middle:], path[middle + 1 :]):
            self.mesh.fix(*edge, line + 1)
        if is_followed:
            self.by_hand.update((line, line + 1))
        self.spots.append(path[middle])
        self.map = after
        return len(self.spots) - 1

    def draw_line(self, move: Move, outside: Optional[bool] = None) -> int:
        """Draw a line without a spot on it; returns its number."""
        after = self.map.with_line(move)
        line = len(self.paths)
        number = self.map.face(move.first)
        if len(after.faces) == len(self.map.faces):
            ends = [self._place(move.first)], [self._place(move.second)]
            self._add(carve(self.mesh, *ends, self._clear))
        else:
            outside = self._divide(move, number, outside)
        self._take(after, number, outside)
        return line

    def _take(self, after: PlaneMap, number: int, outside: Optional[bool]) -> None:
        """Take the map after a line in a face, of which `outside` says what `play` says."""
        if self.outer > number:
            self.outer += len(after.faces) - len(self.map.faces)
        elif self.outer == number and len(after.faces) > len(self.map.faces) and not outside:
            self.outer += 1
        self.map = after

    def _follow(
        self, move: Move, outside: Optional[bool], along: Sequence[Tuple[float, float]]
    ) -> bool:
        """Draw a line without a spot on it along points; returns whether it is the move then.

        Otherwise nothing has changed.
        """
        after = self.map.with_line(move)
        number, line = self.map.face(move.first), len(self.paths)
        spots = self.map.spot(move.first), self.map.spot(move.second)
        mesh = self.mesh.copy()
        path = trace(mesh, (self.spots[spots[0]], self.spots[spots[1]]), along, UNIT, line)
        if path is None or not self._is_in_order(mesh, after, spots, path):
            return False
        if len(after.faces) > len(self.map.faces):
            left = enclosed(mesh, path[0], path[1])
            boundaries = [b for b in self.map.faces[number] if b != self.map.boundary(move.first)]
            inside = {b[0] for b in boundaries if self._place(b[0])[0] in left}
            drawn_outside = FRAME - 1 in left
            if inside != move.left or (number == self.outer and outside is (not drawn_outside)):
                return False
            outside = drawn_outside
        self.mesh = mesh
        self.paths.append(path)
        self._take(after, number, outside)
        return True

    def _is_in_order(
        self, mesh: Mesh, after: PlaneMap, spots: Tuple[int, int], path: List[int]
    ) -> bool:
        """Whether the lines of spots have the order of a map, in a mesh with a path more."""
        paths = [*self.paths, path]
        for spot in spots:
            v = self.spots[spot]
            wanted = [paths[dart >> 1][-2 if dart & 1 else 1] for dart in after.around[spot]]
            drawn = [n for n in mesh.link(v) if (v, n) in mesh.fixed]
            turn = drawn.index(wanted[0])
            if drawn[turn:] + drawn[:turn] != wanted:
                return False
        return True

    @property
    def _clear(self) -> float:
        return 0.6 * self.unit

    def _add(self, path: List[int]) -> None:
        for edge in zip(path, path[1:]):
            self.mesh.fix(*edge, len(self.paths))
        self.paths.append(path)

    def _divide(self, move: Move, number: int, outside: Optional[bool]) -> Optional[bool]:
        """Draw a line that divides a face; returns whether its left is the outer face."""
        walls, sides = self._sides(move, number)
        if number != self.outer:
            outside = None
        else:
            if outside is None:
                weights = [len(wall) + sum(map(len, side)) for wall, side in zip(walls, sides)]
                outside = weights[0] > weights[1]
            sides[not outside].append([(f, (f + 1) % FRAME) for f in range(FRAME)])
        first, second = self._place(move.first), self._place(move.second)
        cuts = Cuts(self.mesh, self._clear)
        if walls[0]:
            cuts.grow(Wall(walls[0]), sides[0])
            cuts.grow(Wall(walls[1]), sides[1])
        else:  # back to its corner, around what is on the left: the first cut divides the corner
            v, right = first
            left = cuts.grow(Wall([first], True), sides[0])
            if walls[1]:
                cuts.grow(Wall(walls[1]), sides[1])
            else:
                right = cuts.grow(Wall([(v, left)], True), sides[1])
            first, second = (v, right), (v, left)
        self._add(carve(self.mesh, [first], [second], self._clear))
        self.loose += cuts.remove()
        return outside

    def _sides(self, move: Move, number: int) -> Tuple[List[List[Place]], List[List[List[Place]]]]:
        """What comes to lie on the left and on the right of a line that divides a face.

        First the parts of the boundary that it starts from, without its corners, then the other
        boundaries.
        """
        boundary = self.map.boundary(move.first)
        places = self._places(boundary)
        i = places.index(self._place(move.first))
        places = places[i:] + places[:i]
        j = places.index(self._place(move.second))
        walls = [places[j + 1 :], places[1:j]] if j else [[], places[1:]]
        sides: List[List[List[Place]]] = [[], []]
        for other in self.map.faces[number]:
            if other != boundary:
                sides[other[0] not in move.left].append(self._places(other))
        return walls, sides

    def _place(self, corner: int) -> Place:
        if corner < 0:
            return self.spots[~corner], -1
        path = self.path(corner)
        return path[0], path[1]

    def _places(self, boundary: Boundary) -> List[Place]:
        """The places that a boundary passes, in order; each is on the left of its line."""
        if boundary[0] < 0:
            return [self._place(boundary[0])]
        return [pair for dart in boundary for pair in zip(self.path(dart), self.path(dart)[1:])]

    # Geometry

    def points(self, path: Sequence[int]) -> List[Point]:
        """The coordinates of vertices."""
        return [self.mesh.at[v] for v in path]

    def split(self, path: List[int], i: int) -> None:
        """Put a vertex on the edge of a path that begins at its vertex i."""
        path.insert(i + 1, self.mesh.split_edge(path[i], path[i + 1]))


def distances(points: Sequence[Tuple[float, float]]) -> List[float]:
    """The lengths of the steps between points."""
    return [hypot(q[0] - p[0], q[1] - p[1]) for p, q in zip(points, points[1:])]


def longest(points: Sequence[Tuple[float, float]]) -> int:
    """The number of the longest step."""
    lengths = distances(points)
    return lengths.index(max(lengths))


def circle(number: int) -> List[Tuple[float, float]]:
    """Points on a circle, from the left clockwise, at distances of about 1.5."""
    if number < 2:
        return [(0.0, 0.0)] * number
    radius = 0.75 / sin(pi / number)
    angles = [pi - 2 * pi * i / number for i in range(number)]
    return [(radius * cos(angle), radius * sin(angle)) for angle in angles]


def disc(number: int) -> List[Tuple[float, float]]:
    """Points in a disc, like the seeds of a sunflower, at distances of about 1.5."""
    turn = pi * (3 - sqrt(5))
    radii = [0.85 * sqrt(i + 0.5) for i in range(number)]
    return [(r * cos(turn * i), r * sin(turn * i)) for i, r in enumerate(radii)]
