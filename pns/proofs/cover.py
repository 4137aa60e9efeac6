"""A first proof: the lands that meet a requirement and those of its lands, chosen greedily.

It is a set cover whose sets grow as it is made. What can be met in one way only is taken at once.
Else the next choice is the way that meets the most open requirements for its cost. Gains are
counted again only where a choice changed them, so the time is about that of reading all ways
once.
"""

from __future__ import annotations

from heapq import heappop, heappush
from random import Random
from typing import Callable, Dict, List, Set, Tuple

from pns.proofs.requirements import Requirements, Way, Ways

PLACE_BITS = 16
"""Bits for the place of a way among those of a requirement; fewer ways are kept."""


class Cover:
    """The lands chosen so far, by id, and the requirements that they leave open.

    `cost` is that of an entry. `observe` is called before the requirements of a land are looked
    at, and may raise. Raises UnmetRequirement for a requirement that nothing known meets.
    """

    def __init__(
        self,
        requirements: Requirements,
        cost: Callable[[int], float],
        random: Random,
        observe: Callable[[Cover], None],
    ) -> None:
        self._requirements = requirements
        self._cost = cost
        self._random = random
        self._observe = observe
        self.kept: Set[int] = set()
        self._waiting: List[Tuple[int, int]] = []
        """Lands that were kept and whose requirements are not looked at yet, the largest first."""
        self._seen: Set[int] = set()
        self._lacking: Dict[int, List[Way]] = {}
        """What each way of an open requirement lacks."""
        self._places: Dict[int, List[int]] = {}
        """Where a land is lacking: the requirement, and the place of the way."""
        self._gains: Dict[Way, int] = {}
        """How many open requirements are met by these lands."""
        self._changed: Set[Way] = set()
        self._best: List[Tuple[float, Way, int]] = []
        """Ways by falling worth, with the gain at that time; those that changed are in it again."""

    @property
    def looked_at(self) -> int:
        """How many of the lands chosen have had their requirements looked at."""
        return len(self.kept) - len(self._waiting)

    def complete(self, root: Ways) -> Set[int]:
        """The lands that meet the root's requirement and their own; raises UnmetRequirement.

        Called again when more numbers are known, it goes on.
        """
        self._open(self._requirements.number_of(root))
        while True:
            while self._waiting:
                self._observe(self)
                required = self._requirements.of(self._waiting[0][1])
                heappop(self._waiting)
                for requirement in required:
                    self._open(requirement)
            if not self._lacking:
                return self.kept
            for i in self._choice():
                self._keep(i)

    def _open(self, requirement: int) -> None:
        """Note what a requirement lacks, or keep the lands of its only way."""
        if requirement in self._seen:
            return
        self._seen.add(requirement)
        kept = self.kept
        ways = self._requirements.ways[requirement]
        lacking = [
            way if kept.isdisjoint(way) else tuple([i for i in way if i not in kept])
            for way in ways
        ]
        if () in lacking:
            return
        if len(ways) == 1:
            for i in ways[0]:
                self._keep(i)
            return
        self._lacking[requirement] = lacking
        gains, places = self._gains, self._places
        for place, way in enumerate(lacking):
            gains[way] = gains.get(way, 0) + 1
            for i in way:
                places.setdefault(i, []).append(requirement << PLACE_BITS | place)
        self._changed.update(lacking)

    def _keep(self, i: int) -> None:
        """Keep a land, and close the requirements that it meets."""
        if i in self.kept:
            return
        self.kept.add(i)
        heappush(self._waiting, (-self._requirements.sizes[i], i))
        for code in self._places.pop(i, ()):
            requirement, place = code >> PLACE_BITS, code & (1 << PLACE_BITS) - 1
            lacking = self._lacking.get(requirement)
            if lacking is None:
                continue
            if len(lacking[place]) == 1:
                del self._lacking[requirement]
                for way in lacking:
                    self._count_down(way)
                continue
            self._count_down(lacking[place])
            left = lacking[place] = tuple([j for j in lacking[place] if j != i])
            self._gains[left] = self._gains.get(left, 0) + 1
            self._changed.add(left)

    def _count_down(self, way: Way) -> None:
        gain = self._gains[way] - 1
        if gain:
            self._gains[way] = gain
        else:
            del self._gains[way]

    def _choice(self) -> Way:
        """The lands that meet the most open requirements for their cost, at random if equal."""
        for way in sorted(self._changed):
            self._offer(way)
        self._changed.clear()
        while True:
            _, way, then = heappop(self._best)
            gain = self._gains.get(way, 0)
            if gain == then:
                return way
            if gain < then:
                self._offer(way)

    def _offer(self, way: Way) -> None:
        gain = self._gains.get(way, 0)
        if gain:
            worth = (gain + self._random.random()) / sum([self._cost(i) for i in way])
            heappush(self._best, (-worth, way, gain))
