"""The contract that a game meets, and the registry of games."""

from __future__ import annotations

from importlib import import_module
from typing import Dict, Iterable, List, Optional, Protocol, Tuple

Land = bytes
Sum = Tuple[Land, ...]


class NotationError(ValueError):
    """A position's text is not one: where, what is wrong, what would be right.

    >>> str(NotationError("0*x", 2, "'x' is no count", "write 0*7 for seven spots"))
    "offset 2: 'x' is no count; write 0*7 for seven spots"
    """

    def __init__(self, text: str, offset: int, wrong: str, right: str) -> None:
        super().__init__("offset %d: %s; %s" % (offset, wrong, right))
        self.text = text
        self.offset = offset
        self.wrong = wrong
        self.right = right


class TooLarge(ValueError):
    """A position that play leads to is larger than its representation can hold."""


class Game(Protocol):
    """What the search asks of an impartial game under normal play.

    A land is an atomic position under its canonical key, non-empty ASCII
    ``bytes`` without white space: it is also the text under which facts are
    stored. A position is a tuple of lands, sorted; the empty tuple is the
    position without moves.
    """

    name: str
    """The name in the registry and in the header of databases."""

    is_impartial: bool
    """False for a partisan game: its positions are never split into lands."""

    def parse(self, text: str) -> Sum:
        """The lands of a position; raises NotationError.

        Keeps: parse(format(p)) == p; equal positions give equal lands, or at
        worst distinct lands of equal Grundy number.
        """

    def format(self, lands: Sum) -> str:
        """The canonical text of a position, on one line."""

    def children(self, land: Land) -> Iterable[Sum]:
        """The options of a land, each canonical, without duplicates, the likely known ones first.

        Keeps: every line of play ends.
        """

    def estimate(self, land: Land) -> Tuple[int, int]:
        """(size, branching) of a land, both at least 0 and cheap to compute.

        size bounds the moves left from above and sorts lands for people;
        branching estimates the moves there are and starts disproof numbers.
        """


def check_land(game: Game, land: Land) -> None:
    """Raise ValueError unless ``land`` is the canonical text of one land.

    A game may have a method `is_land(land)` that is quicker than to read and to write: True
    only for canonical texts of one land, False where it cannot tell.
    """
    is_land = getattr(game, "is_land", None)
    if is_land is not None and is_land(land):
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
    """Text for a message, in quotes, not longer than a line."""
    return ascii(text[:60].decode("latin-1")) + ("..." if len(text) > 60 else "")


def limit_caches(game: Game, most_bytes: Optional[int]) -> None:
    """Keep what a game caches within about so many bytes; None stands for its default.

    A game that caches much has a method `limit_caches`; others need none.
    """
    limit = getattr(game, "limit_caches", None)
    if limit is not None:
        limit(most_bytes)


def children_of(game: Game, lands: Sum) -> List[Sum]:
    """The positions after one move in a sum, sorted and distinct."""
    found = {
        tuple(sorted(lands[:i] + lands[i + 1 :] + option))
        for i, land in enumerate(lands)
        if land not in lands[:i]
        for option in game.children(land)
    }
    return sorted(found)


GAMES: Dict[str, str] = {
    "sprouts": "pns.sprouts",
    "nim": "pns.games.nim",
    "kayles": "pns.games.kayles",
}
"""Names of games and the modules whose ``GAME`` implements them."""


def find_game(name: str) -> Game:
    """The game of that name; raises ValueError, naming the games there are."""
    if name not in GAMES:
        raise ValueError("no game %r; there are %s" % (name, ", ".join(sorted(GAMES))))
    game: Game = import_module(GAMES[name]).GAME
    return game
