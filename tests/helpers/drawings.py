"""Random games on drawings, and exact tests of their geometry that know nothing of the mesh."""

from __future__ import annotations

import random
from itertools import product
from typing import Callable, Dict, Iterator, List, Optional, Sequence, Tuple

from pns.checker import sprouts as plain
from pns.sprouts.drawing import Board, Move, PlaneMap, relax
from pns.sprouts.drawing.curves import GRID, curves_of
from pns.sprouts.drawing.planemap import Face

Point = Tuple[int, int]
Piece = Tuple[Point, ...]
"""A convex hull: of a point, a step, or a rounded corner."""


def turn(a: Point, b: Point, c: Point) -> int:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def on_step(p: Point, a: Point, b: Point) -> bool:
    between = all([min(a[i], b[i]) <= p[i] <= max(a[i], b[i]) for i in (0, 1)])
    return between and turn(a, b, p) == 0


def steps_meet(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether two steps have a common point."""
    if any([on_step(a, c, d), on_step(b, c, d), on_step(c, a, b), on_step(d, a, b)]):
        return True
    sides = (turn(a, b, c) > 0, turn(a, b, d) > 0, turn(c, d, a) > 0, turn(c, d, b) > 0)
    return sides[0] != sides[1] and sides[2] != sides[3]


def inside(p: Point, piece: Piece) -> bool:
    if len(piece) < 3 or turn(*piece[:3]) == 0:
        return False
    sides = [turn(piece[i - 1], piece[i], p) for i in range(len(piece))]
    return min(sides) >= 0 or max(sides) <= 0


def meet(one: Piece, two: Piece) -> bool:
    """Whether two convex pieces have a common point."""
    edges = [list(zip(piece, piece[1:] + piece[:1])) for piece in (one, two)]
    if any([steps_meet(*e, *f) for e in edges[0] for f in edges[1]]):
        return True
    return inside(one[0], two) or inside(two[0], one)


def pieces_of(board: Board) -> List[List[Piece]]:
    """The pieces of each line as it is drawn, in order: straight ones and corners."""
    lines: List[List[Piece]] = []
    for curve in curves_of(board):
        pieces: List[Piece] = []
        last = curve.start
        for begin, vertex, end in curve.corners:
            if begin != last:
                pieces.append((last, begin))
            if begin != end:
                pieces.append((begin, vertex, end))
            last = end
        lines.append([*pieces, (last, curve.end)])
    return lines


def crossings(lines: Sequence[Sequence[Piece]], spots: Sequence[Point]) -> Iterator[str]:
    """Where lines meet other lines or themselves, or pass a spot, except where both end."""
    found = [(k, i, piece) for k, line in enumerate(lines) for i, piece in enumerate(line)]
    found += [(-1 - s, 0, (p,)) for s, p in enumerate(spots)]
    boxes = [
        (
            min([x for x, _ in p]),
            max([x for x, _ in p]),
            min([y for _, y in p]),
            max([y for _, y in p]),
        )
        for _, _, p in found
    ]
    order = sorted(range(len(found)), key=lambda n: boxes[n])
    ends = set(spots)
    for place, n in enumerate(order):
        k, i, one = found[n]
        for m in order[place + 1 :]:
            if boxes[m][0] > boxes[n][1]:
                break
            if boxes[m][2] > boxes[n][3] or boxes[n][2] > boxes[m][3]:
                continue
            other, j, two = found[m]
            common = set(one) & set(two)
            if len(common) == 1 and (common <= ends or (k == other and abs(i - j) == 1)):
                (hub,) = common
                cones = [[p for p in piece if p != hub] for piece in (one, two)]
                bad = share_direction(hub, *cones)
            else:
                bad = meet(one, two)
            if bad:
                yield "piece %d of line %d meets piece %d of line %d" % (i, k, j, other)


def share_direction(hub: Point, one: Sequence[Point], two: Sequence[Point]) -> bool:
    """Whether two convex pieces that have a corner in common have more points in common.

    They are given by their other corners, one or two; a spot alone has none.
    """
    return any([in_cone(p, hub, b) for a, b in ((one, two), (two, one)) for p in a])


def in_cone(p: Point, hub: Point, cone: Sequence[Point]) -> bool:
    """Whether a point lies in a direction that is inside a convex cone, or on its sides."""
    if not cone:
        return False
    side = turn(hub, cone[0], cone[-1])
    if side == 0:
        q = cone[0]
        ahead = (p[0] - hub[0]) * (q[0] - hub[0]) + (p[1] - hub[1]) * (q[1] - hub[1])
        return turn(hub, q, p) == 0 and ahead > 0
    first, last = turn(hub, cone[0], p), turn(hub, p, cone[-1])
    return min(first, last) >= 0 if side > 0 else max(first, last) <= 0


def assert_plane(board: Board) -> None:
    """The lines cross and touch nothing but their spots, neither as polylines nor rounded.

    A piece contains both.
    """
    spots = [(GRID * x, GRID * y) for x, y in board.points(board.spots)]
    assert not list(crossings(pieces_of(board), spots))


def winding(p: Point, walk: Sequence[Point]) -> int:
    """How often a closed walk goes counterclockwise around a point that it does not pass."""
    number = 0
    for a, b in zip(walk, [*walk[1:], walk[0]]):
        if (a[1] <= p[1]) != (b[1] <= p[1]):
            side = turn(a, b, p)
            number += (side > 0) - (side < 0) if (b[1] > a[1]) == (side > 0) else 0
    return number


def assert_map(board: Board) -> None:
    """The coordinates show the map: the order around spots, and what lies in which face."""
    drawn = board.map
    for spot, darts in enumerate(drawn.around):
        here = board.mesh.at[board.spots[spot]]
        ends = [board.mesh.at[board.path(dart)[1]] for dart in darts]
        assert all([board.path(dart)[0] == board.spots[spot] for dart in darts])
        if len(ends) == 3:
            turns = [turn(here, ends[i - 1], ends[i]) > 0 for i in range(3)]
            assert sum(turns) >= 2, "the lines of spot %d are in another order" % spot
    walks: Dict[Tuple[int, ...], List[Point]] = {}
    areas: Dict[Tuple[int, ...], int] = {}
    rings: List[Tuple[int, Tuple[int, ...]]] = []
    for number, face in enumerate(drawn.faces):
        positive = []
        for boundary in face:
            if boundary[0] < 0:
                walks[boundary] = [board.mesh.at[board.spots[~boundary[0]]]]
            else:
                path = [v for dart in boundary for v in board.path(dart)[:-1]]
                walks[boundary] = board.points(path)
            points = walks[boundary]
            areas[boundary] = sum(
                [a[0] * b[1] - a[1] * b[0] for a, b in zip(points, [*points[1:], points[0]])]
            )
            if areas[boundary] > 0:
                positive.append(boundary)
        assert len(positive) == (number != board.outer)
        rings += [(number, boundary) for boundary in positive]
    for number, face in enumerate(drawn.faces):
        for boundary in face:
            if areas[boundary] > 0:
                continue
            p = walks[boundary][0]
            around = [
                (areas[ring], n)
                for n, ring in rings
                if p not in walks[ring] and winding(p, walks[ring])
            ]
            innermost = min(around)[1] if around else board.outer
            assert innermost == number


def random_move(drawn: PlaneMap, rng: random.Random) -> Move:
    """A legal move at random; raises IndexError if there is none."""
    pairs: List[Tuple[Face, int, int]] = []
    for face in drawn.faces:
        corners = [c for boundary in face for c in boundary if drawn.lives[drawn.spot(c)]]
        for a, b in product(corners, corners):
            if drawn.spot(a) != drawn.spot(b) or drawn.lives[drawn.spot(a)] > 1:
                pairs.append((face, a, b))
    face, first, second = rng.choice(pairs)
    mine, yours = drawn.boundary(first), drawn.boundary(second)
    if mine != yours:
        return Move(first, second)
    others = [b[0] for b in face if b != mine]
    return Move(first, second, frozenset([b for b in others if rng.random() < 0.5]))


def by_the_rules(drawn: PlaneMap, move: Move) -> plain.Position:
    """What a move leads to, by the plain implementation of the rules."""
    face = drawn.faces[drawn.face(move.first)]
    mine, yours = drawn.boundary(move.first), drawn.boundary(move.second)
    i, j = mine.index(move.first), yours.index(move.second)
    new = len(drawn.lives)
    lives = dict(enumerate([*drawn.lives, 1]))
    for corner in (move.first, move.second):
        lives[drawn.spot(corner)] -= 1
    others = [b for b in face if b not in (mine, yours)]
    sides = [
        [drawn.walk(b) for b in others if (b[0] in move.left) == left] for left in (True, False)
    ]
    v, w = drawn.walk(mine), drawn.walk(yours)
    if mine == yours:
        swapped = i >= j  # a line back to its corner has nothing but its spot on the left
        ((one, two),) = plain.draw(v, min(i, j), v, max(i, j), new, [[v]])
        left, right = (one, two) if swapped else (two, one)
        made = [(*left, *sides[0]), (*right, *sides[1])]
    else:
        ((joined,),) = plain.draw(v, i, w, j, new, [[v], [w]])
        made = [(*joined, *sides[1])]
    rest = [tuple([drawn.walk(b) for b in f]) for f in drawn.faces if f is not face]
    return plain.Position(tuple([*rest, *made]), lives)


def assert_moves(drawn: PlaneMap) -> None:
    """The moves of a drawing are those of the rules, before texts are simplified."""
    drawn_texts = {plain.canonical(drawn.played(m).position(), False) for m in drawn.moves()}
    assert drawn_texts == plain.children(drawn.raw_text(), False)


def play_random_game(
    spots: int,
    seed: int,
    moves: int = 1 << 20,
    rounds: int = 3,
    check: Optional[Callable[[PlaneMap], None]] = None,
) -> Board:
    """A random game on a drawing, every position of which is checked; returns the last one."""
    rng = random.Random(seed)
    board = Board.of_spots(spots)
    for _ in range(moves):
        try:
            move = random_move(board.map, rng)
        except IndexError:
            break
        expected = by_the_rules(board.map, move)
        board.play(move, rng.choice((None, True, False)))
        assert plain.canonical(board.map.position()) == plain.canonical(expected)
        assert_plane(board)
        relax(board, rounds)
        assert_plane(board)
        assert_map(board)
        if check is not None:
            check(board.map)
    return board
