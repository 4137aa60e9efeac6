"""The contract of a game.

`Game` is the required part. The optional parts are small protocols, named `Supports...`. A game
has a part by having its members: it need not derive from anything here, though it may.
`pns.tools.laws` checks the contract.
"""

from __future__ import annotations

from functools import lru_cache
from typing import (
    Callable,
    Iterable,
    List,
    NamedTuple,
    Optional,
    Protocol,
    Sequence,
    Tuple,
    cast,
    runtime_checkable,
)

Land = bytes
Sum = Tuple[Land, ...]


class NotationError(ValueError):
    """A text does not denote a position: the offset, what is wrong, and what to write.

    >>> str(NotationError("0*x", 2, "invalid number 'x'", "write 0*7 for seven spots"))
    "offset 2: invalid number 'x'; write 0*7 for seven spots"
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
    """The required part of the contract: a game of two players with perfect information.

    A land is an atomic position, given by its canonical key: non-empty printable ASCII
    ``bytes`` without white space, which is also the text that facts are stored under. A
    position is a sorted tuple of lands; the empty tuple is the position without moves, lost
    for the player to move.
    """

    name: str
    """Letters, digits, `.`, `_` and `-`: the name in commands and in the headers of files."""

    decomposes: bool
    """Whether positions split into lands that have Grundy numbers.

    True for an impartial game under normal play: both players have the same moves, and whoever
    cannot move loses.

    False for all other games, partisan or not. Only outcomes are searched then, and a position
    is one land, which says who is to move. Each child is one land, too, or empty. A land that
    the player to move has already lost has no children. A land that the player to move has
    already won has the empty position among its children. In a game with draws, the land also
    says for whom a draw counts as a win (`SupportsDraws`). For such a game only losses are
    stored, as the number 0. Its lands cannot be summed.
    """

    def parse(self, text: str) -> Sum:
        """The lands of a position; raises NotationError, and nothing else.

        Spaces around the text, and around the + between lands, are ignored.

        Required: parse(format(p)) == p, and the text of a land denotes it. Equal positions have
        equal lands, or at worst distinct lands of equal Grundy number.
        """

    def format(self, lands: Sum) -> str:
        """The canonical text of a position, on one line."""

    def children(self, land: Land) -> Iterable[Sum]:
        """The positions one move away from a land, each canonical, without duplicates.

        The order is the same at every call. Callers may stop early, and choose the first of
        equally good children, so likely losses for the player who then moves should come first.

        Required: every line of play ends.
        """

    def estimate(self, land: Land) -> Tuple[int, int]:
        """(size, branching) of a land, both at least 0 and cheap to compute.

        size is an upper bound on the number of moves left, and is smaller for every child.
        branching estimates the number of children; the initial disproof number of a leaf
        depends on it.
        """


@runtime_checkable
class SupportsIsLand(Protocol):
    """Optional: a game that recognises its lands faster than by parsing and formatting them."""

    def is_land(self, land: Land) -> bool:
        """True only for the canonical text of one land; False if this is not certain."""


@runtime_checkable
class SupportsLimitCaches(Protocol):
    """Optional: a game that caches enough to need a bound."""

    def limit_caches(self, most_bytes: Optional[int]) -> None:
        """Keep the caches within about `most_bytes` bytes; None restores the default.

        Required: children and estimates stay the same.
        """


@runtime_checkable
class SupportsMoreChildren(Protocol):
    """Optional: a game that begins to generate the children of a land behind the first ones."""

    def more_children(self, land: Land, known: Sequence[Sum]) -> Iterable[Sum]:
        """The children that `children` gives after the first ones, which are `known`."""


@runtime_checkable
class SupportsWork(Protocol):
    """Optional: a game that estimates the work for a land by more than its branching."""

    def work(self, land: Land) -> int:
        """What stands for the branching of `estimate` in the initial numbers of a leaf."""


@runtime_checkable
class SupportsPrior(Protocol):
    """Optional: a game with its own prior. Priors of this package are found by the game's name."""

    prior_file: str
    """The path of a file that `scripts/train_prior.py` has written; it need not exist."""


