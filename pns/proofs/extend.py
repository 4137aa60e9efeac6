"""Proves a large position from facts about smaller ones that are like its lands.

Numbers that analogies suggest are claimed (`pns.proofs.claims`). Claims are chosen that suffice
for the outcome and for each other, as the reducer chooses entries (`pns.proofs.cover`); what none
of them meets is searched for, by facts alone. With the facts that were found the choice is made
again, until nothing is missing. So the claims hold, by induction on the size of their lands, and
are facts.
"""

from __future__ import annotations

import sys
import time
from functools import cached_property
from random import Random
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

from pns.dfpn import Search
from pns.facts import Fact, Facts
from pns.facts.layers import DATABASE, SEARCH, Layer, LayeredFacts
from pns.facts.staged import StagedFacts
from pns.game import Game, Land, Sum
from pns.positions.couple import Couples
from pns.positions.exchange import Publisher
from pns.positions.prior import Prior
from pns.positions.simplify import find_simplified
from pns.proofs.check import Checker
from pns.proofs.claims import AnalogyClaims, Doubtful, Gap
from pns.proofs.cover import Cover
from pns.proofs.rules import find_rules
from pns.search.counted_search import Stopped, StopToken
from pns.search.table import Table

GAP_COST = 1.0
"""The cost of the smallest gap; once more for each search that found nothing."""
DOUBLING_SIZE = 15.0
"""The number of lives by which a gap that costs twice as much is larger."""
REQUIREMENT_COST = 0.3
DOUBT_COST = 6.0
"""Divided by a claim's weight, what it adds to its cost."""
MOST_EXPANSIONS = 10_000
"""The budget of the first search for a gap; the next ones have twice as much as the one before."""
MOST_DOUBLINGS = 4
"""A search goes on from the one before, so larger budgets gain nothing; what it finds is stored
when it ends."""
ROUND_SECONDS = 200.0
"""The time for the searches of a round; at least one for each process is finished."""
TABLE_ENTRIES = 1_000_000
EPSILON = 0.25
BATCH = 8
FORCED_DEPTH = 5
"""How far the gaps of claims that a claim needs in any case are counted with its own."""

GapTask = Tuple[Gap, int]
"""A gap, and the most expansions for it."""


class Answer(NamedTuple):
    """What a search for a gap has found; `wins` is None if it ended at its budget."""

    gap: Gap
    wins: Optional[bool]
    facts: List[Fact]
    expansions: int
    children: int


class Extension(NamedTuple):
    """Who wins, and the claims that were proved for it."""

    wins: bool
    claims: Dict[Land, int]


class GapSearch:
    """Searches for gaps by facts, in the process that calls it.

    `open_base` opens the facts that others add to; what is found here is kept beside them.
    Later searches go on from the numbers of earlier ones, in a table of `capacity` entries that
    forked processes share, and from their positions and children, kept by each in `max_bytes`.
    """

    def __init__(
        self,
        game: Game,
        open_base: Callable[[], Facts],
        prior: Prior,
        stop: StopToken,
        capacity: int = TABLE_ENTRIES,
        max_bytes: int = sys.maxsize,
    ) -> None:
        self._game = game
        self._open_base = open_base
        self._prior = prior
        self._stop = stop
        self._max_bytes = max_bytes
        self._table = Table(capacity)
        self._found: List[Fact] = []
        """What the search for the present gap has proved."""

    @cached_property
    def _couples(self) -> Couples:
        """Made in the process that searches, on facts that it opens."""
        facts = StagedFacts(self._open_base())
        exchange = Publisher(lambda land, number: self._found.append((land, number)))
        couples = Couples(
            self._game, facts, prior=self._prior, exchange=exchange, rereads_facts=True
        )
        couples.batch = BATCH
        return couples

    def answer(self, task: GapTask) -> Answer:
        """Search for a gap within a budget, or until the token is set."""
        gap, budget = task
        couples = self._couples
        couples.facts.flush()  # read from now on what others have stored
        self._found = []
        generated = couples.children_generated
        search = Search(
            couples,
            self._table,
            EPSILON,
            self._max_bytes,
            observer=self._look,
            most_expansions=budget,
        )
        wins = None
        try:
            wins = search.outcome(*gap)
        except Stopped:  # by the budget, or the token: what was found counts
            pass
        children = couples.children_generated - generated
        return Answer(gap, wins, self._found, search.expansions, children)

    def _look(self, search: Search) -> None:
        if self._stop.reason:
            raise Stopped(self._stop.reason)


