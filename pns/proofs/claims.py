"""Numbers that analogies suggest, and what their entries would require.

A *claim* is a Grundy number of a land that no fact gives, but lands like it. An entry for it
holds if its requirements are met (`pns.proofs.requirements`), by facts or by other claims. What
no claim meets is a *gap*: a couple to be searched for. It has an id like a land's, and is a way
to meet the requirement. Claims may be wrong; nothing is concluded from them before all of them
have been proved.
"""

from __future__ import annotations

from typing import Callable, Dict, Iterable, List, Set, Tuple

from pns.game import Game, Land, Sum, children_of
from pns.positions.analogy import Guess, SupportsAnalogies, guess
from pns.proofs.check import known, without_pairs
from pns.proofs.requirements import Requirements, Way, Ways, smallest, without_implied

Lookup = Callable[[Land], int]
Gap = Tuple[Sum, int]
"""A position and a heap: that position + heap is a win has to be shown."""

STRONG, WEAK = 3.0, 0.5
"""The least weight of a claim, and of one that is made only for a gap."""
MOST_ADOPTED = 3
"""Weak claims made for a gap."""


class Doubtful(Exception):
    """A claim that facts or surer claims contradict."""

    def __init__(self, land: Land) -> None:
        super().__init__(land)
        self.land = land


