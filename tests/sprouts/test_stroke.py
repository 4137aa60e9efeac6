"""Strokes by hand are read as moves: that of each drawn move, and unsteady ones."""

from __future__ import annotations

import random
from math import cos, hypot, pi, sin
from typing import List, Tuple

import pytest
from helpers.drawings import assert_map, assert_plane, random_move

from pns.sprouts.drawing import Board, Move, settle
from pns.sprouts.drawing.curves import curves_of, samples
from pns.sprouts.drawing.stroke import MOST_KEPT, UnclearStroke, read_stroke
from pns.sprouts.drawing.svg import PIXELS, big, frame

pytestmark = pytest.mark.search

Pixels = List[Tuple[float, float]]


def random_board(spots: int, seed: int, moves: int) -> Board:
    """The drawing of a position of a random game, as the page shows it."""
    rng = random.Random(seed)
    board = Board.of_spots(spots)
    for _ in range(moves):
        try:
            board.play(random_move(board.map, rng))
        except IndexError:
            break
        settle(board, 4)
    return board


def drawn(board: Board, move: Move) -> Pixels:
    """The line of a move in pixels of the picture before it."""
    shown = frame(board, curves_of(board))[0]
    after = board.copy()
    lines = len(after.paths)
    after.play(move)
    first, second = [samples(curve) for curve in curves_of(after)[lines : lines + 2]]
    scale = board.unit / after.unit
    return [shown((x * scale, y * scale)) for x, y in [*first, *second]]


def spots_at(board: Board) -> Pixels:
    """The spots in pixels of the picture."""
    shown = frame(board, curves_of(board))[0]
    return [shown(big(board, v)) for v in board.spots]


def ends_of(board: Board, move: Move) -> List[int]:
    return sorted([board.map.spot(move.first), board.map.spot(move.second)])


@pytest.mark.parametrize("seed", range(12))
def test_the_line_of_each_move_is_read_as_that_move(seed: int) -> None:
    rng = random.Random(seed)
    board = random_board(3 + seed % 4, seed, seed % 7)
    moves = list(board.map.moves())
    for number, move in enumerate(rng.sample(moves, min(25, len(moves)))):
        points = drawn(board, move)
        for stroke, wanted in ((points, move), (points[::-1], reversed_move(board, move))):
            found = read_stroke(board, stroke)
            texts = [board.map.played(one).text() for one in (move, wanted)]
            assert board.map.played(found.move).text() in texts
            assert ends_of(board, found.move) == ends_of(board, move)
            followed = board.copy()
            followed.play(found.move, found.outside, found.along)
            assert followed.map == board.map.played(found.move)
            if number < 3:
                assert_plane(followed)
                assert_map(followed)


def reversed_move(board: Board, move: Move) -> Move:
    """The same line from its end: what lay on its right lies on its left. (A position has not
    always the same text then, though they are equivalent.)"""
    mine = {board.map.boundary(move.first)[0], board.map.boundary(move.second)[0]}
    face = board.map.faces[board.map.face(move.first)]
    others = {boundary[0] for boundary in face} - mine
    return Move(move.second, move.first, frozenset(others - move.left if len(mine) == 1 else ()))


def lasso(board: Board, spot: int, inside: List[int], clockwise: bool) -> Pixels:
    """A loop at a spot of a board without lines: along the rim of a disc around others."""
    at = spots_at(board)
    xs = [at[s][0] for s in (spot, *inside)]
    ys = [at[s][1] for s in (spot, *inside)]
    low, high = min(xs) - 15, max(xs) + 15
    top, bottom = min(ys) - 15, max(ys) + 15
    corners = [(low, top), (low, bottom), (high, bottom), (high, top)]
    way = corners[::-1] if clockwise else corners
    nearest = min(way, key=lambda p: abs(p[0] - at[spot][0]) + abs(p[1] - at[spot][1]))
    i = way.index(nearest)
    return [at[spot], *way[i:], *way[:i], nearest, at[spot]]


@pytest.mark.parametrize("clockwise", [False, True])
def test_a_loop_has_inside_what_it_goes_around(clockwise: bool) -> None:
    board = Board.of_spots(4)  # on a circle, from the left clockwise
    stroke = lasso(board, 0, [1], clockwise)
    found = read_stroke(board, stroke)
    assert found.move == Move(~0, ~0, frozenset([~1]))
    assert found.outside is False
    assert board.map.played(found.move).text() == "0*2.AB|0.AB"


