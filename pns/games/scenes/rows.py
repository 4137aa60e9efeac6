"""Heaps and rows of objects that stay in place.

A heap is a number of objects, which may be 0. A row is written object by object: `i` is one,
`.` a gap, `/` a cut between two.
"""

from __future__ import annotations

import re
from typing import Callable, Iterable, Iterator, List, Sequence, Tuple

from pns.game import Scene, SceneMove, SceneSize, Sum, TooLarge
from pns.games.scenes.squares import document, element

RADIUS, STEP, MARGIN = 13, 32, 8
"""Pixels: an object, from one to the next, around all."""
MOST_OBJECTS = 60
"""Objects of a heap, or heaps."""


def disc(column: float, row: float, kind: str = "object") -> str:
    """An object at a place."""
    x, y = MARGIN + STEP * (column + 0.5), MARGIN + STEP * (row + 0.5)
    return '<circle class="%s" cx="%g" cy="%g" r="%d"/>' % (kind, x, y, RADIUS)


def check_size(sizes: Sequence[int]) -> None:
    """Raise TooLarge for more than can be shown."""
    if len(sizes) > MOST_OBJECTS or max(sizes, default=0) > MOST_OBJECTS:
        raise TooLarge("more than %d heaps or objects are not shown" % MOST_OBJECTS)


class HeapScenes:
    """Heaps: touch an object to take it and all above it."""

    kind = "heaps"
    sizes = (SceneSize("heaps", 1, 6, 3), SceneSize("largest", 1, 15, 5))

    def __init__(self, title: str, rules: str, read: Callable[[str], Sum]) -> None:
        """`read` raises NotationError for what is no position."""
        self.title, self.rules, self._read = title, rules, read

    def start(self, values: Sequence[int]) -> str:
        """Heaps of which each has one object more than the one before."""
        heaps, largest = values
        return "+".join(["%d" % max(1, largest - i) for i in range(heaps - 1, -1, -1)])

    def scene(self, text: str) -> Scene:
        self._read(text)
        heaps = [int(word) for word in text.split("+")] if "!" not in text else [0]
        check_size(heaps)
        text = "+".join(["%d" % heap for heap in heaps])
        moves = list(self._moves(heaps))
        rows = "\n".join(["%d: %s" % (i + 1, "o" * heap) for i, heap in enumerate(heaps)])
        return Scene(text, text, self._picture(text, heaps), rows, moves, "")

    def _moves(self, heaps: List[int]) -> Iterator[SceneMove]:
        for i, heap in enumerate(heaps):
            for left in range(heap):
                after = "+".join(["%d" % n for n in [*heaps[:i], left, *heaps[i + 1 :]]])
                taken = tuple(["%d.%d" % (i, k) for k in range(left, heap)])
                yield SceneMove(taken[:1], taken, after, after)

    def _picture(self, text: str, heaps: List[int]) -> str:
        height = max([1, *heaps])
        inside: List[str] = []
        for i, heap in enumerate(heaps):
            for k in range(heap):
                name = "heap %d: leave %d of %d" % (i + 1, k, heap)
                inside.append(element("%d.%d" % (i, k), name, disc(1.5 * i, height - 1 - k)))
        width = STEP * (1.5 * len(heaps) - 0.5) + 2 * MARGIN
        ground = MARGIN + STEP * height
        line = '<path class="ground" d="M%d %gH%g"/>' % (MARGIN, ground, width - MARGIN)
        return document(width, ground + MARGIN, text, [line, *inside])


