"""The solver as a player: its judgement of a position, and the move that it makes.

A position is known where facts decide it (`FACTS`) or a search within a budget does (`SEARCH`);
there the solver keeps every win. Elsewhere it takes the move that its search holds for the most
promising (`BOUNDS`): the child with the least disproof number, since that is the proof number of a
win by this move, equation (4) of [cizek2025].
"""

from __future__ import annotations

from contextlib import suppress
from time import monotonic
from typing import Callable, List, NamedTuple, Optional, Tuple

from pns.choices import BRANCHING
from pns.dfpn import Search
from pns.facts import Fact, Facts
from pns.front.draws import DrawRules
from pns.front.memory import cache_bytes
from pns.game import Game, Sum, for_search, searched
from pns.positions.couple import Couples
from pns.positions.interned import HEAP
from pns.positions.prior import load
from pns.positions.simplify import searched as with_simpler
from pns.positions.simplify import simplified
from pns.proofs.check import UNKNOWN
from pns.proofs.why import Explainer, Step
from pns.search.bounds import LOSS, WIN
from pns.search.counted_search import Stopped
from pns.search.table import Table

FACTS, SEARCH, BOUNDS = "facts", "search", "bounds"
CAPACITY = 500_000
"""Entries of the transposition table: 10 MB."""
MOST_EXPANSIONS = 1 << 60


class Judgement(NamedTuple):
    """What the solver makes of a position."""

    wins: Optional[bool]
    """Whether the player to move wins; None where that is not decided."""
    move: Optional[Sum]
    """The position after the move to make; None where there is no move."""
    source: str
    """FACTS or SEARCH where the move keeps a win, or where all moves lose; else BOUNDS. With
    BOUNDS a position may be won and the winning move not be found."""
    numbers: Tuple[int, int]
    """(proof number, disproof number) of the position."""
    draws: bool = False
    """Whether it is a draw; the move then keeps it, and `wins` is false."""


