"""Drawings of Sprouts as combinatorial maps: what is where, without coordinates.

A line has two *darts*, 2k and 2k + 1, one from each of its ends. `around` lists the darts
that leave a spot, counterclockwise. A *corner* is what a new line can start from: the sector
between a dart and the next one counterclockwise, named by the first; a spot without lines has
one corner, named ~spot. A *boundary* is the cyclic sequence of corners that one passes with
the face on the left; a *face* is the boundaries of one piece of the sphere.
"""

from __future__ import annotations

from itertools import product
from typing import Dict, FrozenSet, Iterator, List, NamedTuple, Sequence, Tuple

from pns.checker import sprouts as plain
from pns.sprouts import notation

Boundary = Tuple[int, ...]
"""Corners in cyclic order, the least first."""
Face = Tuple[Boundary, ...]


class Move(NamedTuple):
    """A line from a corner to a corner of the same face, with a new spot on it.

    `left` has the first corner of every other boundary of the face that comes to lie on the left
    of the line; it is empty if the line joins two boundaries.
    """

    first: int
    second: int
    left: FrozenSet[int] = frozenset()


class IllegalMove(ValueError):
    """A move that the drawing does not have."""


class PlaneMap(NamedTuple):
    """A drawing without coordinates. `lives` can be fewer than 3 less the lines of a spot,
    since a text does not have the dead parts of a drawing."""

    lives: Tuple[int, ...]
    around: Tuple[Tuple[int, ...], ...]
    origin: Tuple[int, ...]
    faces: Tuple[Face, ...]

    @classmethod
    def start(cls, lives: Sequence[int]) -> PlaneMap:
        """Spots without lines, in one face."""
        face = tuple([(~spot,) for spot in reversed(range(len(lives)))])
        return cls(tuple(lives), tuple([()] * len(lives)), (), (face,) if face else ())

    def spot(self, corner: int) -> int:
        """The spot of a corner, which is also the origin of a dart."""
        return self.origin[corner] if corner >= 0 else ~corner

    def walk(self, boundary: Boundary) -> Tuple[int, ...]:
        """The spots that a boundary passes."""
        return tuple([self.spot(corner) for corner in boundary])

    def require(self, corner: int) -> None:
        """Raise IllegalMove for an unknown corner."""
        is_dart = 0 <= corner < len(self.origin)
        if not is_dart and not (-len(self.lives) <= corner < 0 and not self.around[~corner]):
            raise IllegalMove("unknown corner %d" % corner)

    def next_corner(self, corner: int) -> int:
        """The corner after this one on its boundary."""
        if corner < 0:
            return corner
        back = corner ^ 1
        darts = self.around[self.origin[back]]
        return darts[darts.index(back) - 1]

    def boundary(self, corner: int) -> Boundary:
        """The boundary that has a corner."""
        corners = [corner]
        while (corner := self.next_corner(corners[-1])) != corners[0]:
            corners.append(corner)
        least = corners.index(min(corners))
        return tuple(corners[least:] + corners[:least])

    def face(self, corner: int) -> int:
        """The number of the face that has a corner."""
        least = self.boundary(corner)[0]
        return next(n for n, face in enumerate(self.faces) if any([b[0] == least for b in face]))

    # Lines

    def with_line(self, move: Move) -> PlaneMap:
        """The map with a line more, without a spot on it, whatever the lives."""
        first, second, left = move
        number = self.face(first)
        mine, yours = self.boundary(first), self.boundary(second)
        if yours not in self.faces[number]:
            raise IllegalMove("no line leads from one face to another")
        others = [b for b in self.faces[number] if b not in (mine, yours)]
        if not left <= {b[0] for b in others} or (left and mine != yours):
            raise IllegalMove("other boundaries lie left of the line")
        dart = len(self.origin)
        ends = (self.spot(first), self.spot(second))
        around = list(self.around)
        for end, corner, new in ((ends[1], second, dart + 1), (ends[0], first, dart)):
            at = around[end].index(corner) + 1 if corner >= 0 else 0
            around[end] = around[end][:at] + (new,) + around[end][at:]
        drawn = self._replace(around=tuple(around), origin=self.origin + ends)
        sides: List[Face] = [(drawn.boundary(dart), *[b for b in others if b[0] in left])]
        if mine == yours:
            rest = [b for b in others if b[0] not in left]
            sides.append((drawn.boundary(dart + 1), *rest))
        else:
            sides = [(*sides[0], *others)]
        faces = self.faces[:number] + tuple(sides) + self.faces[number + 1 :]
        return drawn._replace(faces=faces)

    def without_last_line(self) -> Tuple[PlaneMap, Move]:
        """(the map without the line of the greatest number, the move that draws it)."""
        dart = len(self.origin) - 2
        ends = self.origin[dart:]
        around = list(self.around)
        corners: List[int] = []
        for end, gone in zip(ends, (dart, dart + 1)):
            darts = around[end]
            rest = [d for d in darts[darts.index(gone) :] + darts[: darts.index(gone)] if d < dart]
            corners.append(rest[-1] if rest else ~end)
            around[end] = tuple([d for d in darts if d != gone])
        for end in ends:  # the second dart may go from the same spot
            around[end] = tuple([d for d in around[end] if d < dart])
        before = self._replace(around=tuple(around), origin=self.origin[:dart])
        numbers = sorted({self.face(dart), self.face(dart + 1)})
        touched = {self.boundary(dart)[0], self.boundary(dart + 1)[0]}
        first, second = corners
        if len(numbers) == 2:
            left = frozenset(b[0] for b in self.faces[self.face(dart)] if b[0] not in touched)
            ends_of = {before.boundary(first)}
        else:
            left = frozenset()
            ends_of = {before.boundary(first), before.boundary(second)}
        kept = [b for n in numbers for b in self.faces[n] if b[0] not in touched]
        faces = [face for n, face in enumerate(self.faces) if n not in numbers]
        faces.insert(numbers[0], (*sorted(ends_of), *kept))
        return before._replace(faces=tuple(faces)), Move(first, second, left)

    def with_spot(self, line: int, lives: int = 1) -> PlaneMap:
        """The map with a new spot on a line, whose second half gets the greatest number."""
        spot, dart = len(self.lives), len(self.origin)
        end = self.origin[2 * line + 1]
        around = list(self.around)
        around[end] = tuple([dart + 1 if d == 2 * line + 1 else d for d in around[end]])
        origin = list(self.origin)
        origin[2 * line + 1] = spot
        grown = self._replace(
            lives=(*self.lives, lives),
            around=(*around, (2 * line + 1, dart)),
            origin=(*origin, spot, end),
        )
        faces = [
            tuple([grown.boundary(dart + 1 if b[0] == 2 * line + 1 else b[0]) for b in face])
            for face in self.faces
        ]
        return grown._replace(faces=tuple(faces))

    # Moves

    def played(self, move: Move) -> PlaneMap:
        """The map after a move; raises IllegalMove."""
        lives = list(self.lives)
        for corner in (move.first, move.second):
            self.require(corner)
            lives[self.spot(corner)] -= 1
            if lives[self.spot(corner)] < 0:
                raise IllegalMove("spot %d has too few lives" % self.spot(corner))
        line = len(self.origin) // 2
        return self._replace(lives=tuple(lives)).with_line(move).with_spot(line)

    def moves(self) -> Iterator[Move]:
        """Every move, up to the exchange of interchangeable boundaries of a face."""
        for face in self.faces:
            kinds = self.kinds(face)
            for number, kind in enumerate(kinds):
                mine = kind[0]
                others = [[b for b in some if b is not mine] for some in kinds]
                lefts = [
                    frozenset(b[0] for some, k in zip(others, counts) for b in some[:k])
                    for counts in product(*[range(len(some) + 1) for some in others])
                ]
                for i, first in enumerate(mine):
                    for second in mine[i:]:
                        if self._may_join(first, second):
                            yield from [Move(first, second, left) for left in lefts]
                for other in [kind[1:], *kinds[number + 1 :]]:
                    for second in other[0] if other else ():
                        yield from [
                            Move(first, second) for first in mine if self._may_join(first, second)
                        ]

    def _may_join(self, first: int, second: int) -> bool:
        a, b = self.spot(first), self.spot(second)
        return self.lives[a] > 1 if a == b else min(self.lives[a], self.lives[b]) > 0

    def kinds(self, face: Face) -> List[List[Boundary]]:
        """The boundaries of a face that have lives, interchangeable ones together.

        Dead boundaries are left out: it does not matter on which side they lie.
        """
        walks = {self.walk(b): b for b in face if any([self.lives[s] for s in self.walk(b)])}
        found = plain.kinds_of(tuple(walks), self.times_passed, dict(enumerate(self.lives)))
        return [[walks[walk] for walk in kind] for kind in found]

    @property
    def times_passed(self) -> Dict[int, int]:
        """How often all boundaries together pass each spot."""
        return plain.times_passed(self.position().regions)

    # Texts

    def position(self) -> plain.Position:
        """What matters for play, as the plain implementation has it."""
        regions = tuple([tuple([self.walk(b) for b in face]) for face in self.faces])
        return plain.Position(regions, dict(enumerate(self.lives)))

    def text(self) -> str:
        """The text of the position, reduced and canonical."""
        return notation.format_position(notation.parse(self.raw_text()))

    def raw_text(self) -> str:
        """A text of all regions with what is alive, as the drawing has them."""
        position = plain.reduced(self.position(), flat=False)
        times = plain.times_passed(position.regions)
        regions: List[str] = []
        for region in position.regions:
            words: List[str] = []
            for walk in region:
                word: List[str] = []
                for s in walk:
                    if times[s] == 1:
                        word.append(str(3 - position.lives[s]))
                    else:
                        word.append("%s(%d)" % ("m" if walk.count(s) == 2 else "n", s + 1))
                words.append("".join(word))
            regions.append(".".join(words))
        return "|".join(regions) or notation.EMPTY
