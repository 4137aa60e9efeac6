"""The options of `pns.solve`: their defaults, and every check of them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Dict, Optional, Tuple

from pns.compact import BATCH
from pns.distributed import policy
from pns.distributed.policy import AT_ONCE, JOB_ENDS, SHARING, THRESHOLDS, WITH_JOBS
from pns.distributed.protocol import EPSILON
from pns.game import GENERATED, ORDERS, Game
from pns.machine import physical_cores, total_memory
from pns.memory import tree_bytes
from pns.pdfpn import COUNTING, EVERYWHERE, SEPARATING
from pns.pn2 import LEAST_CAPACITY
from pns.prior import BRANCHING, ONE, START_NUMBERS, Prior
from pns.spdfpn import WORK_LIMIT
from pns.table import ENTRY_BYTES

TREES = ("pns", "pn2")
PROPER_TREE = "pns-tree"
PARALLEL = ("pdfpn", "spdfpn")
DISTRIBUTED, PPN2 = "pns-pdfpn", "ppn2"
WITH_MASTER = (DISTRIBUTED, PPN2)
DFPN, PNS = SEARCHES = ("dfpn", "pns")
"""The searches of workers: that of pns-pdfpn, and that of ppn2."""
ALGORITHMS = ("dfpn", *PARALLEL, *TREES, PROPER_TREE, *WITH_MASTER)
WHEN_FULL = ("pn2", "dfpn")
MOST_PROCESSES = 256
CHECKPOINT_SECONDS = 60.0
ITERATIONS, UPDATES = 10_000, 1000
"""Expansions of a job, and between two reports on it; measured in docs/lab/parallel-search.md."""
LEAST, FIRST = "least", "first"
SUM_ORDERS = (LEAST, FIRST)
MOST_WEIGHT = 1 << 20
PAPER = "paper"
PRESETS: Dict[str, Dict[str, Any]] = {
    PAPER: {
        "prior": Prior(),
        "start_numbers": ONE,
        "epsilon": 0.0,
        "seed": 1,
        "sum_order": FIRST,
        "batch": 0,
        "counting": EVERYWHERE,
        "job_end": policy.ITERATIONS,
        "sharing": WITH_JOBS,
    }
}
"""Options under which the algorithms are as published ([cizek2025]; see docs/paper.md)."""
PARALLEL_EPSILON = EPSILON
"""ε of processes that search together; changing the line of play costs them more."""

_ALL_BUT_PROPER_TREE = tuple([name for name in ALGORITHMS if name != PROPER_TREE])
_ALGORITHMS_WITH: Dict[str, Tuple[str, ...]] = {
    "processes": (*PARALLEL, DISTRIBUTED),
    "when_full": ("pns",),
    "epsilon": _ALL_BUT_PROPER_TREE,
    "prior": _ALL_BUT_PROPER_TREE,
    "start_numbers": _ALL_BUT_PROPER_TREE,
    "checkpoint": _ALL_BUT_PROPER_TREE,
    "resume": _ALL_BUT_PROPER_TREE,
    "sum_order": ("dfpn",),
    "batch": (*TREES, PPN2),
    "counting": ("pdfpn", DISTRIBUTED),
    "process_weight": ("pdfpn", DISTRIBUTED),
    "work_limit": ("spdfpn",),
    "job_end": WITH_MASTER,
    "workers": WITH_MASTER,
    "iterations": WITH_MASTER,
    "updates": WITH_MASTER,
    "grouping": WITH_MASTER,
    "sharing": WITH_MASTER,
    "state_level": WITH_MASTER,
    "listen": WITH_MASTER,
    "keys": WITH_MASTER,
    "check_facts": WITH_MASTER,
}
"""The algorithms that have an option, for options that not all of them have."""


class OptionError(ValueError):
    """A bad value of an option; the message names the option and the fault."""

    def __init__(self, option: str, wrong: str) -> None:
        super().__init__("%s: %s" % (option, wrong))
        self.option = option
        self.wrong = wrong


@dataclass(frozen=True)
class Options:
    """How to search. A value of None stands for the algorithm's own default.

    >>> Options(algorithm="pns", processes=2).check()
    Traceback (most recent call last):
    pns.options.OptionError: processes: only pdfpn, spdfpn and pns-pdfpn have it, not pns
    """

    algorithm: str = "dfpn"
    grundy: bool = False
    """Find the Grundy number, not only the outcome."""
    capacity: Optional[int] = None
    """Entries of the transposition table, 20 bytes each, or nodes of the tree."""
    epsilon: Optional[float] = None
    """ε of the 1+ε rule [pawlewicz2007]; the default is 0, or PARALLEL_EPSILON."""
    seed: int = 0
    """Shuffles the children of a position; 0 keeps their order."""
    prior: Optional[Prior] = None
    """Expected Grundy numbers of unvisited positions; the default is the game's own prior."""
    start_numbers: str = BRANCHING
    """The initial numbers of leaves: "branching" and expectation decide, or (1, 1) for "one"."""
    order: str = GENERATED
    """The order of the children, of which the first of equal ones is tried: as they are
    "generated", or "smallest" first (`pns.game.SmallestFirst`)."""
    sum_order: str = LEAST
    """The unknown land of a sum that is searched next: that with the "least" number, or the
    "first" one."""
    batch: int = BATCH
    """The largest number of children that a tree generates at a time; 0 for all."""
    counting: str = SEPARATING
    """Where processes of pdfpn count for others, "separating" or "everywhere" (`pns.pdfpn`)."""
    process_weight: int = 0
    """What each then counts; 0 for 1 everywhere, or PROCESS_WEIGHT where processes separate."""
    work_limit: int = WORK_LIMIT
    """The most expansions of a job of spdfpn (`pns.spdfpn`)."""
    when_full: Optional[str] = None
    """How pns goes on when the tree is full: "pn2", the default, or "dfpn" (see `pns.pn2`)."""
    max_expansions: Optional[int] = None
    max_seconds: Optional[float] = None
    max_memory: Optional[int] = None
    """Bytes for all processes together; the search sizes its tables by it and stops at it."""
    checkpoint: Optional[str] = None
    """The file to which the tree is saved, or the transposition table of dfpn, pdfpn and spdfpn
    with the facts that are in no database."""
    every: float = CHECKPOINT_SECONDS
    """Seconds between two checkpoints."""
    resume: Optional[str] = None
    """The checkpoint to resume from. dfpn, pdfpn and spdfpn resume each other's, by default with
    the capacity of that table."""
    processes: Optional[int] = None
    """Processes of pdfpn and spdfpn, by default one for each physical core; of each worker
    of pns-pdfpn, by default 1."""
    workers: Optional[int] = None
    """Worker processes to start on this machine; the default fills its cores."""
    iterations: int = ITERATIONS
    """Expansions of a leaf, in all its jobs together, before it gets children."""
    updates: int = UPDATES
    """Expansions between two reports on a job."""
    grouping: int = 1
    """Workers of this machine that share a database."""
    job_end: str = THRESHOLDS
    """What ends the jobs of workers: "thresholds" or their "iterations" (`JobPolicy`)."""
    sharing: str = AT_ONCE
    """When workers receive the facts of others: "at-once", "with-jobs" or "never"."""
    state_level: Optional[int] = None
    """What workers keep between jobs: 0 nothing, the default of ppn2, 1 facts, 2 facts and table,
    the default of pns-pdfpn; ppn2 has no table to keep."""
    listen: Optional[str] = None
    """HOST:PORT at which workers of other machines are accepted."""
    keys: Optional[str] = None
    """The master's key file, for workers of other machines."""
    check_facts: Optional[float] = None
    """The share of the workers' claims that the master checks, from 0 to 1. With 1 no claim is
    used before it is checked; the default is a small share (see `pns.distributed.vetting`)."""

    def check(self) -> None:
        """Raise OptionError for a bad value, or for an option that the algorithm does not have.

        Raises TooLittleMemory for a max_memory that leaves a tree no room.
        """
        self._check_choices()
        for field in fields(self):
            only = _ALGORITHMS_WITH.get(field.name)
            if only and self.algorithm not in only:
                if getattr(self, field.name) != field.default:
                    wrong = "only %s %s it, not %s"
                    verb = "has" if len(only) == 1 else "have"
                    raise OptionError(field.name, wrong % (_listed(only), verb, self.algorithm))
        for name, least, most in (
            ("processes", 1, MOST_PROCESSES),
            ("workers", 0, MOST_PROCESSES),
            ("iterations", 1, None),
            ("updates", 1, None),
            ("grouping", 1, None),
            ("seed", 0, None),
            ("epsilon", 0, None),
            ("batch", 0, None),
            ("process_weight", 0, MOST_WEIGHT),
            ("work_limit", 1, None),
            ("every", 0, None),
            ("max_expansions", 0, None),
            ("max_seconds", 0, None),
            ("max_memory", 0, None),
            ("check_facts", 0, 1),
            ("capacity", LEAST_CAPACITY if self.algorithm in (*TREES, PROPER_TREE) else 1, None),
        ):
            _check_range(name, getattr(self, name), least, most)
        if self.workers == 0 and not self.listen:
            raise OptionError("workers", "with none, listen for workers of other machines")
        memory = total_memory()
        if self.capacity is not None and self.capacity * ENTRY_BYTES > memory:
            wrong = "%d entries are more than memory holds, %d at most"
            raise OptionError("capacity", wrong % (self.capacity, memory // ENTRY_BYTES))
        if self.algorithm in (*TREES, PROPER_TREE):
            tree_bytes(self.max_memory)

    def check_game(self, game: Game) -> None:
        """Raise OptionError for an option that does not fit the game."""
        if self.grundy and not game.decomposes:
            raise OptionError("grundy", "%s has outcomes and no Grundy numbers" % game.name)

    @classmethod
    def preset(cls, name: str, algorithm: str = "dfpn", **named: Any) -> "Options":
        """The options of a preset, as far as the algorithm has them, with `named` ones changed.

        Raises OptionError for an unknown preset.

        >>> Options.preset("paper", "pdfpn", epsilon=0.5).counting
        'everywhere'
        """
        if name not in PRESETS:
            raise OptionError("preset", "no %r; there are %s" % (name, ", ".join(PRESETS)))
        chosen = {
            option: value
            for option, value in PRESETS[name].items()
            if algorithm in _ALGORITHMS_WITH.get(option, ALGORITHMS)
        }
        return cls(algorithm, **{**chosen, **named})

    def shared_epsilon(self) -> float:
        """ε of a search by several processes or workers."""
        return PARALLEL_EPSILON if self.epsilon is None else self.epsilon

    def worker_count(self) -> int:
        """The number of workers that a master starts on this machine."""
        if self.workers is not None:
            return self.workers
        return 0 if self.listen else max(1, physical_cores() // (self.processes or 1))

    def kept_state(self) -> int:
        """The state level, or its default."""
        if self.state_level is not None:
            return self.state_level
        return 0 if self.algorithm == PPN2 else 2

    def _check_choices(self) -> None:
        for name, choices in (
            ("algorithm", ALGORITHMS),
            ("when_full", (None, *WHEN_FULL)),
            ("state_level", (None, 0, 1, 2)),
            ("start_numbers", START_NUMBERS),
            ("order", ORDERS),
            ("sum_order", SUM_ORDERS),
            ("counting", COUNTING),
            ("job_end", JOB_ENDS),
            ("sharing", SHARING),
        ):
            value = getattr(self, name)
            if value not in choices:
                known = [str(choice) for choice in choices if choice is not None]
                raise OptionError(name, "no %r; there are %s" % (value, ", ".join(known)))
        if self.algorithm == PPN2 and self.state_level == 2:
            raise OptionError("state_level", "workers of ppn2 keep no table; it is 0 or 1")


def _check_range(name: str, value: Any, least: int, most: Optional[int]) -> None:
    if value is None or (value >= least and (most is None or value <= most)):
        return
    bound = "at least %d" % least if most is None else "%d to %d" % (least, most)
    raise OptionError(name, "%s is out of range; it is %s" % (value, bound))


def _listed(names: Tuple[str, ...]) -> str:
    """
    >>> _listed(("a", "b", "c"))
    'a, b and c'
    """
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
