"""Draw the annotated diagrams of the rules of Sprouts, and a tree, in docs/pictures.

usage: pypy3 scripts/make_pictures.py [DIRECTORY]

A picture is written down as its spots and the curves through them. Where a spot is in the middle
of a curve, the curve counts twice for it; that gives its lives. `tests/scripts/test_pictures.py`
reads the position back from the curves and compares it with the text of the picture.
"""

from __future__ import annotations

import bootstrap

import math
import os
import sys
from typing import Dict, List, NamedTuple, Sequence, Tuple, Union

import make_tree_picture

from pns.sprouts.drawing.svg import STYLE, spot_element

Point = Tuple[float, float]
Curve = Sequence[Union[str, Point]]
"""Names of spots, and points between them; the first and the last are spots."""

WIDTH, HEIGHT = 200, 150
OWN_STYLE = """\
.sprouts .paper { stroke: #d5dbe1; }
.sprouts .tint { fill: #fff3bf; }
.sprouts .walk { fill: none; stroke: #5c6773; stroke-width: 1.6; stroke-dasharray: 4 4; }
.sprouts .arrow { fill: #5c6773; }
.sprouts .text, .sprouts .letter { fill: #2b3440; text-anchor: middle; \
font: 15px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; }
.sprouts .letter { font-size: 16px; }
.sprouts .letter.new { fill: #d9480f; }
@media (prefers-color-scheme: dark) {
.sprouts .paper { stroke: #39434e; }
.sprouts .tint { fill: #40371b; }
.sprouts .walk { stroke: #98a3af; }
.sprouts .arrow { fill: #98a3af; }
.sprouts .text, .sprouts .letter { fill: #ced4da; }
.sprouts .letter.new { fill: #ff922b; }
}
"""
"""What the diagrams have besides the drawings of `pns draw`, whose style they share."""


class Picture(NamedTuple):
    """A position as it is drawn; lengths in units of the SVG."""

    text: str
    """The position in canonical text."""
    caption: str
    spots: Dict[str, Point]
    curves: Sequence[Curve] = ()
    new: int = 0
    """How many of the last curves are drawn as the last move."""
    labels: Sequence[Tuple[str, str, float, float]] = ()
    """(spot, what is written beside it, the offset to the right, the offset downwards)."""
    tinted: Sequence[Curve] = ()
    """Closed curves whose inside is tinted."""
    walk: Curve = ()
    """A dashed line with an arrow at its end: a walk along a boundary."""


def points_of(curve: Curve, spots: Dict[str, Point]) -> List[Point]:
    return [spots[place] if isinstance(place, str) else place for place in curve]


def handles(points: Sequence[Point]) -> List[Tuple[Point, Point, Point]]:
    """(first handle, second handle, end) of the Bézier curves of a smooth line through points."""
    found = []
    is_closed = points[0] == points[-1] and len(points) > 3
    before = points[-2] if is_closed else points[0]
    padded = [before, *points, points[1] if is_closed else points[-1]]
    for a, b, c, d in zip(padded, padded[1:], padded[2:], padded[3:]):
        first = (b[0] + (c[0] - a[0]) / 6, b[1] + (c[1] - a[1]) / 6)
        second = (c[0] - (d[0] - b[0]) / 6, c[1] - (d[1] - b[1]) / 6)
        found.append((first, second, c))
    return found


def path(curve: Curve, spots: Dict[str, Point]) -> str:
    """The path data of a curve."""
    points = points_of(curve, spots)
    parts = ["M%.1f %.1f" % points[0]]
    for first, second, end in handles(points):
        parts.append("C%.1f %.1f %.1f %.1f %.1f %.1f" % (*first, *second, *end))
    return "".join(parts)


def arrow(picture: Picture) -> str:
    """The path data of the arrow at the end of the walk."""
    (ax, ay), (x, y) = points_of(picture.walk, picture.spots)[-2:]
    length = math.hypot(x - ax, y - ay)
    ux, uy = (x - ax) / length, (y - ay) / length
    corners = [(x + 7 * ux, y + 7 * uy), (x - 4 * uy, y + 4 * ux), (x + 4 * uy, y - 4 * ux)]
    return "M%.1f %.1fL%.1f %.1fL%.1f %.1fZ" % (*corners[0], *corners[1], *corners[2])


