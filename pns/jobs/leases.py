"""Leased jobs: leaves of the master's tree, each with its worker and the path to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Set


@dataclass
class Job:
    """A leaf that a worker has: its couple and the path to it, as codes."""

    number: int
    worker: str
    code: int
    path: List[int]
    given: float
    expansions: int = 0
    """Expansions reported so far."""


class LeasedJobs(Dict[int, Job]):
    """Jobs by number. Jobs of a checkpoint wait for their workers to rejoin."""

    def __init__(self) -> None:
        super().__init__()
        self.last = 0
        self._waiting: Set[int] = set()

    def give(self, worker: str, code: int, path: List[int], now: float) -> Job:
        """Lease a leaf to a worker."""
        self.last += 1
        job = self[self.last] = Job(self.last, worker, code, path, now)
        return job

    def end(self, number: int) -> Optional[Job]:
        """Remove a job, if there is one of that number."""
        self._waiting.discard(number)
        return self.pop(number, None)

    def is_given(self, code: int) -> bool:
        """Whether a worker has that couple."""
        return any([job.code == code for job in self.values()])

    def reclaim(self, worker: str) -> int:
        """The number of the job that waits for a worker which has rejoined, 0 if none does."""
        for number in self._waiting:
            if self[number].worker == worker:
                self._waiting.discard(number)
                return number
        return 0

    def overdue(self, now: float, lease: float) -> List[Job]:
        """Jobs that have waited for their workers for longer than a lease."""
        return [self[number] for number in self._waiting if now - self[number].given > lease]

    def renew_leases(self, now: float) -> None:
        """Begin the leases of waiting jobs again."""
        for number in self._waiting:
            self[number].given = now

    def state(self) -> Dict[str, Any]:
        """All jobs, for `restore`."""
        jobs = [[job.number, job.worker, job.code, job.path] for job in self.values()]
        return {"last": self.last, "jobs": jobs}

    def restore(self, state: Dict[str, Any], now: float) -> None:
        """Replace all jobs by those of a state."""
        self.clear()
        self.last = state["last"]
        for number, worker, code, path in state["jobs"]:
            self[number] = Job(number, worker, code, path, now)
        self._waiting = set(self)
