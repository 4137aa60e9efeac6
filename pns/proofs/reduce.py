"""Finds a small set of entries that proves who wins.

The position is solved once more, depth-first, with a database as advice only: a number
that it gives is used, but its own entry has to be proved from others, down to the end. What
the advice lacks is searched for. Cycles follow the first proof. Each tries to do without every
entry once (`pns.proofs.walk`). When several cycles have saved nothing, numbers are searched for
of lands that could meet many requirements. At the end the proof loses every entry that the check
does not need.
"""

from __future__ import annotations

import time
from math import inf
from random import Random
from typing import Callable, Collection, Dict, NamedTuple, Optional, Protocol, Set

from pns.dfpn import Search
from pns.facts import Contradiction, Facts
from pns.game import Game, Land, Sum, children_of
from pns.positions.couple import Couples
from pns.proofs.check import known, without_pairs
from pns.proofs.cover import Cover
from pns.proofs.requirements import KnownRequirements, UnmetRequirement, Ways, smallest
from pns.proofs.walk import ProofWalk, needed
from pns.search.counted_search import Stopped, StopToken
from pns.search.table import Table

LARGEST_COMPUTED = 9
"""The largest size of a land whose number is computed by definition if the advice lacks it."""
TABLE_ENTRIES = 200_000
CYCLES_BETWEEN = 3
"""Cycles without a smaller proof after which more numbers are searched for."""
MOST_SEARCHES, MOST_EXPANSIONS = 300, 1000
"""Numbers searched for then, and the most expansions for each."""
UNADVISED_COST = 10.0
"""Cost, in the first proof, of an entry that the advice does not have."""

ReduceObserver = Callable[["Reducer"], None]
Cost = Callable[[int], float]


class Proof(NamedTuple):
    """A set of entries that proves who wins a position."""

    wins: bool
    entries: Dict[Land, int]


class Advice(Protocol):
    """A source of Grundy numbers, which need not be right."""

    def get(self, land: Land) -> int:
        """The land's Grundy number, -1 when it is unknown."""


class Advised(Facts):
    """Facts found by search; for other lands the numbers of an advice, right or wrong.

    Unlike layers of facts it computes what the advice lacks, and a number may be corrected or
    forgotten.
    """

    def __init__(self, game: Game, advice: Advice) -> None:
        super().__init__(game.name)
        self._game = game
        self._advice = advice
        self._seen: Dict[Land, int] = {}

    def get(self, land: Land) -> int:
        number = self._numbers.get(land, -1)
        if number >= 0:
            return number
        number = self._seen.get(land, -2)
        if number == -2:
            number = self._advice.get(land)
            if number < 0 and self._game.estimate(land)[0] <= LARGEST_COMPUTED:
                number = self._by_definition(land)
            self._seen[land] = number
        return number

    def _by_definition(self, land: Land) -> int:
        """The least number that no option has; of a game of outcomes 0, or -1 for a win."""
        taken = set()
        for child in self._game.children(land):
            number = 0
            for part in child:
                number ^= self.get(part)
            taken.add(number)
        number = next(n for n in range(len(taken) + 1) if n not in taken)
        return number if self._game.decomposes or number == 0 else -1

    def advises(self, land: Land) -> bool:
        """Whether the advice itself has a number for a land."""
        return self._advice.get(land) >= 0

    def forget(self, land: Land) -> None:
        """Have no number for a land, whatever the advice."""
        self._seen[land] = -1
        self._numbers.pop(land, None)

    def correct(self, land: Land, number: int) -> bool:
        """Set a proved number; returns whether the advice has another one."""
        advised = self._advice.get(land)
        self._numbers[land] = number
        return advised not in (-1, number)


