"""Explains a position to a person: who wins it, by which moves, and what follows these."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional

from pns.game import Game, Sum, read_position
from pns.proofs.check import Lookup
from pns.proofs.why import Explainer, Step


class Why:
    """Why a position is won or lost, by Grundy numbers that are known; nothing is searched.

    A won position has a winning `move`, to a lost position. A lost one has `answers`: for each
    move the answer to it, which leads to a lost position again. So a proof is a graph of lost
    positions; `follow` goes one step down in it, and `to_the_end` goes everywhere. All positions
    are canonical texts. What the numbers do not show is None.

    `str` gives sentences, for a won position those of the lost one after the move too.
    """

    def __init__(self, game: Game, lookup: Lookup, lands: Sum, move: Optional[Sum] = None) -> None:
        """`move` is the winning move to show, by default the one to the smallest position."""
        self._game, self._lookup = game, lookup
        step = Explainer(game, lookup).explain(lands)
        if step.wins and move is not None:
            step = step._replace(move=move)
        self._step: Step = step

    @property
    def position(self) -> str:
        return self._game.format(self._step.position)

    @property
    def outcome(self) -> Optional[str]:
        """ "win" or "loss" for the player to move."""
        return None if self._step.wins is None else "win" if self._step.wins else "loss"

    @property
    def move(self) -> Optional[str]:
        """The position after the winning move; None for a lost position."""
        return self._text(self._step.move)

    @property
    def answers(self) -> Dict[str, Optional[str]]:
        """The position after the answer, by the position after the move; empty for a won one."""
        return {self._game.format(move): self._text(answer) for move, answer in self._step.answers}

    def follow(self, move: Optional[str] = None) -> "Why":
        """The lost position after the winning move, or after the answer to a move.

        `move` is a move of a lost position, in any notation. Raises ValueError where no answer,
        or no winning move, is known, and NotationError for a text that is not a position.
        """
        after = self._step.move
        if move is not None:
            wanted = read_position(self._game, move)
            answers = dict(self._step.answers)
            if wanted not in answers:
                wrong = "invalid move %s; expected one from the lost position %s"
                raise ValueError(wrong % (move, self.position))
            after = answers[wanted]
        elif self.outcome == "loss":
            raise ValueError("%s is lost; name the move to answer" % self.position)
        if after is None:
            raise ValueError("no move is known that wins %s" % (move or self.position))
        return Why(self._game, self._lookup, after)

    def to_the_end(self) -> Iterator["Why"]:
        """This, and each lost position that its proof leads to, once; there may be millions."""
        waiting, seen = [self], {self._step.position}
        while waiting:
            why = waiting.pop()
            yield why
            step = why._step
            for position in [step.move, *[answer for _, answer in reversed(step.answers)]]:
                if position is not None and position not in seen:
                    seen.add(position)
                    waiting.append(Why(self._game, self._lookup, position))

    def as_dict(self) -> Dict[str, Any]:
        """The position, its outcome, and its answers; or its move, and the same after that."""
        found: Dict[str, Any] = {"position": self.position, "outcome": self.outcome}
        if self._step.wins is False:
            answers = self.answers.items()
            found["answers"] = [{"move": move, "answer": answer} for move, answer in answers]
        else:
            found["move"] = self.move
            if self.move is not None:
                found["then"] = self.follow().as_dict()
        return found

    def _text(self, lands: Optional[Sum]) -> Optional[str]:
        return None if lands is None else self._game.format(lands)

    def _lines(self) -> List[str]:
        name = self.position
        if self._step.wins is None:
            return ["%s: the facts do not show who wins." % name]
        if self._step.wins:
            if self.move is None:
                return ["%s is a win; the facts do not show by which move." % name]
            return ["%s is a win: move to %s." % (name, self.move), *self.follow()._lines()]
        if not self.answers:
            return ["%s is a loss: there is no move." % name]
        lines = ["%s is a loss:" % name]
        for move, answer in self.answers.items():
            known = "no answer is known" if answer is None else "answer %s" % answer
            lines.append("  after %s %s" % (move, known))
        return lines

    def __str__(self) -> str:
        return "\n".join(self._lines())

    __repr__ = __str__