class Engine:
    """Judges positions of a game by facts, and within a budget by DFPN.

    `facts` are known, and what is proved is added to them (`pns.facts.staged` keeps it above
    facts that are only read); by default nothing is known. The budget of a judgement is
    `seconds` and `expansions`; it is exceeded by some tenths of a second. `with_draws` is as in
    `pns.front.draws.DrawRules`. `prove` gives facts about a position and its moves that are found
    otherwise, whatever the budget (`pns.strong.late`).
    """

    def __init__(
        self,
        game: Game,
        facts: Optional[Facts] = None,
        seconds: float = 3.0,
        expansions: int = MOST_EXPANSIONS,
        with_draws: bool = False,
        prove: Optional[Callable[[str], List[Fact]]] = None,
    ) -> None:
        self.game = game
        self.rules = DrawRules(game, with_draws)
        self.seconds = seconds
        self.expansions = expansions
        self.facts = facts = Facts(game.name) if facts is None else facts
        self._prove = prove
        self._explainer = Explainer(game, facts.get)
        self._deadline = 0.0
        self._search = Search(
            Couples(
                with_simpler(for_search(game), None),
                facts,
                prior=load(game.name).starting(BRANCHING),
            ),
            Table(CAPACITY),
            max_bytes=cache_bytes(1),
            observer=self._observe,
        )

    def judge(self, lands: Sum, seconds: Optional[float] = None) -> Judgement:
        """Who wins a position, and the move to make; raises Contradiction and TooLarge.

        `seconds` stands in place of the usual budget; with 0 nothing is searched.
        """
        if self.rules.has_ended(lands):
            return Judgement(True, None, FACTS, WIN)
        seconds = self.seconds if seconds is None else seconds
        self._deadline = monotonic() + seconds
        budget = self.expansions if seconds else 0
        self._search.job_ends = self._search.expansions + budget
        against, *for_mover = self.rules.questions(lands)
        if self._prove is not None and seconds and not self._is_known(lands):
            for fact in self._prove(self.game.format(lands)):
                self.facts.add(*fact)
        first = self._answer(against)
        if first.wins is not False or not for_mover:
            return first
        second = self._answer(for_mover[0])
        source = max(first.source, second.source, key=(FACTS, SEARCH, BOUNDS).index)
        moves = self.rules.moves(lands)
        if second.wins is False:
            return second._replace(source=source, move=self._longest(moves))
        replies = {move: self.rules.questions(move)[0] for move in moves}
        best = moves
        if second.wins:
            best = [move for move in moves if self.known(replies[move]).wins is False]
        move = min(best, key=lambda move: self._promise(replies[move]), default=None)
        wins = None if second.wins is None else False
        return Judgement(wins, move, source, second.numbers, bool(second.wins))

    def _answer(self, lands: Sum) -> Judgement:
        """Who wins a position by the question that it asks, within what is left of the budget."""
        step, source = self.known(lands), FACTS
        if not _is_decided(step):
            source = SEARCH
            if step.wins is None:
                self._decide(lands)
                step = self.known(lands)
            if not _is_decided(step):
                self._seek_loss(step)
                step = self.known(lands)
        if not _is_decided(step):
            move = min([move.position for move in step.moves], key=self._promise)
            return Judgement(step.wins, move, BOUNDS, self._numbers(lands))
        if step.wins:
            return Judgement(True, step.move, source, WIN)
        return Judgement(False, self._longest([m.position for m in step.moves]), source, LOSS)

    def _is_known(self, lands: Sum) -> bool:
        """Whether facts decide all questions about a position."""
        return all([_is_decided(self.known(asked)) for asked in self.rules.questions(lands)])

    def known(self, lands: Sum) -> Step:
        """What the facts show about a position and its moves; nothing is searched."""
        return self._explainer.outcome(lands)

    def answers(self, lands: Sum, most: int) -> List[Tuple[Sum, Optional[Sum]]]:
        """(move, answer) for the first moves from a lost position; None: no answer is known.

        The answer leads to a lost position again.
        """
        lost = self.rules.questions(lands)[-1]
        moves = [move.position for move in self.known(lost).moves[:most]]
        return [(move, self._explainer.winning_move(move)) for move in moves]

    def _decide(self, lands: Sum) -> None:
        """Search a position within what is left of the budget."""
        with suppress(Stopped):
            self._search.outcome(self._searched(lands))

    def _searched(self, lands: Sum) -> Sum:
        """The position that is searched for one of the game: perhaps a simpler one."""
        return simplified(for_search(self.game), searched(self.game, lands))

    def _seek_loss(self, step: Step) -> None:
        """Search for the winning move of a position that is won by its Grundy number."""
        if not step.wins:
            return
        unknown = [move.position for move in step.moves if move.number == UNKNOWN]
        for child in sorted(unknown, key=self._promise):
            if self._search.expansions >= self._search.job_ends:
                return
            self._decide(child)
            if self.known(child).wins is False:
                return

    def _observe(self, search: Search) -> None:
        if monotonic() >= self._deadline:
            search.job_ends = search.expansions

    def _numbers(self, lands: Sum) -> Tuple[int, int]:
        code = self._search.couples.code(self._searched(lands))
        if code <= HEAP:
            return WIN if code else LOSS
        return self._search.numbers(code)

    def _promise(self, child: Sum) -> Tuple[int, int, Tuple[int, int], Sum]:
        """Orders the children of a position, the most promising first."""
        pn, dn = self._numbers(child)
        return dn, -pn, self._size(child), child

    def _longest(self, moves: List[Sum]) -> Optional[Sum]:
        """The move after which most can follow."""
        return max(moves, key=lambda child: (*self._size(child), child), default=None)

    def _size(self, lands: Sum) -> Tuple[int, int]:
        """The sums of the two estimates of the lands (`Game.estimate`)."""
        found = [self.game.estimate(land) for land in lands]
        return sum([size for size, _ in found]), sum([branching for _, branching in found])


def _is_decided(step: Step) -> bool:
    """Whether it is known who wins, and by which move."""
    return step.wins is False or step.move is not None
