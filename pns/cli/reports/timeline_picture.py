"""What a master and every worker did over time, in a simulation or a search, as an SVG picture.

There is a row for each, and a column for each 1/COLUMNS of the time, in the colour of what took
most of it. [irving2014] shows the threads of a search in this way.
"""

from __future__ import annotations

from typing import Dict, Iterable, List, Sequence, Tuple

from pns.cli.reports.chart import linear_ticks, shown, text
from pns.simulation.diary import ANSWERING, SEARCHING, SEARCHING_ON, TALKING, WAITING

COLUMNS = 400
WIDTH, LEFT, RIGHT, TOP, BOTTOM = 960, 80, 20, 56, 44
ROWS_HEIGHT, MOST_ROW, LEAST_ROW = 480, 16.0, 2.0
"""Pixels for all rows together, if rows are then between the least and the largest height."""

COLOURS = {
    SEARCHING: "#0072b2",
    SEARCHING_ON: "#56b4e9",
    TALKING: "#d55e00",
    WAITING: "#dddddd",
    ANSWERING: "#009e73",
}

Spans = Iterable[Tuple[float, float, str]]


def columns(spans: Spans, end: float, count: int = COLUMNS) -> List[str]:
    """What takes most of each of `count` parts of the time up to the end, "" where nothing does.

    >>> columns([(0.0, 2.0, "talking"), (2.0, 3.5, "waiting")], 4.0, 4)
    ['talking', 'talking', 'waiting', 'waiting']
    """
    seconds: List[Dict[str, float]] = [{} for _ in range(count)]
    for begin, until, doing in spans:
        first = int(begin / end * count)
        last = min(count - 1, int(until / end * count))
        for i in range(first, last + 1):
            part = min(until, end * (i + 1) / count) - max(begin, end * i / count)
            if part > 0:
                seconds[i][doing] = seconds[i].get(doing, 0.0) + part
    return [max(part, key=part.__getitem__) if part else "" for part in seconds]


def runs(kinds: Sequence[str]) -> List[Tuple[int, int, str]]:
    """(start, length, kind) for each run of equal ones.

    >>> runs(["a", "a", "b"])
    [(0, 2, 'a'), (2, 1, 'b')]
    """
    found: List[Tuple[int, int, str]] = []
    for i, kind in enumerate(kinds):
        if found and found[-1][2] == kind:
            start, length, _ = found[-1]
            found[-1] = start, length + 1, kind
        else:
            found.append((i, 1, kind))
    return found


def paths(kinds: Sequence[str], top: float, height: float) -> List[str]:
    """The paths of a row, one for each colour."""
    step = (WIDTH - LEFT - RIGHT) / len(kinds)
    found: Dict[str, List[str]] = {}
    for start, length, kind in runs(kinds):
        if kind:
            place = LEFT + start * step, top + height / 2, length * step
            found.setdefault(kind, []).append("M%.1f %.1fh%.1f" % place)
    return [
        '<path d="%s" stroke="%s" stroke-width="%.1f"/>'
        % ("".join(found[kind]), COLOURS[kind], 0.9 * height)
        for kind in found
    ]


def picture(
    title: str, master: Sequence[str], workers: Sequence[Sequence[str]], end: float, unit: str
) -> str:
    """The rows of the master and all workers, from 0 to `end` of the unit.

    A row has what was done in each of its parts, which are equally long, "" for nothing.
    Where no time has passed the picture says so.
    """
    height = max(LEAST_ROW, min(MOST_ROW, ROWS_HEIGHT / (len(workers) + 2)))
    low = TOP + height * (len(workers) + 2)
    total = low + BOTTOM
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %.0f" width="%d" height="%.0f" '
        'font-family="sans-serif" font-size="12">' % (WIDTH, total, WIDTH, total),
        '<rect width="100%" height="100%" fill="white"/>',
        text(WIDTH / 2, 20, title, more=' font-weight="bold"'),
    ]
    shown_kinds = {kind for row in (master, *workers) for kind in row}
    for i, kind in enumerate([kind for kind in COLOURS if kind in shown_kinds]):
        x = LEFT + 130 * i
        parts.append('<rect x="%d" y="32" width="12" height="12" fill="%s"/>' % (x, COLOURS[kind]))
        parts.append(text(x + 18, 42, kind, "start"))
    parts.append(text(LEFT - 8, TOP + height / 2 + 4, "master", "end"))
    parts += paths(master, TOP, height)
    parts.append(text(LEFT - 8, (TOP + low) / 2 + height + 4, "workers", "end"))
    for i, row in enumerate(workers):
        parts += paths(row, TOP + height * (i + 2), height)
    if end <= 0:
        parts.append(text((WIDTH + LEFT) / 2, (TOP + low) / 2 + 4, "nothing was searched"))
    for tick in linear_ticks(0.0, end) if end > 0 else ():
        if tick <= end:
            at = LEFT + (WIDTH - LEFT - RIGHT) * tick / end
            parts.append('<path d="M%.1f %.1fv5" stroke="black"/>' % (at, low))
            parts.append(text(at, low + 18, shown(round(tick, 9))))
    parts.append(text((WIDTH + LEFT) / 2, low + 36, unit))
    return "\n".join([*parts, "</svg>", ""])
