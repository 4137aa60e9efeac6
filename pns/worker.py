"""A worker of PNS-PDFPN: takes jobs from a master, searches them, and hands the results in.

Its search is `pns.dfpn`. Facts and the transposition table stay from job to job, as far as
the order says. What it proves goes to the master with the next report and is held here
until that is answered; to a master that does not know it, it tells all that it ever proved.
"""

from __future__ import annotations

import sys
import time
from typing import Callable, Dict, List, Optional

from pns.bounds import MOST
from pns.couple import HEAP, HEAP_BITS, Couples
from pns.dfpn import LOSS, WIN, Numbers, Search, Stopped, StopToken
from pns.facts import Contradiction, Fact, Facts
from pns.game import Game, TooLarge
from pns.jobs import (
    DONE,
    ENOUGH,
    JOB,
    KEEP_ALL,
    KEEP_NOTHING,
    UNKNOWN,
    WAIT,
    Child,
    Link,
    Order,
    Reply,
    Report,
    Result,
)
from pns.prior import Prior
from pns.table import Table

FACTS_IN_REPORT = 2000
"""Facts that travel with one report; what is more goes with the next ones."""


def unsolved(numbers: Numbers) -> Numbers:
    """Numbers that claim nothing to be proved."""
    return max(1, min(numbers[0], MOST)), max(1, min(numbers[1], MOST))


class WorkerCouples(Couples):
    """Couples that collect what is proved here."""

    def __init__(self, game: Game, facts: Facts, seed: int, prior: Optional[Prior]) -> None:
        super().__init__(game, facts, seed, prior)
        self.proved: List[Fact] = []

    def learn(self, land: int, number: int) -> None:
        self.proved.append((self.texts[land], number))  # a contradiction too is to be reported
        super().learn(land, number)


