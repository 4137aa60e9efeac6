"""Drawings for terminals: lines as Braille points, spots as their numbers and lives."""

from __future__ import annotations

from math import hypot
from typing import Dict, List, Optional, Tuple

from pns.sprouts.drawing.board import Board
from pns.sprouts.drawing.curves import GRID, curves_of, samples
from pns.sprouts.drawing.spot_names import name_of

COLUMNS, ROWS = 72, 24
"""The most characters of a drawing."""
POINTS_PER_UNIT = 9.0
"""Points for the distance that things keep, where the drawing is not too large."""
DEAD = "\u25e6"
"""Hollow, as in pictures."""
LEGEND = "1\u00b3: spot 1 with 3 lives; %s: dead" % DEAD
LIVES = ("", "\u00b9", "\u00b2", "\u00b3")
"""Lives after a name."""
_BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""Braille: the bit of the point in a row and a column of a character."""


def lines_of(board: Board, land: int = 0, new: Optional[int] = None) -> List[str]:
    """The drawing of the land with this number, from 0 on; the lines of a new spot are thick."""
    curves = curves_of(board)
    at = board.mesh.at
    spots = [(float(GRID * at[v][0]), float(GRID * at[v][1])) for v in board.spots]
    paths = [samples(curve) for curve in curves]
    every = spots + [p for path in paths for p in path]
    if not every:
        return []
    left, low = min([x for x, _ in every]), min([y for _, y in every])
    width, height = max([x for x, _ in every]) - left, max([y for _, y in every]) - low
    scale = POINTS_PER_UNIT / board.unit / GRID
    scale = min(scale, (2 * COLUMNS - 3) / (width or 1), (4 * ROWS - 5) / (height or 1))
    points: Dict[Tuple[int, int], int] = {}

    def dot(x: float, y: float) -> None:
        column, row = int(round(x)), int(round(y))
        cell = (row // 4, column // 2)
        points[cell] = points.get(cell, 0) | _BITS[row % 4][column % 2]

    def shown(p: Tuple[float, float]) -> Tuple[float, float]:
        return (p[0] - left) * scale + 1, (height - p[1] + low) * scale + 2

    fresh = {dart >> 1 for dart in board.map.around[new]} if new is not None else set()
    for k, path in enumerate(paths):
        for p, q in zip(path, path[1:]):
            (px, py), (qx, qy) = shown(p), shown(q)
            steps = int(2 * hypot(qx - px, qy - py)) + 1
            for i in range(steps + 1):
                x, y = px + (qx - px) * i / steps, py + (qy - py) * i / steps
                dot(x, y)
                if k in fresh:
                    dot(x + 1, y)
                    dot(x, y + 1)
    letters = {cell: chr(0x2800 + bits) for cell, bits in points.items()}
    for spot, (lives, p) in enumerate(zip(board.map.lives, spots)):
        x, y = shown(p)
        label = name_of(land, spot) + LIVES[lives] if lives else DEAD
        column = min(int(round(x)) // 2, COLUMNS - len(label))
        for i, letter in enumerate(label):
            letters[int(round(y)) // 4, column + i] = letter
    rows = 1 + max([row for row, _ in letters])
    columns = 1 + max([column for _, column in letters])
    lines = ["".join([letters.get((i, j), " ") for j in range(columns)]) for i in range(rows)]
    return [line.rstrip() for line in lines]
