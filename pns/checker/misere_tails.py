"""Tails in misère play: which of them give way to others, proved by reduced games.

A tail may give way to another and a heap *k, k = 0 or 1, if the lands with any rest are equal
in misère play. Two games that can move are equal if each option of one is equal to an option of
the other, or has an option that is equal to the other. A move of the rest has its like beside
the other tail. Where it uses the joint, it leaves of each tail what is left without the joint.
So only moves of the tails are compared here.
"""

from __future__ import annotations

from typing import Callable, Dict, List, Optional, Tuple

from pns.checker.reduced_games import ReducedGames
from pns.checker.sprouts_tails import Played, Tail, played_by, total_lives

TailBeside = Tuple[Tail, int]
"""A tail, and the number of a reduced game beside its land."""


class MisereTails:
    """Which tails give way to others; what is beside them are reduced games."""

    def __init__(self, games: ReducedGames, game_of: Callable[[str], int]) -> None:
        self.games = games
        self.game_of = game_of
        self.seen: Dict[Tail, Played] = {}
        self.shown: Dict[Tuple[Tail, Tail, int], bool] = {}

    def heap_beside(self, tail: Tail, other: Tail) -> Optional[int]:
        """The k of the heap that takes the place of a tail with another, None if it may not.

        Both together have no more lives than the tail, so that no proof can go round in a circle.
        """
        fitting = [k for k in (0, 1) if total_lives(other) + k <= total_lives(tail)]
        return next((k for k in fitting if self.are_equal(tail, other, k)), None)

    def are_equal(self, one: Tail, two: Tail, k: int) -> bool:
        """Whether one tail, and another beside *k, are shown to be equal with every rest."""
        if one == two:
            return k == 0
        if (one, two, k) not in self.shown:
            self.shown[one, two, k] = self.leave_the_same(one, two, k) and self.answer(one, two, k)
        return self.shown[one, two, k]

    def leave_the_same(self, one: Tail, two: Tail, k: int) -> bool:
        """Whether moves at the joint leave the same of two tails, but for *k.

        If they do, both have a move at the joint, whatever the rest is.
        """
        first, second, heap = self.played(one), self.played(two), self.games.heap(k)
        left = {self.games.sum(game, heap) for game in second.at_joint}
        alone = self.games.sum(second.alone, heap)
        return bool(left) and first.at_joint == left and first.alone == alone

    def answer(self, one: Tail, two: Tail, k: int) -> bool:
        """Whether each option of one tail, and of another beside *k, is equal or reversible."""
        first, second = (one, 0), (two, self.games.heap(k))
        return all(
            any(self.same(option, like) for like in self.options(other))
            or any(self.same(after, other) for after in self.options(option))
            for this, other in ((first, second), (second, first))
            for option in self.options(this)
        )

    def options(self, tail_beside: TailBeside) -> List[TailBeside]:
        """What moves lead to that do not use the joint."""
        tail, game = tail_beside
        found = [(after, self.games.sum(game, left)) for after, left in self.played(tail).options]
        return found + [(tail, option) for option in self.games.options[game]]

    def same(self, first: TailBeside, second: TailBeside) -> bool:
        """Whether two tails, each beside a game, are shown to be equal with every rest."""
        (one, left), (two, right) = first, second
        if one == two:
            return left == right
        return any(
            self.games.sum(left, self.games.heap(k)) == right
            and (self.are_equal(one, two, k) or self.are_equal(two, one, k))
            for k in (0, 1)
        )

    def played(self, tail: Tail) -> Played:
        """The options of a tail, and what is left of it without its joint."""
        if tail not in self.seen:
            self.seen[tail] = played_by(tail, self.game_of)
        return self.seen[tail]