@runtime_checkable
class SupportsDraws(Protocol):
    """Optional: a game with draws. The text of a position says for whom a draw counts as a win."""

    def questions(self, text: str) -> Tuple[Sum, Sum]:
        """A position with a draw as a loss of the player to move, and with a draw as a win.

        The first asks "does the player to move win?", the second "does the player to move get at
        least a draw?". Raises NotationError.
        """

    def names_drawer(self, text: str) -> bool:
        """Whether the text says for whom a draw counts as a win, so that it asks one question."""


@runtime_checkable
class SupportsIsolatedSpots(Protocol):
    """Optional: a game whose lands have isolated spots, by which facts are counted."""

    def isolated_spots(self, land: Land) -> int:
        """The number of isolated spots of a land."""


@runtime_checkable
class SupportsDialects(Protocol):
    """Optional: a game whose lands other solvers write in ways of their own."""

    dialects: Tuple[str, ...]
    """Some of `pns.choices.DIALECTS`."""


class Picture(NamedTuple):
    """The picture of a land, as SVG and as text."""

    svg: str
    """One SVG element, which begins with `<svg `, needs no other file, and has a width and a
    height in whole pixels."""
    text: str
    """Lines for a terminal."""


@runtime_checkable
class SupportsDraw(Protocol):
    """Optional: a game whose lands have pictures. `pns.front.pictures` combines them."""

    def draw(self, land: Land) -> Picture:
        """The picture of a land."""


class SceneSize(NamedTuple):
    """A number on which a start depends: its name, its bounds, and what it is at first."""

    name: str
    least: int
    most: int
    value: int


class SceneMove(NamedTuple):
    """A move on a scene."""

    parts: Tuple[str, ...]
    """The elements to touch, in this order."""
    changes: Tuple[str, ...]
    """The elements that it changes."""
    after: str
    """The scene after it."""
    position: str
    """The position that this scene is."""


class Scene(NamedTuple):
    """A position as it lies on a table, where everything stays in its place during a game."""

    text: str
    """All that is seen; a text of its own, since a position forgets how its lands lay."""
    position: str
    """A text of the position, which the game reads."""
    svg: str
    """One SVG element; what can be touched has a `data-part` and an `aria-label`."""
    rows: str
    """The same as lines of text."""
    moves: List[SceneMove]
    """Those that the rules allow; two may lead to equal positions."""
    turn: str
    """Who is to move: a colour, perhaps with what this player does; "" where all may do all."""


class Scenes(Protocol):
    """How the positions of a game lie on a table.

    Required: the positions of the moves of a scene are the children of its position. Where the
    only child is the empty position, since the player to move wins at once, a scene has that
    move among others.
    """

    title: str
    """The name of the game, for people."""
    rules: str
    """Two sentences."""
    kind: str
    """ "cells", "heaps" or "graph": what is touched."""
    sizes: Tuple[SceneSize, ...]

    def start(self, values: Sequence[int]) -> str:
        """The scene, or the position, that a game of some sizes begins with."""

    def scene(self, text: str) -> Scene:
        """The scene of its text, or of that of a position; raises NotationError, and TooLarge."""


@runtime_checkable
class SupportsScenes(Protocol):
    """Optional: a game whose positions lie on a table."""

    scenes: Scenes


@runtime_checkable
class SupportsExamples(Protocol):
    """Optional: positions to try the game on."""

    examples: Tuple[str, ...]
    """Texts of small positions, each with a move; play begins with the first."""


@runtime_checkable
class SupportsSmallLands(Protocol):
    """Optional: a game that lists all its small lands, for strong solutions (`pns.strong`)."""

    def small_lands(self, lives: int) -> List[Land]:
        """All lands of at most `lives` lives, the starting positions first; raises ValueError."""


