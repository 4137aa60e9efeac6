"""Plots over time by pygal, as SVG within a page, whose style sheet gives the colours.

`chart.py` draws the pictures of measurements: pygal has one switch for the logarithms of both
axes, and its ranges (`ci`) fail for points with two coordinates.
"""

from __future__ import annotations

import math
from typing import List, Mapping, Sequence
from xml.etree import ElementTree

from pns.cli.reports.chart import Point, linear_ticks, log_ticks, shown

WIDTH, HEIGHT = 420, 260
MOST_LABELS = 6


def plot(
    title: str, series: Mapping[str, Sequence[Point]], x_label: str, logarithmic: bool = False
) -> str:
    """Lines as an SVG element of class `plot`, over x from 0 on; y is linear or logarithmic.

    A logarithmic axis leaves out what is not positive. Raises ImportError without pygal.
    """
    import pygal
    from pygal.style import Style

    lines = {
        name: [(x, y) for x, y in line if y > 0 or not logarithmic] for name, line in series.items()
    }
    points = [point for line in lines.values() for point in line] or [(0.0, 1.0)]
    low, high = min([y for _, y in points]), max([y for _, y in points])
    x_ticks = linear_ticks(0.0, max([x for x, _ in points]))
    y_ticks = log_ticks(low, high) if logarithmic else linear_ticks(0.0, high)
    if logarithmic and len(y_ticks) < 2:
        y_ticks.append(10 * y_ticks[0])

    def place(y: float) -> float:
        return math.log10(y) if logarithmic else y

    chart = pygal.XY(
        style=Style(label_font_size=12, major_label_font_size=12, title_font_size=14),
        width=WIDTH,
        height=HEIGHT,
        title=title,
        x_title=x_label,
        show_dots=max([len(line) for line in lines.values()]) < 3,
        show_x_guides=True,
        xrange=(0.0, x_ticks[-1]),
        range=(place(y_ticks[0]), place(y_ticks[-1])),
        x_labels=[{"label": shown(x), "value": x} for x in some(x_ticks)],
        y_labels=[{"label": shown(y), "value": place(y)} for y in some(y_ticks)],
        truncate_legend=-1,
        show_legend=len(lines) > 1,
        legend_at_bottom=True,
        legend_at_bottom_columns=2,
        legend_box_size=12,
        margin=6,
        margin_bottom=18 if len(lines) > 1 else 6,
        js=[],
    )
    for name, line in lines.items():
        chart.add(name, [(x, place(y)) for x, y in line])
    return bare(chart.render_tree())


def some(ticks: Sequence[float]) -> List[float]:
    """Up to MOST_LABELS of these ticks, evenly apart.

    >>> some([0, 1, 2, 3, 4, 5, 6, 7])
    [0, 2, 4, 6]
    """
    return list(ticks[:: -(-len(ticks) // MOST_LABELS)])


def bare(root: ElementTree.Element) -> str:
    """A picture of pygal without its scripts, style sheet, comments, tooltips and ids."""
    for parent in list(root.iter()):
        for child in list(parent):
            is_tooltip = "tooltip" in child.get("class", "").split("-")[0]
            is_place = child.tag == "title" and parent.get("class") == "guides"
            if child.tag in ("defs", "desc", ElementTree.Comment) or is_tooltip or is_place:
                parent.remove(child)
        parent.attrib.pop("id", None)
    root.set("class", "plot")
    root.set("role", "img")
    return ElementTree.tostring(root, encoding="unicode")
