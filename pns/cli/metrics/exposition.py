"""Metrics in the text exposition format of Prometheus.

The format is that of https://prometheus.io/docs/instrumenting/exposition_formats/, version 0.0.4.
Names are in base units; those of counters end in `_total`.
"""

from __future__ import annotations

import math
from typing import Dict, List, NamedTuple, Tuple

COUNTER, GAUGE = "counter", "gauge"

Labels = Tuple[Tuple[str, str], ...]


class Metric(NamedTuple):
    """A metric: its name, COUNTER or GAUGE, what it is, and its value for each set of labels."""

    name: str
    kind: str
    help: str
    values: Dict[Labels, float]


def exposition(metrics: List[Metric]) -> bytes:
    """The metrics as text.

    >>> rooms = Metric("rooms", GAUGE, "Rooms of a house.", {(("house", "a"),): 3})
    >>> print(exposition([rooms]).decode(), end="")
    # HELP rooms Rooms of a house.
    # TYPE rooms gauge
    rooms{house="a"} 3
    """
    lines: List[str] = []
    for metric in metrics:
        lines.append("# HELP %s %s" % (metric.name, escaped(metric.help)))
        lines.append("# TYPE %s %s" % (metric.name, metric.kind))
        for labels, value in metric.values.items():
            words = ['%s="%s"' % (name, escaped(text, '"')) for name, text in labels]
            where = "{%s}" % ",".join(words) if words else ""
            lines.append("%s%s %s" % (metric.name, where, number(value)))
    return "".join([line + "\n" for line in lines]).encode("utf-8", "replace")


def escaped(text: str, more: str = "") -> str:
    """Text with a backslash before backslashes and the characters of `more`; \\n for new lines."""
    for letter in "\\" + more:
        text = text.replace(letter, "\\" + letter)
    return text.replace("\n", "\\n")


def number(value: float) -> str:
    """A value as the format has it.

    >>> number(12), number(0.25), number(math.inf)
    ('12', '0.25', '+Inf')
    """
    return "+Inf" if value == math.inf else repr(value)
