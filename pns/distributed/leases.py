"""The jobs that workers have: leaves of the master's tree, each with the path that led to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Set


@dataclass
class Job:
    """A leaf that is being worked on: its couple and the path to it, as codes."""

    number: int
    worker: str
    code: int
    path: List[int]
    given: float
    expansions: int = 0
    """Those that were reported."""


class LeasedJobs(Dict[int, Job]):
    """Jobs by number. Those from a checkpoint wait for their workers to come back."""

    def __init__(self) -> None:
        super().__init__()
        self.last = 0
        self._waiting: Set[int] = set()

    def give(self, worker: str, code: int, path: List[int], now: float) -> Job:
        """A new job."""
        self.last += 1
        job = self[self.last] = Job(self.last, worker, code, path, now)
        return job

    def end(self, number: int) -> Optional[Job]:
        """Take a job out, if it is there."""
        self._waiting.discard(number)
        return self.pop(number, None)

    def is_given(self, code: int) -> bool:
        """Whether somebody works on a couple."""
        return any([job.code == code for job in self.values()])

    def come_back(self, worker: str) -> int:
        """The number of the job that waits for a worker that has come back, 0 if none does."""
        for number in self._waiting:
            if self[number].worker == worker:
                self._waiting.discard(number)
                return number
        return 0

    def overdue(self, now: float, lease: float) -> List[Job]:
        """Jobs that have waited for their workers for the time of a lease."""
        return [self[number] for number in self._waiting if now - self[number].given > lease]

    def renew_leases(self, now: float) -> None:
        """Let waiting jobs wait for a whole lease once more."""
        for number in self._waiting:
            self[number].given = now

    def state(self) -> Dict[str, Any]:
        """All there is to remember, for `restore`."""
        jobs = [[job.number, job.worker, job.code, job.path] for job in self.values()]
        return {"last": self.last, "jobs": jobs}

    def restore(self, state: Dict[str, Any], now: float) -> None:
        """Hold what was remembered, and nothing else."""
        self.clear()
        self.last = state["last"]
        for number, worker, code, path in state["jobs"]:
            self[number] = Job(number, worker, code, path, now)
        self._waiting = set(self)
