"""A virtual clock: activities that run one at a time, in the order of their virtual times.

An activity is plain code that calls `spend` when time passes; others run meanwhile. Each
activity is a thread, but only one thread runs at a time, and it passes control to the next
one itself. So a run depends only on the virtual times. Among equal times the order is that
of the calls.
"""

from __future__ import annotations

import threading
from heapq import heappop, heappush
from typing import Callable, List, Optional, Tuple

from pns.system.machine import require

STACK_BYTES = 16 << 20
"""The stack of each thread; the system provides it as it is used."""


class Over(BaseException):
    """The clock was stopped; raised in every activity that waits."""


class Activity:
    """A thread that runs in virtual time."""

    def __init__(self, timeline: "Timeline", body: Callable[["Activity"], None]) -> None:
        self.timeline = timeline
        self.baton = threading.Lock()
        self.baton.acquire()
        self.thread = threading.Thread(target=self._run, args=(body,), daemon=True)

    def spend(self, seconds: float) -> None:
        """Continue after a duration."""
        self.until(self.timeline.now + seconds)

    def until(self, time: float) -> None:
        """Continue at a time, at once if it has passed."""
        timeline = self.timeline
        if not timeline.over and timeline.is_next(time):
            timeline.now = max(timeline.now, time)
            return
        timeline.put(self, time)
        self.wait()

    def wait(self) -> None:
        """Continue when another activity wakes this one."""
        timeline = self.timeline
        if timeline.over:
            raise Over
        following = timeline.next()
        if following is not self:
            (following.baton if following else timeline.done).release()
            self.baton.acquire()
        if timeline.over:
            raise Over

    def wake(self) -> None:
        """Let this activity, which must be waiting, continue now."""
        self.timeline.put(self, self.timeline.now)

    def _run(self, body: Callable[["Activity"], None]) -> None:
        timeline = self.timeline
        self.baton.acquire()
        try:
            if not timeline.over:
                body(self)
        except Over:
            pass
        except BaseException as error:
            timeline.error = timeline.error or error
            timeline.over = True
        timeline.running.remove(self)
        if not timeline.ending:
            following = timeline.next()
            (following.baton if following else timeline.done).release()


class Timeline:
    """The clock, `now` in seconds, and its scheduled activities.

    >>> timeline, seen = Timeline(), []
    >>> def count(activity):
    ...     for _ in range(3):
    ...         seen.append(timeline.now)
    ...         activity.spend(2.0)
    >>> for _ in range(2):
    ...     _ = timeline.start(count)
    >>> timeline.run(); seen
    [0.0, 0.0, 2.0, 2.0, 4.0, 4.0]
    """

    def __init__(self) -> None:
        self.now = 0.0
        self.over = False
        self.ending = False
        self.error: Optional[BaseException] = None
        self.done = threading.Lock()
        self.done.acquire()
        self.running: List[Activity] = []
        self._queue: List[Tuple[float, int, Activity]] = []
        self._count = 0

    def start(self, body: Callable[[Activity], None]) -> Activity:
        """Start an activity now, behind those scheduled for now; raises NoMemory."""
        require(STACK_BYTES, "the stack of a simulated process", "a smaller number of cores")
        activity = Activity(self, body)
        self.running.append(activity)
        self.put(activity, self.now)
        before = threading.stack_size(STACK_BYTES)
        try:
            activity.thread.start()
        finally:
            threading.stack_size(before)
        return activity

    def run(self) -> None:
        """Run until nothing is scheduled or the clock is stopped; raises what an activity raised.

        Activities that are waiting then are ended.
        """
        following = self.next()
        if following:
            following.baton.release()
            self.done.acquire()
        self.over = self.ending = True
        for activity in list(self.running):
            activity.baton.release()
            activity.thread.join()
        if self.error is not None:
            raise self.error

    def stop(self) -> None:
        """Stop the clock."""
        self.over = True

    def put(self, activity: Activity, time: float) -> None:
        """Schedule an activity."""
        self._count += 1
        heappush(self._queue, (max(time, self.now), self._count, activity))

    def is_next(self, time: float) -> bool:
        """Whether nothing is scheduled up to that time."""
        return not self._queue or self._queue[0][0] > time

    def next(self) -> Optional[Activity]:
        """Set the clock to the next scheduled activity and return it; None if there is none."""
        if self.over or not self._queue:
            return None
        self.now, _, activity = heappop(self._queue)
        return activity
