"""A worker of PNS-PDFPN: takes jobs from a master, searches them, and hands the results in.

Its search is that of `pns.dfpn`, with several processes that of `pns.parallel.pool`, or if its
policy says so that of `pns.ppn2`. Facts and the transposition table stay from job to job as far
as the job says; a tree never does. Proved facts go to the master with the next report, and stay
in the outbox until it is answered. A master that does not know the worker, as after a restart,
receives all facts that the worker ever proved.
"""

from __future__ import annotations

import time
from typing import Callable, Optional

from pns.choices import THRESHOLDS
from pns.facts import Contradiction, FactsError
from pns.game import check_land
from pns.jobs.jobsearch import JobSearch, LeafSearcher, result_of, search_leaf, unsolved
from pns.jobs.protocol import (
    DONE,
    FORGET,
    JOB,
    KEEP_ALL,
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
from pns.search.bounds import LOSS, ROOT, WIN, Numbers
from pns.search.counted_search import Stopped, StopToken

FIRST_PAUSE, LONGEST_PAUSE = 0.01, 0.16
"""Seconds between two requests of a worker without a job: they double from the first to the
second number."""


class StartedOver(Exception):
    """This worker had to forget everything, and has joined again."""


class Worker:
    """Works for the master at the other end of `link` until the search is done.

    It searches with `searcher`. If the facts of its group cannot be stored, it goes on without
    them. Once `stop` is set, it hands in its job as it is and leaves. `announce` is called once,
    when the master has let it in.
    """

    def __init__(
        self,
        link: Link,
        searcher: LeafSearcher,
        stop: Optional[StopToken] = None,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
        warn: Callable[[str], None] = lambda text: None,
        announce: Callable[[], None] = lambda: None,
    ) -> None:
        self.searcher = searcher
        searcher.observer = self._observe
        self.link = link
        self.stop = stop or StopToken()
        self.clock = clock
        self.pause = pause
        self.warn = warn
        self.announce = announce
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
            self.searcher.close()
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
            self.searcher.rest()
            self.report_facts()
            self.pause(self._wait)
            self._wait = min(2 * self._wait, LONGEST_PAUSE)

    def report_facts(self) -> None:
        """Report all facts of the outbox outside a job."""
        while self._report_batch():
            pass

    def _report_batch(self) -> bool:
        """Report the next facts of the outbox outside a job; whether there were any."""
        facts = self.searcher.next_facts()
        if facts:
            reply = self.link.add_facts(facts)
            if reply.status != UNKNOWN:
                self.searcher.acknowledge(facts)
            self._apply_reply(reply)
        return bool(facts)

    def join(self) -> None:
        """Join; the next reports bring the master all facts that are known here.

        Raises StartedOver if the master wants them forgotten, or searches other children.
        """
        over, searcher = False, self.searcher
        reply = self.link.join(searcher.game.name, self._forgotten, searcher.simplify)
        while reply.status in (FORGET, SWITCH) and not self.stop.reason:
            over = True
            if reply.status == SWITCH:
                searcher.choose_game(not searcher.simplify)
            else:
                self._forgotten = reply.reason
                searcher.withdraw(reply.facts)
            reply = self.link.join(searcher.game.name, self._forgotten, searcher.simplify)
        if over:
            self._start_over()
            if (
                searcher.shares_memory and self._has_joined
            ):  # others may still write such facts there
                self.is_stale = True
                self.stop.stop("the memory of this machine has withdrawn facts")
        if not self._has_joined and reply.status == WAIT:
            self.announce()
        self._has_joined = True
        self._apply_reply(reply)
        searcher.report_again()
        if over:
            raise StartedOver

    def _start_over(self) -> None:
        """Forget everything that rests on earlier facts, but not the facts of the group."""
        self._spec = self._open = None
        self._waiting = False
        self.searcher.start_over()

    def _apply_reply(self, reply: Reply) -> Reply:
        """Apply the facts and the status of a reply; returns the reply."""
        self.searcher.apply(reply.facts)
        if reply.status == DONE:
            self.reason = reply.reason or "the search is done"
        elif reply.status == UNKNOWN:
            self.join()
        return reply

    def _work(self, spec: JobSpec) -> None:
        """Search a leaf as long as its job says, and hand the job in."""
        searcher = self.searcher
        try:
            check_land(searcher.game, spec.land)
        except ValueError as error:
            raise ProtocolError("the master sent an invalid job: %s" % error) from None
        spec = searcher.adapted(spec)
        searcher.forget(spec.keep)
        search = searcher.search
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
            if not searcher.has_group_facts or type(error) is not FactsError:
                raise
            self.warn("%s; going on without it" % error)
            searcher.drop_group_facts()
            return
        result = result_of(search, searcher.job_game, spec, search.expansions >= all_spent)
        if result is None:
            numbers = self._decided_numbers(spec)
        self._report(lambda report: self._submit(spec, report, result), numbers)
        self._spec = None

    def _submit(self, spec: JobSpec, report: JobReport, result: Optional[JobResult]) -> Reply:
        """Hand in a job, and search on until the reply and the next job have come.

        The search goes on at the leaf of this job, or if it is solved, at the last unsolved one.
        """
        self.link.submit(report, result)
        search, began = self.searcher.search, self.clock()
        goes_on = self.searcher.goes_on
        if result:
            self._open = spec
        if result and goes_on:
            reply = self.link.answer()
            self._carried += self.clock() - began
            return reply
        job_end = self.searcher.setup.policy.job_end
        searches_on = spec.keep == KEEP_ALL and job_end == THRESHOLDS
        if self._open and not goes_on and searches_on:
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
        searcher = self.searcher
        number = searcher.number_of(spec.land)
        searcher.next_facts()
        while searcher.outbox.is_full():  # the reasons go first
            self._report_batch()
        if number >= 0:
            searcher.outbox.prepend((spec.land, number))
        return LOSS if number == spec.heap else WIN

    def _observe(self, search: JobSearch) -> None:
        """Report if a report is due; end the job if the master or the stop token says so."""
        if self.stop.reason or (self._waiting and self.link.answered()):
            search.job_ends = 0
        elif self._waiting:
            return
        elif self._next_update <= search.expansions < search.job_ends and self._spec:
            self._next_update = search.expansions + self._spec.updates
            reply = self._report(self.link.update, unsolved(search.root))
            if reply.status in (SUBMIT_NOW, DONE, UNKNOWN):
                search.job_ends = 0

    def _report(self, call: Callable[[JobReport], Reply], numbers: Numbers) -> Reply:
        """Report the work since the last report; the reply acknowledges the facts.

        To a master that does not know this worker it is sent again after joining.
        """
        spec = self._spec
        assert spec
        now, searcher = self.clock(), self.searcher
        done, before = searcher.work_done(), searcher.reported
        seconds = now - self._reported_at
        reply = Reply(UNKNOWN, None, [], "")
        for _ in range(2):
            facts = searcher.next_facts()
            report = JobReport(
                spec.job,
                spec.land,
                spec.heap,
                *numbers,
                done[0] - before[0],
                done[1] - before[1],
                seconds,
                searcher.search.entries,
                facts,
            )
            reply = call(report)
            if reply.status != UNKNOWN:
                searcher.acknowledge(facts)
            self._apply_reply(reply)
            if reply.status != UNKNOWN:
                break
        searcher.reported, self._reported_at = done, now
        return reply
