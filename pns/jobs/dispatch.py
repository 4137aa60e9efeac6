"""Which leaves of the master's tree are given out as jobs, to which workers, for how long."""

from __future__ import annotations

from typing import Dict, List, Optional, Tuple

from pns.choices import ITERATIONS
from pns.facts import Facts
from pns.game import Game, Land, Sum
from pns.jobs.knowledge import Knowledge
from pns.jobs.leases import Job, LeasedJobs
from pns.jobs.pace import Pace
from pns.jobs.policy import JobPolicy
from pns.jobs.protocol import KEEP_FACTS, JobReport, JobSpec
from pns.jobs.roster import Roster, WorkerRecord
from pns.jobs.vetting import Vetting
from pns.positions.interned import HEAP, HEAP_BITS
from pns.search.bounds import ROOT
from pns.search.restarts import Schedule
from pns.usage import JobCounts

FULL_SHARE = 16
"""Once the tree is full, a job gets 1/FULL_SHARE of the expansions since then, if that is more."""

SHORT_SHARE = 100
"""While workers wait for leaves, jobs are shorter by this factor; a job at the root, for which
all others wait, by its square."""

LONGEST_JOB = 1 << 40
"""Upper bound in expansions, however many the workers report."""


def job_length(
    iterations: int, spent: int, is_root: bool, are_waiting: bool, since_full: int
) -> int:
    """The most expansions of a job.

    A leaf is expanded after `iterations`, of which it has had `spent` in earlier jobs.
    `are_waiting` says whether some workers wait for a leaf, `since_full` is the number of
    expansions since the tree was full, -1 while it is not.

    >>> job_length(1000, 300, False, False, -1)
    700
    """
    if since_full >= 0:
        return max(iterations, min(LONGEST_JOB, since_full // FULL_SHARE))
    if is_root:
        iterations //= SHORT_SHARE**2
    elif are_waiting:
        iterations //= SHORT_SHARE
    return max(1, iterations - spent)


class Dispatcher(Knowledge):
    """The leaves of a tree and the workers that search them, as the policy says."""

    def __init__(
        self,
        game: Game,
        lands: Sum,
        facts: Facts,
        capacity: int,
        grundy: bool,
        vetting: Vetting,
        policy: JobPolicy,
    ) -> None:
        super().__init__(game, lands, facts, capacity, grundy, vetting, policy)
        self.stopped = ""
        self.workers = Roster()
        self.jobs = LeasedJobs()
        self.counts = JobCounts()
        self.pace = Pace()
        self._spent: Dict[Tuple[Land, int], int] = {}
        """Expansions of leaves in jobs that have ended, as long as they are leaves. A checkpoint
        does not hold them."""
        self.schedule = Schedule(policy.restart)

    @property
    def why_done(self) -> str:
        """Why no more jobs are given out, "" while they are."""
        return self.failure or ("solved" if self.is_solved else self.stopped)

    def stop(self, reason: str) -> None:
        """Give out no more jobs."""
        self.stopped = self.stopped or reason

    def _choose_path(self) -> List[int]:
        """The path to the leaf for the next job, [] if there is none."""
        root, path = -1, None
        while not path and not self.why_done and self.root != root:
            root = self.root
            path = self._guarded(lambda: self.tree.pseudo_most_proving(self.root))
        if path is None and not self.why_done:  # no room: the root is the last leaf
            code = self._query.first_couple(root)
            return [] if self.jobs.is_given(code) else [code]
        return path or []

    def _assign(self, worker: WorkerRecord, path: List[int], now: float) -> JobSpec:
        """Lock the leaf at the end of a path and lease it to a worker."""
        job = self.jobs.give(worker.name, self._couples.fold(path[-1]), path, now)
        worker.job = job.number
        self.tree.lock(job.code)
        self._refresh(path[:-1])
        self.counts.given += 1
        land, heap = job.code >> HEAP_BITS, job.code & HEAP
        text, policy = self._couples.texts[land], self.policy
        if policy.job_end == ITERATIONS:
            most, least, limits = policy.iterations, policy.iterations, ROOT
        else:
            most = job_length(
                policy.iterations,
                self._spent.get((text, heap), 0),
                len(job.path) == 1,
                self.workers.any_waiting(),
                self.expansions - self._full_since if self.is_full else -1,
            )
            least = min(most, self.pace.least(len(self.workers)))
            limits = self.tree.limits_of(job.path)
        keep = min(policy.keep, KEEP_FACTS) if worker.restarts else policy.keep
        worker.restarts = False
        return JobSpec(job.number, text, heap, most, policy.updates, keep, least, limits)

    def _restart_if_due(self) -> None:
        """By the schedule of `pns.search.restarts` drop the tree, all jobs, and the workers'
        tables.

        The reply to its next report tells a worker that its job has ended, and its next job
        that its table is out of date.
        """
        if self.why_done or not self.schedule.is_over(self.expansions):
            return
        self.tree.forget_numbers()
        self._full_since = -1
        self._end_all_jobs()
        for worker in self.workers.values():
            worker.job = 0
            worker.restarts = True

    def _job_of(self, worker: WorkerRecord, report: JobReport) -> Optional[Job]:
        """The job of a report, if the worker still has it."""
        job = self.jobs.get(report.job)
        if job is None or job.worker != worker.name or worker.job != job.number:
            return None
        land, heap = job.code >> HEAP_BITS, job.code & HEAP
        return job if (self._couples.texts[land], heap) == (report.land, report.heap) else None

    def _end_job(self, job: Job) -> None:
        """End a job and unlock its leaf."""
        self.jobs.end(job.number)
        self.workers[job.worker].job = 0
        self.tree.unlock(job.code)

    def _end_all_jobs(self) -> None:
        """End all jobs, whose leaves the tree no longer has or is about to lose."""
        self._spent.clear()
        for number in list(self.jobs):
            self.jobs.end(number)

    def _take_back(self, number: int) -> None:
        """End a job that its worker has lost, if there is one of that number."""
        job = self.jobs.end(number)
        if job:
            self.counts.lost += 1
            self.tree.unlock(job.code)
            self._refresh(job.path)
            if job.worker in self.workers:
                self.workers[job.worker].job = 0
