"""From a text to a drawing of it.

A text has the regions of a land, but not what lies between them: dead spots and dead regions.
Regions are glued along the spots they share: a spot on two walks is passed on both sides of
the line through it. Between two spots of a walk there is a *gap*; going around the ends of
lines, one passes from gap to gap until one is back. Such a round is a *hub*: a single end, a
line between two spots, or a dead part that joins three ends or more, drawn as a tree of
dead spots. The surface is then a sphere exactly if its Euler characteristic is 2:

    spots + hubs - ends + sum over the regions of (2 - their walks) = 2.

A text fixes neither the orientation of a region nor, where it has just two or three lives, how its
spots lie on walks. So these are chosen, by a search that raises the characteristic.
"""

from __future__ import annotations

import random
from itertools import permutations
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from pns.checker import sprouts as plain
from pns.sprouts.drawing.board import Board, circle, disc
from pns.sprouts.drawing.planemap import Face, Move, PlaneMap
from pns.sprouts.drawing.relaxing import COARSE, ROUNDS, relax, settle

TRIES = 50
"""How often the search for an arrangement of regions starts again."""
MOST_PASSED = 300
"""The most spots that the walks of a land may pass for it to be drawn."""

Region = plain.Region
WalkCorner = Tuple[int, int, int]
"""Region, walk, and the place in it."""


class Choice(NamedTuple):
    """What a drawing chose where its text leaves it open."""

    mirrored: int
    regrouped: int
    dead_spots: int

    def __str__(self) -> str:
        parts = [
            "%d %s %s" % (number, noun if number == 1 else noun + "s", done)
            for number, noun, done in (
                (self.mirrored, "region", "mirrored"),
                (self.regrouped, "region", "regrouped"),
                (self.dead_spots, "dead spot", "added"),
            )
            if number
        ]
        return ", ".join(parts)


class Realisation(NamedTuple):
    """A land as a combinatorial map, and what was chosen."""

    map: PlaneMap
    choice: Choice


def realise(land: str) -> Optional[Realisation]:
    """A map whose text is that of a land; None where none is found."""
    regions, lives = plain.read(land)
    spots = sorted(lives)
    if sum([len(walk) for region in regions for walk in region]) > MOST_PASSED:
        return None
    arrangements = [arrangements_of(region, lives) for region in regions]
    chosen = _search(arrangements, len(spots))
    if chosen is None:
        return None
    glued = [arrangements[i][k] for i, k in enumerate(chosen)]
    drawn = _glue(glued, [lives[s] for s in spots])
    if plain.canonical(drawn.position()) != plain.canonical(plain.Position(regions, lives)):
        return None
    mirrored = sum([k > 0 and len(a[k]) == len(a[0]) for a, k in zip(arrangements, chosen)])
    regrouped = sum([k > 0 for k in chosen]) - mirrored
    return Realisation(drawn, Choice(mirrored, regrouped, len(drawn.lives) - len(spots)))


def arrangements_of(region: Region, lives: Dict[int, int]) -> List[Region]:
    """The ways in which a region of a text can lie, the one written first.

    >>> arrangements_of(((0, 1),), {0: 1, 1: 1})
    [((0, 1),), ((0,), (1,))]
    """
    spots = [s for walk in region for s in walk]
    found = [region]
    if (
        len(region) == 1
        and len(set(spots)) == len(spots) < 4
        and sum([lives[s] for s in spots]) < 4
    ):
        if len(spots) == 3:
            found.append((region[0][::-1],))
        for order in permutations(spots):
            a, rest = order[:1], order[1:]
            if len(rest) == 1 and a < rest:
                found.append((a, rest))
            if len(rest) == 2 and rest[0] < rest[1]:
                found.append((a, rest))
        if len(spots) == 3:
            found.append(tuple([(s,) for s in spots]))
    elif any([len(walk) > 2 for walk in region]):
        found.append(tuple([walk[::-1] for walk in region]))
    return found


def _search(arrangements: Sequence[Sequence[Region]], spots: int) -> Optional[List[int]]:
    """The numbers of arrangements whose surface is a sphere; None where none are found."""
    rng = random.Random(0)
    chosen = [0] * len(arrangements)
    open_ones = [i for i, found in enumerate(arrangements) if len(found) > 1]
    for _ in range(TRIES):
        best = _characteristic([a[k] for a, k in zip(arrangements, chosen)], spots)
        improved = True
        while improved and best < 2:
            improved = False
            for i in rng.sample(open_ones, len(open_ones)):
                for k in range(len(arrangements[i])):
                    trial = chosen[:i] + [k] + chosen[i + 1 :]
                    value = _characteristic([a[k] for a, k in zip(arrangements, trial)], spots)
                    if value > best:
                        chosen, best, improved = trial, value, True
        if best == 2:
            return chosen
        if not open_ones:
            return None
        chosen = [rng.randrange(len(found)) for found in arrangements]
    return None


def _characteristic(regions: Sequence[Region], spots: int) -> int:
    hubs = hubs_of(regions)
    ends = sum(map(len, hubs))
    return spots + len(hubs) - ends + sum([2 - len(region) for region in regions])