def bowed(board: Board, first: int, second: int, height: float) -> Pixels:
    """A bow from a spot to a spot, on its left by a number of pixels."""
    (x, y), (u, v) = [spots_at(board)[spot] for spot in (first, second)]
    length = hypot(u - x, v - y)
    parts = [(i / 60, height * sin(pi * i / 60) / length) for i in range(61)]
    return [(x + (u - x) * p + (v - y) * h, y + (v - y) * p - (u - x) * h) for p, h in parts]


def height_of(board: Board) -> float:
    """How high the newest line rises above all spots, in units."""
    line = [y for path in board.paths[-2:] for _, y in board.points(path)]
    return (max(line) - max([y for _, y in board.points(board.spots[:-1])])) / board.unit


def test_a_new_line_follows_the_hand() -> None:
    board = Board.of_spots(6)  # on a circle: the bow passes above spots 1 and 2
    found = read_stroke(board, bowed(board, 0, 3, 160.0))
    assert found.move == Move(~0, ~3)
    assert 5 <= len(found.along) <= MOST_KEPT
    routed = board.copy()
    routed.play(found.move, found.outside)
    board.play(found.move, found.outside, found.along)
    wanted = 160 / PIXELS - 1.5 * sin(pi / 3)
    assert abs(height_of(board) - wanted) < 0.05
    assert height_of(routed) < 0.1
    settle(board, 8)
    assert height_of(board) > wanted / 2  # forces leave it about where it was drawn


def test_a_straight_line_stays_straight() -> None:
    board = Board.of_spots(6)
    found = read_stroke(board, bowed(board, 0, 2, 0.0))
    board.play(found.move, found.outside, found.along)
    assert board.by_hand
    (x, y), (u, v) = board.points([board.spots[0], board.spots[2]])
    for path in board.paths:
        for p, q in board.points(path):
            away = abs((u - x) * (q - y) - (v - y) * (p - x)) / hypot(u - x, v - y)
            assert away < 0.05 * board.unit


def test_a_line_that_crosses_another_one_is_led_around_it() -> None:
    board = Board.of_spots(6)
    board.play(Move(~1, ~5))  # a wall between spot 0 and spot 3
    found = read_stroke(board, bowed(board, 0, 3, 0.0))
    assert found.move == Move(~0, ~3)
    board.play(found.move, found.outside, found.along)
    assert not board.by_hand
    assert_plane(board)
    assert_map(board)


def test_a_wrong_way_is_not_followed() -> None:
    board = Board.of_spots(4)
    found = read_stroke(board, lasso(board, 0, [1], False))
    for move, outside in (
        (Move(~0, ~0, frozenset([~2])), False),  # another spot inside
        (Move(~0, ~0, frozenset([~1])), True),  # the same spot on the other side of the paper
        (Move(~0, ~1), None),
    ):
        other = board.copy()
        other.play(move, outside, found.along)
        assert other.map == board.map.played(move)
        assert not other.by_hand
        assert_plane(other)
        assert_map(other)


def test_an_unsteady_stroke_is_the_same_move() -> None:
    rng = random.Random(5)
    board = Board.of_spots(8)
    at = spots_at(board)
    (x, y), (u, v) = at[2], at[6]
    for _ in range(20):
        points = [(x + (u - x) * i / 30, y + (v - y) * i / 30) for i in range(31)]
        shaken = [(p + rng.uniform(-6, 6), q + rng.uniform(-6, 6)) for p, q in points]
        assert read_stroke(board, shaken).move == Move(~2, ~6)


def test_what_is_no_move_has_a_reason() -> None:
    board = Board.of_spots(4)
    (x, y), (u, v) = spots_at(board)[:2]
    around = [(x + 6 * cos(i * pi / 4), y + 6 * sin(i * pi / 4)) for i in range(9)]
    for points, reason in (
        ([(x - 60, y), (u, v)], "begin"),
        ([(x, y), (x - 60, y)], "end"),
        ([(x, y)], "short"),
        (around, "short"),
        ([], "short"),
    ):
        with pytest.raises(UnclearStroke, match=reason):
            read_stroke(board, points)


def test_spots_of_two_regions_are_not_joined() -> None:
    board = Board.of_spots(4)
    board.play(Move(~0, ~0, frozenset([~1])), False)
    at = spots_at(board)
    with pytest.raises(UnclearStroke, match="apart"):
        read_stroke(board, [at[1], at[2]])
    board.play(Move(~1, ~1), False)
    with pytest.raises(UnclearStroke, match="dead"):
        read_stroke(board, lasso(Board.of_spots(4), 0, [1], False)[:1] + [at[0], at[0]])
