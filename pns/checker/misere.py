"""Misère play of Sprouts: who makes the last move loses.

The entries of a certificate are lost positions, each with the number 0. A position is written as
lands and *trees*, as in ``0*9+*(2)``. A tree is a game of its own: ``*(1,3)`` has the options
``*1`` and ``*3``, and ``*3`` is a heap of Nim, with the options ``*0``, ``*1`` and ``*2``.

Two games are equal in misère play if the same player wins their sums with any third game. Let
the options of a game G be those of a game H and perhaps more. G is equal to H if H is an option
of each of the others (Conway, On Numbers and Games, chapter 12), and, where H has no options, if
the player to move wins G: this is the *proviso*. A game is *reduced* if no such H is smaller and
its options are reduced; equal games are reduced to the same one. A land of few lives is replaced
by its reduced game, and so is the sum of all trees.
"""

from __future__ import annotations

from itertools import chain
from typing import Dict, Iterator, List, Optional, Sequence, Set, Tuple

from pns.checker.misere_tails import MisereTails
from pns.checker.reduced_games import ReducedGames
from pns.checker.sprouts import (
    FIRST,
    Land,
    Position,
    lands,
    least_text,
    moves,
    profile,
    read,
    reduced,
    renamed,
)
from pns.checker.sprouts_tails import Proposals, simpler_positions, tail_of
from pns.checker.work import spend

FEW_LIVES = 10
"""A land with at most this many lives is replaced by its reduced game."""
WON_FORM = "*"
"""The form of a position without large lands that the player to move wins."""
KEPT_MOVES = 500
"""Large lands whose moves are kept."""

MiserePosition = Tuple[Tuple[str, ...], int]
"""Canonical texts of large lands, and the number of a reduced game."""
Move = Tuple[List[int], Tuple[Land, ...]]
"""The profiles of the large lands after a move of one land, and all lands then."""


