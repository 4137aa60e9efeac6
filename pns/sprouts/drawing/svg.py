"""Drawings as SVG: elements with classes, a style sheet for light and dark."""

from __future__ import annotations

from html import escape
from math import atan2, cos, pi, sin
from typing import Callable, List, NamedTuple, Optional, Sequence, Tuple

from pns.sprouts.drawing.board import Board
from pns.sprouts.drawing.curves import GRID, Curve, curves_of

PIXELS = 44.0
"""Pixels for the distance that things keep."""
MARGIN = 26.0
GAP = 18.0
"""Pixels around a picture, and between the pictures of two lands."""
RADIUS, DEAD_RADIUS = 8.5, 3.6
LIFE_RADIUS = 1.9
STUB = 17.0
"""How far a line to a dead part that is not drawn reaches from its spot, in pixels."""
DIRECTIONS = 36
"""Directions that are tried for such a line."""

STYLE = """\
.sprouts .paper { fill: #ffffff; }
.sprouts .region { fill: #f3f6f9; fill-rule: evenodd; }
.sprouts .region.dead { fill: #e3e6ea; }
.sprouts .line { fill: none; stroke: #2b3440; stroke-width: 2.6; stroke-linecap: round; \
stroke-linejoin: round; }
.sprouts .line.new { stroke: #d9480f; stroke-width: 4; }
.sprouts .line.stub { stroke-width: 2; }
.sprouts .sheet { fill: none; stroke: #ced4da; }
.sprouts .body { fill: #1864ab; stroke: #ffffff; stroke-width: 1.6; }
.sprouts .spot.new .body { fill: #d9480f; }
.sprouts .spot.dead .body { fill: #ffffff; stroke: #5c6773; }
.sprouts .spot.dead.new .body { stroke: #d9480f; }
.sprouts .life { fill: #ffffff; }
.sprouts .word { fill: #2b3440; font: 15px sans-serif; }
@media (prefers-color-scheme: dark) {
.sprouts .paper { fill: #14181d; }
.sprouts .region { fill: #1d242c; }
.sprouts .region.dead { fill: #2a323b; }
.sprouts .line { stroke: #ced4da; }
.sprouts .line.new { stroke: #ff922b; }
.sprouts .body { fill: #4dabf7; stroke: #14181d; }
.sprouts .spot.new .body { fill: #ff922b; }
.sprouts .spot.dead .body { fill: #14181d; stroke: #98a3af; }
.sprouts .spot.dead.new .body { stroke: #ff922b; }
.sprouts .life { fill: #14181d; }
.sprouts .sheet { stroke: #495057; }
.sprouts .word { fill: #ced4da; }
}
"""
"""The style sheet; plain rules only, since some converters know no more."""


Shown = Callable[[Tuple[float, float]], Tuple[float, float]]
"""From points of curves to pixels."""


class SvgPicture(NamedTuple):
    """Elements of an SVG picture, and its size in pixels."""

    elements: List[str]
    width: float
    height: float


def document(pictures: Sequence[SvgPicture], title: str, description: str = "") -> str:
    """An SVG document of pictures side by side, or below each other where they are wide."""
    columns = max(1.0, sum([p.width * p.height for p in pictures]) ** 0.5 * 1.6)
    x = y = row = width = 0.0
    lines: List[str] = []
    for picture in pictures:
        if x and x + picture.width > columns:
            x, y, row = 0.0, y + row + GAP, 0.0
        shift = ' transform="translate(%.1f %.1f)"' % (x, y) if x or y else ""
        lines.append('<g class="land"%s>' % shift)
        if len(pictures) > 1:
            sheet = '<rect class="sheet" width="%.1f" height="%.1f" rx="10"/>'
            lines.append(sheet % (picture.width, picture.height))
        lines += [*picture.elements, "</g>"]
        x, row = x + picture.width + GAP, max(row, picture.height)
        width = max(width, x - GAP)
    edge = 1.0 if len(pictures) > 1 else 0.0
    width, height = max(width, 2 * MARGIN), max(y + row, 2 * MARGIN)
    size = (
        0 - edge,
        0 - edge,
        width + 2 * edge,
        height + 2 * edge,
        width + 2 * edge,
        height + 2 * edge,
    )
    head = '<svg xmlns="http://www.w3.org/2000/svg" class="sprouts" role="img" '
    return "\n".join(
        [
            head + 'viewBox="%.0f %.0f %.0f %.0f" width="%.0f" height="%.0f">' % size,
            "<title>%s</title>" % escape(title, quote=False),
            *(["<desc>%s</desc>" % escape(description, quote=False)] if description else []),
            "<style>\n%s</style>" % STYLE,
            '<rect class="paper" x="%.0f" y="%.0f" width="100%%" height="100%%"/>' % size[:2],
            *lines,
            "</svg>",
            "",
        ]
    )


