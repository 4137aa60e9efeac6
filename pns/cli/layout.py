"""How figures look to a person: counts, times, sizes, aligned labels, bars and trends."""

from __future__ import annotations

import math
from typing import Iterable, List, Sequence, TextIO, Tuple

LabelledText = Tuple[str, str]
"""A label and its text."""

BLOCKS, FULL, EMPTY = "▁▂▃▄▅▆▇█", "█", "·"
"""The heights of a trend, and the parts of a bar."""
PLAIN = str.maketrans("▁▂▃▄▅▆▇█·…∞", "_.:-=+*#.~-")
"""What stands for these characters where only ASCII can be shown."""


def shown_on(stream: TextIO, text: str) -> str:
    """A text as a stream can show it."""
    encoding = (stream.encoding or "").lower().replace("-", "")
    return text if encoding == "utf8" else text.translate(PLAIN)


def count(number: int) -> str:
    """A count with separators.

    >>> count(1234567)
    '1,234,567'
    """
    return "{:,}".format(number)


def duration(seconds: float) -> str:
    """A time with two units at most.

    >>> duration(0.25), duration(99.4), duration(754), duration(7500)
    ('0.2 s', '99.4 s', '12 min 34 s', '2 h 05 min')
    """
    if seconds < 99.95:
        return "%.1f s" % seconds
    whole = int(seconds)
    if whole < 3600:
        return "%d min %02d s" % divmod(whole, 60)
    return "%d h %02d min" % divmod(whole // 60, 60)


def rough_duration(seconds: float) -> str:
    """A time in one unit, for what is not known any better.

    >>> rough_duration(0.4), rough_duration(47), rough_duration(754), rough_duration(7500)
    ('1 s', '47 s', '13 min', '2 h')
    >>> rough_duration(200_000)
    '56 h'
    >>> rough_duration(400_000)
    '5 days'
    """
    for size, unit in ((86400, "days"), (3600, "h"), (60, "min")):
        if seconds >= (3 * size if unit == "days" else 2 * size):
            return "%.0f %s" % (seconds / size, unit)
    return "%.0f s" % max(1.0, seconds)


def size(bytes: int) -> str:
    """An amount of memory in decimal units.

    >>> size(210_400_000), size(12_340_000_000)
    ('210 MB', '12.3 GB')
    """
    if bytes < 10_000_000_000:
        return "%s MB" % count(bytes // 1_000_000)
    return "%.1f GB" % (bytes / 1e9)


def percent(share: float) -> str:
    """A share from 0 to 1 in percent.

    >>> percent(0.1234), percent(0.0001), percent(0.0)
    ('12.3 %', 'under 0.1 %', '0.0 %')
    """
    return "under 0.1 %" if 0.0 < share < 0.001 else "%.1f %%" % (100.0 * share)


def labelled(lines: Iterable[LabelledText]) -> List[str]:
    """Labels and texts in two columns, indented by two.

    >>> labelled([("time", "1.0 s"), ("memory", "20 MB")])
    ['  time    1.0 s', '  memory  20 MB']
    """
    lines = list(lines)
    width = max([len(label) for label, _ in lines], default=0)
    return ["  %s  %s" % (label.ljust(width), text) for label, text in lines]


def table(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> List[str]:
    """Rows in columns, indented by two; the columns `right` are aligned at their right.

    >>> table([["n", "text"], ["10", "x"]], right=[0])
    ['   n  text', '  10  x']
    """
    widths = [max(map(len, column)) for column in zip(*rows)]
    found = []
    for row in rows:
        cells = [
            cell.rjust(width) if i in right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths))
        ]
        found.append("  " + "  ".join(cells).rstrip())
    return found


def shortened(text: str, width: int) -> str:
    """A text, or of one longer than `width` the beginning and the end."""
    if len(text) > width:
        tail = 2 * width // 3 - 3
        text = "%s … %s" % (text[: width - tail - 3], text[len(text) - tail :])
    return text


def bar(share: float, width: int) -> str:
    """A bar of at most `width` characters; of any share above 0 at least one.

    >>> bar(0.5, 4), bar(0.001, 4), bar(0.0, 4)
    ('██', '█', '')
    """
    return FULL * min(width, math.ceil(share * width))


def trend(values: Sequence[float]) -> str:
    """A character for each value, as high as its logarithm between the least and the largest.

    >>> trend([1, 2, 4, 128])
    '▁▂▃█'
    """
    heights = [math.log(1 + value) for value in values]
    low, high = min(heights, default=0.0), max(heights, default=0.0)
    step = (high - low) / (len(BLOCKS) - 1) or 1.0
    return "".join([BLOCKS[round((height - low) / step)] for height in heights])