class RowScenes:
    """Rows of objects, some of which stand side by side: touch the first and last one to take.

    A single object is touched twice. Which runs may be taken is as in `pns.games.octal`, by the
    digits of a code.
    """

    kind = "heaps"

    def __init__(
        self,
        title: str,
        rules: str,
        read: Callable[[str], Sum],
        digits: Callable[[str], Tuple[int, ...]],
        start: str,
        objects: int,
    ) -> None:
        """`digits` gives those of the text before the rows, `start` is that of the first row."""
        self.title, self.rules = title, rules
        self._read, self._digits, self._start = read, digits, start
        self.sizes = (SceneSize("objects", 1, 40, objects),)

    def start(self, values: Sequence[int]) -> str:
        """One row."""
        return "%s%d" % (self._start, values[0])

    def scene(self, text: str) -> Scene:
        head = text[: text.find(":") + 1]
        words = text[len(head) :].replace(" ", "").split("+")
        if not all([re.fullmatch("[i./]+", word, re.ASCII) for word in words]):
            self._read(text)
            numbers = [0 if word == "!" else int(word) for word in words]
            check_size(numbers)
            words = ["i" * number or "." for number in numbers]
        check_size([len(word) for word in words])
        text = head + "+".join(words)
        self._read(position_of(head, words))
        moves = list(self._moves(head, words))
        svg = self._picture(text, words, moves)
        return Scene(text, position_of(head, words), svg, "\n".join(words), moves, "")

    def _moves(self, head: str, rows: List[str]) -> Iterator[SceneMove]:
        digits = self._digits(head)
        for r, row in enumerate(rows):
            for run in re.finditer("i+", row):
                start, end = run.span()
                for first in range(start, end):
                    for taken in range(1, min(len(digits), end - first + 1)):
                        rests = (first > start) + (first + taken < end)
                        if digits[taken] >> rests & 1:
                            after = row[:first] + "." * taken + row[first + taken :]
                            yield from taking(head, rows, r, after, range(first, first + taken))
                    if digits[0] & 4 and first > start:
                        after = row[:first] + "/" + row[first:]
                        part = ("%d.%dc" % (r, first),)
                        yield cut(head, rows, r, after, part)

    def _picture(self, text: str, rows: List[str], moves: Iterable[SceneMove]) -> str:
        parts = {part for move in moves for part in move.parts}
        inside: List[str] = []
        for r, row in enumerate(rows):
            for i, letter in enumerate(row):
                if letter == "/":
                    x, y = MARGIN + STEP * (i + 0.5), MARGIN + STEP * 1.5 * r
                    inside.append('<path class="cut" d="M%g %gV%g"/>' % (x, y, y + STEP))
                    continue
                shown = disc(i, 1.5 * r, "object" if letter == "i" else "gap")
                part = "%d.%d" % (r, i)
                if part in parts:
                    shown = element(part, "row %d, object %d" % (r + 1, i + 1), shown)
                inside.append(shown)
            for i in range(1, len(row)):
                part = "%d.%dc" % (r, i)
                if part in parts:
                    x, y = MARGIN + STEP * i, MARGIN + STEP * 1.5 * r
                    knife = '<path class="knife" d="M%g %gV%g"/>' % (x, y, y + STEP)
                    inside.append(element(part, "row %d, cut before %d" % (r + 1, i + 1), knife))
        width = STEP * max([len(row) for row in rows]) + 2 * MARGIN
        height = STEP * (1.5 * len(rows) - 0.5) + 2 * MARGIN
        return document(width, height, text, inside)


def position_of(head: str, rows: List[str]) -> str:
    """The heaps of rows: the runs of objects."""
    runs = [run for row in rows for run in re.findall("i+", row)]
    return head + ("+".join(["%d" % len(run) for run in runs]) or "0")


def cut(head: str, rows: List[str], r: int, row: str, parts: Tuple[str, ...]) -> SceneMove:
    """The move that leaves a row otherwise; its parts change."""
    after = [*rows[:r], row, *rows[r + 1 :]]
    return SceneMove(parts, parts, head + "+".join(after), position_of(head, after))


def taking(
    head: str, rows: List[str], r: int, row: str, places: Sequence[int]
) -> Iterator[SceneMove]:
    """The moves that take objects side by side, from either end."""
    parts = tuple(["%d.%d" % (r, i) for i in places])
    move = cut(head, rows, r, row, parts)
    yield move._replace(parts=(parts[0], parts[-1]))
    if len(parts) > 1:
        yield move._replace(parts=(parts[-1], parts[0]))