class AnalogyClaims(Requirements):
    """The requirements of claims: what facts alone meet is left out, and gaps are noted.

    `facts` gives the number of a fact, -1 for an unknown land. A claim's land is doubted once
    it is found to be wrong, and not claimed again. `is_tried(gap)` says whether a search for a
    gap has failed: weaker claims may meet such a gap, too. `gap_of` has the gaps by their ids.
    """

    def __init__(self, game: Game, facts: Lookup, is_tried: Callable[[Gap], bool]) -> None:
        assert isinstance(game, SupportsAnalogies)
        super().__init__(game, self.number)
        self._alike: SupportsAnalogies = game
        self._facts = facts
        self._is_tried = is_tried
        self._guesses: Dict[Land, Guess] = {}
        self._adopted: Dict[Land, int] = {}
        self._doubted: Set[Land] = set()
        self._refuted: Set[Gap] = set()
        self.gap_of: Dict[int, Gap] = {}
        self._gap_ids: Dict[Gap, int] = {}

    # --- numbers ------------------------------------------------------------------

    def number(self, land: Land) -> int:
        """The number of a fact or of a claim, -1 if there is neither."""
        number = self._facts(land)
        if number >= 0 or land in self._doubted:
            return number
        number = self._adopted.get(land, -1)
        if number >= 0:
            return number
        found = self._guess(land)
        return found.number if found.weight >= STRONG else -1

    def _guess(self, land: Land) -> Guess:
        found = self._guesses.get(land)
        if found is None:
            found = self._guesses[land] = guess(self._alike, land, self._facts)
        return found

    def weight(self, i: int) -> float:
        """How sure a claim is."""
        return self._guess(self.texts[i]).weight

    def fact(self, lands: Sum) -> int:
        """The number that facts give a position, -1 if one is missing."""
        return known(lands if len(lands) < 2 else without_pairs(lands), self._facts)

    def way(self, lands: Sum) -> Tuple[int, Way]:
        """(number, the claims that it rests on) of a position; (-1, ()) if a land is unknown."""
        number, claimed = 0, []
        for land in lands if len(lands) < 2 else without_pairs(lands):
            found = self._facts(land)
            if found < 0:
                found = self.number(land)
                if found < 0:
                    return -1, ()
                claimed.append(land)
            number ^= found
        return number, tuple(sorted({self.id(land) for land in claimed}))

    def outcome(self, lands: Sum) -> Tuple[bool, Ways]:
        """Whether a position is a win by facts and claims, and the ways to show it; () for none."""
        number, way = self.way(lands)
        if number == 0:
            return False, (way,)
        moves = map(self.way, self._after(lands))
        ways = {way for value, way in moves if value == 0} or self._adopt(lands, 0)
        return True, smallest(ways, self.sizes, self._most_ways)

    # --- requirements ---------------------------------------------------------------

    def _gap(self, gap: Gap) -> Way:
        """The way to meet a requirement by a search for a gap."""
        i = self._gap_ids.get(gap, -1)
        if i < 0:
            i = self._gap_ids[gap] = len(self.texts)
            self.gap_of[i] = gap
            self.texts.append(b"")
            self.sizes.append(sum([self._game.estimate(land)[0] for land in gap[0]]))
            self.numbers.append(-1)
            self._of_land[i] = []
        return (i,)

    def _find(self, land: Land, number: int) -> List[int]:
        """The requirements of a claim that facts alone do not meet; raises Doubtful."""
        if self._facts(land) >= 0:
            return []
        every: Set[Ways] = set()
        options = list(self._game.children(land))
        smaller = self._by_number(options, number)
        for i in range(number):
            if () not in smaller[i]:
                every.add(self._ways(land, ((land,), i), smaller[i]))
        for option in options:
            if self.fact(option) == number:
                raise Doubtful(land)
            if not self._is_met(option, number):
                every.add(self._ways(land, (option, number), self._claimed(land, option, number)))
        return [self.number_of(ways) for ways in without_implied(every)]

    def _by_number(self, options: List[Sum], number: int) -> List[Set[Way]]:
        """The ways in which an option has each number below `number`."""
        smaller: List[Set[Way]] = [set() for _ in range(number)]
        if number:
            for option in options:
                found, way = self.way(option)
                if 0 <= found < number:
                    smaller[found].add(way)
        return smaller

    def _is_met(self, option: Sum, number: int) -> bool:
        """Whether facts alone show that an option has another number."""
        return self.fact(option) >= 0 or any(
            self.fact(answer) == number for answer in self._after(option)
        )

    def _after(self, lands: Sum) -> Iterable[Sum]:
        """The positions after one move, as they are generated if there is one land."""
        return self._game.children(lands[0]) if len(lands) == 1 else children_of(self._game, lands)

    def _claimed(self, land: Land, option: Sum, number: int) -> Set[Way]:
        """The ways to show by claims that an option has another number; raises Doubtful."""
        found, direct = self.way(option)
        if found == number:
            raise Doubtful(self._least_sure(land, direct))
        ways = {direct} if found >= 0 else set()
        for answer in self._after(option):
            found, way = self.way(answer)
            if found == number:
                ways.add(way)
        return ways

    def _least_sure(self, land: Land, others: Way) -> Land:
        """The land, or the least sure of others if it is less sure than that."""
        least = min(others, key=self.weight)
        return self.texts[least] if self.weight(least) < self._guess(land).weight else land

    def _ways(self, land: Land, gap: Gap, ways: Set[Way]) -> Ways:
        """The ways of a requirement; without claims that meet it, a gap, or weak claims."""
        if not ways:
            if gap in self._refuted:
                raise Doubtful(land)
            ways = {self._gap(gap)}
            if self._is_tried(gap):
                ways |= self._adopt(*gap)
        return smallest(ways, self.sizes, self._most_ways)

    def _adopt(self, lands: Sum, number: int) -> Set[Way]:
        """Make the surest weak claims by which an option has a number; the ways that they are."""
        found = []
        for option in self._after(lands):
            weak = self._weak(option, number)
            if weak:
                found.append((-self._guess(weak).weight, self._game.estimate(weak), option, weak))
        ways = set()
        for _, _, option, land in sorted(found)[:MOST_ADOPTED]:
            self._adopted[land] = self._guess(land).number
            value, way = self.way(option)
            if value == number:
                ways.add(way)
        return ways

    def _weak(self, lands: Sum, number: int) -> Land:
        """The only unknown land of a position, if its guess gives a number; else b""."""
        unknown = b""
        for land in without_pairs(lands):
            found = self.number(land)
            if found < 0:
                found = self._guess(land).number
                if unknown or found < 0 or land in self._doubted or self._guess(land).weight < WEAK:
                    return b""
                unknown = land
            number ^= found
        return b"" if number else unknown

    # --- changes ------------------------------------------------------------------

    def refute(self, gap: Gap) -> None:
        """Note that a gap was searched for and cannot be met."""
        self._refuted.add(gap)

    def doubt(self, land: Land) -> None:
        """Do not claim a number of a land, and forget what rests on it."""
        self._doubted.add(land)
        self._adopted.pop(land, None)
        self._forget({self.id(land)})

    def renew(self) -> None:
        """Look up facts again: some have become known. Forget what that may change."""
        self._guesses = {
            land: found for land, found in self._guesses.items() if found.weight >= STRONG
        }
        changed = set(self.gap_of)
        for land, i in self._ids.items():
            number = self.number(land)
            if number != self.numbers[i] or self._facts(land) >= 0:
                changed.add(i)
                self.numbers[i] = number
        self._forget(changed)

    def _forget(self, changed: Set[int]) -> None:
        """Forget the requirements of these claims, and of those that may rest on them."""
        resting = {
            requirement
            for requirement, ways in enumerate(self.ways)
            if any(not changed.isdisjoint(way) for way in ways)
        }
        for i, requirements in list(self._of_land.items()):
            if i not in self.gap_of and (i in changed or not resting.isdisjoint(requirements)):
                del self._of_land[i]
