"""Estimates the size of a game tree from random games [knuth1975] ([cizek2025], Appendix B).

The size is the number of terminal nodes. A random game that chooses among b₁, b₂, …, bₖ
children, each with the same probability, gives b₁ · b₂ ⋯ bₖ. It comes to a terminal node with the
probability 1 / (b₁ ⋯ bₖ), so the expected value is the number of terminal nodes: one for each
complete game.

In the tree with Grundy numbers a node is a couple P + *n. If P is one land, a child is chosen at
random among P' + *n and P + *m for m < n, and C(v) = b(v) · C(c). If P = P₁ + … + Pₖ, all
children are taken, and C(v) = Σ C(c): these are Pᵢ + *0, …, Pᵢ + *gᵢ for i < k, and Pₖ with the
heap n xor g₁ xor … . A terminal node has C = 1. The Grundy numbers gᵢ are guessed.

Values are ints, which have no limit: those of large positions do not fit into a float.
"""

from __future__ import annotations

from math import floor, log10
from random import Random
from statistics import stdev
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence

from pns.game import Game, Land, Sum

GAMES, COUPLES = TREES = ("games", "couples")
"""The tree of all games, and the tree with Grundy numbers, which games of outcomes lack."""
GrundyGuess = Callable[[Land], int]
"""A Grundy number for a land."""

BATCHES = 20
"""Batches of samples, the spread of whose means gives the standard error."""
TRUSTED_SHARE = 0.1
"""The standard error says nothing once one sample is this share of the sum of all."""
MOST_CACHED = 300_000
"""Children that are kept, about 100 bytes each."""


class Sampler:
    """Random games from positions of a game."""

    def __init__(self, game: Game, random: Random, guess: GrundyGuess = lambda land: 0) -> None:
        self._game = game
        self._random = random
        self._guess = guess
        self._children: Dict[Land, List[Sum]] = {}
        self._cached = 0

    def sample(self, tree: str, lands: Sum) -> int:
        """One value, whose expectation is the size of one of TREES."""
        return self.games(lands) if tree == GAMES else self.couples(lands, 0)

    def games(self, lands: Sum) -> int:
        """b₁ · b₂ ⋯ bₖ of a random game. Its expectation is the number of complete games."""
        value = 1
        while True:
            choices = [self._children_of(land) for land in dict.fromkeys(lands)]
            count = sum(map(len, choices))
            if not count:
                return value
            value *= count
            i = self._random.randrange(count)
            for land, children in zip(dict.fromkeys(lands), choices):
                if i < len(children):
                    place = lands.index(land)
                    lands = tuple(sorted(lands[:place] + lands[place + 1 :] + children[i]))
                    break
                i -= len(children)

    def couples(self, lands: Sum, heap: int) -> int:
        """C(v) of a random subtree below a couple of the tree with Grundy numbers.

        In a sum the smallest land by `Game.estimate` is the first, an order that the paper leaves
        open. A guess is at most the number of children, as every Grundy number is.
        """
        value = 1
        while len(lands) < 2:
            children = self._children_of(lands[0]) if lands else []
            count = len(children) + heap
            if not count:
                return value
            value *= count
            i = self._random.randrange(count)
            if i < len(children):
                lands = children[i]
            else:
                heap = i - len(children)
        *others, last = sorted(lands, key=self._size)
        total = 0
        for land in others:
            number = min(self._guess(land), len(self._children_of(land)))
            total += sum([self.couples((land,), n) for n in range(number + 1)])
            heap ^= number
        return value * (total + self.couples((last,), heap))

    def _size(self, land: Land) -> int:
        return self._game.estimate(land)[0]

    def _children_of(self, land: Land) -> List[Sum]:
        """The children of a land. Those of different lands of a sum lead to different positions."""
        found = self._children.get(land)
        if found is None:
            found = list(self._game.children(land))
            if self._cached + len(found) > MOST_CACHED:
                self._children.clear()
                self._cached = 0
            self._children[land] = found
            self._cached += len(found)
        return found


def around(mean: float, random: Random) -> GrundyGuess:
    """Guesses of either whole number beside a mean, so often that this is their mean.

    >>> guess = around(0.25, Random(0))
    >>> [guess(b"") for _ in range(8)]
    [1, 1, 0, 0, 0, 0, 1, 0]
    """
    return lambda land: floor(mean + random.random())


class Estimate(NamedTuple):
    """The mean of random values, and their spread; logarithms are to the base 10."""

    samples: int
    log_size: float
    """Of the mean of the values, the estimate of the size."""
    error: Optional[float]
    """Standard error of the mean, divided by it, from the means of BATCHES batches; None for less
    than two values."""
    deviation: Optional[float]
    """Standard deviation of the values, divided by their mean; None for less than two values."""
    log_low: float
    """Of the 1st percentile of the values."""
    log_high: float
    """Of the 99th percentile."""
    greatest_share: float
    """The greatest value, divided by the sum of all."""

    @property
    def is_trusted(self) -> bool:
        """Whether the standard error means anything: no value is a large share of their sum.

        A mean that rests on few values is more likely too small than too large, since greater
        values have not been met yet [chatterjee2018].
        """
        return self.greatest_share < TRUSTED_SHARE


def trees_of(game: Game) -> Sequence[str]:
    """Those of TREES that a game has."""
    return TREES if game.decomposes else TREES[:1]


def estimated(values: Sequence[int]) -> Estimate:
    """What values from independent random games tell; there is at least one, all are positive.

    >>> found = estimated([1, 1, 1, 997])
    >>> found.samples, round(found.log_size, 3), found.is_trusted, estimated([7]).error
    (4, 2.398, False, None)
    """
    count, total, ranked = len(values), sum(values), sorted(values)
    batches = [values[i::BATCHES] for i in range(min(count, BATCHES))]
    error = deviation = None
    if count > 1:
        means = [count * sum(batch) / (len(batch) * total) for batch in batches]
        error = stdev(means) / len(means) ** 0.5
        deviation = stdev([count * value / total for value in values])
    low, high = ranked[(count - 1) // 100], ranked[-1 - (count - 1) // 100]
    log_size = log10(total) - log10(count)
    return Estimate(count, log_size, error, deviation, log10(low), log10(high), ranked[-1] / total)
