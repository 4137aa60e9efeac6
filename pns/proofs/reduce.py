"""Finds a small set of entries that proves who wins: a proof without what it can do without.

The position is solved once more, depth-first, with a database as advice only: a
number that it gives is used, but its own entry has to be proved from others, down to
the end. What the advice lacks is searched for. After a first proof come cycles: each
forbids some entries at random, proves what then lacks a proof in a random order, with
the entries at hand before new ones, and drops every entry that nothing needs any more.
The smallest proof is kept, at last without every entry that the check does not miss.
Between cycles the numbers of those lands are searched for that could meet many
requirements if they were known.
"""

from __future__ import annotations

from functools import partial
from heapq import heappop, heappush
from random import Random
from typing import Callable, Dict, List, NamedTuple, Optional, Protocol, Set, Tuple

from pns.couple import Couples
from pns.dfpn import Search, Stopped, StopToken
from pns.facts import Contradiction, Facts
from pns.game import Game, Land, Sum, options
from pns.proofs.audit import known, without_pairs
from pns.proofs.requirements import (
    Gap,
    Requirements,
    Way,
    Ways,
    needed,
    smallest,
    without_needless,
)
from pns.table import Table

SMALL = 9
"""Lands of so many moves at most are worked out in full."""
TABLE_ENTRIES = 200_000
CYCLES_BETWEEN = 25
"""Cycles without a smaller proof after which more numbers are searched for."""
SEARCHED_FOR = 300
"""Numbers searched for then, with this many expansions at most each:"""
MOST_EXPANSIONS = 1000
FORBIDDEN = 50.0
AT_HAND = 0.02
"""Costs of an entry that a cycle forbids, and of one that the proof at hand has. Others cost
about 1, and about 0.6 for each of their own requirements that the proof at hand does not meet."""
UNADVISED = 10.0
"""Cost for the first proof of an entry that the advice does not have."""
LOOKED_AT = 14
"""Only lands of so many moves at most are looked at for that, unless they were before."""

Observer = Callable[["Reducer"], None]
Cost = Callable[[int], float]


class Proof(NamedTuple):
    """A set of entries that proves who wins a position."""

    wins: bool
    entries: Dict[Land, int]


class Advice(Protocol):
    """What may know Grundy numbers, which need not be right."""

    def get(self, land: Land) -> int:
        """The land's Grundy number, -1 when it is unknown."""


class Advised(Facts):
    """Facts found by search, before those of an advice that need not be right."""

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
            if number < 0 and self._game.estimate(land)[0] <= SMALL:
                number = self._by_definition(land)
            self._seen[land] = number
        return number

    def _by_definition(self, land: Land) -> int:
        """The least number that no option has."""
        taken = set()
        for option in self._game.children(land):
            number = 0
            for part in option:
                number ^= self.get(part)
            taken.add(number)
        return next(n for n in range(len(taken) + 1) if n not in taken)

    def advises(self, land: Land) -> bool:
        """Whether the advice itself has a number for a land."""
        return self._advice.get(land) >= 0

    def correct(self, land: Land, number: int) -> bool:
        """Know a proved number, whatever the advice says; whether it said something else."""
        advised = self._advice.get(land)
        self._numbers[land] = number
        return advised not in (-1, number)