def degrees(picture: Picture) -> Dict[str, int]:
    """The number of lines that end at each spot."""
    found = dict.fromkeys(picture.spots, 0)
    for curve in picture.curves:
        for i, place in enumerate(curve):
            if isinstance(place, str):
                found[place] += 1 if i in (0, len(curve) - 1) else 2
    return found


def svg(picture: Picture) -> str:
    """The picture as the text of an SVG file."""
    width, height = WIDTH, HEIGHT + 30
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" class="sprouts" role="img"'
        ' viewBox="0 0 %d %d" width="%d" height="%d">' % (width, height, width, height),
        "<title>%s</title>" % picture.caption,
        "<style>\n%s%s</style>" % (STYLE, OWN_STYLE),
        '<rect class="paper" x="0.5" y="0.5" width="%d" height="%d" rx="10"/>'
        % (width - 1, height - 1),
    ]
    for curve in picture.tinted:
        lines.append('<path class="tint" d="%s"/>' % path(curve, picture.spots))
    if picture.walk:
        lines.append('<path class="walk" d="%s"/>' % path(picture.walk, picture.spots))
        lines.append('<path class="arrow" d="%s"/>' % arrow(picture))
    older = len(picture.curves) - picture.new
    for i, curve in enumerate(picture.curves):
        kind = "line" if i < older else "line new"
        lines.append('<path class="%s" d="%s"/>' % (kind, path(curve, picture.spots)))
    counts = degrees(picture)
    fresh = {place for curve in picture.curves[older:] for place in curve[1:-1]}
    for spot, (name, (x, y)) in enumerate(picture.spots.items()):
        lines.append(spot_element(x, y, 3 - counts[name], name in fresh, spot))
        kind = "letter new" if name in fresh else "letter"
        for _, label, right, down in [found for found in picture.labels if found[0] == name]:
            place = (kind, x + right, y + down, label)
            lines.append('<text class="%s" x="%g" y="%g">%s</text>' % place)
    lines.append(
        '<text class="text" x="%g" y="%d">%s</text>' % (WIDTH / 2, HEIGHT + 12, picture.text)
    )
    return "\n".join([*lines, "</svg>\n"])


def arc(center: Point, radii: Point, first: float, last: float, steps: int = 0) -> List[Point]:
    """Points on an ellipse between two angles in degrees, counter-clockwise from the right.

    The ends are left out: they are spots.
    """
    count = steps or max(2, round(abs(last - first) / 20))
    angles = [math.radians(first + (last - first) * i / count) for i in range(1, count)]
    return [
        (center[0] + radii[0] * math.cos(angle), center[1] - radii[1] * math.sin(angle))
        for angle in angles
    ]


MID = (100.0, 75.0)
TWO = {"x": (58.0, 75.0), "y": (142.0, 75.0)}
PATH = {**TWO, "m": MID}
JOIN: Curve = ("x", "m", "y")
WALK: Curve = (
    (76.0, 59.0),
    *arc(TWO["x"], (16, 16), 90, 270, 6),
    (80.0, 91.0),
    (120.0, 91.0),
    *arc(TWO["y"], (16, 16), -90, 90, 6),
    (122.0, 59.0),
    (88.0, 59.0),
)
RING = {**TWO, "m": (100.0, 33.0), "n": (100.0, 117.0)}
UPPER: Curve = ("x", *arc(MID, (42, 42), 180, 90), "m", *arc(MID, (42, 42), 90, 0), "y")
LOWER: Curve = ("x", *arc(MID, (42, 42), 180, 270), "n", *arc(MID, (42, 42), 270, 360), "y")
DIVIDED = {**RING, "p": MID}
ACROSS: Curve = ("m", "p", "n")
DOME, DOME_SIZE = (100.0, 55.0), (48.1, 41.0)
OVER: Curve = ("x", *arc(DOME, DOME_SIZE, 209, 90), "q", *arc(DOME, DOME_SIZE, 90, -29), "y")

LEFT = (66.0, 75.0)
LOOP_SPOTS = {"x": (30.0, 75.0), "n": (102.0, 75.0), "o": (150.0, 75.0)}
LOOP: Curve = ("x", *arc(LEFT, (36, 36), 180, 0), "n", *arc(LEFT, (36, 36), 0, -180), "x")