def _partners(regions: Sequence[Region]) -> Dict[WalkCorner, WalkCorner]:
    """For each corner the other one of its spot, or itself."""
    corners: Dict[int, List[WalkCorner]] = {}
    for i, region in enumerate(regions):
        for j, walk in enumerate(region):
            for k, s in enumerate(walk):
                corners.setdefault(s, []).append((i, j, k))
    return {c: some[some[0] == c and len(some) > 1] for some in corners.values() for c in some}


def hubs_of(regions: Sequence[Region]) -> List[List[WalkCorner]]:
    """The hubs, each as the corners whose outgoing ends it joins, counterclockwise.

    A corner that is alone on its walk and for its spot has one end, which leads nowhere.
    """
    partners = _partners(regions)
    rest = dict.fromkeys(partners)
    hubs: List[List[WalkCorner]] = []
    while rest:
        corner = next(iter(rest))
        hub: List[WalkCorner] = []
        while corner in rest:
            del rest[corner]
            hub.append(corner)
            i, j, k = partners[corner]
            corner = (i, j, (k - 1) % len(regions[i][j]))
        hubs.append(hub)
    return hubs


def _glue(regions: Sequence[Region], lives: Sequence[int]) -> PlaneMap:
    """The map of regions whose surface is a sphere."""
    spots_lives = list(lives)
    origin: List[int] = []
    rings: Dict[int, List[int]] = {}
    dart_of: Dict[WalkCorner, int] = {}

    def line(a: int, b: int) -> int:
        origin.extend((a, b))
        return len(origin) - 2

    def spot_of(corner: WalkCorner) -> int:
        return regions[corner[0]][corner[1]][corner[2]]

    for hub in hubs_of(regions):
        if len(hub) == 2:
            dart = line(spot_of(hub[0]), spot_of(hub[1]))
            dart_of[hub[0]], dart_of[hub[1]] = dart, dart + 1
        elif len(hub) > 2:
            back: List[int] = []
            for i in range(len(hub) - 2):
                dead = len(spots_lives)
                spots_lives.append(0)
                ends = hub[:2] if i == 0 else hub[i + 1 : i + 2]
                ends = ends + hub[-1:] if i == len(hub) - 3 else ends
                ring = back
                for corner in ends:
                    dart_of[corner] = line(spot_of(corner), dead)
                    ring = [*ring, dart_of[corner] + 1]
                if i < len(hub) - 3:
                    dart = line(dead, dead + 1)
                    ring, back = [*ring, dart], [dart + 1]
                rings[dead] = ring
    for corner in sorted(_partners(regions)):
        if corner in dart_of:
            rings.setdefault(spot_of(corner), []).append(dart_of[corner])
    around = tuple([tuple(rings.get(s, ())) for s in range(len(spots_lives))])
    drawn = PlaneMap(tuple(spots_lives), around, tuple(origin), ())
    faces: List[Face] = []
    for i, region in enumerate(regions):
        first = [dart_of.get((i, j, 0), ~walk[0]) for j, walk in enumerate(region)]
        faces.append(tuple([drawn.boundary(corner) for corner in first]))
    return drawn._replace(faces=tuple(faces))


# Coordinates


def place(drawn: PlaneMap, rounds: int = ROUNDS) -> Board:
    """A drawing of a map, line after line; the largest face is outside."""
    sizes = [sum(map(len, face)) for face in drawn.faces]
    outer = sizes.index(max(sizes)) if sizes else 0
    steps: List[Tuple[Move, Optional[bool]]] = []
    rest = drawn
    while rest.origin:
        dart = len(rest.origin) - 2
        left, right = rest.face(dart), rest.face(dart + 1)
        outside = outer == left if left != right and outer in (left, right) else None
        if left != right:
            low, high = sorted((left, right))
            outer = low if outer == high else outer - (outer > high)
        rest, move = rest.without_last_line()
        steps.append((move, outside))
    order = _order(drawn)
    number = len(order)
    points = circle(number) if drawn.origin or number < 9 else disc(number)
    at = dict(zip(order, points))
    board = Board(PlaneMap.start(drawn.lives), [at[s] for s in range(number)])
    for move, outside in reversed(steps):
        board.draw_line(move, outside)
        relax(board, 6, COARSE)
    settle(board, rounds)
    return board


def _order(drawn: PlaneMap) -> List[int]:
    """The spots, those that will be close together in a row."""
    seen: Dict[int, None] = {}
    faces_of: Dict[int, List[int]] = {}
    for number, face in enumerate(drawn.faces):
        for boundary in face:
            for s in drawn.walk(boundary):
                faces_of.setdefault(s, []).append(number)
    done = set()

    def visit(number: int) -> None:
        done.add(number)
        for boundary in drawn.faces[number]:
            walk = drawn.walk(boundary)
            seen.update(dict.fromkeys(walk))
            for s in walk:
                for other in faces_of[s]:
                    if other not in done:
                        visit(other)

    for number in range(len(drawn.faces)):
        if number not in done:
            visit(number)
    return list(seen)
