"""A worker of PNS-PDFPN: takes jobs from a master, searches them, and hands the results in.

Its search is that of `pns.dfpn`, or with several processes that of `pns.parallel.pool`. Facts and
the transposition table stay from job to job, as far as the order says. What it proves goes
to the master with the next report and is held here until that is answered; to a master
that does not know it, as after a restart, it tells all that it ever proved.
"""

from __future__ import annotations

import sys
import time
from array import array
from itertools import islice
from typing import Callable, Dict, Iterator, List, Optional

from pns.bounds import MAX_NUMBER, ROOT
from pns.couple import HEAP, HEAP_BITS, Couples
from pns.dfpn import LOSS, WIN, Numbers, Search, Stopped, StopToken
from pns.distributed.peers import LocalPeers, PeerExchange, ReportExchange
from pns.distributed.protocol import (
    DONE,
    EPSILON,
    FORGET,
    JOB,
    KEEP_ALL,
    KEEP_NOTHING,
    SUBMIT_NOW,
    UNKNOWN,
    WAIT,
    JobReport,
    JobResult,
    JobSpec,
    Link,
    ProtocolError,
    Reply,
    children_in_order,
)
from pns.exchange import ALONE, FACT, Exchange
from pns.facts import Contradiction, Fact, Facts, FactsError
from pns.facts.staged import StagedFacts
from pns.game import Game, check_land
from pns.parallel.child_store import SharedGame
from pns.parallel.logs import OBSERVE_EVERY
from pns.parallel.pool import PoolSearch, ProcessPool
from pns.prior import Prior
from pns.table import Table

FIRST_PAUSE, LONGEST_PAUSE = 0.01, 0.16
"""Seconds that a worker for whom there is no job waits before it asks again; they double."""
FACTS_IN_REPORT = 2000
"""Facts that travel with one report; what is more goes with the next ones."""


def unsolved(numbers: Numbers) -> Numbers:
    """Numbers that claim nothing to be proved."""
    return max(1, min(numbers[0], MAX_NUMBER)), max(1, min(numbers[1], MAX_NUMBER))


class StartedOver(Exception):
    """This worker had to forget all that it knew, and has joined again."""


