"""Browses a proof: the winning move of a won position, or the answer to each move of a lost one."""

from __future__ import annotations

from typing import Iterator, List, NamedTuple, Optional, Tuple

from pns.game import Game, Sum, children_of
from pns.proofs.check import Lookup, known


class Step(NamedTuple):
    """A position, who wins it, and the moves that show it.

    A won position has one winning move and no answers. A lost one has for each move an
    answer, which leads to a lost position again; None where the entries name none.
    """

    position: Sum
    wins: Optional[bool]
    """None where the entries do not tell."""
    move: Optional[Sum]
    answers: List[Tuple[Sum, Optional[Sum]]]


class Explainer:
    """Positions explained by the Grundy numbers that ``lookup`` knows (-1: unknown)."""

    def __init__(self, game: Game, lookup: Lookup) -> None:
        self._game = game
        self._lookup = lookup

    def winning_move(self, lands: Sum) -> Optional[Sum]:
        """The option with Grundy number 0 that has the fewest moves left, if one is known."""
        lost = [
            option for option in children_of(self._game, lands) if known(option, self._lookup) == 0
        ]
        return min(lost, key=lambda option: (self._size(option), option), default=None)

    def _size(self, lands: Sum) -> int:
        return sum([self._game.estimate(land)[0] for land in lands])

    def explain(self, lands: Sum) -> Step:
        """Who wins a position, and why."""
        if known(lands, self._lookup) == 0:
            answers = [
                (option, self.winning_move(option)) for option in children_of(self._game, lands)
            ]
            return Step(lands, False, None, answers)
        move = self.winning_move(lands)
        wins = True if move is not None or known(lands, self._lookup) > 0 else None
        return Step(lands, wins, move, [])

    def to_the_end(self, lands: Sum) -> Iterator[Step]:
        """The position explained, then the positions that this leads to, each once."""
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
