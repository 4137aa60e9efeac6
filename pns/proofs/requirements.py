"""What a proof needs: for every entry a list of requirements, each met in several ways.

An entry Q -> n holds (``pns.proofs.check``) if each of its requirements is met: for every i < n
the lands of some option with Grundy number i are entries; and for every option Q' all
lands of Q' are entries, or all lands of some option of Q' with Grundy number n. A *way*
is a set of lands; a requirement is met when all lands of one of its ways are entries. So
a small certificate is a small set of lands that contains the root's and meets the
requirements of all its lands.
"""

from __future__ import annotations

from typing import Callable, Dict, FrozenSet, Iterable, List, Set, Tuple

from pns.game import Game, Land, Sum
from pns.proofs.check import known

Way = Tuple[int, ...]
"""Ids of lands, ascending."""
Ways = Tuple[Way, ...]

MOST_WAYS = 60
"""Ways of a requirement that are kept, those with the fewest and smallest lands."""


class UnmetRequirement(Exception):
    """A requirement that nothing known meets: option + *number has to be won."""

    def __init__(self, land: Land, option: Sum, number: int) -> None:
        super().__init__(land, option, number)
        self.land = land
        self.option = option
        self.number = number


class Requirements:
    """Lands by id, and what their entries require; a subclass says how that is found.

    At most ``most_ways`` ways of a requirement are kept.
    """

    def __init__(
        self, game: Game, lookup: Callable[[Land], int], most_ways: int = MOST_WAYS
    ) -> None:
        self._game = game
        self._lookup = lookup
        self._most_ways = most_ways
        self._ids: Dict[Land, int] = {}
        self.texts: List[Land] = []
        self.sizes: List[int] = []
        self.numbers: List[int] = []
        self.ways: List[Ways] = []
        """The ways of each requirement, by its number."""
        self._requirements: Dict[Ways, int] = {}
        self._of_land: Dict[int, List[int]] = {}

    def id(self, land: Land) -> int:
        """The id of a land of known number."""
        i = self._ids.get(land, -1)
        if i < 0:
            i = self._ids[land] = len(self.texts)
            self.texts.append(land)
            self.sizes.append(self._game.estimate(land)[0])
            self.numbers.append(self._lookup(land))
        return i

    def is_computed(self, i: int) -> bool:
        """Whether ``of`` has been called for a land."""
        return i in self._of_land

    def of(self, i: int) -> List[int]:
        """The requirements of an entry, without those that others imply; may raise."""
        found = self._of_land.get(i)
        if found is None:
            found = self._of_land[i] = self._find(self.texts[i], self.numbers[i])
        return found

    def number_of(self, ways: Ways) -> int:
        """The number of a requirement that is met in these ways."""
        i = self._requirements.get(ways, -1)
        if i < 0:
            i = self._requirements[ways] = len(self.ways)
            self.ways.append(ways)
        return i

    def _find(self, land: Land, number: int) -> List[int]:
        raise NotImplementedError