THREE = {"x": (48.0, 96.0), "y": (152.0, 96.0), "z": (100.0, 34.0)}
SUM_SPOTS = {
    "x": (34.0, 92.0),
    "n": (106.0, 92.0),
    "i": (70.0, 92.0),
    "o": (160.0, 44.0),
    "p": (166.0, 112.0),
    "q": (70.0, 30.0),
}
SUM_LOOP: Curve = (
    "x",
    *arc((70, 92), (36, 36), 180, 0),
    "n",
    *arc((70, 92), (36, 36), 0, -180),
    "x",
)
SUM_ARC: Curve = (
    "x",
    *arc((70, 72), (40.9, 42), 208, 90),
    "q",
    *arc((70, 72), (40.9, 42), 90, -28),
    "n",
)

PICTURES: Dict[str, Picture] = {
    "game-0": Picture("0*2", "Two spots; six lives are left", TWO),
    "game-1": Picture("1a1a", "The first move joins them; five lives are left", PATH, [JOIN], 1),
    "game-2": Picture(
        "ABCD|ABCD", "The second move closes a ring; four lives are left", RING, [UPPER, LOWER], 1
    ),
    "game-3": Picture(
        "AB|AC|BC",
        "The third move divides the ring; three lives are left",
        DIVIDED,
        [UPPER, LOWER, ACROSS],
        1,
    ),
    "game-4": Picture(
        "!",
        "The fourth move goes around; two lives are left, and no move",
        {**DIVIDED, "q": (100.0, 14.0)},
        [UPPER, LOWER, ACROSS, OVER],
        1,
    ),
    "three": Picture("0*3", "Three spots", THREE),
    "three-joined": Picture(
        "0.1a1a",
        "Two of three spots are joined",
        {**THREE, "n": (100.0, 108.0)},
        [("x", (72.0, 105.0), "n", (128.0, 105.0), "y")],
        1,
        [("z", "0", 16, 5), ("x", "1", 0, 28), ("y", "1", 0, 28), ("n", "a", 0, 26)],
    ),
    "three-looped": Picture(
        "0.AB|0.AB",
        "A loop at one of three spots, with a spot on each side",
        {**LOOP_SPOTS, "i": LEFT},
        [LOOP],
        1,
        [("x", "A", -15, 5), ("n", "B", 16, 5), ("i", "0", 0, 26), ("o", "0", 0, 26)],
        [LOOP],
    ),
    "looped": Picture(
        "0.AB|AB",
        "A loop at one of two spots, with nothing inside",
        LOOP_SPOTS,
        [LOOP],
        1,
        [("x", "A", -15, 5), ("n", "B", 16, 5), ("o", "0", 0, 26)],
        [LOOP],
    ),
    "joined": Picture(
        "1a1a",
        "Two spots are joined, and a walk around the line",
        PATH,
        [JOIN],
        0,
        [("x", "1", -32, 5), ("m", "a", 0, 37), ("y", "1", 32, 5), ("m", "a", 0, -26)],
        walk=WALK,
    ),
    "divided": Picture(
        "AB|AC|BC",
        "A ring divided by a line",
        DIVIDED,
        [UPPER, LOWER, ACROSS],
        labels=[("x", "A", -16, 5), ("y", "B", 16, 5), ("p", "C", 15, 5)],
    ),
    "sum": Picture(
        "0*2.2+0",
        "A ring of dead spots with a spot inside; two spots and a new one outside",
        SUM_SPOTS,
        [SUM_LOOP, SUM_ARC],
        1,
        [("i", "0", 0, 25), ("o", "0", 16, 5), ("p", "0", 16, 5), ("q", "2", 0, -12)],
        [SUM_LOOP],
    ),
}


def main(directory: str) -> None:
    """Write all pictures into a directory."""
    for name, picture in PICTURES.items():
        with open(os.path.join(directory, name + ".svg"), "w", encoding="utf-8") as file:
            file.write(svg(picture))
    make_tree_picture.main(directory)


if __name__ == "__main__":
    main(sys.argv[1] if sys.argv[1:] else os.path.join(bootstrap.ROOT, "docs", "pictures"))
