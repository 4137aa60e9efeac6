"""A worker of PNS-PDFPN: takes jobs from a master, searches them, and hands the results in.

Its search is that of `pns.dfpn`, with several processes that of `pns.parallel.pool`, or if its
policy says so that of `pns.ppn2`. Facts and the transposition table stay from job to job as far
as the job says; a tree never does. Proved facts go to the master with the next report, and stay
in the outbox until it is answered. A master that does not know the worker, as after a restart,
receives all facts that the worker ever proved.
"""

from __future__ import annotations

import sys
import time
from typing import Callable, List, Optional

from pns.choices import THRESHOLDS
from pns.dfpn import Search
from pns.distributed.peers import LocalPeers
from pns.distributed.searcher import JobSearcher
from pns.facts import Contradiction, Fact, Facts, FactsError
from pns.facts.staged import StagedFacts
from pns.game import Game, check_land
from pns.jobs.jobsearch import JobSearch, result_of, search_leaf, unsolved
from pns.jobs.policy import DEFAULT_SEARCH, WorkerPolicy
from pns.jobs.protocol import (
    DONE,
    FORGET,
    JOB,
    KEEP_ALL,
    KEEP_FACTS,
    KEEP_NOTHING,
    SUBMIT_NOW,
    SWITCH,
    UNKNOWN,
    WAIT,
    JobReport,
    JobResult,
    JobSpec,
    Link,
    ProtocolError,
    Reply,
)
from pns.positions.exchange import FACT
from pns.positions.prior import Prior
from pns.search.bounds import LOSS, ROOT, WIN, Numbers
from pns.search.counted_search import Stopped, StopToken

FIRST_PAUSE, LONGEST_PAUSE = 0.01, 0.16
"""Seconds between two requests of a worker without a job: they double from the first to the
second number."""


class StartedOver(Exception):
    """This worker had to forget everything, and has joined again."""


