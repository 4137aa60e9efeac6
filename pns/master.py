"""The master of PNS-PDFPN: gives out leaves of its tree as jobs, and collects Grundy numbers.

The master knows no transport, no clock and no process: each call names the caller and the
time, in seconds of a monotonic clock. A job is leased: a worker that is silent for `lease`
seconds loses it, and the leaf is given to another. A late report is used as far as it still
fits: facts and a solved leaf always, numbers and children if nobody else has the leaf and it
is still a leaf. A worker that reports something impossible is dropped; how far other reports
are believed is decided by `pns.jobs.vetting`.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any, Callable, Collection, Dict, Optional

from pns.choices import AT_ONCE, WITH_JOBS
from pns.facts import Fact, Facts
from pns.facts.log import Group
from pns.game import Game, Sum
from pns.jobs.dispatch import Dispatcher
from pns.jobs.judge import Judge
from pns.jobs.knowledge import Knowledge
from pns.jobs.leases import Job
from pns.jobs.policy import DEFAULT_JOBS, JobPolicy
from pns.jobs.protocol import (
    DONE,
    FORGET,
    GO_ON,
    JOB,
    SUBMIT_NOW,
    SWITCH,
    UNKNOWN,
    WAIT,
    JobReport,
    JobResult,
    JobSpec,
    Reply,
)
from pns.jobs.roster import Roster, WorkerRecord
from pns.jobs.vetting import Vetting
from pns.positions.interned import HEAP
from pns.positions.simplify import find_simplified
from pns.usage import Distribution, JobCounts


class Master:
    """The search for the outcome of a position, or with `grundy` for its Grundy number.

    Without `lands` it is the master of a leader (`pns.leader`): `knowledge.ask` says what it
    searches, and neither an answer nor a failure ends the search.
    `policy` says how it is divided into jobs. A worker that is silent for `lease` seconds loses
    its job. `check` is the share of the workers' claims that is checked, in at most the share
    `check_time` of the time. No method raises an exception.
    """

    def __init__(
        self,
        game: Game,
        lands: Optional[Sum],
        facts: Facts,
        capacity: int,
        grundy: bool = False,
        policy: JobPolicy = DEFAULT_JOBS,
        lease: float = 60.0,
        check: float = 0.0,
        check_time: float = 1.0,
    ) -> None:
        self.game = game
        self.lands = lands or ()
        self._is_asked = lands is None
        self.facts = facts
        self.lease = lease
        self.vetting = Vetting(game, facts, check, check_time)
        self.knowledge = Knowledge(game, self.lands, facts, capacity, grundy, self.vetting, policy)
        self.workers = Roster()
        self.jobs = Dispatcher(self.knowledge, self.workers, policy)
        self.before_done: Callable[[], None] = lambda: None
        """Called before the first worker receives DONE, after which it may leave."""
        self.judge = Judge(self.knowledge, self.workers, self.jobs, self.lose)
        self.stopped = ""
        """Why the search was stopped from outside, "" while it was not."""
        self.generated = 0
        """Children that the workers have generated, as far as reported."""
        self._done_announced = False
        self._simplify = find_simplified(game) is not None

    @property
    def why_done(self) -> str:
        """Why no more jobs are given out, "" while they are.

        Answers and failures of a leader's search are for its own master, which decides.
        """
        knowledge = self.knowledge
        if self._is_asked:
            return self.stopped
        return knowledge.failure or ("solved" if knowledge.is_solved else self.stopped)

    def stop(self, reason: str) -> None:
        """Give out no more jobs."""
        self.stopped = self.stopped or reason

    # The part of a checkpoint beside the tree.

    def state(self, now: float) -> Dict[str, Any]:
        """The state of the search without its tree, for `restore`."""
        return {
            "jobs": self.jobs.leased.state(),
            "counts": asdict(self.jobs.counts),
            "expansions": self.knowledge.expansions,
            "generated": self.generated,
            "full_since": self.knowledge.full_since,
            "members": self.workers.state(now),
            "checks_all": not self.vetting.trusts,
        }

    def restore(self, state: Dict[str, Any], now: float) -> None:
        """Continue from a state, after the tree was loaded; workers have one lease to rejoin."""
        knowledge = self.knowledge
        knowledge.restore(state["expansions"], state["full_since"])
        self.generated = state["generated"]
        self.jobs.counts = JobCounts(**state["counts"])
        if state.get("checks_all"):
            self.vetting.share = 1.0
        self.workers.restore(state["members"])
        self.jobs.restore(state["jobs"], now)

    # Requests of workers.

    def join(
        self,
        name: str,
        game: str,
        now: float,
        group: str = "",
        forgotten: str = "",
        simplify: bool = False,
    ) -> Reply:
        """Let a worker in; one that is in already loses its job.

        Workers of one `group` share their facts, so each fact is sent to one of them only.
        `forgotten` is the reason of the last FORGET; the reply is FORGET until the worker has
        forgotten all withdrawn facts. It is SWITCH unless the worker's children are those of the
        master: `simplify` says whether simpler positions stand in place of them.
        """
        if name in self.judge.dropped:
            return self._reply(name, DONE, now)
        if game != self.game.name:
            reason = "this search is about %s, not %s" % (self.game.name, game)
            return Reply(DONE, None, [], reason)
        if simplify != self._simplify:
            return Reply(SWITCH, None, [], "")
        self.lose(name, now)
        withdrawn = self.vetting.withdrawn
        if forgotten != withdrawn.cursor and withdrawn.cursor:
            return Reply(FORGET, None, *withdrawn.after(forgotten))
        shared = self.workers.find_group(group) or Group(group)
        worker = WorkerRecord(name, self.knowledge.log.enter(name, shared), shared, now, now)
        self.workers[name] = worker
        worker.job = self.jobs.leased.reclaim(name)
        return self._reply(name, WAIT, now)

    def get(self, name: str, now: float) -> Reply:
        """Give a worker a job.

        A worker that asks without having handed in its job loses that job. If others wait for
        a job, it gets none: otherwise it could keep the only leaf from them.
        """
        worker = self._renew_lease(name, now)
        if worker is None:
            return self._reply(name, UNKNOWN, now)
        gives_way = bool(worker.job) and self.workers.any_waiting()
        self.jobs.take_back(worker.job)
        if self.why_done or gives_way:
            return self._dismiss(name, now)
        path = self.jobs.next_path()
        worker.waits = not path
        if not path or self.why_done:
            return self._dismiss(name, now)
        return self._reply(name, JOB, now, self.jobs.assign(worker, path, now))

    def update(self, name: str, report: JobReport, now: float) -> Reply:
        """Take in a report; the reply says whether the job is still worth doing."""
        worker = self._renew_lease(name, now)
        if worker is None:
            return self._reply(name, UNKNOWN, now)
        job = self._accept_report(worker, report, now)
        if self.why_done:
            return self._reply(name, DONE, now)
        if job is None:
            return self._reply(name, SUBMIT_NOW, now)
        if not self.knowledge.note_solved(job.code, report, worker.number):
            self.knowledge.tree.set_numbers(job.code, report.pn, report.dn)
        self.knowledge.refresh(job.path)
        idle = any([self.knowledge.tree.is_solved(code) for code in job.path])
        return self._reply(name, SUBMIT_NOW if idle else GO_ON, now)

    def submit(
        self,
        name: str,
        report: JobReport,
        result: Optional[JobResult],
        now: float,
        asks: bool = False,
    ) -> Reply:
        """Take in the result of a job: it is solved, or these are the numbers of its children.

        A worker that `asks` for the next job receives it with the reply.
        """
        worker = self._renew_lease(name, now)
        if worker is None:
            return self._reply(name, UNKNOWN, now)
        job = self._accept_report(worker, report, now)
        if name not in self.workers:
            return self._reply(name, UNKNOWN, now)
        code = self.knowledge.code_of(report.land, report.heap)
        if job:
            self.jobs.end(job)
            self.jobs.counts.submitted += 1
            worker.jobs += 1
        used = self.knowledge.note_solved(code, report, worker.number)
        if not used and code > HEAP and not self.jobs.leased.is_given(code):
            used = self.knowledge.expand(code, report, result, worker.number)
        if not used:
            self.jobs.counts.dropped += 1
        elif not job:
            self.jobs.counts.late += 1
        self.jobs.note_spent(code, report, job)
        self.knowledge.refresh(job.path if job else [code])
        if asks and not self.why_done:
            return self.get(name, now)
        return self._dismiss(name, now)

    def close(self, name: str, report: JobReport, now: float) -> Reply:
        """Take back a job that its worker gives up, after a failure or because it leaves."""
        worker = self._renew_lease(name, now)
        if worker is None:
            return self._reply(name, UNKNOWN, now)
        job = self._accept_report(worker, report, now)
        if job:
            self.jobs.end(job)
            self.knowledge.refresh(job.path)
            self.jobs.counts.closed += 1
        return self._dismiss(name, now)

    def add_facts(self, name: str, facts: Collection[Fact], now: float) -> Reply:
        """Take in Grundy numbers that are reported outside a job."""
        worker = self._renew_lease(name, now)
        if worker is None:
            return self._reply(name, UNKNOWN, now)
        self._add_facts(worker, facts, now)
        return self._dismiss(name, now)

    def leave(self, name: str, now: float) -> None:
        """Remove a worker that leaves."""
        worker = self.workers.leave(name, now)
        if worker:
            self.knowledge.log.leave(worker.number)
            self.vetting.worker_left(worker.number)
            self.jobs.take_back(worker.job)

    def lose(self, name: str, now: float) -> None:
        """Remove a worker that disappeared; its group gets the facts of the last seconds again."""
        if name in self.workers:
            self.workers[name].group.rewind()
            self.leave(name, now)

    def renew_leases(self, now: float) -> None:
        """Begin all leases again, after the master itself was stopped and received nothing."""
        for worker in self.workers.values():
            worker.last_seen = now
        self.jobs.leased.renew_leases(now)

    def expire(self, now: float) -> None:
        """Remove workers, and take back jobs, whose lease has run out."""
        for worker in self.workers.overdue(now, self.lease):
            self.lose(worker.name, worker.last_seen)
        for job in self.jobs.leased.overdue(now, self.lease):
            self.jobs.take_back(job.number)
        if self.vetting.recheck and not self.knowledge.failure:
            self.judge.continue_recheck(self.vetting.recheck, now)

    # What requests have in common.

    def _renew_lease(self, name: str, now: float) -> Optional[WorkerRecord]:
        """The record of a worker, its lease renewed; None if the worker is unknown."""
        self.expire(now)
        worker = self.workers.get(name)
        if worker:
            worker.last_seen = now
        return worker

    def _reply(self, name: str, status: int, now: float, spec: Optional[JobSpec] = None) -> Reply:
        """The reply to a worker, which may have been dropped meanwhile, with facts for it."""
        if self.knowledge.failed:
            self.judge.judge(self.knowledge.failed, now)
            status = DONE if self.why_done else UNKNOWN
        if name in self.judge.dropped:
            return Reply(DONE, None, [], self.judge.dropped[name])
        if name not in self.workers and status != DONE:
            status, spec = UNKNOWN, None
        if status == DONE and not self._done_announced:
            self._done_announced = True
            self.before_done()
        worker = self.workers.get(name)
        facts: Collection[Fact] = []
        sharing = self.jobs.policy.sharing
        if worker and (sharing == AT_ONCE or sharing == WITH_JOBS and status == JOB):
            facts = self.knowledge.log.next_facts(worker.group, now, self.facts.waiting)
        return Reply(status, spec, facts, self.why_done if status == DONE else "")

    def _dismiss(self, name: str, now: float) -> Reply:
        """The reply to a worker that has no job to go on with."""
        return self._reply(name, DONE if self.why_done else WAIT, now)

    def _accept_report(self, worker: WorkerRecord, report: JobReport, now: float) -> Optional[Job]:
        """Count the work in a report and take in its facts; its job, if that still fits."""
        if not self.knowledge.is_familiar(report.land):
            wrong = self.vetting.why_no_land(report.land)
            if wrong:
                self.judge.drop(worker.number, wrong, now)
                return None
        worker.expansions += report.expansions
        worker.busy += report.seconds
        worker.table_entries = report.table_entries
        self.knowledge.expansions += report.expansions
        self.generated += report.generated
        self._add_facts(worker, report.facts, now)
        if not self.why_done:
            self.jobs.restart_if_due()
        job = self.jobs.job_of(worker, report)
        if job:
            job.expansions += report.expansions
        return job

    def _add_facts(self, worker: WorkerRecord, facts: Collection[Fact], now: float) -> None:
        """Use reported Grundy numbers as far as they are believed."""
        knowledge = self.knowledge
        before = len(knowledge.log)
        wrong = knowledge.accept(worker.number, facts)
        if wrong:
            self.judge.drop(worker.number, wrong, now)
        knowledge.check_held(len(knowledge.log) > before, now)
        if knowledge.failed:
            self.judge.judge(knowledge.failed, now)
        knowledge.tree.search.settle()

    def statistics(self, now: float) -> Distribution:
        """The statistics of the search so far."""
        knowledge = self.knowledge
        found = self.workers.statistics(
            now,
            knowledge.tree.nodes.used,
            len(self.facts),
            knowledge.expansions,
            self.jobs.counts,
        )
        return replace(found, checked=self.vetting.checked)
