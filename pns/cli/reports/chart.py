"""Line charts as SVG, linear or logarithmic on either axis: pictures, and plots within a page.

Every colour is an attribute, which the style sheet of a page overrides by the class.
"""

from __future__ import annotations

import math
import sys
from types import MappingProxyType
from typing import List, Mapping, NamedTuple, Sequence, Tuple
from xml.sax.saxutils import escape

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""A palette that the colour-blind can distinguish, too [okabe2008]."""
MOST_TICKS = 8

Point = Tuple[float, float]
Range = Tuple[float, float, float]
"""x, the least and the greatest y."""


class Chart(NamedTuple):
    """Named series of points, with ascending x, and vertical ranges at some x."""

    title: str
    x_label: str
    y_label: str
    series: Mapping[str, Sequence[Point]]
    log_x: bool = False
    log_y: bool = False
    ranges: Mapping[str, Sequence[Range]] = MappingProxyType({})


class Layout(NamedTuple):
    """Where the parts of a chart are, in pixels."""

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    """Of the lines, apart from the labels around them."""
    names: Point
    """Where the name of the first series is."""
    next_name: Point
    """From one name to the next."""
    most_dots: int
    """Points of a line above which they have no dots."""


PICTURE = Layout(680, 320, 80, 490, 36, 272, (502, 48), (0, 18), sys.maxsize)
ON_PAGE = Layout(420, 260, 56, 404, 34, 208, (56, 242), (230, 0), 2)


class Axis:
    """Maps values to pixels between `start` and `end`; raises ValueError for log of values <= 0."""

    def __init__(
        self, values: Sequence[float], start: float, end: float, logarithmic: bool
    ) -> None:
        if logarithmic and min(values) <= 0:
            raise ValueError("a logarithmic axis shows positive numbers only")
        low, high = min(values), max(values)
        if not logarithmic:
            low = min(low, 0.0)
        self.logarithmic = logarithmic
        self.ticks = log_ticks(low, high) if logarithmic else linear_ticks(low, high)
        self._start, self._end = start, end
        self._low = self._scaled(min(low, self.ticks[0]))
        self._high = self._scaled(max(high, self.ticks[-1]))

    def _scaled(self, value: float) -> float:
        return math.log10(value) if self.logarithmic else value

    def place(self, value: float) -> float:
        part = (self._scaled(value) - self._low) / ((self._high - self._low) or 1.0)
        return self._start + part * (self._end - self._start)


def log_ticks(low: float, high: float) -> List[float]:
    """Two or more numbers around positive ones: powers of ten, or 2 and 5 too where these are few.

    >>> log_ticks(300, 70_000), log_ticks(3, 30)
    ([100.0, 1000.0, 10000.0, 100000.0], [2.0, 5.0, 10.0, 20.0, 50.0])
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    if last - first > 2:
        step = -(-(last - first) // MOST_TICKS)
        return [10.0**k for k in range(first, last + step, step)]
    ticks = [digit * 10.0**k for k in range(first, last + 1) for digit in (1, 2, 5)]
    below = [tick for tick in ticks if tick <= low]
    above = [tick for tick in ticks if tick >= high]
    found = [tick for tick in ticks if below[-1] <= tick <= above[0]]
    return found if len(found) > 1 else [found[0], 10 * found[0]]


def linear_ticks(low: float, high: float) -> List[float]:
    """Round numbers from at most `low` to at least `high`.

    >>> linear_ticks(0, 70)
    [0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0]
    """
    span = (high - low) or 1.0
    step = 10.0 ** math.floor(math.log10(span / MOST_TICKS))
    step *= min([factor for factor in (1, 2, 5, 10) if span / (factor * step) <= MOST_TICKS])
    first, last = math.floor(low / step), math.ceil(high / step)
    return [k * step for k in range(first, max(last, first + 1) + 1)]


def shown(value: float) -> str:
    """A number in a few characters.

    >>> shown(20_000), shown(1_500_000), shown(0.05), shown(12)
    ('20k', '1.5M', '0.05', '12')
    """
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return "%g%s" % (value / size, letter)
    return "%g" % value


def text(x: float, y: float, words: str, anchor: str = "middle", more: str = "") -> str:
    """A text element, with `more` attributes; "" without words."""
    if not words:
        return ""
    return '<text x="%.1f" y="%.1f" text-anchor="%s"%s>%s</text>' % (
        x,
        y,
        anchor,
        more,
        escape(words),
    )


def draw(chart: Chart, layout: Layout, top: float = 0.0) -> List[str]:
    """The elements of a chart whose upper edge is at `top`."""
    points = [point for line in chart.series.values() for point in line]
    spans = [span for line in chart.ranges.values() for span in line]
    points += [(x, y) for x, *ends in spans for y in ends]
    points = points or [(1.0, 1.0)]
    left, right, high, low = layout.left, layout.right, top + layout.top, top + layout.bottom
    x_axis = Axis([x for x, _ in points], left, right, chart.log_x)
    y_axis = Axis([y for _, y in points], low, high, chart.log_y)
    middle = (high + low) / 2
    parts = [
        text((left + right) / 2, top + 20, chart.title, more=' font-weight="bold"'),
        text((left + right) / 2, low + 38, chart.x_label),
        text(16, middle, chart.y_label, more=' transform="rotate(-90 16 %.1f)"' % middle),
    ]
    grid = '<path class="grid" d="M%.1f %.1fL%.1f %.1f" stroke="#ddd"/>'
    for tick in x_axis.ticks:
        x = x_axis.place(tick)
        parts += [grid % (x, low, x, high), text(x, low + 18, shown(tick))]
    for tick in y_axis.ticks:
        y = y_axis.place(tick)
        parts += [grid % (left, y, right, y), text(left - 8, y + 4, shown(tick), "end")]
    for i, (name, line) in enumerate(chart.series.items()):
        colour = COLOURS[i % len(COLOURS)]
        parts.append('<g class="series-%d" color="%s" stroke="currentColor">' % (i, colour))
        places = [(x_axis.place(x), y_axis.place(y)) for x, y in line]
        path = " ".join(["%.1f,%.1f" % place for place in places])
        parts.append('<polyline points="%s" fill="none" stroke-width="2"/>' % path)
        if len(places) <= layout.most_dots:
            dot = '<circle cx="%.1f" cy="%.1f" r="3" fill="currentColor" stroke="none"/>'
            parts += [dot % place for place in places]
        for x, *ends in chart.ranges.get(name, ()):
            place = (x_axis.place(x), *[y_axis.place(y) for y in ends])
            parts.append('<path d="M%.1f %.1fV%.1f"/>' % place)
        x, y = (start + i * step for start, step in zip(layout.names, layout.next_name))
        if name:
            parts.append('<path d="M%.1f %.1fh12" stroke-width="3"/>' % (x, top + y))
        parts += ["</g>", text(x + 18, top + y + 4, name, "start")]
    return parts


def plot(chart: Chart) -> str:
    """A chart as an element of a page, of class `plot`; points that its axes lack are left out."""
    series = {
        name: [(x, y) for x, y in line if y > 0 or not chart.log_y]
        for name, line in chart.series.items()
    }
    head = '<svg class="plot" role="img" aria-label="%s" viewBox="0 0 %d %d">'
    label = escape(chart.title, {'"': "&quot;"})
    lines = draw(chart._replace(series=series), ON_PAGE)
    return "\n".join([head % (label, ON_PAGE.width, ON_PAGE.height), *lines, "</svg>"])


def svg(charts: Sequence[Chart]) -> str:
    """An SVG picture of charts, one below the other; raises ValueError for one without points."""
    if not all([any(chart.series.values()) for chart in charts]):
        raise ValueError("a chart without points")
    width, height = PICTURE.width, PICTURE.height * len(charts)
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" '
        'font-family="sans-serif" font-size="12">' % (width, height, width, height),
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for i, chart in enumerate(charts):
        lines += draw(chart, PICTURE, PICTURE.height * i)
    return "\n".join([*lines, "</svg>", ""])