class Worker:
    """Works for the master at the other end of `link` until that says that the search is done.

    `capacity` is the number of entries of the table, `max_size` that of the cells that
    interned positions may take, in each of its `processes`. `facts` are those of its group,
    if it shares any; when these cannot be stored it goes on alone. `machine` is what it shares
    with other workers of its machine. Once `stop` is set the job is handed in as it is, and
    the worker leaves.
    """

    def __init__(
        self,
        link: Link,
        game: Game,
        capacity: int,
        seed: int = 0,
        prior: Optional[Prior] = None,
        max_size: int = sys.maxsize,
        stop: Optional[StopToken] = None,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
        processes: int = 1,
        facts: Optional[Facts] = None,
        warn: Callable[[str], None] = lambda text: None,
        machine: Optional[LocalPeers] = None,
    ) -> None:
        self.link = link
        self.options = machine.options if machine else None
        self.game = SharedGame(game, machine.options, 0) if machine and processes == 1 else game
        self.machine = machine
        self.capacity = capacity
        self.seed = seed
        self.prior = prior
        self.max_size = max_size
        self.stop = stop or StopToken()
        self.clock = clock
        self.pause = pause
        self.processes = processes
        self.facts = None if facts is None else StagedFacts(facts)
        self.warn = warn
        self.reason = ""
        """Why the master said that the search is done."""
        self.jobs = 0
        self._all: Dict[bytes, int] = {}
        self._unacknowledged: List[Fact] = []
        self._backlog: Iterator[Fact] = iter(())
        """Facts of the group, for a master that may not have them."""
        self._order: Optional[JobSpec] = None
        self._open: Optional[JobSpec] = None
        """The last job that was handed in unsolved, unless its leaf was solved since."""
        self._reported = self._generated = 0
        self._reported_at = self._carried = 0.0
        """When a report was made last, and the seconds of before that were not reported."""
        self._forgotten = ""
        """How much of what the master withdrew was forgotten here, as it says."""
        self._waiting = False
        """Whether a job was handed in, and the search goes on until there is an answer."""
        self._wait = FIRST_PAUSE
        """Seconds before it asks again, when there is no job."""
        self._pool: Optional[PoolSearch] = None
        self._exchange = ReportExchange(Facts(game.name), ALONE)
        self._forget(KEEP_NOTHING)

    def _forget(self, keep: int) -> None:
        """Keep of what was learned as much as a master asks for."""
        if keep == KEEP_ALL:
            return
        if self._pool:
            self._pool.close()
        self._collect_proved()
        if keep == KEEP_NOTHING:
            facts = Facts(self.game.name) if self.facts is None else self.facts
            shared = self.facts is not None
            self._couples = Couples(self.game, facts, self.seed, self.prior, rereads_facts=shared)
            self._generated = self._children_generated()
        couples = self._couples
        others: Exchange = ALONE
        self._search: Search
        if self.processes > 1:
            self._search = self._pool = self._pool_of(couples)
            others = self._pool.exchange
        else:
            self._search = Search(
                couples,
                Table(self.capacity),
                EPSILON,
                observer=self._observe,
                max_size=self.max_size,
            )
            if self.machine:
                self._search.observe_every = OBSERVE_EVERY
                others = PeerExchange(self.machine)
        couples.exchange = self._exchange = ReportExchange(couples.facts, others)
        self._reported = 0

    def _pool_of(self, couples: Couples) -> PoolSearch:
        """The search of several processes."""
        return ProcessPool(
            self.processes,
            couples,
            self.capacity,
            self._observe,
            self.seed,
            self.prior,
            self.max_size,
            self.options,
            EPSILON,
        )

    def run(self) -> None:
        """Join, and work until the search is done or the stop token set.

        Raises Contradiction, TooLarge, FactsError, ProtocolError and ProcessesDied, after the
        master has got its job back.
        """
        self._unless_over(self._begin)
        try:
            self._unless_over(self._report_facts)
            while not self.stop.reason and not self.reason:
                self._unless_over(self._take_turn)
        finally:
            if self._pool:
                self._pool.close()
            self._unless_over(self._report_facts)
            self.link.leave()

    def _unless_over(self, call: Callable[[], None]) -> None:
        """Do what this worker may have to break off, as it has to begin again.

        Which of two contradicting facts is wrong is for the master to say: where it withdraws
        facts, this worker goes on.
        """
        try:
            call()
        except StartedOver:
            pass
        except Contradiction:
            try:
                self._report_facts()
            except StartedOver:
                return
            raise

    def _take_turn(self) -> None:
        """Do a job, or wait for one."""
        reply = self._apply_reply(self.link.get())
        if reply.says == JOB and reply.order:
            self._work(reply.order)
            self._wait = FIRST_PAUSE
        elif reply.says == WAIT:
            if self._pool:
                self._pool.rest()
            self._report_facts()
            self.pause(self._wait)
            self._wait = min(2 * self._wait, LONGEST_PAUSE)

    def _report_facts(self) -> None:
        """Tell the master what no report has brought to it."""
        while self._next_batch():
            self._report_some()

    def _report_some(self) -> None:
        """Tell the master of that as much as fits in a report."""
        facts = self._next_batch()
        reply = self.link.add_facts(facts)
        if reply.says != UNKNOWN:
            self._acknowledged(facts)
        self._apply_reply(reply)

    def _begin(self) -> None:
        """Join, to tell the master, with the next reports, all that is known here.

        Raises StartedOver where the master wants all of it forgotten.
        """
        over = False
        reply = self.link.join(self.game.name, self._forgotten)
        while reply.says == FORGET and not self.stop.reason:
            over = True
            self._forgotten = reply.reason
            if self.facts is not None:
                self.facts.withdraw(reply.facts)
            reply = self.link.join(self.game.name, self._forgotten)
        if over:
            self._start_over()
        self._apply_reply(reply)
        self._unacknowledged = list(self._all.items())
        if self.facts is not None:
            self._backlog = self.facts.items()
        if over:
            raise StartedOver

    def _start_over(self) -> None:
        """Forget all that rests on facts of before, those of the group apart."""
        self._all.clear()
        del self._exchange.unreported[:]
        self._order = self._open = None
        self._waiting = False
        if self.facts is not None:
            self.facts = StagedFacts(self.facts.base)
        self._forget(KEEP_NOTHING)

    def _acknowledged(self, facts: List[Fact]) -> None:
        """The master has got the first of what is to be said: others may build on it."""
        del self._unacknowledged[: len(facts)]
        if self.facts is not None:
            self.facts.release(facts)

    def _apply_reply(self, reply: Reply) -> Reply:
        """Take in what every reply may bring."""
        for land, number in reply.facts:
            try:
                self._couples.apply(FACT, number, land)
                if self.facts is not None:
                    self.facts.release([(land, number)])
            except Contradiction as error:
                self._unacknowledged.append(
                    (land, error.known)
                )  # so that the master can tell whose it is
                raise
            if self._pool:
                self._pool.relay(land, number)
        if reply.says == DONE:
            self.reason = reply.reason or "the search is done"
        elif reply.says == UNKNOWN:
            self._begin()
        return reply

    def _work(self, order: JobSpec) -> None:
        """Search a leaf for as long as its order says, and hand it in."""
        try:
            check_land(self.game, order.land)
        except ValueError as error:
            raise ProtocolError("the master gave a job that is none: %s" % error) from None
        self._forget(order.keep)
        search = self._search
        self._order = order
        self._reported_at = self.clock() - self._carried
        self._carried = 0.0
        self._next_update = search.expansions + order.updates
        self.jobs += 1
        all_spent = search.job_ends = search.expansions + order.iterations
        search.root = (1, 1)
        try:
            numbers = WIN if self._solve(order) else LOSS
        except Stopped:
            numbers = unsolved(search.root)
        except StartedOver:
            raise
        except Exception as error:
            self._report(self.link.close, (1, 1))
            if self.facts is None or type(error) is not FactsError:
                raise
            self.warn("%s; going on without it" % error)
            self.facts = None
            self._forget(KEEP_NOTHING)
            return
        result = self._result(order, search.expansions >= all_spent)
        if result is None:
            numbers = self._solved(order)
        self._report(lambda report: self._submit(order, report, result), numbers)
        self._order = None

    def _solve(self, order: JobSpec) -> bool:
        """Search the leaf within its thresholds, and beyond them until `least` is spent."""
        search = self._search
        least = search.expansions + order.least
        search.limits = order.limits
        try:
            return search.outcome((order.land,), order.heap)
        except Stopped:
            if search.expansions >= min(least, search.job_ends):
                raise
        search.limits = ROOT
        search.job_ends = min(least, search.job_ends)
        return search.outcome((order.land,), order.heap)

    def _submit(self, order: JobSpec, report: JobReport, result: Optional[JobResult]) -> Reply:
        """Hand in a job, and search on until the next job is here.

        Below its leaf, or if that was solved below the last one that was not.
        """
        self.link.submit(report, result)
        search, began = self._search, self.clock()
        if result:
            self._open = order
        if result and self._pool:  # its processes go on by themselves
            reply = self.link.answer()
            self._carried += self.clock() - began
            return reply
        if self._open and not self._pool and order.keep == KEEP_ALL:
            search.job_ends = search.expansions + order.iterations
            search.limits = ROOT
            self._waiting = True
            try:
                search.outcome((self._open.land,), self._open.heap)
                self._open = None
            except Exception:  # what is wrong is so with the next job too, or proved and told
                pass
            self._waiting = False
            self._carried += self.clock() - began
        return self.link.answer()

    def _result(self, order: JobSpec, with_children: bool) -> Optional[JobResult]:
        """The numbers of the leaf's children, or none of them; None if facts decide it."""
        couples = self._couples
        land, heap = couples.land(order.land), order.heap
        if couples.numbers[land] >= 0 or couples.option_numbers[land] >> heap & 1:
            return None
        if not with_children:
            return JobResult(array("I"))
        game = self._pool.game if self._pool else self.game
        children = [couples.code(lands) ^ heap for lands in children_in_order(game, order.land)]
        if 0 in children:
            couples.option_numbers[land] |= 1 << heap
            return None
        children += [land << HEAP_BITS | n for n in range(heap)]
        numbers = array("I")
        for child in children:
            numbers.extend(self._search.numbers(child) if child > HEAP else WIN)
        return JobResult(numbers)

    def _solved(self, order: JobSpec) -> Numbers:
        """The numbers of a leaf that facts decide, which are told, whoever found them.

        The master builds on them at once: what they rest on is told with them, or before.
        """
        number = self._couples.numbers[self._couples.land(order.land)]
        self._collect_proved()
        while len(self._unacknowledged) >= FACTS_IN_REPORT:  # the reasons go first
            self._report_some()
        if number >= 0:
            self._unacknowledged.insert(0, (order.land, number))
        return LOSS if number == order.heap else WIN

    def _children_generated(self) -> int:
        """Children that were generated here, not those that were found."""
        if isinstance(self.game, SharedGame):
            return self.game.children_generated
        return self._couples.children_generated

    def _observe(self, search: Search) -> None:
        """Report when it is time to; end the job if the master, or the token, says so."""
        if self.stop.reason or (self._waiting and self.link.answered()):
            search.job_ends = 0
        elif self._waiting:
            return
        elif self._next_update <= search.expansions < search.job_ends and self._order:
            self._next_update = search.expansions + self._order.updates
            reply = self._report(self.link.update, unsolved(search.root))
            if reply.says in (SUBMIT_NOW, DONE, UNKNOWN):
                search.job_ends = 0

    def _next_batch(self) -> List[Fact]:
        """What the master has not acknowledged yet, as much as fits in a report."""
        self._collect_proved()
        if len(self._unacknowledged) < FACTS_IN_REPORT:
            self._unacknowledged += islice(
                self._backlog, FACTS_IN_REPORT - len(self._unacknowledged)
            )
        return self._unacknowledged[:FACTS_IN_REPORT]

    def _collect_proved(self) -> None:
        """Put what was proved to what is to be said."""
        proved = self._exchange.unreported
        self._all.update(proved)
        self._unacknowledged += proved
        del proved[:]

    def _report(self, call: Callable[[JobReport], Reply], numbers: Numbers) -> Reply:
        """Report what was done since the last report; the answer acknowledges the facts.

        A master that does not know this worker is told once more, when it does.
        """
        order = self._order
        assert order
        now, search, generated = self.clock(), self._search, self._children_generated()
        done, seconds = search.expansions, now - self._reported_at
        reply = Reply(UNKNOWN, None, [], "")
        for _ in range(2):
            facts = self._next_batch()
            report = JobReport(
                order.job,
                order.land,
                order.heap,
                *numbers,
                done - self._reported,
                generated - self._generated,
                seconds,
                search.table.used,
                facts,
            )
            reply = call(report)
            if reply.says != UNKNOWN:
                self._acknowledged(facts)
            self._apply_reply(reply)
            if reply.says != UNKNOWN:
                break
        self._reported, self._generated, self._reported_at = done, generated, now
        return reply
