"""The workers of a master: their names, their work and the use of their time."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Dict, List, Optional

from pns.facts.log import Group
from pns.usage import Distribution, JobCounts, WorkerProgress


@dataclass
class WorkerRecord:
    """A worker, as the master knows it."""

    name: str
    number: int
    group: Group
    joined: float
    last_seen: float
    """When its last request came."""
    job: int = 0
    restarts: bool = False
    """Whether it has to drop its table before its next job."""
    waits: bool = False
    """Whether there was no leaf when it last asked for a job."""
    jobs: int = 0
    """Jobs that it has handed in."""
    expansions: int = 0
    busy: float = 0.0
    table_entries: int = 0

    def time(self, now: float) -> float:
        """Seconds since it joined; while it has a job, only those up to its last request."""
        return (self.last_seen if self.job else now) - self.joined

    def progress(self, now: float) -> WorkerProgress:
        """Its work so far, for people."""
        return WorkerProgress(
            name=self.name,
            jobs=self.jobs,
            expansions=self.expansions,
            nodes=self.table_entries,
            utilisation=round(min(1.0, self.busy / max(now - self.joined, 1e-9)), 5),
            seconds_since_heard=round(now - self.last_seen, 3),
            busy_seconds=round(self.busy, 3),
        )

    @property
    def next_fact(self) -> int:
        """The index in the log of facts from which on its group has received none."""
        return self.group.next

    @next_fact.setter
    def next_fact(self, index: int) -> None:
        self.group.next = index


class Roster(Dict[str, WorkerRecord]):
    """The present workers by name, and totals of those that have left."""

    def __init__(self) -> None:
        super().__init__()
        self.gone = self.gone_entries = 0
        self.gone_time = self.gone_busy = 0.0

    def leave(self, name: str, now: float) -> Optional[WorkerRecord]:
        """Remove a worker, and return its record if there was one."""
        worker = self.pop(name, None)
        if worker:
            self.gone += 1
            self.gone_entries += worker.table_entries
            self.gone_time += worker.time(now)
            self.gone_busy += worker.busy
        return worker

    def find_group(self, name: str) -> Optional[Group]:
        """The group of that name, None if the name is empty or no worker of it is present."""
        groups = [worker.group for worker in self.values() if worker.group.name == name]
        return groups[0] if name and groups else None

    def overdue(self, now: float, lease: float) -> List[WorkerRecord]:
        """Workers that have been silent for longer than a lease."""
        return [worker for worker in self.values() if now - worker.last_seen > lease]

    def any_waiting(self) -> bool:
        """Whether a worker waits for a leaf."""
        return any([worker.waits for worker in self.values()])

    def state(self, now: float) -> List[float]:
        """The totals of all workers, for `restore`."""
        here = list(self.values())
        return [
            self.gone + len(here),
            self.gone_entries + sum([worker.table_entries for worker in here]),
            self.gone_time + sum([worker.time(now) for worker in here]),
            self.gone_busy + sum([worker.busy for worker in here]),
        ]

    def restore(self, state: List[float]) -> None:
        """Take over the totals of a master that was restarted."""
        gone, entries, self.gone_time, self.gone_busy = state
        self.gone, self.gone_entries = int(gone), int(entries)

    def statistics(
        self, now: float, master_nodes: int, facts: int, expansions: int, jobs: JobCounts
    ) -> Distribution:
        """The statistics of a search whose other figures are given."""
        here = list(self.values())
        joined = self.gone + len(here)
        busy = self.gone_busy + sum([worker.busy for worker in here])
        time = self.gone_time + sum([worker.time(now) for worker in here])
        entries = sum([worker.table_entries for worker in here]) if here else self.gone_entries
        return Distribution(
            master_nodes=master_nodes,
            worker_nodes=entries // max(1, len(here) or joined),
            facts=facts,
            expansions=expansions,
            utilisation=min(1.0, busy / time) if time > 0 else 0.0,
            workers=len(here),
            joined=joined,
            jobs=copy(jobs),
        )
