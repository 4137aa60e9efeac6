"""What a search took, and how far it is: the same records for every algorithm."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import List, Optional, Tuple


@dataclass
class JobCounts:
    """What happened to the jobs of a master."""

    given: int = 0
    submitted: int = 0
    closed: int = 0
    """Given back by workers that left or failed."""
    lost: int = 0
    """Taken back when the lease ran out, or when the worker asked for another job."""
    late: int = 0
    """Answers of workers that had lost their job, which were used nevertheless."""
    dropped: int = 0
    """Answers that no longer fitted; their facts were kept."""


@dataclass(frozen=True)
class Distribution:
    """The columns of Table 3 of Čížek, Balko and Schmid, and what became of the jobs."""

    master_nodes: int
    worker_nodes: int
    """The entries of the tables of all workers, divided by the number of workers."""
    facts: int
    expansions: int
    utilisation: float
    """The part of their time that workers spent on jobs, from 0 to 1, as far as reported."""
    workers: int
    """Workers that are here now."""
    joined: int
    """Workers that there ever were."""
    jobs: JobCounts
    checked: int = 0
    """Claims of workers that were checked."""


@dataclass(frozen=True)
class Usage:
    """What a search took; None where the algorithm has no such thing."""

    expansions: int = 0
    children_generated: int = 0
    facts_known: int = 0
    facts_new: int = 0
    table_entries: int = 0
    """Entries of the transposition table in use; with workers, of each on average."""
    nodes: Optional[int] = None
    """The most nodes that the tree had at a time."""
    bytes_per_node: Optional[float] = None
    """The most memory of the tree, its map and its positions at a time, divided by `nodes`."""
    tree_mode: Optional[str] = None
    """How leaves were expanded at the end: "pns", "pn2" or "dfpn"."""
    processes: Optional[int] = None
    replaced: Optional[int] = None
    """Processes that were killed from outside, or found no memory, and were replaced."""
    seconds: float = 0.0
    peak_memory_bytes: int = 0
    """With several processes, what all held together at most."""
    distribution: Optional[Distribution] = None
    """The workers and their jobs, with pns-pdfpn."""


@dataclass(frozen=True)
class WorkerProgress:
    """What a worker of a master has done."""

    name: str
    jobs: int
    """Jobs that it handed in."""
    expansions: int
    nodes: int
    """Entries of its transposition table in use."""
    utilisation: float
    """The part of its time that it spent on jobs, from 0 to 1."""
    seconds_since_heard: float
    """Since its last message."""


@dataclass(frozen=True)
class Progress:
    """How far a search is, for people."""

    root: Tuple[int, int]
    """The proof and disproof number of the root."""
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
    """Where workers from elsewhere are let in."""
    done: str = ""
    """Why the search has ended, "" while it goes on."""
