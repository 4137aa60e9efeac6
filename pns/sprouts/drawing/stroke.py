"""A line drawn by hand, read as the nearest move of a drawing.

The stroke begins and ends near spots. At each end, its direction says in which sector between the
lines of the spot it lies: that is the corner. If both corners lie on one boundary, the stroke and
the part of the boundary that leads back from its end make a closed curve; the winding number of
this curve around another boundary of the face says on which side of the line that one lies.

Points are in pixels of the picture (`pns.sprouts.drawing.svg.picture`); inside this module y grows
upwards, so that angles and areas are positive counterclockwise.
"""

from __future__ import annotations

from math import atan2, hypot, pi
from typing import List, NamedTuple, Optional, Sequence, Tuple

from pns.sprouts.drawing.board import Board
from pns.sprouts.drawing.curves import curves_of, samples
from pns.sprouts.drawing.planemap import Boundary, Move
from pns.sprouts.drawing.svg import PIXELS, big, frame

SNAP = 32.0
"""How far from a spot a stroke may begin or end, in pixels."""
NEAR = 9.0
"""What of a stroke is this near to the spots at its ends is left out: a hand begins unsteadily."""
SMOOTH = 1.5
"""How far from a stroke the points lie that are kept of it, in pixels at most."""
MOST_KEPT = 40
"""Points that are kept of a stroke; of a longer one fewer pixels matter."""
SHORTEST_LOOP = 40.0
"""Pixels; a shorter stroke from a spot to itself is a click."""

BEGIN, END, DEAD, SHORT, APART = "begin", "end", "dead", "short", "apart"
"""Why a stroke is no move: it begins or ends at no spot; one of its spots has too few lives; it is
too short; no region has both spots."""

Pixel = Tuple[float, float]


class UnclearStroke(ValueError):
    """A stroke that means no move; the text is one of the reasons above."""


class Stroke(NamedTuple):
    """A move, whether its left is the outer face, and points that it passes, in units.

    All three are for `Board.play`.
    """

    move: Move
    outside: Optional[bool] = None
    along: Tuple[Pixel, ...] = ()


def read_stroke(board: Board, points: Sequence[Pixel]) -> Stroke:
    """The move that a stroke means; raises UnclearStroke."""
    return _StrokeReader(board).read([(x, -y) for x, y in points])


class _StrokeReader:
    def __init__(self, board: Board) -> None:
        self.board = board
        self.map = board.map
        curves = curves_of(board)
        shown = frame(board, curves)[0]

        def upright(p: Pixel) -> Pixel:
            x, y = shown(p)
            return x, -y

        self.origin = upright((0.0, 0.0))
        self.spots = [upright(big(board, v)) for v in board.spots]
        self.lines = [[upright(p) for p in samples(curve)] for curve in curves]

    def read(self, points: List[Pixel]) -> Stroke:
        first, second = self._spot(points[:1], BEGIN), self._spot(points[-1:], END)
        lives = self.map.lives
        if min(lives[first], lives[second]) < 1 or (first == second and lives[first] < 2):
            raise UnclearStroke(DEAD)
        line = self._trimmed(points, first, second)
        move = self._corners(line, first, second)
        if self.map.boundary(move.first) != self.map.boundary(move.second):
            return Stroke(move, None, self._along(line))
        if move.first == move.second and self._is_reversed(line, move.first):
            line = line[::-1]
        return self._divided(line, move)

    def _spot(self, end: Sequence[Pixel], reason: str) -> int:
        """The spot that an end of a stroke means."""
        if not end:
            raise UnclearStroke(SHORT)
        away = [(_distance(end[0], p), spot) for spot, p in enumerate(self.spots)]
        nearest, spot = min(away, default=(SNAP, -1))
        if nearest >= SNAP:
            raise UnclearStroke(reason)
        living = [(d, s) for d, s in away if d < SNAP and self.map.lives[s]]
        return min(living)[1] if living else spot

    def _trimmed(self, points: List[Pixel], first: int, second: int) -> List[Pixel]:
        """The stroke from the middle of its first spot to that of its last one."""
        begin, end = 0, len(points)
        while begin < end and _distance(points[begin], self.spots[first]) < NEAR:
            begin += 1
        while begin < end and _distance(points[end - 1], self.spots[second]) < NEAR:
            end -= 1
        line = [self.spots[first], *points[begin:end], self.spots[second]]
        length = sum([_distance(p, q) for p, q in zip(line, line[1:])])
        if first == second and (length < SHORTEST_LOOP or end - begin < 2):
            raise UnclearStroke(SHORT)
        return line

    # Corners

    def _corners(self, line: List[Pixel], first: int, second: int) -> Move:
        """The corners of a common face that are the nearest to the directions of both ends."""
        pairs = [
            (off + other_off, Move(corner, other))
            for corner, off in self._sectors(first, line)
            for other, other_off in self._sectors(second, line[::-1])
            if self.map.face(corner) == self.map.face(other)
        ]
        if not pairs:
            raise UnclearStroke(APART)
        return min(pairs, key=lambda pair: pair[0])[1]

    def _sectors(self, spot: int, line: List[Pixel]) -> List[Tuple[int, float]]:
        """(corner, radians by which the beginning of a line misses its sector) of a spot."""
        darts = self.map.around[spot]
        if not darts:
            return [(~spot, 0.0)]
        found: List[Tuple[int, float]] = []
        for dart in darts:
            turn, width = self._turn(dart, line)
            found.append((dart, 0.0 if turn <= width else min(turn - width, 2 * pi - turn)))
        return found

    def _turn(self, corner: int, line: List[Pixel]) -> Tuple[float, float]:
        """(angle of the beginning of a line from that of a corner's dart, width of the sector)."""
        darts = self.map.around[self.map.spot(corner)]
        after = darts[(darts.index(corner) + 1) % len(darts)]
        start = _direction(self._dart(corner))
        width = (_direction(self._dart(after)) - start) % (2 * pi) if after != corner else 2 * pi
        return (_direction(line) - start) % (2 * pi), width

    def _dart(self, dart: int) -> List[Pixel]:
        line = self.lines[dart >> 1]
        return line[::-1] if dart & 1 else line

    def _is_reversed(self, line: List[Pixel], corner: int) -> bool:
        """Whether a loop in one corner has to be drawn from its end.

        The map has its beginning first, counterclockwise; a loop at a spot without lines can be
        drawn either way, and what it encloses is to lie on its left.
        """
        if corner < 0:
            return _area(line) < 0
        return self._turn(corner, line)[0] > self._turn(corner, line[::-1])[0]

    # Sides

    def _divided(self, line: List[Pixel], move: Move) -> Stroke:
        """A line that divides a face, with what lies on its left."""
        number = self.map.face(move.first)
        mine = self.map.boundary(move.first)
        whole = self._around(mine, mine[0], mine[0]) if mine[0] >= 0 else []
        back = [] if move.first == move.second else self._around(mine, move.second, move.first)
        left_side = [*line, *back]
        is_bounded = _area(left_side) > 0
        left: List[int] = []
        for boundary in self.map.faces[number]:
            if boundary == mine:
                continue
            sides = [
                _winding(left_side, p) >= (1 if is_bounded or _winding(whole, p) else 0)
                for p in [self.spots[spot] for spot in self.map.walk(boundary)]
            ]
            if 2 * sum(sides) > len(sides):
                left.append(boundary[0])
        outside = not is_bounded if number == self.board.outer else None
        return Stroke(move._replace(left=frozenset(left)), outside, self._along(line))

    def _along(self, line: List[Pixel]) -> Tuple[Pixel, ...]:
        """What is kept of a stroke between its spots, at least one point, in units."""
        x, y = self.origin
        middle = (line[0][0] + line[-1][0]) / 2, (line[0][1] + line[-1][1]) / 2
        size = SMOOTH
        while len(kept := simplified(line, size)) > MOST_KEPT:
            size *= 2
        return tuple(
            [
                (round((p - x) / PIXELS, 2), round((q - y) / PIXELS, 2))
                for p, q in kept[1:-1] or [middle]
            ]
        )

    def _around(self, boundary: Boundary, start: int, end: int) -> List[Pixel]:
        """The way along a boundary from a corner to the next time that another one comes."""
        points: List[Pixel] = []
        corner = start
        while True:
            points += self._dart(corner)
            corner = self.map.next_corner(corner)
            if corner == end:
                return points