class Worker:
    """Works for the master at the other end of `link` until that says that the search is done.

    `capacity` is the number of entries of the table, `most_cells` that of the cells that
    interned positions may take. Once `stop` is set the job is handed in as it is, and the
    worker leaves.
    """

    def __init__(
        self,
        link: Link,
        game: Game,
        capacity: int,
        seed: int = 0,
        prior: Optional[Prior] = None,
        most_cells: int = sys.maxsize,
        stop: Optional[StopToken] = None,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[], None] = lambda: time.sleep(0.01),
    ) -> None:
        self.link = link
        self.game = game
        self.capacity = capacity
        self.seed = seed
        self.prior = prior
        self.most_cells = most_cells
        self.stop = stop or StopToken()
        self.clock = clock
        self.pause = pause
        self.reason = ""
        """Why the master said that the search is done."""
        self.jobs = 0
        self._all: Dict[bytes, int] = {}
        self._unsaid: List[Fact] = []
        self._order: Optional[Order] = None
        self._reported = 0
        self._reported_at = 0.0
        self._forget(KEEP_NOTHING)

    def _forget(self, keep: int) -> None:
        """Keep of what was learned as much as a master asks for."""
        if keep == KEEP_NOTHING:
            self._couples = WorkerCouples(self.game, Facts(self.game.name), self.seed, self.prior)
        if keep != KEEP_ALL:
            self._search = Search(
                self._couples,
                Table(self.capacity),
                observer=self._observe,
                most_cells=self.most_cells,
            )
            self._reported = 0

    def run(self) -> None:
        """Join, and work until the search is done or the stop token set.

        Raises Contradiction and TooLarge, after the master has been told.
        """
        self._begin()
        try:
            while not self.stop.reason and not self.reason:
                self._tell_facts()
                reply = self._heard(self.link.get())
                if reply.says == JOB and reply.order:
                    self._work(reply.order)
                elif reply.says == WAIT:
                    self.pause()
        finally:
            self._tell_facts()
            self.link.leave()

    def _tell_facts(self) -> None:
        """Tell the master what no report has brought to it."""
        facts = self._collect()
        while facts:
            reply = self.link.add_facts(facts)
            if reply.says != UNKNOWN:
                del self._unsaid[: len(facts)]
            self._heard(reply)
            facts = self._collect()

    def _begin(self) -> None:
        """Join, to tell the master, with the next reports, all that was ever proved here."""
        self._heard(self.link.join(self.game.name))
        self._unsaid = list(self._all.items())

    def _heard(self, reply: Reply) -> Reply:
        """Take in what every reply may bring."""
        for land, number in reply.facts:
            self._couples.facts.add(land, number)
            self._couples.hear(land, number)
        if reply.says == DONE:
            self.reason = reply.reason or "the search is done"
        elif reply.says == UNKNOWN:
            self._begin()
        return reply

    def _work(self, order: Order) -> None:
        """Search a leaf for as long as its order says, and hand it in."""
        self._forget(order.keep)
        search = self._search
        self._order, self._reported_at = order, self.clock()
        self._reported = search.expansions
        self._next_update = search.expansions + order.updates
        self.jobs += 1
        search.stop = StopToken()
        search.most_expansions = search.expansions + order.iterations
        search.root = (1, 1)
        try:
            numbers = WIN if search.outcome((order.land,), order.heap) else LOSS
        except Stopped:
            numbers = unsolved(search.root)
        except (Contradiction, TooLarge):
            self._say(self.link.close, (1, 1))
            raise
        result = self._result(order)
        if result is None:
            numbers = self._solved(order)
        self._say(lambda report: self.link.submit(report, result), numbers)
        self._order = None

    def _solved(self, order: Order) -> Numbers:
        """The numbers of a leaf that facts decide."""
        number = self._couples.numbers[self._couples.land(order.land)]
        return LOSS if number == order.heap else WIN

    def _result(self, order: Order) -> Optional[Result]:
        """The leaf's options and its children's numbers, None if facts decide it."""
        couples, search = self._couples, self._search
        land, heap = couples.land(order.land), order.heap
        options = couples.options(land, heap)
        if couples.numbers[land] >= 0 or couples.reached[land] >> heap & 1:
            return None
        children: List[Child] = []
        for code in [option ^ heap for option in options] + couples.smaller_heaps(land, heap):
            i = code >> HEAP_BITS
            lands = tuple([couples.texts[part] for part in couples.parts[i] or (i,)])
            pn, dn = search.numbers(code)
            children.append(Child(lands, code & HEAP, pn, dn))
        return Result(couples.reached[land], children)

    def _observe(self, search: Search) -> None:
        """Report when it is time to; stop if the master, or the token, says so."""
        if self.stop.reason:
            search.stop.stop(self.stop.reason)
        elif search.expansions >= self._next_update and self._order:
            self._next_update = search.expansions + self._order.updates
            reply = self._say(self.link.update, unsolved(search.root))
            if reply.says in (ENOUGH, DONE, UNKNOWN):
                search.stop.stop("the master")

    def _collect(self) -> List[Fact]:
        """What the master has not acknowledged yet, as much as fits in a report."""
        proved = self._couples.proved
        if proved:
            self._all.update(proved)
            self._unsaid += proved
            del proved[:]
        return self._unsaid[:FACTS_IN_REPORT]

    def _say(self, call: Callable[[Report], Reply], numbers: Numbers) -> Reply:
        """Report what was done since the last report; the answer acknowledges the facts."""
        order = self._order
        assert order
        now, search = self.clock(), self._search
        facts = self._collect()
        report = Report(
            order.job,
            order.land,
            order.heap,
            numbers[0],
            numbers[1],
            search.expansions - self._reported,
            now - self._reported_at,
            search.table.used,
            facts,
        )
        self._reported, self._reported_at = search.expansions, now
        reply = call(report)
        if reply.says != UNKNOWN:
            del self._unsaid[: len(facts)]
        return self._heard(reply)
