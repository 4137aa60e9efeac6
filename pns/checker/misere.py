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

import re
from typing import Dict, FrozenSet, Iterator, List, Optional, Sequence, Set, Tuple

from pns.checker.sprouts import (
    FIRST,
    Land,
    lands,
    least_text,
    moves,
    profile,
    read,
    reduced,
    renamed,
)
from pns.checker.work import spend

FEW_LIVES = 10
"""A land with at most this many lives is replaced by its reduced game."""
LONGEST_TREE = 60
"""Characters; trees that are nested deeper are refused with it."""
MOST_HEAP = 60
TREE_TOKEN = re.compile(r"[0-9]{1,2}|[(),]", re.ASCII)
WON_FORM = "*"
"""The form of a position without large lands that the player to move wins."""
KEPT_MOVES = 500
"""Large lands whose moves are kept."""

MiserePosition = Tuple[Tuple[str, ...], int]
"""Canonical texts of large lands, and the number of a reduced game."""
Move = Tuple[List[int], Tuple[Land, ...]]
"""The profiles of the large lands after a move of one land, and all lands then."""


class ReducedGames:
    """Games to which no rule applies any more, numbered as they are found; 0 has no options."""

    def __init__(self) -> None:
        self.options: List[FrozenSet[int]] = []
        self.won: List[bool] = []
        self.numbers: Dict[FrozenSet[int], int] = {}
        self.sums: Dict[Tuple[int, int], int] = {}
        self.number(frozenset())

    def player_wins(self, options: FrozenSet[int]) -> bool:
        """Whether the player to move wins: there is no move, or one to a lost game."""
        return not options or any(not self.won[option] for option in options)

    def number(self, options: FrozenSet[int]) -> int:
        """The number of a game with some options to which no rule applies."""
        if options not in self.numbers:
            self.numbers[options] = len(self.options)
            self.options.append(options)
            self.won.append(self.player_wins(options))
        return self.numbers[options]

    def reduce(self, options: FrozenSet[int]) -> int:
        """The reduced game that is equal to a game with some options."""
        for left in sorted({after for option in options for after in self.options[option]}):
            spend(1 + len(options))
            kept = self.options[left]
            if not kept <= options or not all(left in self.options[a] for a in options - kept):
                continue
            if kept or self.player_wins(options):
                return left
        return self.number(options)

    def sum(self, first: int, second: int) -> int:
        """The reduced game that is equal to the sum of two."""
        if not first or not second:
            return first + second
        pair = (min(first, second), max(first, second))
        if pair not in self.sums:
            spend(len(self.options[first]) + len(self.options[second]))
            found = [self.sum(option, second) for option in self.options[first]]
            found += [self.sum(first, option) for option in self.options[second]]
            self.sums[pair] = self.reduce(frozenset(found))
        return self.sums[pair]

    def heap(self, size: int) -> int:
        """The reduced game of a heap of Nim."""
        found: List[int] = []
        for _ in range(size + 1):
            found.append(self.reduce(frozenset(found)))
        return found[-1]

    def read(self, text: str) -> int:
        """The reduced game that a text without its star stands for; raises ValueError."""
        tokens = TREE_TOKEN.findall(text[: LONGEST_TREE + 1])
        open_lists: List[Set[int]] = [set()]
        wanted = True  # a game must come next
        for token in tokens:
            if token == "(" and wanted:
                open_lists.append(set())
            elif token == "," and not wanted and len(open_lists) > 1:
                wanted = True
            elif token == ")" and not wanted and len(open_lists) > 1:
                found = self.reduce(frozenset(open_lists.pop()))
                open_lists[-1].add(found)
            elif token.isdigit() and wanted and int(token) <= MOST_HEAP:
                open_lists[-1].add(self.heap(int(token)))
                wanted = False
            else:
                break
        else:
            if not wanted and len(open_lists) == 1 and "".join(tokens) == text:
                return open_lists[0].pop()
        raise ValueError("invalid tree %r; expected one such as 2 or (1,3)" % text[:60])


class MisereSprouts:
    """The rules of Sprouts in misère play, asked for as those of the other games.

    A position is a single land here, whose text is its *form*: large lands and a numbered game. The
    form ``!`` is that of small lands alone that are lost, the only positions without options.
    """

    decides_small_lands = True  # an entry may have the form "!"

    def __init__(self) -> None:
        self.games = ReducedGames()
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
