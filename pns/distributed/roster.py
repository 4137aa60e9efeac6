"""The workers of a master: who is here, what each has done, and how well their time was used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, Optional

from pns.distributed.factlog import Group
from pns.usage import Distribution, JobCounts, WorkerProgress


@dataclass
class WorkerRecord:
    """A worker, as the master knows it."""

    name: str
    number: int
    group: Group
    joined: float
    heard: float
    job: int = 0
    waits: bool = False
    """Whether there was no leaf for it when it asked last."""
    jobs: int = 0
    """Those that it handed in."""
    expansions: int = 0
    busy: float = 0.0
    table_entries: int = 0

    def time(self, now: float) -> float:
        """The seconds it was here; of a worker with a job, up to when it was last heard of it."""
        return (self.heard if self.job else now) - self.joined

    def progress(self, now: float) -> WorkerProgress:
        """What it has done, for people."""
        return WorkerProgress(
            name=self.name,
            jobs=self.jobs,
            expansions=self.expansions,
            nodes=self.table_entries,
            utilisation=round(min(1.0, self.busy / max(now - self.joined, 1e-9)), 5),
            seconds_since_heard=round(now - self.heard, 3),
        )

    @property
    def next_fact(self) -> int:
        """How far in the log of facts its group is."""
        return self.group.next

    @next_fact.setter
    def next_fact(self, place: int) -> None:
        self.group.next = place


class Roster(Dict[str, WorkerRecord]):
    """The workers that are here, by name; those that have gone are counted."""

    def __init__(self) -> None:
        super().__init__()
        self.gone = self.gone_entries = 0
        self.gone_time = self.gone_busy = 0.0

    def leave(self, name: str, now: float) -> Optional[WorkerRecord]:
        """The worker of that name, which is here no longer."""
        member = self.pop(name, None)
        if member:
            self.gone += 1
            self.gone_entries += member.table_entries
            self.gone_time += member.time(now)
            self.gone_busy += member.busy
        return member

    def find_group(self, name: str) -> Optional[Group]:
        """The group of that name, None if it has none or nobody of it is here."""
        groups = [member.group for member in self.values() if member.group.name == name]
        return groups[0] if name and groups else None

    def overdue(self, now: float, lease: float) -> List[WorkerRecord]:
        """Workers that were not heard of for the time of a lease."""
        return [member for member in self.values() if now - member.heard > lease]

    def state(self, now: float) -> List[float]:
        """What there is to remember of all workers, for `restore`."""
        here = list(self.values())
        return [
            self.gone + len(here),
            self.gone_entries + sum([member.table_entries for member in here]),
            self.gone_time + sum([member.time(now) for member in here]),
            self.gone_busy + sum([member.busy for member in here]),
        ]

    def restore(self, state: List[float]) -> None:
        """Count the workers of a master that was started anew."""
        gone, entries, self.gone_time, self.gone_busy = state
        self.gone, self.gone_entries = int(gone), int(entries)

    def statistics(
        self, now: float, master_nodes: int, facts: int, expansions: int, jobs: JobCounts
    ) -> Distribution:
        """What there is to tell of a search."""
        here = list(self.values())
        joined = self.gone + len(here)
        busy = self.gone_busy + sum([member.busy for member in here])
        time = self.gone_time + sum([member.time(now) for member in here])
        entries = sum([member.table_entries for member in here]) if here else self.gone_entries
        return Distribution(
            master_nodes=master_nodes,
            worker_nodes=entries // max(1, len(here) or joined),
            facts=facts,
            expansions=expansions,
            utilisation=min(1.0, busy / time) if time > 0 else 0.0,
            workers=len(here),
            joined=joined,
            jobs=jobs,
        )