class KnownRequirements(Requirements):
    """Requirements as far as ``lookup`` knows numbers.

    `of` raises UnmetRequirement for one that nothing known meets.
    ``wanted`` has for lands of unknown number a weight: the more requirements they might
    help to meet, the larger.
    """

    def __init__(
        self, game: Game, lookup: Callable[[Land], int], most_ways: int = MOST_WAYS
    ) -> None:
        super().__init__(game, lookup, most_ways)
        self._replies: Dict[Land, Tuple[Dict[int, Set[Way]], Dict[Land, int]]] = {}
        self.wanted: Dict[Land, int] = {}

    def renew(self) -> None:
        """Look at what is not found yet with numbers that have become known.

        What is found stays: more numbers give more ways to meet a requirement, and take none.
        """
        self._replies.clear()

    def way(self, lands: Sum) -> Tuple[int, Way]:
        """(Grundy number, way) of a position; (-1, ()) if a land is unknown."""
        number = known(lands, self._lookup)
        if number < 0:
            return number, ()
        return number, tuple(sorted({self.id(land) for land in lands}))

    def _find(self, land: Land, number: int) -> List[int]:
        every: Set[Ways] = set()
        by_number, _ = self.replies(land)
        for i in range(number):
            if not by_number.get(i):
                raise UnmetRequirement(land, (land,), i)
            every.add(smallest(by_number[i], self.sizes, self._most_ways))
        for child in self._game.children(land):
            found, direct = self.way(child)
            if found == number:
                raise UnmetRequirement(land, child, number)
            ways = self._answers(child, number)
            if found >= 0:
                ways.add(direct)
            if not ways:
                raise UnmetRequirement(land, child, number)
            every.add(smallest(ways, self.sizes, self._most_ways))
        return [self.number_of(ways) for ways in without_implied(every)]

    def _answers(self, lands: Sum, number: int) -> Set[Way]:
        """The ways by which some option of a position has a number."""
        unknown = [land for land in lands if self._lookup(land) < 0]
        if len(unknown) > 1:
            return set()
        for land in lands:
            if land not in unknown:
                number ^= self._lookup(land)
        ways: Set[Way] = set()
        for land in dict.fromkeys(unknown or lands):
            rest = list(lands)
            rest.remove(land)
            needed = {self.id(other) for other in rest}
            query = number if unknown else number ^ self._lookup(land)
            by_number, helpful = self.replies(land)
            for way in by_number.get(query, ()):
                ways.add(tuple(sorted(needed.union(way))) if needed else way)
            for other in helpful:
                self.wanted[other] = self.wanted.get(other, 0) + 1
        if unknown:
            self.wanted[unknown[0]] = self.wanted.get(unknown[0], 0) + 3
        return ways

    def replies(self, land: Land) -> Tuple[Dict[int, Set[Way]], Dict[Land, int]]:
        """(ways by number, lands that are an option's only unknown one) of a land's options."""
        found = self._replies.get(land)
        if found is None:
            by_number: Dict[int, Set[Way]] = {}
            helpful: Dict[Land, int] = {}
            for child in self._game.children(land):
                number, way = self.way(child)
                if number >= 0:
                    by_number.setdefault(number, set()).add(way)
                else:
                    unknown = [part for part in child if self._lookup(part) < 0]
                    if len(unknown) == 1:
                        helpful[unknown[0]] = 1
            for number in by_number:
                by_number[number] = set(smallest(by_number[number], self.sizes, self._most_ways))
            found = self._replies[land] = by_number, helpful
        return found


def smallest(ways: Iterable[Way], sizes: List[int], most: int = MOST_WAYS) -> Ways:
    """The ways that contain no other way, the cheapest ``most`` of them, in a fixed order."""
    singles = {way for way in ways if len(way) == 1}
    single_lands = {way[0] for way in singles}
    kept: List[FrozenSet[int]] = []
    for way in sorted([way for way in ways if len(way) != 1], key=len):
        if single_lands.isdisjoint(way):
            lands = frozenset(way)
            if not any(other <= lands for other in kept):
                kept.append(lands)
    out = sorted([*singles, *[tuple(sorted(lands)) for lands in kept]])
    if () in out:
        return ((),)
    if len(out) > most:
        out.sort(key=lambda way: (len(way), sum([sizes[i] for i in way])))
        out = sorted(out[:most])
    return tuple(out)


def without_implied(every: Iterable[Ways]) -> List[Ways]:
    """Requirements without those that are always met and those that another one implies."""
    kept: List[FrozenSet[Way]] = []
    for ways in sorted(every, key=lambda ways: (len(ways), ways)):
        if () not in ways:
            these = frozenset(ways)
            if not any(other <= these for other in kept):
                kept.append(these)
    return [tuple(sorted(ways)) for ways in kept]