def picture(board: Board, new: Optional[int] = None) -> SvgPicture:
    """The picture of a drawing; `new` is the spot of a move to highlight, with its lines."""
    curves = curves_of(board)
    shown, width, height = frame(board, curves)
    elements = _regions(board, curves, shown)
    fresh = {dart >> 1 for dart in board.map.around[new]} if new is not None else set()
    for k, curve in enumerate(curves):
        kind = "line new" if k in fresh else "line"
        path = "M%.1f %.1f" % shown(curve.start) + _drawn(curve, shown)
        elements.append('<path class="%s" d="%s"/>' % (kind, path))
    for spot in range(len(board.spots)):
        elements += _spot(board, spot, spot == new, shown)
    return SvgPicture(elements, width, height)


def frame(board: Board, curves: Sequence[Curve]) -> Tuple[Shown, float, float]:
    """(from points of curves to pixels of the picture, its width, its height)."""
    at = board.mesh.at
    xs = [GRID * at[v][0] for v in board.spots] or [0]
    ys = [GRID * at[v][1] for v in board.spots] or [0]
    xs += [c.vertex[0] for curve in curves for c in curve.corners]
    ys += [c.vertex[1] for curve in curves for c in curve.corners]
    pixel = PIXELS / board.unit / GRID
    low, high = min(xs), max(ys)

    def shown(p: Tuple[float, float]) -> Tuple[float, float]:
        return (p[0] - low) * pixel + MARGIN, (high - p[1]) * pixel + MARGIN

    width = (max(xs) - low) * pixel + 2 * MARGIN
    return shown, width, (high - min(ys)) * pixel + 2 * MARGIN


def _drawn(curve: Curve, shown: Shown) -> str:
    """The path of a curve after its start."""
    parts: List[str] = []
    last = curve.start
    for begin, vertex, end in curve.corners:
        if begin != last:
            parts.append("L%.1f %.1f" % shown(begin))
        if begin != end:
            parts.append("Q%.1f %.1f %.1f %.1f" % (*shown(vertex), *shown(end)))
        last = end
    return "".join(parts) + "L%.1f %.1f" % shown(curve.end)


def _regions(board: Board, curves: Sequence[Curve], shown: Shown) -> List[str]:
    """The faces but the outer one, those without moves as `dead`."""
    elements: List[str] = []
    for number, face in enumerate(board.map.faces):
        if number == board.outer:
            continue
        path = ""
        for boundary in face:
            if boundary[0] >= 0:
                around = [curves[d >> 1].reversed() if d & 1 else curves[d >> 1] for d in boundary]
                path += "M%.1f %.1f" % shown(around[0].start)
                path += "".join([_drawn(curve, shown) for curve in around]) + "Z"
        spots = {s for boundary in face for s in board.map.walk(boundary)}
        dead = sum([board.map.lives[s] for s in spots]) < 2
        elements.append('<path class="region%s" d="%s"/>' % (" dead" if dead else "", path))
    return elements


def _spot(board: Board, spot: int, is_new: bool, shown: Shown) -> List[str]:
    """A spot, with a point for each life, and its lines to dead parts that are not drawn."""
    lives = board.map.lives[spot]
    x, y = shown(big(board, board.spots[spot]))
    elements: List[str] = []
    angles = []
    for dart in board.map.around[spot]:
        nx, ny = shown(big(board, board.path(dart)[1]))
        angles.append(atan2(ny - y, nx - x))
    for _ in range(3 - lives - len(angles)):
        tried = [2 * pi * i / DIRECTIONS - pi for i in range(DIRECTIONS)]
        angle = max(tried, key=lambda a: min([1 - cos(a - b) for b in angles], default=0.0))
        angles.append(angle)
        end = (x + STUB * cos(angle), y + STUB * sin(angle))
        elements.append('<path class="line stub" d="M%.1f %.1fL%.1f %.1f"/>' % (x, y, *end))
    return [*elements, spot_element(x, y, lives, is_new, spot)]


def spot_element(x: float, y: float, lives: int, is_new: bool, spot: int) -> str:
    """A spot as all pictures have it: filled, with a point for each life; a dead one is hollow."""
    kind = "spot" + (" dead" if not lives else "") + (" new" if is_new else "")
    words = "%d %s" % (lives, "life" if lives == 1 else "lives")
    parts = ['<g class="%s" data-spot="%d" data-lives="%d">' % (kind, spot, lives)]
    parts.append("<title>spot %d: %s</title>" % (spot + 1, words if lives else "dead"))
    radius = RADIUS if lives else DEAD_RADIUS
    parts.append('<circle class="body" cx="%.1f" cy="%.1f" r="%.1f"/>' % (x, y, radius))
    apart = 0.0 if lives == 1 else 3.6
    for i in range(lives):
        angle = 2 * pi * i / lives - (pi / 2 if lives == 3 else 0)
        point = (x + apart * cos(angle), y + apart * sin(angle), LIFE_RADIUS)
        parts.append('<circle class="life" cx="%.1f" cy="%.1f" r="%.1f"/>' % point)
    return "".join([*parts, "</g>"])


def big(board: Board, v: int) -> Tuple[int, int]:
    """A vertex in the units of curves."""
    x, y = board.mesh.at[v]
    return GRID * x, GRID * y
