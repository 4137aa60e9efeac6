"""Names of the spots of a drawing, and moves that are said by these names: `1-2`, `1-1 3 4`.

The spots of a land are 1, 2, ... in the order in which they came, as on the page of `pns explore`;
those of the second and further lands of a drawing begin with the number of the land: 2.1. A move
is two spots, and further spots whose boundaries lie on one side of the line, with all other
boundaries on the other. Letters are read, too: a is 1, and 2a is 2.1.
"""

from __future__ import annotations

import re
from typing import Iterator, List, NamedTuple, Optional, Sequence, Tuple

from pns.sprouts.drawing.planemap import Move, PlaneMap

NAME = r"(?:(?:[0-9]{1,4}[.])?[0-9]{1,4}|[0-9]{0,4}[a-z]{1,4})"
SAID = re.compile(r"%s-%s((?:[ ,]+%s)*)" % (NAME, NAME, NAME))
LETTERS = 26


class Line(NamedTuple):
    """What was said: the number of a land from 0 on, its spots, and those on one side."""

    land: int
    ends: Tuple[int, int]
    beside: Tuple[int, ...]


def name_of(land: int, spot: int) -> str:
    """The name of a spot.

    >>> name_of(0, 0), name_of(1, 27)
    ('1', '2.28')
    """
    return "%d.%d" % (land + 1, spot + 1) if land else "%d" % (spot + 1)


def spot_of(name: str) -> Tuple[int, int]:
    """(land, spot) of a name, also in letters; spot 0 gives -1.

    >>> spot_of("1"), spot_of("2.28"), spot_of("a"), spot_of("2ab")
    ((0, 0), (1, 27), (0, 0), (1, 27))
    """
    letters = name.lstrip("0123456789.")
    if letters:
        number = 0
        for letter in letters:
            number = number * LETTERS + ord(letter) - ord("a") + 1
        land = name[: -len(letters)]
    else:
        land, _, digits = name.rpartition(".")
        number = int(digits)
    return max(int(land or 1), 1) - 1, number - 1


def read_line(text: str) -> Optional[Line]:
    """A move as it is said; None if the text is none of one land.

    >>> read_line("1-3 2"), read_line("2.1-2.1").land
    (Line(land=0, ends=(0, 2), beside=(1,)), 1)
    """
    match = SAID.fullmatch(text)
    if not match:
        return None
    found = [spot_of(name) for name in re.split("[ ,-]+", text)]
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