class Worker(JobSearcher):
    """Works for the master at the other end of `link` until the search is done.

    `JobSearcher` has the arguments with which it searches. A worker that cannot store the facts
    of its group goes on without them. Once `stop` is set, the worker hands in its job as it is and
    leaves.
    """

    def __init__(
        self,
        link: Link,
        game: Game,
        capacity: int,
        seed: int = 0,
        prior: Optional[Prior] = None,
        max_bytes: int = sys.maxsize,
        stop: Optional[StopToken] = None,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
        processes: int = 1,
        facts: Optional[Facts] = None,
        warn: Callable[[str], None] = lambda text: None,
        machine: Optional[LocalPeers] = None,
        policy: WorkerPolicy = DEFAULT_SEARCH,
        max_memory: Optional[int] = None,
        simpler: Optional[Game] = None,
        announce: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(
            game,
            capacity,
            seed,
            prior,
            max_bytes,
            processes,
            facts,
            machine,
            policy,
            max_memory,
            simpler,
        )
        self.link = link
        self.stop = stop or StopToken()
        self.clock = clock
        self.pause = pause
        self.warn = warn
        self.announce = announce
        """Called once, when the master has let this worker in."""
        self.reason = ""
        """Why the search is done, as the master says; "" while it goes on."""
        self.is_stale = False
        """Whether this worker ended as the memory of its machine has facts that were withdrawn, or
        of a master that searched other children."""
        self.jobs = 0
        self._has_joined = False
        self._spec: Optional[JobSpec] = None
        self._open: Optional[JobSpec] = None
        """The last job that was handed in unsolved, None once its leaf is solved."""
        self._reported_at = self._carried = 0.0
        """The time of the last report, and the seconds of earlier work that it did not cover."""
        self._forgotten = ""
        """The reason of the last FORGET."""
        self._waiting = False
        """Whether a job was handed in and the search goes on until there is a reply."""
        self._wait = FIRST_PAUSE
        """The pause in seconds before the next request for a job."""

    def run(self) -> None:
        """Join, and work until the search is done or the stop token is set.

        Raises Contradiction, TooLarge, FactsError, ProtocolError and ProcessesDied, after
        returning the job to the master.
        """
        self._unless_over(self.join)
        try:
            self._unless_over(self.report_facts)
            while not self.stop.reason and not self.reason:
                self._unless_over(self._take_turn)
        finally:
            if self.pool:
                self.pool.close()
            self._unless_over(self.report_facts)
            self.link.leave()

    def _unless_over(self, call: Callable[[], None]) -> None:
        """Make a call, which ends early if the worker has to start over.

        A contradiction is reported first, as the master decides which fact is wrong: if it
        withdraws facts, this worker goes on, else the contradiction is raised.
        """
        try:
            call()
        except StartedOver:
            pass
        except Contradiction:
            try:
                self.report_facts()
            except StartedOver:
                return
            raise

    def _take_turn(self) -> None:
        """Do a job, or wait for one."""
        reply = self._apply_reply(self.link.get())
        if reply.status == JOB and reply.spec:
            self._work(reply.spec)
            self._wait = FIRST_PAUSE
        elif reply.status == WAIT:
            if self.pool:
                self.pool.rest()
            self.report_facts()
            self.pause(self._wait)
            self._wait = min(2 * self._wait, LONGEST_PAUSE)

    def report_facts(self) -> None:
        """Report all facts of the outbox outside a job."""
        while self.next_batch():
            self._report_batch()

    def _report_batch(self) -> None:
        """Report the next facts of the outbox outside a job."""
        facts = self.next_batch()
        reply = self.link.add_facts(facts)
        if reply.status != UNKNOWN:
            self._acknowledge(facts)
        self._apply_reply(reply)

    def join(self) -> None:
        """Join; the next reports bring the master all facts that are known here.

        Raises StartedOver if the master wants them forgotten, or searches other children.
        """
        over = False
        reply = self.link.join(self.game.name, self._forgotten, self.simplify)
        while reply.status in (FORGET, SWITCH) and not self.stop.reason:
            over = True
            if reply.status == SWITCH:
                self._choose_game(not self.simplify)
            else:
                self._forgotten = reply.reason
                if self.facts is not None:
                    self.facts.withdraw(reply.facts)
            reply = self.link.join(self.game.name, self._forgotten, self.simplify)
        if over:
            self._start_over()
            if self.machine and self._has_joined:  # others may still write such facts there
                self.is_stale = True
                self.stop.stop("the memory of this machine has facts that count no longer")
        if not self._has_joined and reply.status == WAIT:
            self.announce()
        self._has_joined = True
        self._apply_reply(reply)
        self.outbox.restart(None if self.facts is None else self.facts.items())
        if over:
            raise StartedOver

    def _start_over(self) -> None:
        """Forget everything that rests on earlier facts, but not the facts of the group."""
        self.outbox.clear()
        del self._exchange.unreported[:]
        self._spec = self._open = None
        self._waiting = False
        if self.facts is not None:
            self.facts = StagedFacts(self.facts.base)
        self._forget(KEEP_NOTHING)

    def _acknowledge(self, facts: List[Fact]) -> None:
        """Release facts that the master has received to the group."""
        self.outbox.acknowledge(facts)
        if self.facts is not None:
            self.facts.release(facts)

    def _apply_reply(self, reply: Reply) -> Reply:
        """Apply the facts and the status of a reply; returns the reply."""
        for land, number in reply.facts:
            try:
                self.couples.apply(FACT, number, land)
                if self.facts is not None:
                    self.facts.release([(land, number)])
            except Contradiction as error:
                self.outbox.append((land, error.known))  # so that the master can compare both
                raise
            if self.pool:
                self.pool.relay(land, number)
        if reply.status == DONE:
            self.reason = reply.reason or "the search is done"
        elif reply.status == UNKNOWN:
            self.join()
        return reply

    def _work(self, spec: JobSpec) -> None:
        """Search a leaf as long as its job says, and hand the job in."""
        try:
            check_land(self.game, spec.land)
        except ValueError as error:
            raise ProtocolError("the master sent an invalid job: %s" % error) from None
        if self._nodes:
            spec = spec._replace(keep=min(spec.keep, KEEP_FACTS))
        self._forget(spec.keep)
        search = self.search
        self._spec = spec
        self._reported_at = self.clock() - self._carried
        self._carried = 0.0
        self._next_update = search.expansions + spec.updates
        self.jobs += 1
        all_spent = search.job_ends = search.expansions + spec.iterations
        search.root = (1, 1)
        try:
            numbers = WIN if search_leaf(search, spec) else LOSS
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
        game = self.pool.game if self.pool else self.game
        result = result_of(search, game, spec, search.expansions >= all_spent)
        if result is None:
            numbers = self._decided_numbers(spec)
        self._report(lambda report: self._submit(spec, report, result), numbers)
        self._spec = None

    def _submit(self, spec: JobSpec, report: JobReport, result: Optional[JobResult]) -> Reply:
        """Hand in a job, and search on until the reply and the next job have come.

        The search goes on at the leaf of this job, or if it is solved, at the last unsolved one.
        """
        self.link.submit(report, result)
        search, began = self.search, self.clock()
        if result:
            self._open = spec
        if result and self.pool:  # the processes of the pool go on
            reply = self.link.answer()
            self._carried += self.clock() - began
            return reply
        searches_on = spec.keep == KEEP_ALL and self.policy.job_end == THRESHOLDS
        if self._open and not self.pool and searches_on:
            search.job_ends = search.expansions + spec.iterations
            search.limits = ROOT
            self._waiting = True
            try:
                search.outcome((self._open.land,), self._open.heap)
                self._open = None
            except Exception:  # the next job raises it again, or the facts are reported
                pass
            self._waiting = False
            self._carried += self.clock() - began
        return self.link.answer()

    def _decided_numbers(self, spec: JobSpec) -> Numbers:
        """The numbers of a leaf that facts decide, whose own fact goes with the next report.

        The master uses it at once, so its reasons are in the same report or an earlier one,
        whether this worker or another has proved them.
        """
        number = self.couples.numbers[self.couples.land(spec.land)]
        self._collect_unreported()
        while self.outbox.is_full():  # the reasons go first
            self._report_batch()
        if number >= 0:
            self.outbox.prepend((spec.land, number))
        return LOSS if number == spec.heap else WIN

    def _observe(self, search: JobSearch) -> None:
        """Report if a report is due; end the job if the master or the stop token says so."""
        if isinstance(search, Search) and not self.pool:
            search.max_bytes = self._room.update()
        if self.stop.reason or (self._waiting and self.link.answered()):
            search.job_ends = 0
        elif self._waiting:
            return
        elif self._next_update <= search.expansions < search.job_ends and self._spec:
            self._next_update = search.expansions + self._spec.updates
            reply = self._report(self.link.update, unsolved(search.root))
            if reply.status in (SUBMIT_NOW, DONE, UNKNOWN):
                search.job_ends = 0

    def next_batch(self) -> List[Fact]:
        """The facts for the next report."""
        self._collect_unreported()
        return self.outbox.batch()

    def _report(self, call: Callable[[JobReport], Reply], numbers: Numbers) -> Reply:
        """Report the work since the last report; the reply acknowledges the facts.

        To a master that does not know this worker it is sent again after joining.
        """
        spec = self._spec
        assert spec
        now, search, generated = self.clock(), self.search, self._children_generated()
        done, seconds = search.expansions, now - self._reported_at
        reply = Reply(UNKNOWN, None, [], "")
        for _ in range(2):
            facts = self.next_batch()
            report = JobReport(
                spec.job,
                spec.land,
                spec.heap,
                *numbers,
                done - self._reported,
                generated - self._generated,
                seconds,
                search.entries,
                facts,
            )
            reply = call(report)
            if reply.status != UNKNOWN:
                self._acknowledge(facts)
            self._apply_reply(reply)
            if reply.status != UNKNOWN:
                break
        self._reported, self._generated, self._reported_at = done, generated, now
        return reply
