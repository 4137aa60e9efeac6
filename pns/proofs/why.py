"""Browses a proof: who wins a position and why, and what that rests on, down to the end.

A proof by Grundy numbers is a graph of lands. A land has the number n if for every i < n some
move leads to i, and if every move leads to another number than n or has an answer that leads
to n (`pns.proofs.check`). A sum needs no proof of its own: its number is the xor of those of
its lands. A simpler position that is worth the same may stand for another
(`pns.positions.simplify`).
"""

from __future__ import annotations

from typing import Callable, Collection, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

from pns.game import Game, Land, Sum, SupportsPlay, children_of, for_search
from pns.positions.simplify import SupportsSimplify
from pns.proofs.check import UNKNOWN, Lookup, known, without_pairs


class ExplainedMove(NamedTuple):
    """A move from a position with Grundy number n.

    `number` is the Grundy number of the position that it leads to, UNKNOWN where the entries
    do not show it. `answer` has the number n: a reason why the move does not lead to n.
    """

    position: Sum
    number: int
    answer: Optional[Sum] = None
    simpler: Optional[Tuple[Sum, Sum]] = None
    """A simpler position that is worth the same and a move from there, which has the number n: the
    reason where no answer to the move itself is known."""
    lands: Sum = ()
    """The lands whose numbers show this."""


class Step(NamedTuple):
    """A position, its outcome and Grundy number, and its moves, sorted by their positions."""

    position: Sum
    wins: Optional[bool]
    """None where the entries do not decide it."""
    number: int
    """UNKNOWN where the entries do not show it."""
    move: Optional[Sum]
    """The smallest position to which a winning move is known to lead."""
    moves: List[ExplainedMove]
    lands: Sum = ()
    """The lands whose numbers show who wins, without the moves."""

    @property
    def answers(self) -> List[Tuple[Sum, Optional[Sum]]]:
        """(move, answer) for each move from a lost position, none for a won one.

        The answer leads to a lost position again; it is None where the entries show none.
        """
        return [(move.position, move.answer) for move in self.moves] if self.wins is False else []

    def rests_on(self) -> Iterator[Land]:
        """The lands whose numbers show this step, perhaps repeatedly."""
        if not self.moves:
            yield from self.lands
        for move in self.moves:
            if self.has_reason(move):
                yield from move.lands

    def has_reason(self, move: ExplainedMove) -> bool:
        """Whether it is shown that a move does not lead to the number of the position."""
        answered = move.answer is not None or move.simpler is not None
        return answered or move.number not in (UNKNOWN, self.number)


