"""Simpler positions of the same Grundy number, which a search may put in place of children."""

from __future__ import annotations

from typing import (
    Callable,
    Iterable,
    List,
    Optional,
    Protocol,
    Sequence,
    Tuple,
    runtime_checkable,
)

from pns.game import Game, Land, Sum
from pns.positions.analogy import SupportsAnalogies
from pns.positions.wrapped import WrappedGame, find_wrapper

LandExchange = Tuple[bytes, bytes]
"""What may stand for what within a position, in the texts of a game."""


@runtime_checkable
class SupportsSimplify(Protocol):
    """Optional: a game that knows simpler positions."""

    def simplify(self, lands: Sum) -> Sum:
        """A position of the same Grundy number, sorted; often the same one.

        Required: its lands are smaller, by `Game.estimate`, than any land with a move to `lands`.
        """

    def simplified_children(self, land: Land) -> Iterable[Sum]:
        """The children of a land by `simplify`, distinct, in the order of `Game.children`."""

    def more_simplified_children(self, land: Land, known: Sequence[Sum]) -> Iterable[Sum]:
        """Those that `simplified_children` gives after the first ones, which are `known`."""

    def exchanges(self, lands: Sum) -> List[LandExchange]:
        """What `simplify` exchanges in a position; a certificate lists it."""

    def simplifier(self, exchanges: Sequence[LandExchange]) -> Callable[[Sum], Sum]:
        """`simplify` with some exchanges only; raises ValueError for one that does not hold."""


class Simplified(WrappedGame):
    """A game whose children are replaced by simpler positions, where it knows any.

    A land keeps its Grundy number. Raises ValueError for a game that has no `simplify`.
    """

    def __init__(self, game: Game) -> None:
        if not isinstance(game, SupportsSimplify):
            raise ValueError("%s does not define simpler positions" % game.name)
        super().__init__(game)
        self.simplify, self._children = game.simplify, game.simplified_children
        self.more_children = game.more_simplified_children
        if isinstance(game, SupportsAnalogies):
            self.analogies = game.analogies

    def children(self, land: Land) -> Iterable[Sum]:
        return self._children(land)


def searched(game: Game, simplify: Optional[bool]) -> Game:
    """The game with simpler positions or without; None stands for with them if it knows any.

    Raises ValueError if it is to have them and knows none.
    """
    wanted = isinstance(game, SupportsSimplify) if simplify is None else simplify
    return Simplified(game) if wanted else game


def find_simplified(game: Game) -> Optional[Simplified]:
    """The game of simpler positions that a game is or wraps, None if there is none."""
    return find_wrapper(game, Simplified)


def simplified(game: Game, lands: Sum) -> Sum:
    """The simpler position that a game knows, the same one if it knows none."""
    return game.simplify(lands) if isinstance(game, SupportsSimplify) else lands
