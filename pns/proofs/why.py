"""Browses a proof: the winning move of a won position, or the answer to each move of a lost one."""

from __future__ import annotations

from typing import Iterator, List, NamedTuple, Optional, Tuple

from pns.game import Game, Sum, children_of
from pns.proofs.check import Lookup, known, without_pairs


class Step(NamedTuple):
    """A position, its outcome, and the moves that show it.

    A won position has one winning move and no answers. A lost one has (move, answer) for
    each move; the answer leads to a lost position again. It is None where the entries
    show none.
    """

    position: Sum
    wins: Optional[bool]
    """None where the entries do not decide it."""
    move: Optional[Sum]
    answers: List[Tuple[Sum, Optional[Sum]]]


class Explainer:
    """Explains positions by the Grundy numbers that ``lookup`` gives (-1: unknown)."""

    def __init__(self, game: Game, lookup: Lookup) -> None:
        self._game = game
        self._lookup = lookup

    def number(self, lands: Sum) -> int:
        """The Grundy number of a position, -1 unless the entries show it; equal lands cancel."""
        return known(without_pairs(lands), self._lookup)

    def winning_move(self, lands: Sum) -> Optional[Sum]:
        """The child with Grundy number 0 that has the least size, None if none is known."""
        lost = [child for child in children_of(self._game, lands) if self.number(child) == 0]
        return min(lost, key=lambda child: (self._size(child), child), default=None)

    def _size(self, lands: Sum) -> int:
        return sum([self._game.estimate(land)[0] for land in lands])

    def explain(self, lands: Sum) -> Step:
        """Who wins a position, and why."""
        if self.number(lands) == 0:
            answers = [
                (child, self.winning_move(child)) for child in children_of(self._game, lands)
            ]
            return Step(lands, False, None, answers)
        move = self.winning_move(lands)
        wins = True if move is not None or self.number(lands) > 0 else None
        return Step(lands, wins, move, [])

    def to_the_end(self, lands: Sum) -> Iterator[Step]:
        """The steps of the position and of all positions that its proof leads to, each once."""
        waiting = [lands]
        seen = {lands}
        while waiting:
            step = self.explain(waiting.pop())
            yield step
            follow = [step.move, *[answer for _, answer in step.answers]]
            for position in reversed(follow):
                if position is not None and position not in seen:
                    seen.add(position)
                    waiting.append(position)
