"""The panel that shows a running search on a terminal."""

from __future__ import annotations

import os
from typing import Any, Callable, Iterator, List, NamedTuple, Optional

from pns import Progress
from pns.choices import DEFAULT_GAME
from pns.cli import layout
from pns.cli.layout import count, duration, percent, shortened
from pns.cli.reports.thinned import Thinned
from pns.cli.terminal.screen import Span
from pns.search.bounds import INF

SpanLine = List[Span]

LABEL = 12
"""Columns of the labels, with the space after them."""
GAUGE = 10
"""Characters of a bar that shows how much of a limit is used."""
HIGH, FULL = 0.7, 0.9
"""Shares of a limit above which it is shown in yellow and in red."""
PLAY_LINES = 3
"""Lines that the line of play may take."""
LEAST_NAME, MOST_NAME = 8, 24
"""Characters of the names of workers."""
COLUMNS = ("worker", "jobs", "expansions", "table", "busy", "report")


class Heading(NamedTuple):
    """What is searched and how, and the limits that end it, None for none."""

    position: str
    game: str
    algorithm: str
    database: Optional[str] = None
    max_seconds: Optional[float] = None
    max_expansions: Optional[int] = None
    max_memory: Optional[int] = None


class Trend:
    """Values at even intervals since the start; the intervals double when there are too many."""

    MOST = 512

    def __init__(self) -> None:
        self._values: Thinned[float] = Thinned(self.MOST)
        self._count = 0

    def add(self, value: float) -> None:
        """Add the value of now."""
        if self._count % self._values.step == 0:
            self._values.add(value)
        self._count += 1

    def values(self, width: int) -> List[float]:
        """At most `width` of the values, from the first to the last."""
        values = self._values.values
        size = len(values)
        if size <= width:
            return values
        return [values[i * (size - 1) // (width - 1)] for i in range(width)]


class Panel:
    """The lines of the panel, for the newest figures of a search."""

    def __init__(self, heading: Heading) -> None:
        self._heading = heading
        self._trends = (Trend(), Trend())

    def lines(
        self,
        found: Progress,
        seconds: float,
        rate: float,
        columns: int,
        rows: int,
        left: str = "",
    ) -> List[SpanLine]:
        """Lines for a terminal of this size, `seconds` after the start, at `rate` expansions/s.

        `left` says how long the search still takes; "" if nothing is known of that.
        """
        for trend, number in zip(self._trends, found.root):
            if number < INF:
                trend.add(number)
        heading = self._heading
        width = columns - 1 - LABEL
        speed = ", %s/s" % count(int(rate))
        lines = [
            title(heading, columns - 1),
            labelled("time", used(seconds, heading.max_seconds, duration)),
            *([labelled("left", [("", fitting(left, width))])] if left else []),
            labelled(
                "expansions",
                used(found.expansions, heading.max_expansions, count, speed),
            ),
            *self._root(found, width),
            labelled(
                "facts", [("", "%s, %s new" % (count(found.facts_known), count(found.facts_new)))]
            ),
            labelled(found.store[0], [("", found.store[1])]),
            labelled("memory", used(found.memory, heading.max_memory, layout.size)),
        ]
        for name, text in found.lines:
            if name == "line":
                lines += wrapped(name, text, width)
            else:
                lines.append(labelled(name, [("", text)]))
        if found.distribution:
            lines += worker_lines(found, columns - 1, rows - 1 - len(lines))
        if len(lines) > rows - 1:
            more = len(lines) - rows + 2
            lines[rows - 2 :] = [[("dim", "and %d more" % more)]]
        return lines

    def _root(self, found: Progress, width: int) -> Iterator[SpanLine]:
        """The proof and disproof number of the root, with their trends."""
        texts = ["∞" if number == INF else count(number) for number in found.root]
        room = max(map(len, texts))
        names = (("proof", "green"), ("disproof", "red"))
        for (name, style), text, trend in zip(names, texts, self._trends):
            values = trend.values(max(2, width - room - 2))
            shape = layout.trend(values)
            yield labelled(name, [("bold", text.rjust(room)), ("", "  "), (style, shape)])


def fitting(text: str, width: int) -> str:
    """A text, without its last parts, which follow semicolons, if it is too long."""
    while len(text) > width and ";" in text:
        text = text.rpartition(";")[0]
    return shortened(text, width)


def labelled(name: str, text: SpanLine) -> SpanLine:
    """A label in its column, and its text."""
    return [("dim", name.ljust(LABEL - 1) + " "), *text]


def title(heading: Heading, width: int) -> SpanLine:
    """The position, the algorithm and the database, as far as there is room."""
    position = shortened(heading.position, max(10, width - 30))
    kind = "" if heading.game == DEFAULT_GAME else heading.game + " "
    left = width - len(position) - len(kind) - len(heading.algorithm) - 4
    database = heading.database or "no database"
    home = os.path.expanduser("~") + os.sep
    if database.startswith(home):
        database = "~" + os.sep + database[len(home) :]
    if len(database) > left:
        database = os.path.basename(database)
    return [
        ("bold", position),
        ("", "  "),
        ("cyan", kind + heading.algorithm),
        ("", "  "),
        ("dim", database if len(database) <= left else ""),
    ]


def used(
    value: float,
    limit: Optional[float],
    write: Callable[[Any], str],
    more: str = "",
) -> SpanLine:
    """What is used of a limit, if there is one, with a bar."""
    text = write(value) + (" of %s" % write(limit) if limit else "") + more
    return [("", text), *gauge(value, limit)]


def gauge(value: float, limit: Optional[float]) -> SpanLine:
    """A bar for the share of a limit; nothing without a limit."""
    if not limit:
        return []
    share = min(1.0, value / limit)
    style = "red" if share > FULL else "yellow" if share > HIGH else "green"
    bar = layout.bar(share, GAUGE)
    return [("", "  "), (style, bar), ("dim", layout.EMPTY * (GAUGE - len(bar)))]


def wrapped(name: str, text: str, width: int) -> List[SpanLine]:
    """The line of play on up to PLAY_LINES lines, broken between its positions."""
    text = shortened(text, PLAY_LINES * max(10, width - 10))
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    names = [name, *[""] * (len(lines) - 1)]
    return [labelled(name, [("", line)]) for name, line in zip(names, lines[:PLAY_LINES])]


def worker_rows(found: Progress, most: int) -> List[List[str]]:
    """A row, in the order of COLUMNS, for each of the `most` workers silent for longest."""
    silence = sorted([worker.seconds_since_heard for worker in found.workers], reverse=True)
    least = silence[most - 1] if len(silence) > most else 0.0
    return [
        [
            worker.name,
            count(worker.jobs),
            count(worker.expansions),
            count(worker.nodes),
            percent(worker.utilisation),
            "%.1f s ago" % worker.seconds_since_heard,
        ]
        for worker in found.workers
        if worker.seconds_since_heard >= least
    ][:most]


def worker_lines(found: Progress, width: int, most: int) -> List[SpanLine]:
    """A table of the workers, and how many more there are than the lines that are left."""
    if len(found.workers) >= most:
        most = max(1, most - 2)
    rows = [list(COLUMNS), *worker_rows(found, most)]
    widths = [max(map(len, column)) for column in zip(*rows)]
    room = min(MOST_NAME, widths[0], max(LEAST_NAME, width - sum(widths[1:]) - 2 * len(widths[1:])))
    lines: List[SpanLine] = []
    for i, (name, *cells) in enumerate(rows):
        texts = [cell.rjust(size) for cell, size in zip(cells, widths[1:])]
        line = "  ".join([shortened(name, room).ljust(room), *texts])
        lines.append([("" if i else "dim", line)])
    left = len(found.workers) - len(rows) + 1
    if left:
        lines.append([("dim", "and %d more workers" % left)])
    return lines
