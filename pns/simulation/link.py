"""The connection of simulated workers with their master, on the virtual clock."""

from __future__ import annotations

from typing import Callable, Collection, List, Optional, Tuple

from pns.facts import Fact
from pns.jobs.protocol import WAIT as NO_JOB
from pns.jobs.protocol import JobReport, JobResult, Reply, after_submit
from pns.master import Master
from pns.simulation.costs import Costs, travel
from pns.simulation.diary import ANSWERING, SEARCHING_ON, TALKING, WAITING, Diary
from pns.simulation.ledger import TASKS
from pns.simulation.timeline import Activity, Timeline


class MasterQueue:
    """A master that answers one request at a time while the others wait.

    `after_answer` is called after each answer. Times are virtual.
    """

    def __init__(
        self,
        master: Master,
        costs: Costs,
        timeline: Timeline,
        after_answer: Callable[[], None],
    ) -> None:
        self.master = master
        self.costs = costs
        self.timeline = timeline
        self.free = 0.0
        """When the master will have answered all requests so far."""
        self.tasks = dict.fromkeys(TASKS, 0.0)
        """The seconds for which the master has worked, by what it did."""
        self.diary = Diary()
        self.calls = 0
        self._after_answer = after_answer

    @property
    def busy(self) -> float:
        """The seconds for which the master has worked."""
        return sum(self.tasks.values())

    def answer(
        self,
        base: float,
        call: Callable[[float], Reply],
        facts: Collection[Fact] = (),
        way: float = 0.0,
        children: int = 0,
    ) -> Tuple[Reply, float]:
        """(reply, arrival time) of a request that arrives after `way` seconds.

        It takes the master `base` microseconds, and more for the message, its facts and the
        numbers of `children`.
        """
        costs = self.costs
        start = max(self.timeline.now + way, self.free)
        if start > self.free:
            self.diary.note(self.free, WAITING)
        master = self.master
        generated, known = master.knowledge.tree.couples.children_generated, master.facts.new
        reply = call(start)
        generated = master.knowledge.tree.couples.children_generated - generated
        new = min(len(facts), master.facts.new - known)
        received = costs.fact_in * new + costs.fact_again * (len(facts) - new)
        parts = (
            costs.message,
            base,
            costs.child * generated + costs.leaf_child * children,
            received + costs.fact_out * len(reply.facts),
        )
        for task, part in zip(TASKS, parts):
            self.tasks[task] += 1e-6 * part
        work = sum(parts)
        self.calls += 1
        self.diary.note(start, ANSWERING)
        self.free = start + 1e-6 * work
        master.jobs.pace.note(self.free, 1e-6 * work, len(master.workers))
        self._after_answer()
        return reply, self.free + travel(costs, reply.facts, 0)


class SimulatedLink:
    """A worker's `Link` to the master on the virtual clock."""

    def __init__(
        self, queue: MasterQueue, name: str, group: str, activity: Activity, is_pool: bool
    ) -> None:
        self._queue, self._name, self._group = queue, name, group
        self._activity = activity
        self.diary = Diary()
        """What the worker does."""
        self._is_pool = is_pool
        """Whether the worker has several processes."""
        self._worked, self._since = 0.0, -1.0
        self._submitted: Optional[Tuple[Reply, float]] = None
        """The reply to a submitted job, and its arrival time."""
        self._next: Optional[Reply] = None
        """The next job, or WAIT, as it came with that reply."""
        self._goes_on = False
        """Whether processes go on with the leaf that was handed in."""

    def worked(self, now: float) -> float:
        """The seconds for which the worker has had a job."""
        return self._worked + (now - self._since if self._since >= 0 else 0.0)

    def join(self, game: str, forgotten: str = "", simplify: bool = False) -> Reply:
        call, self._next = self._master.join, None
        more = self._group, forgotten, simplify
        return self._call(0.0, lambda now: call(self._name, game, now, *more))

    def get(self) -> Reply:
        reply, self._next = self._next, None
        if reply is None:
            reply = self._call(self._costs.get, lambda now: self._master.get(self._name, now))
        if reply.spec:
            self._since = self._queue.timeline.now
        return reply

    def update(self, report: JobReport) -> Reply:
        call = self._master.update
        return self._call(
            self._costs.update, lambda now: call(self._name, report, now), report.facts
        )

    def submit(self, report: JobReport, result: Optional[JobResult]) -> None:
        """Hand in a job and, as `Client` does, ask for the next one with the same message."""
        call, costs = self._master.submit, self._costs
        children = len(result.numbers) // 2 if result else 0
        reply, time = self._queue.answer(
            costs.submit + costs.get,
            lambda now: call(self._name, report, result, now, True),
            report.facts,
            travel(costs, report.facts, children),
            children,
        )
        self._submitted = reply, time
        self._note(SEARCHING_ON)
        self._goes_on = result is not None and self._is_pool

    def answered(self) -> bool:
        return not self._submitted or self._submitted[1] <= self._queue.timeline.now

    def answer(self) -> Reply:
        """The reply to a job; a worker of one process has searched on until now at the latest."""
        assert self._submitted
        (reply, time), self._submitted = self._submitted, None
        if not self._goes_on:
            self._end_work()
            self._note(TALKING)
        self._activity.until(time)
        self._end_work()
        self._next = after_submit(reply)
        return reply._replace(status=NO_JOB, spec=None) if self._next else reply

    def _end_work(self) -> None:
        self._worked, self._since = self.worked(self._queue.timeline.now), -1.0

    def close(self, report: JobReport) -> Reply:
        return self._call(0.0, lambda now: self._master.close(self._name, report, now))

    def add_facts(self, facts: List[Fact]) -> Reply:
        return self._call(0.0, lambda now: self._master.add_facts(self._name, facts, now), facts)

    def leave(self) -> None:
        self._master.leave(self._name, self._queue.timeline.now)

    @property
    def _master(self) -> Master:
        return self._queue.master

    @property
    def _costs(self) -> Costs:
        return self._queue.costs

    def _call(
        self, base: float, call: Callable[[float], Reply], facts: Collection[Fact] = ()
    ) -> Reply:
        """Send a request, and wait for its turn and its reply."""
        before = self.diary.doing
        self._note(TALKING)
        self._activity.spend(travel(self._costs, facts, 0))
        reply, time = self._queue.answer(base, call, facts)
        self._activity.until(time)
        self._note(before)
        return reply

    def _note(self, doing: str) -> None:
        self.diary.note(self._queue.timeline.now, doing)
