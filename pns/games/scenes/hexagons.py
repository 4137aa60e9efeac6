"""A board of hexagons, whose sides have the colours of the players who join them."""

from __future__ import annotations

from math import sqrt
from typing import List, Sequence, Tuple

from pns.game import SceneMove
from pns.games.scenes.placed import FIRST, SECOND, LineScenes, mover
from pns.games.scenes.squares import Squares, document, element, label, piece, touchable

EDGE = 22.0
"""The length of an edge."""
WIDTH = sqrt(3) * EDGE
"""The distance of two neighbours."""
MARGIN = 10.0
CORNERS = [(0.0, -1.0), (0.5, -0.5), (0.5, 0.5), (0.0, 1.0), (-0.5, 0.5), (-0.5, -0.5)]
"""Corners of a cell from its middle, the top one first, clockwise; in widths and edges."""


def middle(row: int, column: int) -> Tuple[float, float]:
    """The middle of a cell: each row lies half a cell to the right of the one above."""
    x = MARGIN + WIDTH * (column + row / 2 + 0.5)
    return round(x, 2), round(MARGIN + EDGE * (1.5 * row + 1), 2)


def corner(row: int, column: int, number: int) -> Tuple[float, float]:
    """A corner of a cell."""
    x, y = middle(row, column)
    across, down = CORNERS[number]
    return x + across * WIDTH, y + down * EDGE


def path(points: Sequence[Tuple[float, float]]) -> str:
    return " ".join(["%.2f,%.2f" % point for point in points])


def sides(height: int, width: int) -> List[str]:
    """The coloured sides: blue above and below, orange at the left and at the right."""
    top = [corner(0, c, n) for c in range(width) for n in (5, 0, 1)][:-1]
    bottom = [corner(height - 1, c, n) for c in range(width) for n in (4, 3, 2)]
    left = [corner(r, 0, n) for r in range(height) for n in (5, 4, 3)][:-1]
    right = [corner(r, width - 1, n) for r in range(height) for n in (0, 1, 2)]
    return [
        '<polyline class="side %s" points="%s"/>' % (letter, path(points))
        for letter, points in (("X", top), ("X", bottom), ("O", left), ("O", right))
    ]


class HexScenes(LineScenes):
    """Stones on hexagons, of two players in turn."""

    def head(self, text: str) -> str:
        return ""

    def start(self, values: Sequence[int]) -> str:
        return "|".join(["." * values[1]] * values[0])

    def picture(self, board: Squares, moves: Sequence[SceneMove]) -> str:
        parts = set(touchable(moves))
        cells = []
        for square, letter in enumerate(board.cells):
            row, column = board.at(square)
            inside = '<polygon class="square" points="%s"/>' % path(
                [corner(row, column, number) for number in range(6)]
            )
            inside += piece(letter, *middle(row, column))
            if str(square) in parts:
                shadow = piece(mover(board), *middle(row, column), " ghost")
                inside = element(str(square), label(board, square), inside + shadow)
            cells.append(inside)
        x, y = middle(board.height - 1, board.width - 1)
        size = round(x + WIDTH / 2 + MARGIN, 2), y + EDGE + MARGIN
        return document(*size, board.text(), cells + sides(board.height, board.width))

    def turn(self, board: Squares) -> str:
        return FIRST + " top-bottom" if mover(board) == "X" else SECOND + " left-right"
