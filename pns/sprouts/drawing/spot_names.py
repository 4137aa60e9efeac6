"""Names of the spots of a drawing, and moves that are said by these names: `a-b`, `a-a c d`.

The spots of a land are a, b, ... in the order in which they came; those of the second and further
lands of a drawing begin with the number of the land: 2a. A move is two spots, and
further spots whose boundaries lie on one side of the line, with all other boundaries on the other.
"""

from __future__ import annotations

import re
from typing import Iterator, List, NamedTuple, Optional, Sequence, Tuple

from pns.sprouts.drawing.planemap import Move, PlaneMap

SAID = re.compile(r"([0-9]{0,4}[a-z]{1,4})-([0-9]{0,4}[a-z]{1,4})((?:[ ,]+[0-9]{0,4}[a-z]{1,4})*)")
LETTERS = 26


class Line(NamedTuple):
    """What was said: the number of a land from 0 on, its spots, and those on one side."""

    land: int
    ends: Tuple[int, int]
    beside: Tuple[int, ...]


def name_of(land: int, spot: int) -> str:
    """The name of a spot.

    >>> name_of(0, 0), name_of(1, 27)
    ('a', '2ab')
    """
    letters = ""
    number = spot + 1
    while number:
        number, letter = divmod(number - 1, LETTERS)
        letters = chr(ord("a") + letter) + letters
    return "%s%s" % (land + 1 if land else "", letters)


def spot_of(name: str) -> Tuple[int, int]:
    """(land, spot) of a name.

    >>> spot_of("a"), spot_of("2ab")
    ((0, 0), (1, 27))
    """
    letters = name.lstrip("0123456789")
    number = 0
    for letter in letters:
        number = number * LETTERS + ord(letter) - ord("a") + 1
    return max(int(name[: -len(letters)] or 1), 1) - 1, number - 1


def read_line(text: str) -> Optional[Line]:
    """A move as it is said; None if the text is none of one land.

    >>> read_line("a-c b")
    Line(land=0, ends=(0, 2), beside=(1,))
    """
    match = SAID.fullmatch(text)
    if not match:
        return None
    found = [spot_of(name) for name in (match[1], match[2], *re.split("[ ,]+", match[3])[1:])]
    if len({land for land, _ in found}) > 1:
        return None
    first, second, *beside = [spot for _, spot in found]
    return Line(found[0][0], (first, second), tuple(beside))


def lines_between(drawn: PlaneMap, ends: Tuple[int, int], beside: Sequence[int]) -> Iterator[Move]:
    """The moves that join two spots and have the boundaries of others on one side, all alone."""
    for face in drawn.faces:
        corners: List[List[int]] = [
            [corner for boundary in face for corner in boundary if drawn.spot(corner) == spot]
            for spot in ends
        ]
        for first in corners[0]:
            mine = drawn.boundary(first)
            others = [boundary for boundary in face if boundary != mine]
            chosen = [b for b in others if set(drawn.walk(b)) & set(beside)]
            if not set(beside) <= {spot for b in chosen for spot in drawn.walk(b)}:
                continue
            for second in corners[1]:
                if not _has_lives(drawn, ends) or (ends[0] == ends[1] and second < first):
                    continue
                if second in mine:
                    left = frozenset(b[0] for b in chosen)
                    yield Move(first, second, left)
                    yield Move(first, second, frozenset(b[0] for b in others) - left)
                elif not beside:
                    yield Move(first, second)


def _has_lives(drawn: PlaneMap, ends: Tuple[int, int]) -> bool:
    least = 2 if ends[0] == ends[1] else 1
    return all([drawn.lives[spot] >= least for spot in ends])
