"""The rules of a game for an audit: those of the search, or a second implementation.

A game may have a second implementation of its rules that shares nothing with the search
(`SupportsSecondRules`). An audit asks it where it is to be independent, and for what the first
rules do not show: they look a land up under its text, the second rules under one key for all its
texts.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import (
    Callable,
    ContextManager,
    Iterable,
    Iterator,
    List,
    Optional,
    Protocol,
    Sequence,
    runtime_checkable,
)

from pns.checker import work
from pns.checker.work import TooMuchWork, limited
from pns.finding import find_game
from pns.game import Game, Land, Sum, TooLarge, recomputing, shown
from pns.positions.simplify import LandExchange, SupportsSimplify

MOST_CHILDREN = 300_000
"""Children, repeated ones included, that the check of one entry may generate."""


class TooExpensive(ValueError):
    """An entry, or a claim, whose check takes more work than is allowed."""


class Rules(Protocol):
    """The rules of a game for an audit: moves, and one key for all texts of a land."""

    chunk: int
    """Entries that a process checks between two reports; fewer by slower rules."""

    def limited(self) -> ContextManager[None]:
        """Allow the work of one entry within; beyond it TooLarge or TooMuchWork is raised."""

    def key(self, land: Land) -> Land:
        """The text under which a land is looked up; raises ValueError for a bad text."""

    def children(self, key: Land) -> Iterable[Sum]:
        """The children of a land, as keys, one by one as they are asked for; may repeat them."""

    def candidate_children(self, key: Land) -> Iterable[Sum]:
        """At least those children whose lands may all be entries."""

    def simpler(self, lands: Sum) -> Iterable[Sum]:
        """Other positions of the same Grundy number, that may stand for one; none if not wanted."""


@runtime_checkable
class SecondRules(Rules, Protocol):
    """Rules under whose keys isomorphic lands are one; they share nothing with the search."""

    def note(self, key: Land) -> None:
        """Remember that a key is an entry. Before the first, every land may be an entry."""

    def holds(self, exchange: LandExchange) -> bool:
        """Whether play shows an exchange; raises ValueError for what is none, and TooMuchWork."""


@runtime_checkable
class SupportsSecondRules(Protocol):
    """Optional: a game with a second implementation of its rules."""

    def second_rules(
        self, simplify: bool = False, exchanges: Optional[Sequence[LandExchange]] = None
    ) -> SecondRules:
        """The second rules.

        With `simplify` they know simpler positions that are worth the same: by these exchanges, or
        by all that the game knows.
        """


class FastRules:
    """The rules as the search uses them; a canonical text is its own key."""

    chunk = 16

    def __init__(
        self, game: Game, simplify: bool = False, exchanges: Optional[Sequence[LandExchange]] = None
    ) -> None:
        self._game = game
        self._simplify: Optional[Callable[[Sum], Sum]] = None
        if simplify and isinstance(game, SupportsSimplify):
            self._simplify = game.simplify if exchanges is None else game.simplifier(exchanges)
        self.children_left = MOST_CHILDREN

    @contextmanager
    def limited(self) -> Iterator[None]:
        self.children_left = MOST_CHILDREN
        yield

    def key(self, land: Land) -> Land:
        return land

    def children(self, key: Land) -> Iterator[Sum]:
        for child in self._game.children(key):
            self.children_left -= 1
            if self.children_left < 0:
                raise TooMuchWork("this takes more work than is allowed")
            yield child

    candidate_children = children

    def simpler(self, lands: Sum) -> Iterable[Sum]:
        if self._simplify is None:
            return ()
        simpler = self._simplify(lands)
        return () if simpler == lands else (simpler,)


def find_rules(
    game_name: str,
    independent: bool = False,
    simplify: bool = False,
    exchanges: Optional[Sequence[LandExchange]] = None,
) -> Rules:
    """The rules to audit a game by; raises ValueError where ``independent`` ones are missing.

    With ``simplify`` they know simpler positions that are worth the same: by these exchanges, or
    by all that the game knows. Raises ValueError for an exchange that does not hold.
    """
    if not independent:
        return FastRules(recomputing(find_game(game_name)), simplify, exchanges)
    game = find_game(game_name)
    if not isinstance(game, SupportsSecondRules):
        raise ValueError("there is no second implementation of %s" % game_name)
    return game.second_rules(simplify, exchanges)


def bad_exchanges(
    game: Game, exchanges: Sequence[LandExchange], independent: bool = False
) -> List[LandExchange]:
    """Those of a certificate's exchanges that are not shown to hold. Raises TooExpensive."""
    try:
        with limited(work.MOST_WORK):
            return [one for one in exchanges if not _is_shown(game, one, independent)]
    except TooMuchWork as error:
        raise TooExpensive("the exchanges: %s" % error) from error


def _is_shown(game: Game, exchange: LandExchange, independent: bool) -> bool:
    """Whether an exchange holds; raises TooMuchWork."""
    try:
        if independent and isinstance(game, SupportsSecondRules):
            return game.second_rules().holds(exchange)
        assert isinstance(game, SupportsSimplify)  # a certificate of another game lists none
        game.simplifier([exchange])
        return True
    except TooMuchWork:
        raise
    except ValueError:
        return False


@contextmanager
def work_for(rules: Rules, what: str, lands: Sum) -> Iterator[None]:
    """Allow the work of one entry, or of a claim; raises TooExpensive, which names it."""
    try:
        with rules.limited():
            yield
    except (TooLarge, TooMuchWork) as error:
        raise TooExpensive("%s %s: %s" % (what, shown(lands), error)) from error
