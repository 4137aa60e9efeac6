"""The picture of a scene that stands alone, with the colours that it has on the page."""

from __future__ import annotations

from math import ceil
from typing import Collection

from pns.game import Picture, Scene

STYLE = """\
.scene .paper { fill: #ffffff; }
.scene .cell { fill: #eef2f6; stroke: #8d99a6; }
.scene .cell.blocked { fill: #ffffff; stroke-opacity: .35; }
.scene .half { fill: none; }
.scene .stone, .scene .domino, .scene .queen, .scene .object, .scene .vertex { stroke: #212933; \
stroke-width: .8; }
.scene .X, .scene .queen, .scene .object, .scene .vertex { fill: #1f5fa8; }
.scene .O { fill: #c2540a; }
.scene .lying, .scene .upright { fill: #6b7785; }
.scene .safe { stroke-width: 2; stroke-dasharray: 3 2; }
.scene .ring { fill: none; stroke: #eef2f6; stroke-width: 2.5; }
.scene .liberty { fill: #5c6773; }
.scene .side { fill: none; stroke-width: 6; stroke-linecap: round; stroke-linejoin: round; }
.scene .side.X { stroke: #1f5fa8; }
.scene .side.O { stroke: #c2540a; stroke-dasharray: 9 7; }
.scene .gap, .scene .vertex.taken { fill: none; stroke: #8d99a6; stroke-dasharray: 2 4; }
.scene .ground, .scene .edge, .scene .cut { stroke: #6b7785; stroke-width: 2; }
.scene .edge.taken { stroke-opacity: .25; stroke-dasharray: 3 4; }
.scene .ghost, .scene .choice, .scene .knife { opacity: 0; }
.scene .pointed .cell { fill: #fcc59f; }
.scene .pointed .object, .scene .pointed .vertex { fill: #d9480f; }
.scene .pointed .ghost, .scene .pointed .choice, .scene .pointed .knife { opacity: 1; }
.scene .knife { stroke: #d9480f; stroke-width: 4; }
"""
"""The style sheet; plain rules only, since some converters know no more."""


def standalone(scene: Scene, pointed: Collection[str] = ()) -> Picture:
    """The picture of a scene; the elements that a move changes are marked as `pointed`."""
    head, _, rest = scene.svg.partition(">")
    width, height = [float(word) for word in head.partition('viewBox="')[2][:-1].split()[2:]]
    for part in pointed:
        rest = rest.replace('<g data-part="%s"' % part, '<g class="pointed" data-part="%s"' % part)
    size = '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %g %g" '
    paper = '<rect class="paper" width="%g" height="%g"/>' % (width, height)
    title, end, inside = rest.partition("</title>")
    opened = size % (ceil(width), ceil(height), width, height) + 'class="scene">'
    svg = "".join([opened, title, end, "<style>\n", STYLE, "</style>", paper, inside])
    return Picture(svg, scene.rows + "\n")
