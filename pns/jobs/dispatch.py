"""Which leaves of the master's tree are given out as jobs, to which workers, for how long."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

from pns.choices import ITERATIONS
from pns.game import Land
from pns.jobs.knowledge import Knowledge
from pns.jobs.leases import Job, LeasedJobs
from pns.jobs.pace import Pace
from pns.jobs.policy import JobPolicy
from pns.jobs.protocol import KEEP_FACTS, JobReport, JobSpec
from pns.jobs.roster import Roster, WorkerRecord
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


class Dispatcher:
    """The jobs of a search: leaves of the tree in `knowledge`, leased to `workers` by `policy`.

    Paths and leaves are codes of couples.
    """

    def __init__(self, knowledge: Knowledge, workers: Roster, policy: JobPolicy) -> None:
        self.policy = policy
        self.leased = LeasedJobs()
        self.counts = JobCounts()
        self.pace = Pace()
        self.schedule = Schedule(policy.restart)
        self._knowledge = knowledge
        self._workers = workers
        self._spent: Dict[Tuple[Land, int], int] = {}
        """Expansions of leaves in jobs that have ended, as long as they are leaves. A checkpoint
        does not hold them."""

    def next_path(self) -> List[int]:
        """The path to the leaf for the next job, [] if there is none."""
        knowledge = self._knowledge
        path = knowledge.choose_path()
        if path is None and not knowledge.failure and not knowledge.is_solved:
            leaf = knowledge.last_leaf
            return [] if self.leased.is_given(leaf) else [leaf]
        return path or []

    def assign(self, worker: WorkerRecord, path: List[int], now: float) -> JobSpec:
        """Lock the leaf at the end of a path and lease it to a worker."""
        knowledge, policy = self._knowledge, self.policy
        job = self.leased.give(worker.name, knowledge.fold(path[-1]), path, now)
        worker.job = job.number
        knowledge.tree.lock(job.code)
        knowledge.refresh(path[:-1])
        self.counts.given += 1
        land, heap = knowledge.couple_of(job.code)
        if policy.job_end == ITERATIONS:
            most, least, limits = policy.iterations, policy.iterations, ROOT
        else:
            most = job_length(
                policy.iterations,
                self._spent.get((land, heap), 0),
                len(job.path) == 1,
                self._workers.any_waiting(),
                knowledge.since_full,
            )
            least = min(most, self.pace.least(len(self._workers)))
            limits = knowledge.tree.limits_of(job.path)
        keep = min(policy.keep, KEEP_FACTS) if worker.restarts else policy.keep
        worker.restarts = False
        return JobSpec(job.number, land, heap, most, policy.updates, keep, least, limits)

    def restart_if_due(self) -> None:
        """By the schedule of `pns.search.restarts` drop the tree, all jobs, and the workers'
        tables.

        The reply to its next report tells a worker that its job has ended, and its next job that
        it has to drop its table.
        """
        knowledge = self._knowledge
        if self.schedule.is_over(knowledge.expansions):
            self.restart()

    def restart(self) -> None:
        """Drop the tree, all jobs, and the workers' tables."""
        knowledge = self._knowledge
        knowledge.restart_tree()
        self.end_all()
        for worker in self._workers.values():
            worker.job = 0
            worker.restarts = True

    def job_of(self, worker: WorkerRecord, report: JobReport) -> Optional[Job]:
        """The job of a report, if the worker still has it."""
        job = self.leased.get(report.job)
        if job is None or job.worker != worker.name or worker.job != job.number:
            return None
        couple = self._knowledge.couple_of(job.code)
        return job if couple == (report.land, report.heap) else None

    def end(self, job: Job) -> None:
        """End a job and unlock its leaf."""
        self.leased.end(job.number)
        self._workers[job.worker].job = 0
        self._knowledge.tree.unlock(job.code)

    def end_all(self) -> None:
        """End all jobs, whose leaves the tree no longer has or is about to lose."""
        self._spent.clear()
        for number in list(self.leased):
            self.leased.end(number)

    def take_back(self, number: int) -> None:
        """End a job that its worker has lost, if there is one of that number."""
        job = self.leased.end(number)
        if job:
            self.counts.lost += 1
            self._knowledge.tree.unlock(job.code)
            self._knowledge.refresh(job.path)
            if job.worker in self._workers:
                self._workers[job.worker].job = 0

    def note_spent(self, code: int, report: JobReport, job: Optional[Job]) -> None:
        """Add the expansions of a job that has ended to those of its leaf, if it still is one."""
        leaf = report.land, report.heap
        spent = self._spent.pop(leaf, 0)
        if job and self._knowledge.tree.is_leaf(code):
            self._spent[leaf] = spent + job.expansions

    def restore(self, state: Dict[str, Any], now: float) -> None:
        """Take over the jobs of a checkpoint, as far as their leaves are still leaves."""
        knowledge = self._knowledge
        self.schedule.go_on_from(knowledge.expansions)
        self.leased.restore(state, now)
        for job in list(self.leased.values()):
            job.code = knowledge.fold(job.code)
            if knowledge.tree.is_leaf(job.code):
                knowledge.tree.lock(job.code)
            else:
                self.leased.end(job.number)
