"""Records of what a search used and of its progress, the same for every algorithm."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import List, Optional, Tuple


@dataclass
class JobCounts:
    """Counts of what happened to the jobs of a master."""

    given: int = 0
    submitted: int = 0
    closed: int = 0
    """Returned by workers that left or failed."""
    lost: int = 0
    """Taken back: the lease ran out, or the worker asked for another job."""
    late: int = 0
    """Results that came after the job was lost and were used all the same."""
    dropped: int = 0
    """Results that no longer fitted the tree; only their facts were used."""


@dataclass(frozen=True)
class Distribution:
    """The columns of Table 3 of [cizek2025], and the counts of jobs."""

    master_nodes: int
    worker_nodes: int
    """Entries in the tables of all workers, divided by the number of workers."""
    facts: int
    expansions: int
    utilisation: float
    """The share of the workers' time spent on jobs, from 0 to 1, as far as reported."""
    workers: int
    """Workers connected now."""
    joined: int
    """Workers that have ever joined."""
    jobs: JobCounts
    checked: int = 0
    """Claims of workers that the master has checked."""


@dataclass(frozen=True)
class Usage:
    """What a search used; a field is None where the algorithm has nothing to count for it."""

    expansions: int = 0
    children_generated: int = 0
    facts_known: int = 0
    facts_new: int = 0
    answered_by_table: Optional[int] = None
    """Positions whose values a strong solution gave; None without one, or by several processes."""
    table_entries: int = 0
    """Entries of the transposition table in use; with workers, their mean."""
    capacity: Optional[int] = None
    """Entries that the table, or nodes that the tree, has room for; with workers, the master's."""
    nodes: Optional[int] = None
    """The largest number of nodes of the tree at a time."""
    bytes_per_node: Optional[float] = None
    """Peak memory of the tree, its map and its positions, divided by `nodes`."""
    tree_mode: Optional[str] = None
    """How leaves were expanded at the end: "pns", "pn2" or "dfpn"."""
    processes: Optional[int] = None
    replaced: Optional[int] = None
    """Processes that were killed or ran out of memory, and were replaced."""
    seconds: float = 0.0
    peak_memory_bytes: int = 0
    """With several processes, the peak of all together."""
    distribution: Optional[Distribution] = None
    """The workers and their jobs, with pns-pdfpn and ppn2."""


@dataclass(frozen=True)
class WorkerProgress:
    """What one worker of a master has done."""

    name: str
    jobs: int
    """Jobs submitted."""
    expansions: int
    nodes: int
    """Entries of its transposition table in use."""
    utilisation: float
    """The share of its time spent on jobs, from 0 to 1."""
    seconds_since_heard: float
    """Since its last message."""
    busy_seconds: float = 0.0
    """Time spent on jobs since it joined, as far as it has reported."""


@dataclass(frozen=True)
class Progress:
    """The progress of a search, for display."""

    root: Tuple[int, int]
    """(proof number, disproof number) of the root."""
    expansions: int
    facts_known: int
    facts_new: int
    memory: int
    """Bytes that all processes of this search hold on this machine."""
    store: Tuple[str, str]
    """("table" or "tree", how full it is)."""
    lines: List[Tuple[str, str]] = field(default_factory=list)
    """(name, text): the line of play, or what each process does."""
    workers: List[WorkerProgress] = field(default_factory=list)
    distribution: Optional[Distribution] = None
    addresses: List[str] = field(default_factory=list)
    """Addresses at which workers of other machines are accepted."""
    answering_seconds: float = 0.0
    """For how long a master has worked on requests of workers."""
    done: str = ""
    """Why the search has ended; "" while it runs."""
