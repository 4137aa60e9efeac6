"""Games that wrap another one, above all to change the order of its children."""

from __future__ import annotations

from typing import Callable, Iterable, Optional, Sequence, Tuple, Type, TypeVar

from pns.choices import PUBLISHED, SMALLEST
from pns.game import (
    Game,
    Land,
    Sum,
    SupportsMoreChildren,
    SupportsWork,
    is_surely_land,
    limit_caches,
    prior_file,
)

DEPTH_OF_HEAP = 4
"""Moves by which a heap of one more makes a couple deeper, in `PublishedOrder`."""


class WrappedGame:
    """A game that delegates to another one, for subclasses that change a part."""

    def __init__(self, game: Game) -> None:
        self.original = game
        self.name, self.decomposes = game.name, game.decomposes
        self.parse, self.format = game.parse, game.format
        self.prior_file = prior_file(game)
        self._work = game.work if isinstance(game, SupportsWork) else None

    def estimate(self, land: Land) -> Tuple[int, int]:
        return self.original.estimate(land)

    def children(self, land: Land) -> Iterable[Sum]:
        return self.original.children(land)

    def work(self, land: Land) -> int:
        return self._work(land) if self._work else self.estimate(land)[1]

    def is_land(self, land: Land) -> bool:
        return is_surely_land(self.original, land)

    def limit_caches(self, most_bytes: Optional[int]) -> None:
        limit_caches(self.original, most_bytes)


MoreChildren = Callable[[Land, Sequence[Sum]], Iterable[Sum]]


def more_children_of(game: Game) -> Optional[MoreChildren]:
    """How a game begins to generate children behind the first ones, None if it cannot."""
    return game.more_children if isinstance(game, SupportsMoreChildren) else None


Wrapper = TypeVar("Wrapper", bound=WrappedGame)


def find_wrapper(game: Game, kind: Type[Wrapper]) -> Optional[Wrapper]:
    """The game of a kind that a game is or wraps, None if there is none."""
    while isinstance(game, WrappedGame):
        if isinstance(game, kind):
            return game
        game = game.original
    return None


class SmallestFirst(WrappedGame):
    """A game whose children are generated at once, those with the fewest moves left first.

    Of these the ones with the fewest children of their own come first; both numbers are those of
    `Game.estimate`. Searches take the first of equal children, so this order breaks ties
    towards the positions that are solved soonest.
    """

    def children(self, land: Land) -> Iterable[Sum]:
        return sorted(self.original.children(land), key=self._estimate)

    def _estimate(self, lands: Sum) -> Tuple[int, int]:
        found = [self.original.estimate(land) for land in lands]
        return sum([size for size, _ in found]), sum([branching for _, branching in found])


class PublishedOrder(WrappedGame):
    """A game whose children are generated at once, in the order of the program of [cizek2025].

    `Couples` sorts the children of a couple by `rank`, too, once their heaps are known.
    """

    def children(self, land: Land) -> Iterable[Sum]:
        return sorted(self.original.children(land), key=self.rank)

    def rank(self, lands: Sum, heap: int = 0) -> Tuple[int, int, int]:
        """What lands + *heap is sorted by: its estimated depth, then more lands, fewer children.

        The depth is the number of moves left, by `Game.estimate`, plus 4 times the heap.
        """
        found = [self.original.estimate(land) for land in lands]
        depth = sum([size for size, _ in found]) + DEPTH_OF_HEAP * heap
        return depth, -len(lands), sum([branching for _, branching in found])


def ordered(game: Game, order: str) -> Game:
    """The game with its children in one of `pns.choices.ORDERS`."""
    if order == PUBLISHED:
        return PublishedOrder(game)
    return SmallestFirst(game) if order == SMALLEST else game