def simplified(line: Sequence[Pixel], size: float) -> List[Pixel]:
    """Points of a line, its ends among them, so that it passes by the others within a distance.

    As Ramer and Douglas and Peucker do it: what is farthest from a chord divides it. Of a closed
    line the farthest from its ends does.

    >>> simplified([(0, 0), (5, 1), (9, 9), (10, 0), (20, 0)], 2)
    [(0, 0), (5, 1), (9, 9), (10, 0), (20, 0)]
    >>> simplified([(0, 0), (5, 1), (9, 1), (10, 0), (20, 0)], 2)
    [(0, 0), (20, 0)]
    """
    kept = {0, len(line) - 1}
    waiting = [(0, len(line) - 1)]
    while waiting:
        i, j = waiting.pop()
        (x, y), (u, v) = line[i], line[j]
        length = hypot(u - x, v - y)
        far, at = size, -1
        for n in range(i + 1, j):
            p, q = line[n]
            twice = abs((u - x) * (q - y) - (v - y) * (p - x))
            away = twice / length if length > size else hypot(p - x, q - y)
            if away > far:
                far, at = away, n
        if at > 0:
            kept.add(at)
            waiting += [(i, at), (at, j)]
    return [line[n] for n in sorted(kept)]


def _distance(p: Pixel, q: Pixel) -> float:
    return hypot(p[0] - q[0], p[1] - q[1])


def _direction(line: Sequence[Pixel]) -> float:
    """The angle at which a line leaves the surroundings of its first point."""
    x, y = line[0]
    inner = outer = line[0]
    for outer in line[1:]:
        if _distance(line[0], outer) >= NEAR:
            break
        inner = outer
    low, high = 0.0, 1.0
    for _ in range(20):  # where it crosses the circle
        part = (low + high) / 2
        px = inner[0] + (outer[0] - inner[0]) * part
        py = inner[1] + (outer[1] - inner[1]) * part
        if hypot(px - x, py - y) < NEAR:
            low = part
        else:
            high = part
    return atan2(
        inner[1] + (outer[1] - inner[1]) * high - y, inner[0] + (outer[0] - inner[0]) * high - x
    )


def _area(points: Sequence[Pixel]) -> float:
    """The area within a closed curve, positive counterclockwise."""
    ends = zip(points, [*points[1:], *points[:1]])
    return sum([p[0] * q[1] - q[0] * p[1] for p, q in ends]) / 2


def _winding(points: Sequence[Pixel], p: Pixel) -> int:
    """How often a closed curve goes around a point counterclockwise."""
    x, y = p
    found = 0
    for (ax, ay), (bx, by) in zip(points, [*points[1:], *points[:1]]):
        if (ay <= y) == (by <= y):
            continue
        is_left = (bx - ax) * (y - ay) - (x - ax) * (by - ay) > 0
        if by > ay and is_left:
            found += 1
        elif by < ay and not is_left:
            found -= 1
    return found
