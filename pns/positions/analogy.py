"""Lands that are alike: what the numbers of known lands suggest about another one's.

A game knows by which changes of a land its Grundy number probably stays, or changes in a known
way. Nothing is concluded from that: `pns.proofs.extend` proves what it uses.
"""

from __future__ import annotations

from typing import Callable, Dict, Iterable, NamedTuple, Protocol, runtime_checkable

from pns.game import Land

SURE = 2.0
"""How many times as much weight as all others together a number needs to be suggested at all."""
MOST_DISPUTED = 1.5
"""The most weight that analogies give a number if others of their kind speak against it."""


class Analogy(NamedTuple):
    """A land whose Grundy number, xor `difference`, is probably that of another land.

    Firm ones decide; others count where they agree with them, or where no firm one is known.
    """

    land: Land
    difference: int
    weight: float
    firm: bool = True


@runtime_checkable
class SupportsAnalogies(Protocol):
    """Optional: a game that knows which lands are alike."""

    def analogies(self, land: Land) -> Iterable[Analogy]:
        """Lands like a land, with weights above 0, larger where it is surer. They may mislead."""


class Guess(NamedTuple):
    """A number that analogies suggest, -1 for none, and how much speaks for it."""

    number: int
    weight: float


NO_GUESS = Guess(-1, 0.0)


def guess(game: SupportsAnalogies, land: Land, lookup: Callable[[Land], int]) -> Guess:
    """The number that the known lands like a land suggest."""
    firm: Dict[int, float] = {}
    others: Dict[int, float] = {}
    for alike in game.analogies(land):
        number = lookup(alike.land)
        if number >= 0:
            number ^= alike.difference
            votes = firm if alike.firm else others
            votes[number] = votes.get(number, 0.0) + alike.weight
    if not firm:
        return _majority(others)
    number, weight = _majority(firm)
    return Guess(number, weight + others.get(number, 0.0)) if number >= 0 else NO_GUESS


def _majority(votes: Dict[int, float]) -> Guess:
    """The number with far more weight than all others together; what speaks for it."""
    if not votes:
        return NO_GUESS
    best = max(votes, key=lambda number: (votes[number], -number))
    weight = votes.pop(best)
    others = sum(votes.values())
    if not others:
        return Guess(best, weight)
    left = min(weight - SURE * others, MOST_DISPUTED)
    return Guess(best, left) if left > 0 else NO_GUESS
