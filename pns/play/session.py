"""A game between a person and the solver: its history, and whose move it is."""

from __future__ import annotations

from typing import List, Optional, Tuple

from pns.front.draws import DrawRules, asked
from pns.game import Game, Sum, for_play

SIDES = ("first", "second")
DRAW = "a draw"
BY_RESIGNATION = " by resignation"
RESULTS = (
    "unfinished",
    "first wins",
    "second wins",
    DRAW,
    "first wins" + BY_RESIGNATION,
    "second wins" + BY_RESIGNATION,
)


class PlayError(ValueError):
    """What the rules do not allow, or not now; the message says why."""


class Session:
    """A game that is played: positions from the start on, and whose move it is.

    Players are 0 for the one who began and 1 for the other. A text that does not say for whom a
    draw counts, in a game with draws, is played with draws (`pns.front.draws.DrawRules`).
    """

    def __init__(self, game: Game, start: str, person: int = 0) -> None:
        game = for_play(game)
        lands = asked(game, start)
        self.game = game
        self.rules = DrawRules(game, len(lands) > 1)
        self.person = person
        """The player who is the person; the other one is the solver."""
        self.positions = [next(filter(None, lands), ())]
        self.start = start.strip() if self.rules.with_draws else game.format(lands[0])
        """The text of the first position: the canonical one, or with draws the one given."""
        self.resigned: Optional[int] = None
        """The player who resigned."""
        self._moves: Optional[List[Sum]] = None

    @property
    def position(self) -> Sum:
        return self.positions[-1]

    @property
    def player(self) -> int:
        """The player to move."""
        return (len(self.positions) - 1) % 2

    @property
    def is_persons_turn(self) -> bool:
        return self.player == self.person and not self.is_over

    @property
    def moves(self) -> List[Sum]:
        """The positions that a move leads to, sorted."""
        if self._moves is None:
            self._moves = self.rules.moves(self.position)
        return self._moves

    @property
    def is_over(self) -> bool:
        """Whether somebody has won or resigned, or it is a draw."""
        return self.resigned is not None or not self.moves

    @property
    def winner(self) -> Optional[int]:
        """The player who has won; None while the game goes on, and after a draw."""
        if self.resigned is not None:
            return 1 - self.resigned
        if self.rules.has_ended(self.position):
            return self.player
        is_won = not self.moves and not self.rules.is_drawn(self.position)
        return 1 - self.player if is_won else None

    @property
    def last_move(self) -> Optional[Tuple[Sum, Sum]]:
        """The positions before and after the last move of the person, None if there is none."""
        for i in range(len(self.positions) - 1, 0, -1):
            if (i - 1) % 2 == self.person:
                return self.positions[i - 1], self.positions[i]
        return None

    def play(self, child: Sum) -> None:
        """Move to a position; raises PlayError unless a move leads there."""
        if self.is_over:
            raise PlayError("the game is over")
        if child not in self.moves:
            raise PlayError("no move leads to %s" % self.game.format(child))
        self.positions.append(child)
        self._moves = None

    def take_back(self) -> None:
        """Undo the last move of the person, and the answer to it; or the resignation.

        Raises PlayError where there is nothing to undo.
        """
        if self.resigned is not None:
            self.resigned = None
            return
        ends = [i for i in range(1, len(self.positions)) if (i - 1) % 2 == self.person]
        if not ends:
            raise PlayError("there is no move to take back")
        del self.positions[ends[-1] :]
        self._moves = None

    def resign(self) -> None:
        """End the game as lost for the person; raises PlayError if it is over."""
        if self.is_over:
            raise PlayError("the game is over")
        self.resigned = self.person

    @property
    def result(self) -> str:
        """One of RESULTS."""
        if self.winner is None:
            return DRAW if self.is_over else RESULTS[0]
        resigned = BY_RESIGNATION if self.resigned is not None else ""
        return "%s wins%s" % (SIDES[self.winner], resigned)