class Reducer:
    """Solves a position again and again with ever fewer entries; raises Stopped.

    ``wins`` and ``best`` are the outcome and the smallest set of entries so far,
    ``missing`` counts the searches for what the advice lacked, and ``wrong`` holds the
    lands of which it said something false.
    """

    def __init__(
        self,
        game: Game,
        lands: Sum,
        advice: Advice,
        seed: int = 0,
        stop: Optional[StopToken] = None,
        observer: Optional[Observer] = None,
    ) -> None:
        self._game = game
        self._lands = lands
        self._random = Random(seed)
        self.stop = stop or StopToken()
        self._observer = observer
        self.facts = Advised(game, advice)
        self._proved = Facts(game.name)
        self.missing = 0
        self.wrong: Dict[Land, int] = {}
        self.wins = False
        self.best: Dict[Land, int] = {}
        self.cycle = 0
        self._start_anew()

    # --- what is required -------------------------------------------------------

    def _start_anew(self) -> None:
        """Forget all requirements: numbers have become known, or known to be wrong."""
        self._requirements = Requirements(self._game, self.facts.get)

    def _search(self, facts: Facts) -> Search:
        search = Search(Couples(self._game, facts), Table(TABLE_ENTRIES), stop=self.stop)
        search.observer = lambda _: self._observe()
        return search

    def _observe(self) -> None:
        if self._observer:
            self._observer(self)
        if self.stop.reason:
            raise Stopped(self.stop.reason)

    def _root(self) -> Ways:
        """The ways to show who wins; finds out first who does."""
        while True:
            number, way = self._requirements.way(self._lands)
            children = options(self._game, self._lands)
            ways = {way for value, way in map(self._requirements.way, children) if value == 0}
            proved = all([self._proved.get(land) >= 0 for land in self._lands])
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
                self._prove(self._lands)
            self._start_anew()

    def _finds_outcome(self) -> bool:
        """Search with the advice for who wins; whether that found something new."""
        self.missing += 1
        before = len(self.facts)
        try:
            self._search(self.facts).outcome(self._lands)
        except Contradiction:
            return False
        return len(self.facts) > before

    def _fill(self, gap: Gap) -> None:
        """Search for what meets a requirement that nothing known meets."""
        self.missing += 1
        if (gap.land,) != gap.option and self._finds_answer(gap):
            self._start_anew()
            return
        self._prove((gap.land,))
        self._prove(gap.option)

    def _finds_answer(self, gap: Gap) -> bool:
        """Search with the advice for an answer to an option; whether that found something new.

        The search lets two equal lands cancel, whatever their number is; here it is needed.
        """
        before = len(self.facts)
        search = self._search(self.facts)
        try:
            if not search.outcome(gap.option, gap.number):
                return False
            for answer in options(self._game, gap.option):
                if known(without_pairs(answer), self.facts.get) == gap.number:
                    for land in answer:
                        search.grundy_number(land)
                    break
        except Contradiction:
            return False
        return len(self.facts) > before

    def _prove(self, lands: Sum) -> None:
        """Find the numbers of lands without the advice, and correct it by what that proves."""
        search = self._search(self._proved)
        for land in lands:
            search.grundy_number(land)
        for land, number in self._proved.items():
            if self.facts.correct(land, number):
                self.wrong[land] = number
        self._start_anew()

    # --- proofs -------------------------------------------------------------------

    def _solve(self, root: Ways, cost: Cost) -> Set[int]:
        """A set of lands that meets the root's requirement and those of its members.

        What can be met in one way only comes first, and the largest lands first; then
        the way that meets the most for its cost; raises Gap.
        """
        requirements, random = self._requirements, self._random.random
        all_ways, sizes = requirements.ways, requirements.sizes
        kept: Set[int] = set()
        waiting: List[Tuple[int, int]] = []
        open_ways: List[Ways] = [root]
        seen: Set[int] = set()

        def keep(way: Way) -> None:
            for i in way:
                if i not in kept:
                    kept.add(i)
                    heappush(waiting, (-sizes[i], i))

        while True:
            while waiting:
                for requirement in requirements.of(heappop(waiting)[1]):
                    if requirement not in seen:
                        seen.add(requirement)
                        ways = all_ways[requirement]
                        if len(ways) == 1:
                            keep(ways[0])
                        else:
                            open_ways.append(ways)
            open_ways = [ways for ways in open_ways if not any(map(kept.issuperset, ways))]
            if not open_ways:
                return kept
            gains: Dict[Way, int] = {}
            for ways in open_ways:
                for way in ways:
                    lacking = tuple([i for i in way if i not in kept])
                    gains[lacking] = gains.get(lacking, 0) + 1
            best: Way = ()
            most = 0.0
            for way, gain in gains.items():
                worth = (gain + random()) / sum([cost(i) for i in way])
                if worth > most:
                    best, most = way, worth
            keep(best)

    def _largest_first(self, kept: Set[int], by_chance: bool) -> List[int]:
        texts, sizes, random = self._requirements.texts, self._requirements.sizes, self._random
        order = sorted(kept, key=lambda i: texts[i])
        if by_chance:
            random.shuffle(order)
        return sorted(order, key=lambda i: -sizes[i])

    def _prove_once(self, cost_of: Callable[[], Cost], by_chance: bool = True) -> Dict[Land, int]:
        """The entries of one proof; gaps are filled, and the proof then begun again."""
        while True:
            try:
                root = self._root()
                kept = self._solve(root, cost_of())
                order = self._largest_first(kept, by_chance)
                kept = without_needless(self._requirements, root, kept, order)
            except Gap as gap:
                self._fill(gap)
                continue
            texts, numbers = self._requirements.texts, self._requirements.numbers
            return {texts[i]: numbers[i] for i in sorted(kept)}

    def reduce(self, cycles: int) -> Proof:
        """The smallest proof that a first one and so many cycles find; raises Stopped.

        None of its entries can be left out.
        """
        random = self._random
        self.best = self._prove_once(self._cost_in_the_beginning)
        since = 0
        for self.cycle in range(1, cycles + 1):
            self._observe()
            if since >= CYCLES_BETWEEN:
                since = 0
                self._learn_more()
            lands = sorted(self.best)
            some = min(len(lands), random.choice((1, 1, 1, 2, 3, 6)))
            found = self._prove_once(partial(self._cost, set(random.sample(lands, some))))
            since += 1
            if len(found) < len(self.best):
                since = 0
            if len(found) <= len(self.best):
                self.best = found
        last = self._prove_once(partial(self._cost_in_the_end, set(self.best)), False)
        if len(last) <= len(self.best):
            self.best = last
        self.best = needed(self._game, self._lands, self.wins, self.best)
        return Proof(self.wins, self.best)

    def _cost_in_the_beginning(self) -> Cost:
        texts, advises = self._requirements.texts, self.facts.advises
        return lambda i: 1.0 if advises(texts[i]) else UNADVISED

    def _cost_in_the_end(self, at_hand: Set[Land]) -> Cost:
        texts = self._requirements.texts
        return lambda i: AT_HAND if texts[i] in at_hand else 1.0

    def _cost(self, forbidden: Set[Land]) -> Cost:
        """The costs of lands in one cycle, by id."""
        texts, best, random = self._requirements.texts, self.best, self._random.uniform
        at_hand = {self._requirements.id(land) for land in best}
        costs: Dict[int, float] = {}

        def cost(i: int) -> float:
            value = costs.get(i, 0.0)
            if not value:
                if texts[i] in forbidden:
                    value = FORBIDDEN
                elif texts[i] in best:
                    value = AT_HAND
                else:
                    value = random(0.5, 1.5) + self._unmet(i, at_hand) * random(0.3, 1.0)
                costs[i] = value
            return value

        return cost

    def _unmet(self, i: int, at_hand: Set[int]) -> float:
        """How many requirements of a land the proof at hand does not meet; roughly, if large."""
        requirements = self._requirements
        if not requirements.is_found(i) and requirements.sizes[i] > LOOKED_AT:
            return 3.0
        try:
            mine = requirements.of(i)
        except Gap:
            return FORBIDDEN
        ways = requirements.ways
        return float(sum([not any(map(at_hand.issuperset, ways[r])) for r in mine]))

    def _learn_more(self) -> None:
        """Search for the numbers of the lands that would help most if they were known."""
        self._start_anew()
        for land in self.best:
            self._requirements.of(self._requirements.id(land))
        wanted = self._requirements.wanted
        search = self._search(self.facts)
        for land in sorted(wanted, key=lambda land: (-wanted[land], land))[:SEARCHED_FOR]:
            search.most_expansions = search.expansions + MOST_EXPANSIONS
            search.stop = StopToken()
            try:
                search.grundy_number(land)
            except (Stopped, Contradiction):
                pass
            self._observe()
        self._start_anew()
