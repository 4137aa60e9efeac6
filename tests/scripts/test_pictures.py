"""The pictures of docs/pictures show the positions that they claim to show."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Dict, Iterator, List, Set, Tuple

import pytest
from helpers.paths import ROOT
from make_pictures import PICTURES, Picture, Point, degrees, handles, main, points_of
from take_pictures import SCREENSHOTS, make_drawings

from pns import children
from pns.finding import find_game
from pns.sprouts.drawing.svg import STYLE
from pns.sprouts.drawing.terminal import DEAD

pytestmark = pytest.mark.search

STEPS = 8
"""Straight pieces of a Bézier curve."""
Line = List[Point]
Edge = Tuple[str, str, Line]
"""A line from one spot to another without a spot between them."""


def edges(picture: Picture) -> Iterator[Edge]:
    """The lines of a picture, each in both directions, as polygons."""
    for curve in picture.curves:
        points = points_of(curve, picture.spots)
        start, line = str(curve[0]), [points[0]]
        for place, before, (first, second, end) in zip(curve[1:], points, handles(points)):
            for step in range(1, STEPS + 1):
                line.append(bezier(before, first, second, end, step / STEPS))
            if isinstance(place, str):
                yield start, place, line
                yield place, start, line[::-1]
                start, line = place, [end]


def bezier(a: Point, b: Point, c: Point, d: Point, t: float) -> Point:
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    return tuple([sum([w * p[i] for w, p in zip(weights, (a, b, c, d))]) for i in (0, 1)])  # type: ignore[return-value]


def crossings(picture: Picture) -> int:
    """How many pairs of straight pieces of lines cross."""
    pieces = [
        piece for start, end, line in list(edges(picture))[::2] for piece in zip(line, line[1:])
    ]

    def side(a: Point, b: Point, c: Point) -> float:
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    return sum(
        side(a, b, c) * side(a, b, d) < -1e-9 and side(c, d, a) * side(c, d, b) < -1e-9
        for i, (a, b) in enumerate(pieces)
        for c, d in pieces[:i]
        if not {a, b} & {c, d}
    )


def walks(picture: Picture) -> Iterator[Tuple[List[str], Line]]:
    """The boundaries: the spots along each, and the polygon walked, its region to the left."""
    alone = {name: place for name, place in picture.spots.items() if not degrees(picture)[name]}
    for name, place in alone.items():
        yield [name], [place]
    leaving: Dict[str, List[Edge]] = {name: [] for name in picture.spots}
    for edge in edges(picture):
        leaving[edge[0]].append(edge)
    for found in leaving.values():
        found.sort(key=lambda edge: math.atan2(*direction(edge[2])))
    waiting = [edge for found in leaving.values() for edge in found]
    while waiting:
        spots, line = [], []  # type: Tuple[List[str], Line]
        edge = waiting[0]
        while edge in waiting:
            waiting.remove(edge)
            spots.append(edge[0])
            line += edge[2][:-1]
            around = leaving[edge[1]]
            back = next(i for i, other in enumerate(around) if other[2] == edge[2][::-1])
            edge = around[(back + 1) % len(around)]
        yield spots, line


def direction(line: Line) -> Point:
    return line[1][0] - line[0][0], line[1][1] - line[0][1]


def area(line: Line) -> float:
    """Twice the area of a polygon, with the sign of its sense."""
    pairs = zip(line, line[1:] + line[:1])
    return sum([a[0] * b[1] - b[0] * a[1] for a, b in pairs])


def contains(line: Line, point: Point) -> bool:
    """Whether a polygon has a point inside."""
    x, y = point
    inside = False
    for (ax, ay), (bx, by) in zip(line, line[1:] + line[:1]):
        if (ay > y) != (by > y) and x < ax + (bx - ax) * (y - ay) / (by - ay):
            inside = not inside
    return inside


def read(picture: Picture) -> str:
    """The position that the lines of a picture make, in canonical text."""
    counts, found = degrees(picture), list(walks(picture))
    rings = [walk for walk in found if area(walk[1]) > 1]
    regions: Dict[int, List[List[str]]] = {-1: [], **{i: [ring[0]] for i, ring in enumerate(rings)}}
    for spots, line in found:
        if area(line) <= 1:  # seen from outside: it lies in the smallest ring around it
            around = [i for i, ring in enumerate(rings) if is_around(ring, spots, line)]
            home = min(around, key=lambda i: area(rings[i][1]), default=-1)
            regions[home].append(spots)
    texts = []
    for boundaries in regions.values():
        names = [text_of(spots, counts) for spots in boundaries]
        texts.append(".".join([name for name in names if name]))
    game = find_game("sprouts")
    return game.format(game.parse("|".join([text for text in texts if text]) or "!"))


def is_around(ring: Tuple[List[str], Line], spots: List[str], line: Line) -> bool:
    return not set(ring[0]) & set(spots) and contains(ring[1], line[0])


def text_of(spots: List[str], counts: Dict[str, int]) -> str:
    """A boundary: spots that occur twice on it in small letters, others in capitals."""
    text = ""
    for name in spots:
        letter = chr(ord("a") + list(counts).index(name))
        twice = letter if spots.count(name) == 2 else letter.upper()
        text += ("0", "1", twice, "")[counts[name]]
    return text


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_shows_its_position(name: str) -> None:
    picture = PICTURES[name]
    assert crossings(picture) == 0 and max(degrees(picture).values()) <= 3
    assert read(picture) == picture.text


def test_a_wrong_picture_is_noticed() -> None:
    looped, joined = PICTURES["three-looped"], PICTURES["game-3"]
    outside = looped._replace(spots={**looped.spots, "i": (150.0, 30.0)})
    assert read(outside) == "0*2.AB|AB" != looped.text
    crossed = joined._replace(curves=[*joined.curves, ("x", (97.0, 60.0), "y")])
    assert crossings(crossed) > 0


def test_the_game_is_a_line_of_play() -> None:
    texts = [PICTURES["game-%d" % move].text for move in range(5)]
    for before, after in zip(texts, texts[1:]):
        assert after in children(before)
    assert texts[0] == "0*2" and children(texts[-1]) == []
    three = children("0*3")
    assert {PICTURES["three-joined"].text, PICTURES["three-looped"].text} <= set(three)


def test_the_files_are_those_of_the_scripts(tmp_path: Path) -> None:
    main(str(tmp_path))
    make_drawings(str(tmp_path))
    made: Set[str] = {path.name for path in tmp_path.iterdir()}
    kept = ROOT / "docs" / "pictures"
    assert made | set(SCREENSHOTS) == {path.name for path in kept.iterdir()}
    for name in made:
        assert (tmp_path / name).read_text() == (kept / name).read_text(), name


@pytest.mark.parametrize("name", [*PICTURES, "lands", "seventeen"])
def test_all_pictures_show_lives_alike(name: str) -> None:
    """A filled spot with a point for each life, a hollow one without; a dead one is like paper."""
    text = (ROOT / "docs" / "pictures" / (name + ".svg")).read_text()
    assert STYLE in text
    spots = re.findall(r'<g class="(spot[a-z ]*)" data-spot="\d+" data-lives="(\d)">(.*)</g>', text)
    for kind, lives, drawn in spots:
        assert drawn.count('class="life"') == int(lives)
        assert ("dead" in kind.split()) == (lives == "0")
    if name in PICTURES:
        left = [3 - degree for degree in degrees(PICTURES[name]).values()]
        assert [int(lives) for _, lives, _ in spots] == left


def test_dead_spots_are_hollow() -> None:
    for style in STYLE.split("@media"):
        fills = dict(re.findall(r"^\.sprouts (.*) { fill: (#\w+);", style, re.MULTILINE))
        assert fills[".spot.dead .body"] == fills[".paper"] != fills[".body"]
    assert DEAD == "\N{WHITE BULLET}"
