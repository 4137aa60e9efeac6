"""The master of PNS-PDFPN: gives out leaves of its tree as jobs, and collects Grundy numbers.

No transport, no clock and no process is known here: each call says who calls and what time
it is, in seconds of a clock that does not go back. A job is leased: a worker that is not
heard of for `lease` seconds loses it, and the leaf is given again. What it says later is
used as far as it still fits: its facts and a solved leaf always, numbers and children if
nobody else has the leaf and it is a leaf still. A worker that says what cannot be is dropped;
how much of the rest is believed is for `pns.distributed.vetting`.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any, Callable, Dict, List, Optional, Tuple

from pns.couple import HEAP, HEAP_BITS
from pns.distributed.factlog import DATABASE, Group
from pns.distributed.knowledge import Knowledge
from pns.distributed.leases import Job, LeasedJobs
from pns.distributed.protocol import (
    DONE,
    FORGET,
    GO_ON,
    JOB,
    KEEP_ALL,
    SUBMIT_NOW,
    UNKNOWN,
    WAIT,
    JobReport,
    JobResult,
    JobSpec,
    Reply,
)
from pns.distributed.root_query import RootQuery
from pns.distributed.roster import Roster, WorkerRecord
from pns.distributed.vetting import Claim, Sift, Vetting
from pns.facts import Contradiction, Fact, Facts, FactsError
from pns.game import Game, Land, Sum
from pns.usage import Distribution, JobCounts

FULL_SHARE = 16
"""When the tree is full jobs last one expansion for each so many spent since, in the end enough."""

SHORT_SHARE = 100
"""While workers wait for leaves, jobs last one expansion for each so many of the others; that
at the root, which all wait for, is shorter by the same again."""

LONGEST_JOB = 1 << 40
"""Expansions of a job, however many workers say that they have spent."""

LEAST_SHARE = 50
"""Jobs last so many expansions for each worker at least, so that the master keeps up."""


class Master(Knowledge):
    """The search for the outcome of a position, or with `grundy` for its Grundy number.

    A leaf is given until it has had `iterations` expansions, and then expanded; a job is over
    sooner where its leaf is no longer the most proving. Jobs are reported on every `updates`
    expansions. `failure` says why a search cannot go on: two reports contradict each other.
    `check` is the part of what workers claim that is checked, within the part `check_time` of
    the time. Raises nothing after it was made.
    """

    def __init__(
        self,
        game: Game,
        lands: Sum,
        facts: Facts,
        capacity: int,
        grundy: bool = False,
        iterations: int = 1000,
        updates: int = 1000,
        lease: float = 60.0,
        sharing: bool = True,
        keep: int = KEEP_ALL,
        check: float = 0.0,
        check_time: float = 1.0,
    ) -> None:
        vetting = Vetting(game, facts, check, check_time)
        super().__init__(game, lands, facts, capacity, grundy, sharing, vetting)
        self.iterations = iterations
        self.updates = updates
        self.lease = lease
        self.keep = keep
        self.stopped = ""
        self.before_done: Callable[[], None] = lambda: None
        """Called before the first worker is told that the search is done: then it may leave."""
        self.warn: Callable[[str], None] = lambda text: None
        """Called with a line about a worker that was dropped, or facts that were withdrawn."""
        self.before_restart: Callable[[str], None] = lambda name: None
        """Called when a worker was dropped, with its name, and with "" when all facts of this
        search were withdrawn: what shares memory with such a worker knows what it said."""
        self.dropped: Dict[str, str] = {}
        """Why workers were dropped, by name."""
        self._told_done = False
        self.members = Roster()
        self.jobs = LeasedJobs()
        self.counts = JobCounts()
        self.generated = 0
        self._spent: Dict[Tuple[Land, int], int] = {}
        """Expansions that leaves have had in jobs that are over, while they are leaves. After
        a restart they are counted anew."""

    @property
    def why_done(self) -> str:
        """Why no more jobs are given, "" while they are."""
        return self.failure or ("solved" if self.is_solved else self.stopped)

    def stop(self, reason: str) -> None:
        """Give no more jobs."""
        self.stopped = self.stopped or reason

    # What a checkpoint holds beside the tree.

    def state(self, now: float) -> Dict[str, Any]:
        """All there is to remember, for `restore`."""
        return {
            "jobs": self.jobs.state(),
            "counts": asdict(self.counts),
            "expansions": self.expansions,
            "generated": self.generated,
            "full_since": self._full_since,
            "members": self.members.state(now),
            "checks_all": not self.vetting.trusts,
        }

    def restore(self, state: Dict[str, Any], now: float) -> None:
        """Go on from a state, once the tree has been loaded; workers have a lease to come back."""
        self.tree.unlock_all()
        self._query = RootQuery(self.tree, self.lands, self.grundy)
        self.log = self._log_of_facts()
        self.counts = JobCounts(**state["counts"])
        self.expansions, self.generated = state["expansions"], state["generated"]
        self._full_since = state["full_since"]
        if state.get("checks_all"):
            self.vetting.share = 1.0
        self.members.restore(state["members"])
        self.jobs.restore(state["jobs"], now)
        for job in list(self.jobs.values()):
            job.code = self._couples.fold(job.code)
            if self.tree.is_leaf(job.code):
                self.tree.lock(job.code)
            else:
                self.jobs.end(job.number)

    # What workers say.

    def join(self, name: str, game: str, now: float, group: str = "", forgotten: str = "") -> Reply:
        """A worker begins, or begins anew and has lost the job that it had.

        Workers that name the same `group` share their facts: each goes to one of them. One that
        has not `forgotten` all that was withdrawn has to do that first.
        """
        if name in self.dropped:
            return self._reply(name, DONE, now)
        if game != self.game.name:
            reason = "this search is about %s, not %s" % (self.game.name, game)
            return Reply(DONE, None, [], reason)
        self.lose(name, now)
        withdrawn = self.vetting.withdrawn
        if forgotten != withdrawn.place and withdrawn.place:
            return Reply(FORGET, None, *withdrawn.after(forgotten))
        shared = self.members.find_group(group) or Group(group)
        member = WorkerRecord(name, self.log.enter(name, shared), shared, now, now)
        self.members[name] = member
        member.job = self.jobs.come_back(name)
        return self._reply(name, WAIT, now)

    def get(self, name: str, now: float) -> Reply:
        """A worker wants a job.

        One that has a job, and does not hand it in, loses it. Those who wait for a job come
        before it then: else it could keep the only leaf from them.
        """
        member = self._hear(name, now)
        if member is None:
            return self._reply(name, UNKNOWN, now)
        gives_way = bool(member.job) and any([other.waits for other in self.members.values()])
        self._take_back(member.job)
        if self.why_done or gives_way:
            return self._reply(name, DONE if self.why_done else WAIT, now)
        path = self._choose_path()
        member.waits = not path
        if not path or self.why_done:
            return self._reply(name, DONE if self.why_done else WAIT, now)
        job = self.jobs.give(name, self._couples.fold(path[-1]), path, now)
        member.job = job.number
        self.tree.lock(job.code)
        self._refresh(path[:-1])
        self.counts.given += 1
        return self._reply(name, JOB, now, self._order(job))

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

    def _order(self, job: Job) -> JobSpec:
        iterations = self.iterations
        land, heap = job.code >> HEAP_BITS, job.code & HEAP
        text = self._couples.texts[land]
        if self._full_since >= 0:
            longest = min(LONGEST_JOB, (self.expansions - self._full_since) // FULL_SHARE)
            iterations = max(iterations, longest)
        else:
            if len(job.path) == 1:
                iterations //= SHORT_SHARE**2
            elif any([member.waits for member in self.members.values()]):
                iterations //= SHORT_SHARE
            iterations = max(1, iterations - self._spent.get((text, heap), 0))
        least = min(iterations, LEAST_SHARE * len(self.members))
        limits = self.tree.limits(job.path)
        return JobSpec(job.number, text, heap, iterations, self.updates, self.keep, least, limits)

    def update(self, name: str, report: JobReport, now: float) -> Reply:
        """A worker goes on with its job, if that is still worth while."""
        member = self._hear(name, now)
        if member is None:
            return self._reply(name, UNKNOWN, now)
        job = self._take(member, report, now)
        if self.why_done:
            return self._reply(name, DONE, now)
        if job is None:
            return self._reply(name, SUBMIT_NOW, now)
        if not self._note_solved(job.code, report, member.number):
            self.tree.set_numbers(job.code, report.pn, report.dn)
        self._refresh(job.path)
        idle = any([self.tree.is_solved(code) for code in job.path])
        return self._reply(name, SUBMIT_NOW if idle else GO_ON, now)

    def submit(
        self, name: str, report: JobReport, result: Optional[JobResult], now: float
    ) -> Reply:
        """A worker has done its job: it is solved, or here are the leaf's children."""
        member = self._hear(name, now)
        if member is None:
            return self._reply(name, UNKNOWN, now)
        job = self._take(member, report, now)
        if name not in self.members:
            return self._reply(name, UNKNOWN, now)
        code = self._couples.fold(self._couples.code((report.land,)) ^ report.heap)
        if job:
            self._end(job)
            self.counts.submitted += 1
            member.jobs += 1
        used = self._note_solved(code, report, member.number)
        if not used and code > HEAP and not self.failure and not self.jobs.is_given(code):
            used = self._expand(code, report, result, member.number)
        if not used:
            self.counts.dropped += 1
        elif not job:
            self.counts.late += 1
        spent = self._spent.pop((report.land, report.heap), 0)
        if job and self.tree.is_leaf(code):
            self._spent[report.land, report.heap] = spent + job.expansions
        self._refresh(job.path if job else [code])
        return self._reply(name, DONE if self.why_done else WAIT, now)

    def close(self, name: str, report: JobReport, now: float) -> Reply:
        """A worker gives its job back, after a failure or because it leaves."""
        member = self._hear(name, now)
        if member is None:
            return self._reply(name, UNKNOWN, now)
        job = self._take(member, report, now)
        if job:
            self._end(job)
            self._refresh(job.path)
            self.counts.closed += 1
        return self._reply(name, DONE if self.why_done else WAIT, now)

    def add_facts(self, name: str, facts: List[Fact], now: float) -> Reply:
        """A worker reports Grundy numbers outside a job."""
        member = self._hear(name, now)
        if member is None:
            return self._reply(name, UNKNOWN, now)
        self._add_facts(member, facts, now)
        return self._reply(name, DONE if self.why_done else WAIT, now)

    def leave(self, name: str, now: float) -> None:
        """A worker goes."""
        member = self.members.leave(name, now)
        if member:
            self.log.leave(member.number)
            self.vetting.left(member.number)
            self._take_back(member.job)

    def lose(self, name: str, now: float) -> None:
        """A worker is gone without a word."""
        if name in self.members:
            self.members[name].group.go_back()
            self.leave(name, now)

    def renew_leases(self, now: float) -> None:
        """Begin all leases anew: nobody could be heard, as the master itself was away."""
        for member in self.members.values():
            member.heard = now
        self.jobs.renew_leases(now)

    def expire(self, now: float) -> None:
        """Take back the jobs of workers that were not heard of for the time of a lease."""
        for member in self.members.overdue(now, self.lease):
            self.lose(member.name, member.heard)
        for job in self.jobs.overdue(now, self.lease):
            self._take_back(job.number)
        if self.vetting.sift and not self.failure:
            self._sift(self.vetting.sift, now)

    # What follows from it.

    def _hear(self, name: str, now: float) -> Optional[WorkerRecord]:
        self.expire(now)
        member = self.members.get(name)
        if member:
            member.heard = now
        return member

    def _reply(self, name: str, says: int, now: float, order: Optional[JobSpec] = None) -> Reply:
        if self._failed:
            self._judge(self._failed, now)
            says = DONE if self.why_done else UNKNOWN
        if name in self.dropped:
            return Reply(DONE, None, [], self.dropped[name])
        if name not in self.members and says != DONE:
            says, order = UNKNOWN, None
        if says == DONE and not self._told_done:
            self._told_done = True
            self.before_done()
        member = self.members.get(name)
        facts: List[Fact] = []
        if member and self.sharing:
            facts = self.log.news(member.group, now, self.facts.waiting)
        return Reply(says, order, facts, self.why_done if says == DONE else "")

    def _take(self, member: WorkerRecord, report: JobReport, now: float) -> Optional[Job]:
        """Count what a report says was done, and take its facts; its job, if it still fits."""
        if not self._is_familiar(report.land):
            wrong = self.vetting.why_no_land(report.land)
            if wrong:
                self._drop(member.number, wrong, now)
                return None
        member.expansions += report.expansions
        member.busy += report.seconds
        member.table_entries = report.table_entries
        self.expansions += report.expansions
        self.generated += report.generated
        self._add_facts(member, report.facts, now)
        job = self._job_of(member, report)
        if job:
            job.expansions += report.expansions
        return job

    def _job_of(self, member: WorkerRecord, report: JobReport) -> Optional[Job]:
        """The job that a report is about, if it is still that worker's."""
        job = self.jobs.get(report.job)
        if job is None or job.worker != member.name or member.job != job.number:
            return None
        land, heap = job.code >> HEAP_BITS, job.code & HEAP
        return job if (self._couples.texts[land], heap) == (report.land, report.heap) else None

    def _end(self, job: Job) -> None:
        """Unlock a job's leaf."""
        self.jobs.end(job.number)
        self.members[job.worker].job = 0
        self.tree.unlock(job.code)

    def _take_back(self, number: int) -> None:
        """End a job that its worker has lost."""
        job = self.jobs.end(number)
        if job:
            self.counts.lost += 1
            self.tree.unlock(job.code)
            self._refresh(job.path)
            if job.worker in self.members:
                self.members[job.worker].job = 0

    def _add_facts(self, member: WorkerRecord, facts: List[Fact], now: float) -> None:
        """Take over reported Grundy numbers, as far as they are believed."""
        before = len(self.log)
        self.vetting.reported(member.number)
        wrong = self._guarded(lambda: self._hear_facts(member.number, facts), member.number)
        if wrong:
            self._drop(member.number, wrong, now)
        if not self._failed and self.vetting.share:
            grown = len(self.log) > before
            self._failed = self._guarded(lambda: self.vetting.settle(self._use, grown, now))
        if self._failed:
            self._judge(self._failed, now)
        self.tree.settle()

    # What becomes of those who are not believed.

    def _judge(self, claim: Claim, now: float) -> None:
        """A claim has failed: drop who made it, or where claims were believed believe none."""
        self._failed = None
        known = self.facts.get(claim.land)
        contradicts = not claim.is_win and known >= 0 and known != claim.number
        from_database = self.log.origin_of(claim.land) <= DATABASE
        if contradicts and from_database and not self.vetting.is_shown(claim.land, known):
            self._contradict(Contradiction(claim.land, known, claim.number), claim.origin)
        elif self.vetting.trusts:
            self._distrust(claim, now)
        else:
            self._drop(claim.origin, "%s, it says; the facts do not show it" % claim, now)

    def _drop(self, origin: int, why: str, now: float) -> None:
        """End the work of a worker, by its number in the log of facts, for what it has said."""
        name = self.log.names[origin]
        member = self.members.get(name)
        unused = self.vetting.drop(origin)
        self.dropped[name] = why
        self.lose(name, now)
        if unused:
            self.vetting.withdrawn.add(unused)
            for other in list(self.members.values()):
                if member and other.group is member.group:
                    self.lose(other.name, now)
        self.warn("%s is dropped: %s" % (name, why))
        self.before_restart(name)

    def _distrust(self, claim: Claim, now: float) -> None:
        """Withdraw what was believed in this search; all workers have to begin again."""
        for name in list(self.members):
            self.lose(name, now)
        for number in list(self.jobs):
            self.jobs.end(number)
        self._spent.clear()
        who = self.log.names[claim.origin]
        try:
            count = self._forget_believed(claim)
        except FactsError as error:
            self.failure = "wrong facts are stored: %s" % error
            return
        self.warn("%s, %s says; the facts do not show it" % (claim, who))
        self.warn("all %d facts of this search are withdrawn until they are checked" % count)
        self.before_restart("")

    def _sift(self, sift: Sift, now: float) -> None:
        """Take over some of the withdrawn facts, if they hold; at the end drop who lied."""
        done = self._guarded(lambda: sift.run(self._use_if_shown))
        self.tree.settle()
        if done:
            self.vetting.sift = None
            self.warn("%d of %d facts hold" % (sift.total - len(sift.left), sift.total))
            first = sift.first_wrong()
            if first:
                self._drop(first.origin, "%s, it says; the facts do not show it" % first, now)

    def statistics(self, now: float) -> Distribution:
        """What there is to tell."""
        found = self.members.statistics(
            now, self.tree.nodes.used, len(self.facts), self.expansions, self.counts
        )
        return replace(found, checked=self.vetting.checked)
