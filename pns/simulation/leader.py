"""A leader of simulated workers, on the virtual clock."""

from __future__ import annotations

from typing import Callable

from pns.leader import LeaderSearcher
from pns.simulation.link import MasterQueue, SimulatedLink
from pns.simulation.timeline import Activity
from pns.worker import Worker


class SimulatedLeader:
    """A leader with its workers' requests in `queue`, under the master of `above`.

    `searcher_of` makes its searcher from a function that waits.
    """

    def __init__(
        self,
        searcher_of: Callable[[Callable[[], None]], LeaderSearcher],
        name: str,
        above: MasterQueue,
    ) -> None:
        self._name = name
        self._above = above
        self._searcher = searcher_of(self._wait)
        self._waiting = False
        timeline = above.timeline
        self.queue = MasterQueue(self._searcher.master, above.costs, timeline, self._wake_if_due)
        self._activity = timeline.start(self._lead)

    def _lead(self, activity: Activity) -> None:
        link = SimulatedLink(self._above, self._name, "", activity, True)
        timeline = activity.timeline
        Worker(link, self._searcher, clock=lambda: timeline.now, pause=activity.spend).run()

    def _wait(self) -> None:
        """Wait until a request of a worker is answered after which there is something to do."""
        self._waiting = True
        self._activity.wait()

    def _wake_if_due(self) -> None:
        if self._waiting and self._searcher.search.is_due:
            self._waiting = False
            self._activity.timeline.put(self._activity, self.queue.free)