@runtime_checkable
class SupportsPlay(Protocol):
    """Optional: a game that is played by other positions than it is searched by."""

    for_search: Game
    """The same game as it is searched: itself, or that of which this is `for_play`."""

    def for_play(self) -> Game:
        """The same game with a position for each that a player meets; of the same name."""

    def searched(self, lands: Sum) -> Sum:
        """The position of `for_search` that stands for one of this game."""

    def has_ended(self, lands: Sum) -> bool:
        """Whether no move is left in a position of `for_play`, so that the player to move wins.

        A `searched` position for which it holds is won, too.
        """


def for_play(game: Game) -> Game:
    """The game by whose positions players play."""
    return game.for_play() if isinstance(game, SupportsPlay) else game


def for_search(game: Game) -> Game:
    """The game by whose positions searches go."""
    return game.for_search if isinstance(game, SupportsPlay) else game


def searched(game: Game, lands: Sum) -> Sum:
    """The position that is searched for one of a game."""
    return game.searched(lands) if isinstance(game, SupportsPlay) else lands


@runtime_checkable
class SupportsRecomputing(Protocol):
    """Optional: a game that takes for granted what was computed before."""

    def recomputing(self) -> Game:
        """The game without that, for audits: equal texts, equal rules, perhaps slower."""


def recomputing(game: Game) -> Game:
    """The game that takes nothing for granted."""
    return game.recomputing() if isinstance(game, SupportsRecomputing) else game


@lru_cache(maxsize=None)
def _supports(kind: type, part: type) -> bool:
    """issubclass with a cache, since it takes microseconds for a protocol."""
    return issubclass(kind, part)


def is_surely_land(game: Game, land: Land) -> bool:
    """Whether the `is_land` of a game recognises a land; False if the game has none."""
    return _supports(type(game), SupportsIsLand) and cast(SupportsIsLand, game).is_land(land)


def no_grundy_numbers(game: Game) -> str:
    """The message that a game has outcomes but no Grundy numbers."""
    return "%s has outcomes and no Grundy numbers" % game.name


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


def shown(lands: Sum) -> str:
    """The text of a position, cut off where it does not fit on a line."""
    text = b"+".join(lands).decode("ascii", "backslashreplace") or "!"
    return text if len(text) <= 100 else text[:97] + "..."


def limit_caches(game: Game, most_bytes: Optional[int]) -> None:
    """Call `limit_caches` of a game that has it."""
    if isinstance(game, SupportsLimitCaches):
        game.limit_caches(most_bytes)


def work_of(game: Game) -> Callable[[Land], int]:
    """What estimates the work for a land of a game: by default its branching."""
    if isinstance(game, SupportsWork):
        return game.work
    estimate = game.estimate
    return lambda land: estimate(land)[1]


def prior_file(game: Game) -> str:
    """The file of a game's own prior, "" if it has none."""
    return game.prior_file if isinstance(game, SupportsPrior) else ""


def read_position(game: Game, text: str) -> Sum:
    """The lands of a position; raises NotationError, and TypeError unless it is a string."""
    return game.parse(checked_text(text))


def checked_text(text: str) -> str:
    """The text of a position; raises TypeError unless it is a string."""
    if not isinstance(text, str):
        raise TypeError("invalid position %a; expected a string such as '0*5'" % (text,))
    return text


def children_of(game: Game, lands: Sum) -> List[Sum]:
    """The positions after one move in a sum, sorted and distinct."""
    found = {
        tuple(sorted(lands[:i] + lands[i + 1 :] + child))
        for i, land in enumerate(lands)
        if land not in lands[:i]
        for child in game.children(land)
    }
    return sorted(found)


def first_example(game: Game) -> str:
    """The first example of a game, "" if it has none."""
    return game.examples[0] if isinstance(game, SupportsExamples) and game.examples else ""