class MisereSprouts:
    """The rules of Sprouts in misère play, asked for as those of the other games.

    A position is a single land here, whose text is its *form*: large lands and a numbered game. The
    form ``!`` is that of small lands alone that are lost, the only positions without options.
    """

    decides_small_lands = True  # an entry may have the form "!"

    def __init__(self) -> None:
        self.games = ReducedGames()
        self.tails = MisereTails(self.games, self.game_of_text)
        self.small: Dict[str, int] = {}
        self.moves: Dict[str, List[Move]] = {}
        """The moves of the large lands that were asked for last."""

    def read(self, text: str) -> MiserePosition:
        """The position that a text denotes; raises ValueError if it denotes none."""
        large: List[str] = []
        game = 0
        for part in text.split("+") if text != "!" else []:
            if part[:1] == "*":
                game = self.games.sum(game, self.games.read(part[1:]))
            else:
                more, other = self.parted(lands(reduced(read(part))))
                large += more
                game = self.games.sum(game, other)
        return tuple(sorted(large)), game

    def parted(self, parts: Sequence[Land]) -> MiserePosition:
        """The large lands of a position of Sprouts, and the sum of the games of the others."""
        game = 0
        for part in parts:
            if not is_large(part):
                game = self.games.sum(game, self.game_of(least_text(part)))
        return tuple(sorted(least_text(part) for part in parts if is_large(part))), game

    def game_of(self, land: str) -> int:
        """The reduced game of a small land, from those of its children."""
        if land not in self.small:
            options = frozenset(self.parted(parts)[1] for parts in children_of(land))
            self.small[land] = self.games.reduce(options)
        return self.small[land]

    def game_of_text(self, text: str) -> int:
        """The reduced game of a position of small lands."""
        return self.parted(lands(reduced(read(text))))[1]

    def moves_of(self, land: str) -> List[Move]:
        """The moves of a large land."""
        if land not in self.moves:
            if len(self.moves) >= KEPT_MOVES:
                self.moves.clear()
            self.moves[land] = [(profiles_of(parts), parts) for parts in children_of(land)]
        return self.moves[land]

    def form(self, position: MiserePosition) -> str:
        """The text of a position by which the check finds it again."""
        large, game = position
        if not large:
            return WON_FORM if self.games.won[game] else "!"
        return "&".join([*large, "%d" % game])

    def canonical(self, text: str) -> str:
        """The form of a position."""
        return self.form(self.read(text))

    def child_texts(self, text: str, familiar: Optional[Set[int]] = None) -> Iterator[str]:
        """The forms of the children of a form, some repeatedly.

        With ``familiar``, children that have large lands and another profile are left out.
        """
        if text in ("!", WON_FORM):
            yield from ["!"] if text == WON_FORM else []
            return
        *large, word = text.split("&")
        game = int(word)
        for option in self.games.options[game]:
            yield self.form((tuple(large), option))
        for i, land in enumerate(large):
            if i and land == large[i - 1]:
                continue
            rest = large[:i] + large[i + 1 :]
            others = profiles_of([part for one in rest for part in lands(read(one))])
            for profiles, parts in self.moves_of(land):
                spend(1)
                whole = others + profiles
                if familiar is None or not whole or together(whole) in familiar:
                    more, other = self.parted(parts)
                    position = tuple(sorted([*rest, *more])), self.games.sum(game, other)
                    yield self.form(position)

    def holds(self, text: str, other_text: str) -> bool:
        """Whether a tail may give way to another, from texts with A for the joint.

        Raises ValueError for an invalid tail.
        """
        return self.tails.heap_beside(tail_of(text), tail_of(other_text)) is not None

    def simpler_texts(self, text: str, proposals: Proposals) -> List[str]:
        """The forms to which exchanges of tails lead, equal to a form, without this one."""
        if text in ("!", WON_FORM):
            return []
        *large, word = text.split("&")
        found = self.exchanged(reduced(read("+".join(large))), int(word), proposals)
        return [other for other in dict.fromkeys(found) if other != text]

    def exchanged(self, position: Position, game: int, proposals: Proposals) -> Iterator[str]:
        """The forms to which exchanges lead from a position of Sprouts beside a reduced game."""
        for after, heap in simpler_positions(position, proposals, self.tails.heap_beside):
            yield self.form_beside(after, game, heap)

    def form_beside(self, position: Position, game: int, heap: int) -> str:
        """The form of a position of Sprouts beside a reduced game and a heap."""
        large, other = self.parted(lands(position))
        beside = self.games.sum(game, self.games.heap(heap))
        return self.form((large, self.games.sum(beside, other)))

    def familiar_texts(self, text: str, proposals: Proposals, familiar: Set[int]) -> Iterator[str]:
        """The forms of a form's children, and of simpler ones, that may be known."""
        if text in ("!", WON_FORM):
            yield from self.child_texts(text)
            return
        *large, word = text.split("&")
        game = int(word)
        position = reduced(read("+".join(large)))
        for option in self.games.options[game]:
            yield self.form((tuple(large), option))
            yield from self.exchanged(position, option, proposals)
        for after in moves(position):
            after = reduced(after)
            simpler = simpler_positions(after, proposals, self.tails.heap_beside)
            for one, heap in chain([(after, 0)], simpler):
                profiles = profiles_of(lands(one))
                if not profiles or together(profiles) in familiar:
                    yield self.form_beside(one, game, heap)

    def profile(self, text: str) -> int:
        """A number that positions with the same large lands share, and others rarely."""
        large, _ = self.read(text)
        return together(profiles_of([part for land in large for part in lands(read(land))]))


def is_large(land: Land) -> bool:
    """Whether a land is not replaced by a game."""
    spots = [x for region in land for word in region for x in word]
    names = {x for x in spots if x >= FIRST}
    return sum(FIRST - x for x in spots if x < FIRST) + len(names) > FEW_LIVES


def children_of(land: str) -> Set[Tuple[Land, ...]]:
    """The positions after a move in a land, as lands in letters."""
    found = set()
    for after in moves(reduced(read(land))):
        found.add(tuple(sorted(renamed(tuple(sorted(part))) for part in lands(reduced(after)))))
    return found


def profiles_of(parts: Sequence[Land]) -> List[int]:
    """The profiles of the large lands of a position."""
    return [profile(part) for part in parts if is_large(part)]


def together(profiles: List[int]) -> int:
    """A profile of all lands with some profiles."""
    return hash(tuple(sorted(profiles)))