class Explainer:
    """Explains positions by the Grundy numbers that ``lookup`` gives (UNKNOWN: -1)."""

    def __init__(self, game: Game, lookup: Lookup) -> None:
        self._game = game
        self._lookup = lookup
        self._simplify: List[Callable[[Sum], Sum]] = []
        self._played: Optional[SupportsPlay] = None
        if isinstance(game, SupportsPlay) and game.for_search is not game:
            self._played = game
            self._simplify.append(game.searched)
        rules = for_search(game)
        if isinstance(rules, SupportsSimplify):
            self._simplify.append(rules.simplify)

    def number(self, lands: Sum) -> int:
        """The Grundy number of a position, UNKNOWN unless the entries show it."""
        return self._shown(lands)[0]

    def _shown(self, lands: Sum) -> Tuple[int, Sum]:
        """(the Grundy number of a position, the lands whose entries show it), or (UNKNOWN, ())."""
        for position in (lands, *self._simpler(lands)):
            reduced = without_pairs(position)
            number = known(reduced, self._lookup)
            if number != UNKNOWN:
                return number, reduced
            if self._played and self._played.has_ended(position):
                return 1, ()  # any number but 0: it is won
        return UNKNOWN, ()

    def _simpler(self, lands: Sum) -> List[Sum]:
        """Simpler positions that are worth the same, if the game knows any."""
        found: List[Sum] = []
        simpler = lands
        for simplify in self._simplify:
            simpler = simplify(simpler)
            if simpler not in (lands, *found):
                found.append(simpler)
        return found

    def replies(self, lands: Sum, number: int) -> List[Sum]:
        """The positions with this number that a move leads to, the smallest first."""
        found = [child for child in children_of(self._game, lands) if self.number(child) == number]
        return sorted(found, key=lambda child: (self._size(child), child))

    def _size(self, lands: Sum) -> int:
        return sum([self._game.estimate(land)[0] for land in lands])

    def winning_move(self, lands: Sum) -> Optional[Sum]:
        """The child with Grundy number 0 that has the least size, None if none is known."""
        return next(iter(self.replies(lands, 0)), None)

    def outcome(self, lands: Sum) -> Step:
        """Who wins a position, by the smallest winning move; its moves without answers."""
        number, by = self._shown(lands)
        moves = [self._move(child) for child in children_of(self._game, lands)]
        lost = [move.position for move in moves if move.number == 0]
        move = min(lost, key=lambda child: (self._size(child), child), default=None)
        wins = True if move is not None or number > 0 else None if number < 0 else False
        return Step(lands, wins, number, move, moves, by if move is None else self._shown(move)[1])

    def _move(self, position: Sum) -> ExplainedMove:
        """A move, as far as the number of its position is shown."""
        number, by = self._shown(position)
        return ExplainedMove(position, number, lands=by)

    def explain(self, lands: Sum) -> Step:
        """Who wins a position, and why: by the smallest winning move, or by an answer to each."""
        step = self.outcome(lands)
        if step.wins is False:
            step = step._replace(moves=[self._answered(move) for move in step.moves])
        return step

    def _answered(self, move: ExplainedMove) -> ExplainedMove:
        """A move of a lost position with its answer of the least size."""
        return next(iter(self._ways(move, 0)), move)

    def _ways(self, move: ExplainedMove, number: int) -> List[ExplainedMove]:
        """A move with each answer that has a number, or else with those to a simpler position."""
        ways = [
            move._replace(answer=answer, lands=self._shown(answer)[1])
            for answer in self.replies(move.position, number)
        ]
        for simpler in self._simpler(move.position) if not ways else ():
            for answer in self.replies(simpler, number):
                by = self._shown(answer)[1]
                ways.append(move._replace(simpler=(simpler, answer), lands=by))
        return ways

    def prove(self, land: Land, seen: Collection[Land] = ()) -> Step:
        """Why a land has its Grundy number n: one move to each i < n, a reason for all others.

        Of several reasons, the one is given that rests on the fewest lands not yet `seen`.
        """
        number = self._lookup(land)
        options = children_of(self._game, (land,))
        reached: Dict[int, ExplainedMove] = {}
        for position in options:
            move = self._move(position)
            if 0 <= move.number < number:
                best = reached.get(move.number, move)
                reached[move.number] = min(best, move, key=lambda move: _cost(move, seen))
        used = {move.position: move for move in reached.values()}
        moves = [used.get(position) or self._reason(position, number, seen) for position in options]
        lost = reached[0].position if 0 in reached else None
        return Step((land,), number > 0, number, lost, moves)

    def _reason(self, position: Sum, number: int, seen: Collection[Land]) -> ExplainedMove:
        """Why a move does not lead to a number."""
        move = self._move(position)
        ways = [] if move.number in (UNKNOWN, number) else [move]
        if not ways or _cost(move, seen):
            ways += self._ways(move, number)
        return min(ways, key=lambda way: _cost(way, seen), default=move)

    def to_the_end(self, lands: Sum, most_depth: Optional[int] = None) -> Iterator[Step]:
        """The step of a position, without moves, then those of all lands that it rests on.

        Each land comes once, after the steps that rest on it first. With `most_depth` lands
        are left out that no path of fewer steps leads to.
        """
        root = self.outcome(lands)._replace(moves=[])
        yield root
        if root.wins is None:
            return
        seen: Set[Land] = set()
        level = list(dict.fromkeys(root.rests_on()))
        depth = 1
        while level and depth != most_depth:
            seen.update(level)
            below: Dict[Land, None] = {}
            for land in level:
                step = self.prove(land, seen)
                yield step
                new = [land for land in step.rests_on() if land not in seen]
                below.update(dict.fromkeys(new))
                seen.update(new)
            level = list(below)
            depth += 1


def _cost(move: ExplainedMove, seen: Collection[Land]) -> Tuple[int, int]:
    """The lands not yet seen that a reason rests on; of equal reasons the one without an answer."""
    new = [land for land in move.lands if land not in seen]
    return len(new), move.answer is not None or move.simpler is not None
