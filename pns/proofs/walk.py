"""A proof that loses entries in small steps: some are forbidden, and what then lacks is repaired.

A step takes entries out, meets each requirement that lost its last way by another way, as
cheaply as it seems at that place, and drops every entry that nothing needs any more. A step that
leaves more entries than there were is undone. Its cost is that of the entries that it touches,
however large the proof is. Lands have smaller lands as options, so a requirement never depends
on the entry that has it.
"""

from __future__ import annotations

import sys
from heapq import heapify, heappop, heappush
from random import Random
from typing import Dict, Iterable, Iterator, List, Optional, Set

from pns.game import Game, Land, Sum, children_of
from pns.proofs.requirements import (
    KnownRequirements,
    Requirements,
    UnmetRequirement,
    Way,
    Ways,
    smallest,
)

MOST_ADDED = 40
"""Entries that a step may add before it is given up."""
COUNTS = (1, 1, 1, 1, 2, 3)
"""Entries that a step forbids, drawn from these."""
LARGEST_EXAMINED = 14
"""The largest size of a land whose requirements are computed only to find its cost."""
UNKNOWN_COST = 3.0
"""The cost of a land whose requirements are not computed."""


class ProofWalk:
    """A set of entries, by id, that meets `root` and its own requirements, and loses entries.

    What the entries that it starts with lack is added. Raises UnmetRequirement if nothing known
    meets it.
    """

    def __init__(
        self, requirements: Requirements, root: Ways, entries: Iterable[int], random: Random
    ) -> None:
        self._requirements = requirements
        self._random = random
        self.entries: Set[int] = set()
        self._users: Dict[int, int] = {}
        """The entries, and the root, that have a requirement."""
        self._places: Dict[int, List[int]] = {}
        """The requirements with a way that contains a land, once they were in use."""
        self._steps: List[int] = []
        """What the present step added, as i, and took out, as ~i."""
        self._use(requirements.number_of(root))
        for i in entries:
            self._add(i)
        lacking = [r for r in list(self._users) if not self._is_met(r)]
        if not self._repair(lacking, set(), sys.maxsize):
            raise ValueError("these entries lack what no way meets")
        self._drop_needless(self.entries)

    def sweep(self) -> Iterator[None]:
        """Try to do without each entry once; pauses after each step."""
        order = sorted(self.entries)
        self._random.shuffle(order)
        for i in order:
            if i in self.entries:
                self.step(i)
                yield

    def step(self, i: int) -> bool:
        """Try to do without an entry and perhaps some beside it; returns whether that was kept."""
        before = len(self.entries)
        self._steps = []
        forbidden = {i}
        more = self._random.choice(COUNTS) - 1
        if more:
            beside = [j for r in self._requirements.of(i) for way in self._ways(r) for j in way]
            forbidden.update([self._random.choice(beside) for _ in range(more) if beside])
            forbidden &= self.entries
        for j in sorted(forbidden):
            self._remove(j)
        lacking = [r for j in sorted(forbidden) for r in self._places.get(j, ())]
        try:
            if self._repair(lacking, forbidden, before + MOST_ADDED):
                self._drop_needless(self._touched())
                if len(self.entries) <= before:
                    return True
        except UnmetRequirement:
            pass
        self._undo()
        return False

    def _ways(self, requirement: int) -> Ways:
        return self._requirements.ways[requirement]

    def _is_met(self, requirement: int, without: int = -1) -> bool:
        """Whether a way of a requirement is in the entries, even without one of them."""
        entries = self.entries
        for way in self._ways(requirement):
            for i in way:
                if i == without or i not in entries:
                    break
            else:
                return True
        return False

    def _use(self, requirement: int) -> None:
        users = self._users.get(requirement)
        if users is None:
            users = 0
            for i in {i for way in self._ways(requirement) for i in way}:
                self._places.setdefault(i, []).append(requirement)
        self._users[requirement] = users + 1

    def _add(self, i: int) -> None:
        mine = self._requirements.of(i)
        self.entries.add(i)
        self._steps.append(i)
        for requirement in mine:
            self._use(requirement)

    def _remove(self, i: int) -> None:
        self.entries.discard(i)
        self._steps.append(~i)
        for requirement in self._requirements.of(i):
            self._users[requirement] -= 1

    def _undo(self) -> None:
        """Take the present step back."""
        for step in reversed(self._steps):
            i = step if step >= 0 else ~step
            change = -1 if step >= 0 else 1
            if step >= 0:
                self.entries.discard(i)
            else:
                self.entries.add(i)
            for requirement in self._requirements.of(i):
                self._users[requirement] += change
        self._steps = []

    def _repair(self, lacking: List[int], forbidden: Set[int], most: int) -> bool:
        """Meet requirements, and those of what that adds; False if it takes too many entries."""
        while lacking:
            requirement = lacking.pop()
            if not self._users[requirement] or self._is_met(requirement):
                continue
            best: Optional[Way] = None
            least = 0.0
            for way in self._ways(requirement):
                if forbidden.isdisjoint(way):
                    cost = sum([self._cost(i) for i in way if i not in self.entries])
                    if best is None or cost < least:
                        best, least = way, cost
            if best is None or len(self.entries) > most:
                return False
            for i in best:
                if i not in self.entries:
                    self._add(i)
                    lacking += self._requirements.of(i)
        return True

    def _cost(self, i: int) -> float:
        """What an entry costs: itself, and what it requires that is not met."""
        requirements = self._requirements
        if not requirements.is_computed(i) and requirements.sizes[i] > LARGEST_EXAMINED:
            return UNKNOWN_COST
        try:
            mine = requirements.of(i)
        except UnmetRequirement:
            return MOST_ADDED
        unmet = sum([not self._is_met(requirement) for requirement in mine])
        return self._random.uniform(0.5, 1.5) + unmet * self._random.uniform(0.3, 1.0)

    def _touched(self) -> Set[int]:
        """The entries that the present step may have made needless."""
        touched: Set[int] = set()
        for step in self._steps:
            if step >= 0:
                touched.add(step)
                changed = [r for r in self._places.get(step, ()) if self._users[r]]
            else:
                changed = [r for r in self._requirements.of(~step) if not self._users[r]]
            for requirement in changed:
                for way in self._ways(requirement):
                    touched.update(way)
        return touched & self.entries

    def _drop_needless(self, candidates: Iterable[int]) -> None:
        """Drop the candidates that nothing needs, large lands first, and what follows."""
        sizes, texts = self._requirements.sizes, self._requirements.texts
        waiting = [(-sizes[i], texts[i], i) for i in candidates]
        heapify(waiting)
        while waiting:
            *_, i = heappop(waiting)
            if i not in self.entries or self._is_needed(i):
                continue
            self._remove(i)
            for requirement in self._requirements.of(i):
                if not self._users[requirement]:
                    for way in self._ways(requirement):
                        for j in way:
                            if j in self.entries:
                                heappush(waiting, (-sizes[j], texts[j], j))

    def _is_needed(self, i: int) -> bool:
        """Whether a requirement in use is met only by ways that contain an entry."""
        users = self._users
        for requirement in self._places.get(i, ()):
            if users[requirement] and not self._is_met(requirement, i):
                return True
        return False


def needed(game: Game, lands: Sum, wins: bool, entries: Dict[Land, int]) -> Dict[Land, int]:
    """The entries of a proof, without those that it does not need, dropped one by one.

    All ways in which entries meet a requirement are considered, so that no entry of the
    result can be left out.
    """
    requirements = KnownRequirements(game, lambda land: entries.get(land, -1), sys.maxsize)
    proving = [lands] if not wins else children_of(game, lands)
    found = {way for number, way in map(requirements.way, proving) if number == 0}
    root = smallest(found, requirements.sizes, sys.maxsize)
    walk = ProofWalk(requirements, root, map(requirements.id, entries), Random(0))
    return {requirements.texts[i]: requirements.numbers[i] for i in sorted(walk.entries)}