class Reducer:
    """Solves a position again and again with ever fewer entries; raises Stopped.

    ``wins`` and ``best`` are the outcome and the smallest set of entries after the last cycle,
    or when the last one was stopped; ``size`` is the number of entries during cycles,
    ``missing`` counts the searches for what the advice lacked, and ``wrong`` holds the
    true numbers of lands for which it had a wrong one.
    """

    def __init__(
        self,
        game: Game,
        lands: Sum,
        advice: Advice,
        seed: int = 0,
        stop: Optional[StopToken] = None,
        observer: Optional[ReduceObserver] = None,
    ) -> None:
        self.game = game
        self.lands = lands
        self._random = Random(seed)
        self.stop = stop or StopToken()
        self._observer = observer
        self.facts = Advised(game, advice)
        self._proved = Facts(game.name)
        self.missing = 0
        self.wrong: Dict[Land, int] = {}
        self.wins = False
        self.best: Dict[Land, int] = {}
        self.size = 0
        self.looked_at = 0
        self.cycle = 0
        self._reset_requirements()

    # --- what is required -------------------------------------------------------

    def _reset_requirements(self) -> None:
        """Forget all requirements: numbers were corrected, or new ones may meet them better."""
        self._requirements = KnownRequirements(self.game, self.facts.get)

    def _search(self, facts: Facts) -> Search:
        search = Search(Couples(self.game, facts), Table(TABLE_ENTRIES), stop=self.stop)
        search.observer = lambda _: self._observe()
        return search

    def _decide(self, search: Search, land: Land) -> bool:
        """Search for the number of a land; whether it has one, in a game of outcomes that is 0."""
        if self.game.decomposes:
            search.grundy_number(land)
            return True
        return not search.outcome((land,))

    def _observe(self) -> None:
        if self._observer:
            self._observer(self)
        if self.stop.reason:
            raise Stopped(self.stop.reason)

    def _observe_cover(self, cover: Cover) -> None:
        self.size, self.looked_at = len(cover.kept), cover.looked_at
        self._observe()

    def _root(self) -> Ways:
        """The ways to show who wins; searches first for the outcome."""
        while True:
            number, way = self._requirements.way(self.lands)
            children = children_of(self.game, self.lands)
            ways = {way for value, way in map(self._requirements.way, children) if value == 0}
            proved = all([self._proved.get(land) >= 0 for land in self.lands])
            if number == 0 and (proved or not ways):
                self.wins = False
                return (way,)
            if number != 0 and ways:
                self.wins = True
                return smallest(ways, self._requirements.sizes)
            if proved:  # it is won, but by which move?
                for child in children:
                    self._prove(child)
                    if known(child, self._proved.get) == 0:
                        break
            elif number >= 0 or not self._finds_outcome():
                self._prove(self.lands)
            self._reset_requirements()

    def _finds_outcome(self) -> bool:
        """Search for the outcome with the advice; returns whether there are new facts."""
        self.missing += 1
        before = len(self.facts)
        try:
            self._search(self.facts).outcome(self.lands)
        except Contradiction:
            return False
        return len(self.facts) > before

    def _fill(self, gap: UnmetRequirement) -> None:
        """Search for numbers that meet a requirement."""
        self.missing += 1
        if (gap.land,) != gap.option and self._finds_answer(gap):
            self._requirements.renew()
            return
        self._prove((gap.land,))
        self._prove(gap.option)

    def _finds_answer(self, gap: UnmetRequirement) -> bool:
        """Search with the advice for an answer to an option; returns whether there are new facts.

        In the search two equal lands cancel, whatever their number; a proof needs the number,
        so it is searched for, too.
        """
        before = len(self.facts)
        search = self._search(self.facts)
        try:
            if not search.outcome(gap.option, gap.number):
                return False
            for answer in children_of(self.game, gap.option):
                if known(without_pairs(answer), self.facts.get) == gap.number:
                    for land in answer:
                        self._decide(search, land)
                    break
        except Contradiction:
            return False
        return len(self.facts) > before

    def _prove(self, lands: Sum) -> None:
        """Find the numbers of lands without the advice, and correct the advice."""
        search = self._search(self._proved)
        is_advice_kept = True
        for land in lands:
            if not self._decide(search, land):
                self.facts.forget(land)
                is_advice_kept = False
        for land, number in self._proved.items():
            is_advice_kept = is_advice_kept and self.facts.get(land) in (-1, number)
            if self.facts.correct(land, number):
                self.wrong[land] = number
        if is_advice_kept:
            self._requirements.renew()
        else:
            self._reset_requirements()

    # --- proofs -------------------------------------------------------------------

    def _first_proof(self) -> Dict[Land, int]:
        """The entries of one proof; after advice has been corrected it starts again."""
        while True:
            root = self._root()  # which may reset the requirements
            requirements, cost = self._requirements, self._first_cost()
            cover = Cover(requirements, cost, self._random, self._observe_cover)
            while requirements is self._requirements:
                try:
                    return self._entries(cover.complete(root))
                except UnmetRequirement as gap:
                    self._fill(gap)

    def _entries(self, kept: Set[int]) -> Dict[Land, int]:
        texts, numbers = self._requirements.texts, self._requirements.numbers
        return {texts[i]: numbers[i] for i in sorted(kept)}

    def reduce(self, cycles: int, seconds: float = inf, start: Collection[Land] = ()) -> Proof:
        """The smallest proof after a number of cycles, or of seconds; raises Stopped.

        The first proof is finished in any case; it is made of the lands in `start` and what they
        lack, if there are any. The advice has to give their numbers. No entry of the result can
        be left out.
        """
        end = time.monotonic() + seconds
        if not start:
            start = self.best = self._first_proof()
        walk = self._walk(start)
        self.best = self._entries(walk.entries)
        unsuccessful = 0
        for self.cycle in range(1, cycles + 1):
            before = len(walk.entries)
            self._sweep(walk, end)
            if time.monotonic() >= end:
                break
            unsuccessful = 0 if len(walk.entries) < before else unsuccessful + 1
            if unsuccessful >= CYCLES_BETWEEN:
                unsuccessful = 0
                self._find_numbers()
                walk = self._walk(self.best)
        self.best = self._entries(walk.entries)
        del walk
        self._reset_requirements()  # to free their memory: the others take as much
        self.best = needed(self.game, self.lands, self.wins, self.best)
        return Proof(self.wins, self.best)

    def _sweep(self, walk: ProofWalk, end: float) -> None:
        """Let a walk try to do without each entry, until the end; raises Stopped."""
        try:
            for _ in walk.sweep():
                self.size = len(walk.entries)
                self._observe()
                if time.monotonic() >= end:
                    break
        finally:
            self.best = self._entries(walk.entries)

    def _walk(self, lands: Collection[Land]) -> ProofWalk:
        """A walk from the entries of lands; what they lack is added."""
        while True:
            try:
                root = self._root()  # which may reset the requirements
                entries = [self._requirements.id(i) for i in lands if self.facts.get(i) >= 0]
                self.size = len(entries)
                for self.looked_at, i in enumerate(entries):
                    self._requirements.of(i)
                    self._observe()
                return ProofWalk(self._requirements, root, entries, self._random)
            except UnmetRequirement as gap:
                self._fill(gap)

    def _first_cost(self) -> Cost:
        texts, advises = self._requirements.texts, self.facts.advises
        return lambda i: 1.0 if advises(texts[i]) else UNADVISED_COST

    def _find_numbers(self) -> None:
        """Search for the numbers of the most wanted lands."""
        self._reset_requirements()
        for land in self.best:
            self._requirements.of(self._requirements.id(land))
        wanted = self._requirements.wanted
        search = self._search(self.facts)
        for land in sorted(wanted, key=lambda land: (-wanted[land], land))[:MOST_SEARCHES]:
            search.most_expansions = search.expansions + MOST_EXPANSIONS
            search.stop = StopToken()
            try:
                self._decide(search, land)
            except (Stopped, Contradiction):
                pass
            self._observe()
        self._reset_requirements()