class Extender:
    """Proves who wins a position from facts, to which it adds what its searches prove.

    `run` gives the answers to tasks, as `TaskPool.run` does. `observe` is called often, and may
    raise Stopped. `kept` and `gaps` count the claims of the current choice and their gaps;
    `searches`, `expansions` and `children` all that was done so far.
    """

    def __init__(
        self,
        game: Game,
        facts: Facts,
        run: Callable[[Iterator[GapTask]], Iterator[Answer]],
        observe: Callable[["Extender"], None],
        seed: int = 0,
    ) -> None:
        self._game = game
        self._facts = facts
        self._run = run
        self._observe = observe
        self._seed = seed
        self._searches: Dict[Gap, int] = {}
        """Number of failed searches for each gap."""
        self._claims = AnalogyClaims(game, facts.get, lambda gap: gap in self._searches)
        self._needed: Dict[int, float] = {}
        """The cost of the gaps of each claim, with those of the claims that it needs."""
        self.kept = self.gaps = 0
        self.searches = self.expansions = self.children = 0

    def prove(self, lands: Sum) -> Extension:
        """Who wins a position; raises Stopped."""
        while True:
            try:
                extension = self._attempt(lands)
            except Doubtful as error:
                self._claims.doubt(error.land)
                continue
            if extension:
                return extension

    def _attempt(self, lands: Sum) -> Optional[Extension]:
        """Choose claims; the proof, or None after searches for the gaps of the choice."""
        claims = self._claims
        number = claims.fact(lands)
        if number >= 0:
            return Extension(number != 0, {})
        wins, root = claims.outcome(lands)
        if not root:
            self._search([(lands, 0)])
            return None
        self._needed.clear()
        cover = Cover(claims, self._cost, Random(self._seed), self._look)
        kept = sorted(cover.complete(root))
        gaps = [i for i in kept if i in claims.gap_of]
        self.kept, self.gaps = len(kept) - len(gaps), len(gaps)
        if gaps:
            self._search([claims.gap_of[i] for i in sorted(gaps, key=self._urgency)])
            return None
        proved = {claims.texts[i]: claims.numbers[i] for i in kept}
        self._check(lands, wins, proved)
        return Extension(wins, proved)

    # --- costs --------------------------------------------------------------------

    def _cost(self, i: int) -> float:
        if i in self._claims.gap_of:
            return self._gap_cost(i, 0)
        requirements = len(self._claims.of(i))
        doubt = DOUBT_COST / (1 + self._claims.weight(i))
        return 1 + REQUIREMENT_COST * requirements + doubt + self._gap_cost(i, FORCED_DEPTH)

    def _gap_cost(self, i: int, depth: int) -> float:
        """The cost of a gap, or of all that a claim needs in any case."""
        claims = self._claims
        gap = claims.gap_of.get(i)
        if gap:
            return self._search_cost(gap, claims.sizes[i])
        found = self._needed.get(i)
        if found is None:
            self._observe(self)
            needed = [claims.ways[requirement] for requirement in claims.of(i)]
            found = sum(
                [
                    self._gap_cost(j, depth - 1)
                    for ways in needed
                    if len(ways) == 1
                    for j in ways[0]
                    if depth or j in claims.gap_of
                ]
            )
            if depth == FORCED_DEPTH:
                self._needed[i] = found
        return found

    def _search_cost(self, gap: Gap, size: int) -> float:
        """The cost of a gap: it grows with its size and with its failed searches."""
        return GAP_COST * (1 + self._searches.get(gap, 0)) * 2 ** (size / DOUBLING_SIZE)

    def _look(self, cover: Cover) -> None:
        self.kept = len(cover.kept)
        self._observe(self)

    # --- searches -----------------------------------------------------------------

    def _urgency(self, i: int) -> Tuple[int, int, Gap]:
        """What orders gaps: few searches before many, small positions before large ones."""
        gap = self._claims.gap_of[i]
        return self._searches.get(gap, 0), self._claims.sizes[i], gap

    def _search(self, gaps: List[Gap]) -> None:
        """Search for gaps until the time of a round is over, and store what was found."""
        end = time.monotonic() + ROUND_SECONDS

        def tasks() -> Iterator[GapTask]:
            for gap in gaps:
                doublings = min(self._searches.get(gap, 0), MOST_DOUBLINGS)
                yield gap, MOST_EXPANSIONS << doublings
                if time.monotonic() >= end:
                    break

        for answer in self._run(tasks()):
            self.searches += 1
            self.expansions += answer.expansions
            self.children += answer.children
            for land, number in answer.facts:
                self._facts.add(land, number)
            self._facts.flush()
            if answer.wins is None:
                self._searches[answer.gap] = self._searches.get(answer.gap, 0) + 1
            elif not answer.wins:
                self._claims.refute(answer.gap)
            self._observe(self)
        self._claims.renew()

    def _check(self, lands: Sum, wins: bool, proved: Dict[Land, int]) -> None:
        """Check every claim by the facts and the other claims, as an audit does."""
        claims = Facts(self._game.name)
        claims.supply(proved.items())
        layers = Layer("claims", SEARCH, claims), Layer("facts", DATABASE, self._facts)
        known = LayeredFacts(self._game.name, layers)
        rules = find_rules(self._game.name, simplify=find_simplified(self._game) is not None)
        checker = Checker(rules, known.get, cancel=True)
        for land, number in proved.items():
            assert not checker.why_bad(land, number), (land, number)
            self._observe(self)
        assert not checker.why_unproved(lands, wins), (lands, wins)
