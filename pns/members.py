"""The workers of a master: who is here, what each has done, and how well their time was used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, Optional


@dataclass
class Member:
    """A worker, as the master knows it."""

    name: str
    number: int
    joined: float
    heard: float
    job: int = 0
    next_fact: int = 0
    expansions: int = 0
    busy: float = 0.0
    table_entries: int = 0


@dataclass
class Counts:
    """What happened to jobs."""

    given: int = 0
    submitted: int = 0
    closed: int = 0
    lost: int = 0
    """Taken back when the lease ran out, or when its worker asked for another one."""
    late: int = 0
    """Answers of workers that had lost their job, which were used nevertheless."""
    dropped: int = 0
    """Answers that no longer fitted; their facts were kept."""


@dataclass(frozen=True)
class Statistics:
    """The columns of the paper's Table 3, and what jobs were like."""

    master_nodes: int
    worker_nodes: int
    """The entries of the tables of all workers, divided by the number of these."""
    facts: int
    expansions: int
    utilisation: float
    """The part of their time that workers spent on jobs, from 0 to 1."""
    workers: int
    joined: int
    """Workers there ever were."""
    jobs: Counts


class Members(Dict[str, Member]):
    """The workers that are here, by name; those that have gone are counted."""

    def __init__(self) -> None:
        super().__init__()
        self._gone: List[Member] = []
        self._gone_time = 0.0

    def join(self, name: str, number: int, now: float) -> None:
        """A worker comes; `number` is that under which its facts are logged."""
        self[name] = Member(name, number, now, now)

    def leave(self, name: str, now: float) -> Optional[Member]:
        """The worker of that name, which is here no longer."""
        member = self.pop(name, None)
        if member:
            self._gone.append(member)
            self._gone_time += now - member.joined
        return member

    def overdue(self, now: float, lease: float) -> List[Member]:
        """Workers that were not heard of for the time of a lease."""
        return [member for member in self.values() if now - member.heard > lease]

    def statistics(
        self, now: float, master_nodes: int, facts: int, expansions: int, jobs: Counts
    ) -> Statistics:
        """What there is to tell of a search."""
        here = list(self.values())
        everyone = self._gone + here
        busy = sum([member.busy for member in everyone])
        time = self._gone_time + sum([now - member.joined for member in here])
        tables = [member.table_entries for member in here or everyone]
        return Statistics(
            master_nodes=master_nodes,
            worker_nodes=sum(tables) // max(1, len(tables)),
            facts=facts,
            expansions=expansions,
            utilisation=min(1.0, busy / time) if time > 0 else 0.0,
            workers=len(here),
            joined=len(everyone),
            jobs=jobs,
        )
