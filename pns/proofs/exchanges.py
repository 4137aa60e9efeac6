"""Which exchanges a proof rests on: what its certificate has to list."""

from __future__ import annotations

from typing import Dict, FrozenSet, Iterator, Set, Tuple

from pns.game import Game, Land, Sum
from pns.positions.simplify import LandExchange, SupportsSimplify
from pns.proofs.check import known

Way = FrozenSet[LandExchange]
"""Exchanges by which a requirement is met."""
NONE: Way = frozenset()


class NeedsMore(ValueError):
    """Entries, or a claim, that hold by no exchange: perhaps because two equal lands cancel."""


def needed_exchanges(
    game: Game, entries: Dict[Land, int], lands: Sum, wins: bool
) -> Tuple[LandExchange, ...]:
    """Exchanges by which all entries hold and show who wins a position, sorted.

    They are few, but not the fewest: of several ways the one is taken that needs the fewest which
    were not taken before. Raises NeedsMore for an entry that holds by none that the game knows, and
    for a claim that does not follow.
    """
    needs = Needs(game, entries)
    required: Set[FrozenSet[Way]] = set()
    for land, number in entries.items():
        required.update(needs.of_entry(land, number))
    required.add(needs.of_claim(lands, wins))
    taken: Set[LandExchange] = set()
    for ways in sorted(required, key=lambda ways: (len(ways), sorted(map(sorted, ways)))):
        taken |= min(ways, key=lambda way: (len(way - taken), sorted(way)))
    return tuple(sorted(taken))


class Needs:
    """The ways to meet what entries require, by exchanges."""

    def __init__(self, game: Game, entries: Dict[Land, int]) -> None:
        assert isinstance(game, SupportsSimplify)
        self._game: Game = game
        self._simplify, self._exchanges = game.simplify, game.exchanges
        self._lookup = lambda land: entries.get(land, -1)
        self._options: Dict[Land, Dict[int, Set[Way]]] = {}

    def number(self, lands: Sum) -> Tuple[int, Way]:
        """(the Grundy number of a position, what is exchanged to know it), or (-1, NONE)."""
        for shape, way in self._shapes(lands):
            number = known(shape, self._lookup)
            if number >= 0:
                return number, way
        return -1, NONE

    def _shapes(self, lands: Sum) -> Iterator[Tuple[Sum, Way]]:
        """A position as it is, and a simpler one with the exchanges that lead to it."""
        yield lands, NONE
        simpler = self._simplify(lands)
        if simpler != lands:
            yield simpler, frozenset(self._exchanges(lands))

    def of_entry(self, land: Land, number: int) -> Iterator[FrozenSet[Way]]:
        """The ways to meet each requirement of an entry; nothing for what needs no exchange."""
        options = self._options_of(land)
        required = [options.get(i, set()) for i in range(number)]
        for child in self._game.children(land):
            found, way = self.number(child)
            if found == number:
                required.append(set())
            elif found < 0 or way:
                required.append(self._answers(child, number) | ({way} if way else set()))
        for ways in required:
            if not ways:
                raise NeedsMore("%s %d does not hold" % (land.decode("ascii"), number))
            if NONE not in ways:
                yield frozenset(ways)

    def of_claim(self, lands: Sum, wins: bool) -> FrozenSet[Way]:
        """The ways to know who wins a position; raises NeedsMore."""
        if wins:
            ways = self._answers(lands, 0)
        else:
            number, way = self.number(lands)
            ways = {way} if number == 0 else set()
        if not ways:
            raise NeedsMore("the claim does not follow")
        return frozenset(ways)

    def _answers(self, lands: Sum, number: int) -> Set[Way]:
        ways: Set[Way] = set()
        for shape, way in self._shapes(lands):
            for i, land in enumerate(shape):
                others = known(shape[:i] + shape[i + 1 :], self._lookup)
                if others >= 0:
                    for more in self._options_of(land).get(number ^ others, ()):
                        ways.add(way | more)
            if NONE in ways:
                break
        return ways

    def _options_of(self, land: Land) -> Dict[int, Set[Way]]:
        """The ways to know options of a land, by the number of the option."""
        found = self._options.get(land)
        if found is None:
            found = self._options[land] = {}
            for child in self._game.children(land):
                number, way = self.number(child)
                if number >= 0:
                    found.setdefault(number, set()).add(way)
            for number, ways in found.items():
                if NONE in ways:
                    found[number] = {NONE}
        return found
