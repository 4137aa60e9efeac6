"""What is asked about a position that can be drawn, and what the answers say.

A search answers yes or no. A game with draws has two questions for the player to move, a win and
at least a draw (`SupportsDraws`), and the two answers together tell a win, a draw and a loss apart.
"""

from __future__ import annotations

from typing import Callable, List, Optional, Tuple

from pns.game import Game, Sum, SupportsDraws, SupportsPlay, children_of

WIN_OR_LOSS = ("win", "loss")
WITH_DRAW = ("win", "draw", "loss")


def questions(game: Game, text: str) -> Tuple[Sum, ...]:
    """The positions whose outcomes make up the value of a position: two where it can be drawn.

    Raises NotationError.
    """
    return game.questions(text) if isinstance(game, SupportsDraws) else (game.parse(text),)


def asked(game: Game, text: str) -> Tuple[Sum, ...]:
    """The positions to solve for a text: one if it says for whom a draw counts, else `questions`.

    Raises NotationError.

    >>> from pns.games.mnk import MnkGame
    >>> asked(MnkGame(), "2:.."), asked(MnkGame(), "2o:..")
    (((b'2o:..',), (b'2x:..',)), ((b'2o:..',),))
    """
    if isinstance(game, SupportsDraws) and game.names_drawer(text):
        return (game.parse(text),)
    return questions(game, text)


def outcomes(asked: Tuple[Sum, ...]) -> Tuple[str, ...]:
    """The outcomes that the answers to one or two questions tell apart, the best first.

    The first question that is answered by a win leaves the first of them; a loss excludes it.
    """
    return WIN_OR_LOSS if len(asked) == 1 else WITH_DRAW


def known_outcome(game: Game, lands: Sum, wins: Callable[[Sum], Optional[bool]]) -> Optional[str]:
    """The outcome of a position by what is known of its questions, None where that is too little.

    Of a game with draws the position is that of the board, whatever the land says about draws.
    """
    left = questions(game, game.format(lands)) if isinstance(game, SupportsDraws) else (lands,)
    names = outcomes(left)
    for question, outcome in zip(left, names):
        answer = wins(question)
        if answer is not False:
            return outcome if answer else None
    return names[-1]


def answer_of(game: Game, text: str, outcome: str) -> str:
    """A sentence that says the outcome of a position, or of the question that its text asks."""
    one = asked(game, text)
    against, *for_mover = questions(game, text)
    if outcome == "draw":
        return "%s is a draw: neither player can force a win." % text
    if outcome == "win" and one == tuple(for_mover):
        wins = "%s is a win if a draw counts as one: the player to move gets at least a draw."
        return wins % text
    if outcome == "win":
        return "%s is a win: the player to move wins." % text
    if len(one) == 1 and for_mover and one != tuple(for_mover):
        loses = "%s is a loss if a draw counts as one: the player to move does not win."
        return loses % text
    return "%s is a loss: the player to move loses, whatever the move." % text


def question_of(game: Game, lands: Sum) -> str:
    """Which question a position of a game with draws asks, in words; "" where there is only one."""
    text = game.format(lands)
    if not lands or not isinstance(game, SupportsDraws):
        return ""
    against, _ = game.questions(text)
    how = "a loss" if lands == against else "a win"
    return "In %s a draw counts as %s of the player to move." % (text, how)


class DrawRules:
    """How positions of a game are played on: by one question, or with draws.

    With draws a position is that of the board, whatever its land says about draws. A move that
    wins leads to the position without moves. Play also ends, as a draw, where the player to move
    cannot win any more and can see to it at once that the other one cannot either.
    """

    def __init__(self, game: Game, with_draws: bool) -> None:
        self.game = game
        self.with_draws = with_draws

    def questions(self, lands: Sum) -> Tuple[Sum, ...]:
        """The questions about a position: one, or two with draws."""
        return questions(self.game, self.game.format(lands)) if self.with_draws else (lands,)

    def moves(self, lands: Sum) -> List[Sum]:
        """The positions that a move leads to, sorted; none where play is over."""
        if self.has_ended(lands):
            return []
        against, *for_mover = self.questions(lands)
        found = children_of(self.game, against)
        if found or not for_mover:
            return found
        found = children_of(self.game, for_mover[0])
        return [] if () in found else found

    def has_ended(self, lands: Sum) -> bool:
        """Whether no move is left and the player to move has won, as in misère play."""
        return isinstance(self.game, SupportsPlay) and self.game.has_ended(lands)

    def is_drawn(self, lands: Sum) -> bool:
        """Whether play has ended in a draw."""
        against, *for_mover = self.questions(lands)
        if not for_mover or children_of(self.game, against):
            return False
        return () in children_of(self.game, for_mover[0])

    def find(self, text: str, moves: List[Sum]) -> Tuple[Sum, bool]:
        """(the position of a text, whether it is among moves); raises NotationError.

        With draws a text may say or not for whom they count.
        """
        lands = self.game.parse(text)
        if lands in moves or not self.with_draws:
            return lands, lands in moves
        wanted = questions(self.game, text)
        same = [move for move in moves if move and self.questions(move) == wanted]
        return (same[0], True) if same else (lands, False)
