"""The contract of a game, and the registry of games.

`Game` is the required part. The optional parts are protocols of one method each,
`SupportsIsLand` and `SupportsLimitCaches`. A game has a part by having its methods: it
need not derive from anything here, though it may.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import Dict, Iterable, List, Optional, Protocol, Tuple, cast, runtime_checkable

from pns.choices import GAMES, SMALLEST

Land = bytes
Sum = Tuple[Land, ...]


class NotationError(ValueError):
    """A text does not denote a position: where, what is wrong, what would be right.

    >>> str(NotationError("0*x", 2, "'x' is not a number", "write 0*7 for seven spots"))
    "offset 2: 'x' is not a number; write 0*7 for seven spots"
    """

    def __init__(self, text: str, offset: int, wrong: str, right: str) -> None:
        super().__init__("offset %d: %s; %s" % (offset, wrong, right))
        self.text = text
        self.offset = offset
        self.wrong = wrong
        self.right = right


class TooLarge(ValueError):
    """A position reached in play is too large for its representation."""


class Game(Protocol):
    """The required part of the contract: an impartial game under normal play.

    A land is an atomic position, given by its canonical key: non-empty ASCII
    ``bytes`` without white space, which is also the text that facts are stored
    under. A position is a sorted tuple of lands; the empty tuple is the position
    without moves.
    """

    name: str
    """The name in the registry and in the header of databases."""

    is_impartial: bool
    """False for a partisan game: its positions are never split into lands."""

    def parse(self, text: str) -> Sum:
        """The lands of a position; raises NotationError.

        Spaces around the text, and around the + between lands, mean nothing.

        Keeps: parse(format(p)) == p; equal positions give equal lands, or at
        worst distinct lands of equal Grundy number.
        """

    def format(self, lands: Sum) -> str:
        """The canonical text of a position, on one line."""

    def children(self, land: Land) -> Iterable[Sum]:
        """The positions one move away from a land, each canonical, without duplicates.

        Callers may stop early, so the positions most likely to be known come first.

        Keeps: every line of play ends.
        """

    def estimate(self, land: Land) -> Tuple[int, int]:
        """(size, branching) of a land, both at least 0 and cheap to compute.

        size is an upper bound on the number of moves left, and orders lands in
        listings; branching estimates the number of children, and initial disproof
        numbers grow with it.
        """


@runtime_checkable
class SupportsIsLand(Protocol):
    """Optional: a game that recognises its lands faster than by reading and writing them."""

    def is_land(self, land: Land) -> bool:
        """True only for the canonical text of one land; False where that is not certain."""


@runtime_checkable
class SupportsLimitCaches(Protocol):
    """Optional: a game that caches enough to need a bound."""

    def limit_caches(self, most_bytes: Optional[int]) -> None:
        """Keep the caches within about `most_bytes` bytes; None restores the default.

        Keeps: children and estimates stay the same.
        """


@lru_cache(maxsize=None)
def _supports(kind: type, part: type) -> bool:
    """issubclass, which takes microseconds for a protocol, remembered."""
    return issubclass(kind, part)


def is_surely_land(game: Game, land: Land) -> bool:
    """Whether the `is_land` of a game recognises a land; False if the game has none."""
    return _supports(type(game), SupportsIsLand) and cast(SupportsIsLand, game).is_land(land)


def check_land(game: Game, land: Land) -> None:
    """Raise ValueError unless ``land`` is the canonical text of one land."""
    if is_surely_land(game, land):
        return
    if not land.isascii():
        raise ValueError("%s is not ASCII" % shortened(land))
    text = land.decode("ascii")
    try:
        lands = game.parse(text)
    except NotationError as error:
        raise ValueError("%s: %s" % (shortened(land), error)) from error
    if len(lands) != 1:
        raise ValueError("%s is not one land but %d" % (shortened(land), len(lands)))
    if game.format(lands) != text:
        canonical = shortened(game.format(lands).encode())
        raise ValueError("%s is not canonical; %s is" % (shortened(land), canonical))


def shortened(text: bytes) -> str:
    """A text for a message: quoted, escaped, cut after 60 bytes."""
    return ascii(text[:60].decode("latin-1")) + ("..." if len(text) > 60 else "")


def limit_caches(game: Game, most_bytes: Optional[int]) -> None:
    """Call `limit_caches` of a game that has it."""
    if isinstance(game, SupportsLimitCaches):
        game.limit_caches(most_bytes)


class WrappedGame:
    """A game that takes everything from another one, for subclasses that change a part."""

    def __init__(self, game: Game) -> None:
        self.original = game
        self.name, self.is_impartial = game.name, game.is_impartial
        self.parse, self.format = game.parse, game.format

    def estimate(self, land: Land) -> Tuple[int, int]:
        return self.original.estimate(land)

    def children(self, land: Land) -> Iterable[Sum]:
        return self.original.children(land)

    def is_land(self, land: Land) -> bool:
        return is_surely_land(self.original, land)

    def limit_caches(self, most_bytes: Optional[int]) -> None:
        limit_caches(self.original, most_bytes)


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


def ordered(game: Game, order: str) -> Game:
    """The game with its children in one of `pns.choices.ORDERS`."""
    return SmallestFirst(game) if order == SMALLEST else game


def children_of(game: Game, lands: Sum) -> List[Sum]:
    """The positions after one move in a sum, sorted and distinct."""
    found = {
        tuple(sorted(lands[:i] + lands[i + 1 :] + child))
        for i, land in enumerate(lands)
        if land not in lands[:i]
        for child in game.children(land)
    }
    return sorted(found)


_registered: Dict[str, Game] = {}


def register(game: Game) -> None:
    """Let a game of one's own be found by its name, in this process and those forked from it.

    A game registered before under the same name is replaced. Raises ValueError for the name of a
    game of the package.
    """
    if game.name in GAMES:
        raise ValueError("%r is a game of the package; choose another name" % game.name)
    _registered[game.name] = game


def find_game(name: str) -> Game:
    """The game with a name; raises ValueError with the names of all games."""
    if name in _registered:
        return _registered[name]
    if name not in GAMES:
        known = ", ".join(sorted([*GAMES, *_registered]))
        raise ValueError("no game %r; there are %s" % (name, known))
    game: Game = import_module(GAMES[name]).GAME
    return game
