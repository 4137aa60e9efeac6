"""A virtual clock: activities that run one at a time, each when its time has come.

An activity is plain code that says when it spends time; until that has passed others run.
Each is a thread, but only one of them runs, and it hands on to the next itself: so what
happens depends on nothing but the times, in the order of which all of it happens. Of
equal times the one that was named first comes first.
"""

from __future__ import annotations

import threading
from heapq import heappop, heappush
from typing import Callable, List, Optional, Tuple

from pns.machine import require

STACK_BYTES = 16 << 20
"""Of each thread; taken from the system as it is used."""


class Over(BaseException):
    """The clock was stopped: raised wherever an activity waits."""


class Activity:
    """Something that goes on in virtual time."""

    def __init__(self, timeline: "Timeline", body: Callable[["Activity"], None]) -> None:
        self.timeline = timeline
        self.baton = threading.Lock()
        self.baton.acquire()
        self.thread = threading.Thread(target=self._run, args=(body,), daemon=True)

    def spend(self, seconds: float) -> None:
        """Let so much time pass."""
        self.until(self.timeline.now + seconds)

    def until(self, time: float) -> None:
        """Go on at a time, at once if that has passed."""
        timeline = self.timeline
        if not timeline.over and timeline.is_next(time):
            timeline.now = max(timeline.now, time)
            return
        timeline.put(self, time)
        self.wait()

    def wait(self) -> None:
        """Go on when another activity wakes this one."""
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
        """End the waiting of this activity, which does wait."""
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
    """The clock, `now` in seconds, and what is to happen.

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
        """Begin an activity now, after what else is to happen now; raises NoMemory."""
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
        """Let all happen, until nothing is left or it is stopped; raises what an activity raised.

        What only waits then is ended too.
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
        """Let nothing more happen."""
        self.over = True

    def put(self, activity: Activity, time: float) -> None:
        """Have an activity go on at a time."""
        self._count += 1
        heappush(self._queue, (max(time, self.now), self._count, activity))

    def is_next(self, time: float) -> bool:
        """Whether nothing is to happen up to that time."""
        return not self._queue or self._queue[0][0] > time

    def next(self) -> Optional[Activity]:
        """What is to happen next, with the clock set to its time; None if nothing is."""
        if self.over or not self._queue:
            return None
        self.now, _, activity = heappop(self._queue)
        return activity
