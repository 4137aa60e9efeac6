"""The options of `pns.solve`: their defaults, and every check of them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import isqrt
from os import PathLike
from typing import Any, Dict, Optional, Tuple

from pns.choices import (
    ALGORITHMS,
    AT_ONCE,
    BRANCHING,
    CHECKPOINT_SECONDS,
    COUNTING,
    DFPN_BATCH,
    EPSILON,
    EVERYWHERE,
    FIRST,
    GENERATED,
    ITERATIONS,
    JOB_ENDS,
    JOB_EXPANSIONS,
    LEAST,
    LEAST_CAPACITY,
    MOST_NUMBER,
    MOST_PROCESSES,
    ONE,
    ORDERS,
    PAPER,
    PDFPN,
    PPN2,
    PROPER_TREE,
    PUBLISHED,
    REPORT_EXPANSIONS,
    RESTART,
    RESTARTED_GAMES,
    SEPARATING,
    SHARING,
    SPDFPN,
    START_NUMBERS,
    STATE_LEVELS,
    SUM_ORDERS,
    THRESHOLDS,
    TREE_BATCH,
    TREES,
    TUNED_GAMES,
    WHEN_FULL,
    WITH_JOBS,
    WORK_LIMIT,
    misfit,
)
from pns.front.memory import tree_bytes
from pns.game import Game, no_grundy_numbers
from pns.jobs.addresses import NEEDS_KEYS, is_local, wrong_address
from pns.jobs.policy import JobPolicy, WorkerPolicy
from pns.positions.prior import Prior
from pns.positions.simplify import searched
from pns.search.table import ENTRY_BYTES
from pns.system.machine import physical_cores, total_memory

MOST_WEIGHT = 1 << 20
UNKNOWN = "unknown value %r; expected one of %s"
PRESET_OPTIONS: Dict[str, Dict[str, Any]] = {
    PAPER: {
        "prior": Prior(),
        "start_numbers": ONE,
        "epsilon": 0.0,
        "seed": 1,
        "simplify": False,
        "sum_order": FIRST,
        "order": PUBLISHED,
        "batch": 0,
        "restart": 0,
        "counting": EVERYWHERE,
        "job_end": ITERATIONS,
        "sharing": WITH_JOBS,
    }
}
"""Options under which the algorithms are as published ([cizek2025]; see docs/paper.md)."""


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
    pns.front.options.OptionError: processes: only pdfpn, spdfpn and pns-pdfpn have it, not pns
    """

    algorithm: str = "dfpn"
    grundy: bool = False
    """Find the Grundy number, not only the outcome."""
    capacity: Optional[int] = None
    """Entries of the transposition table, 20 bytes each, or nodes of the tree."""
    epsilon: Optional[float] = None
    """ε of the 1+ε rule [pawlewicz2007]; by default `pns.choices.EPSILON` for Sprouts, but 0 for
    trees and other games."""
    seed: int = 0
    """Shuffles the children of a position; 0 keeps their order."""
    prior: Optional[Prior] = None
    """Expected Grundy numbers of unvisited positions; the default is the game's own prior."""
    start_numbers: str = BRANCHING
    """The initial numbers of leaves: "branching" and expectation decide, or (1, 1) for "one"."""
    order: str = GENERATED
    """The order of the children, of which the first of equal ones is tried: as they are
    "generated", "smallest" first, or as "published" (`pns.positions.wrapped`)."""
    simplify: Optional[bool] = None
    """Search simpler positions that are worth the same in place of children
    (`pns.positions.simplify`); by default if the game knows any. Workers take it over from their
    master."""
    sum_order: str = LEAST
    """The unknown land of a sum that is searched next: that with the "least" number, or the
    "first" one (`Couples.first_of`)."""
    batch: Optional[int] = None
    """The largest number of children that are generated at a time, 0 for all; by default
    `pns.choices.TREE_BATCH` for trees, `DFPN_BATCH` for Sprouts by single processes, else 0."""
    restart: Optional[int] = None
    """The expansions after which the table or the tree is dropped for the first time
    (`pns.search.restarts`), 0 for never; by default `pns.choices.RESTART` for Sprouts, else 0."""
    counting: str = SEPARATING
    """Where processes of pdfpn count for others, "separating" or "everywhere" (`pns.pdfpn`)."""
    process_weight: int = 0
    """What each then counts; 0 for 1 everywhere, or PROCESS_WEIGHT where processes separate."""
    work_limit: int = WORK_LIMIT
    """The expansions of a job of spdfpn, more while jobs prove nothing (`pns.spdfpn`)."""
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
    iterations: int = JOB_EXPANSIONS
    """Expansions of a leaf, in all its jobs together, before it gets children."""
    updates: int = REPORT_EXPANSIONS
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
    used before it is checked; the default is a small share (see `pns.jobs.vetting`)."""

    def check(self) -> None:
        """Raise OptionError for a bad value, or for an option that the algorithm does not have.

        Raises TooLittleMemory for a max_memory that leaves a tree no room.
        """
        self._check_choices()
        self._check_types()
        for field in fields(self):
            wrong = misfit(field.name, self.algorithm)
            if wrong and getattr(self, field.name) != field.default:
                raise OptionError(field.name, wrong)
        least_capacity = LEAST_CAPACITY if self.algorithm in (*TREES, PROPER_TREE) else 1
        for name, least, most in (
            ("processes", 1, MOST_PROCESSES),
            ("workers", 0, MOST_PROCESSES),
            ("iterations", 1, None),
            ("updates", 1, None),
            ("grouping", 1, None),
            ("seed", 0, None),
            ("batch", 0, None),
            ("restart", 0, None),
            ("process_weight", 0, MOST_WEIGHT),
            ("work_limit", 1, None),
            ("max_expansions", 0, None),
            ("max_memory", 0, None),
            ("capacity", least_capacity, None),
        ):
            _check_count(name, getattr(self, name), least, most)
        for name, limit in (
            ("epsilon", MOST_NUMBER),
            ("every", MOST_NUMBER),
            ("max_seconds", MOST_NUMBER),
            ("check_facts", 1),
        ):
            _check_real(name, getattr(self, name), limit)
        if not self.every:
            raise OptionError("every", "invalid number 0; expected a number above 0")
        self._check_places()
        if self.workers == 0 and self.listen is None:
            raise OptionError(
                "workers",
                "invalid count 0; expected at least 1, or workers of other machines and an address",
            )
        memory = total_memory()
        if self.capacity is not None and self.capacity * ENTRY_BYTES > memory:
            wrong = "%d entries do not fit into memory; expected at most %d"
            raise OptionError("capacity", wrong % (self.capacity, memory // ENTRY_BYTES))
        if self.algorithm in (*TREES, PROPER_TREE):
            tree_bytes(self.max_memory)

    def _check_types(self) -> None:
        """Raise OptionError for an invalid path or flag, and for another game's prior."""
        kinds: Tuple[Tuple[str, Tuple[type, ...], str], ...] = (
            ("grundy", (bool,), "True or False"),
            ("simplify", (bool, type(None)), "True, False or None"),
            ("prior", (Prior, type(None)), "a Prior"),
            *[(name, (str, PathLike, type(None)), "a path") for name in ("checkpoint", "resume")],
            ("keys", (str, PathLike, type(None)), "a path"),
            ("listen", (str, type(None)), "HOST:PORT"),
        )
        for name, kind, expected in kinds:
            given = getattr(self, name)
            if not isinstance(given, kind):
                raise OptionError(name, "invalid value %a; expected %s" % (given, expected))

    def check_game(self, game: Game) -> None:
        """Raise OptionError for an option that does not fit the game."""
        if self.grundy and not game.decomposes:
            raise OptionError("grundy", no_grundy_numbers(game))
        try:
            searched(game, self.simplify)
        except ValueError as error:
            raise OptionError("simplify", str(error)) from error

    @classmethod
    def preset(cls, name: str, algorithm: str = "dfpn", **named: Any) -> "Options":
        """The options of a preset, as far as the algorithm has them, with `named` ones changed.

        Raises OptionError for an unknown preset.

        >>> Options.preset("paper", "pdfpn", epsilon=0.5).counting
        'everywhere'
        """
        if name not in PRESET_OPTIONS:
            raise OptionError("preset", UNKNOWN % (name, ", ".join(PRESET_OPTIONS)))
        chosen = {
            option: value
            for option, value in PRESET_OPTIONS[name].items()
            if not misfit(option, algorithm)
        }
        return cls(algorithm, **{**chosen, **named})

    def epsilon_for(self, game: str) -> float:
        """ε of a search of a game."""
        if self.epsilon is not None:
            return self.epsilon
        return EPSILON if game in TUNED_GAMES and self.algorithm not in TREES else 0.0

    def batch_for(self, game: str) -> int:
        """The children of a land that a search of a game generates at a time, 0 for all."""
        if self.batch is not None:
            return self.batch
        if self.algorithm in (*TREES, PPN2):
            return TREE_BATCH
        pays = self.algorithm == PDFPN or self.algorithm != SPDFPN and (self.processes or 1) == 1
        return DFPN_BATCH if game in TUNED_GAMES and pays else 0

    def restart_for(self, game: str) -> int:
        """The expansions of the first start of a search of a game, 0 if there is only one."""
        if self.restart is not None:
            return self.restart
        return RESTART if game in RESTARTED_GAMES and not misfit("restart", self.algorithm) else 0

    def restart_of_master(self, game: str) -> int:
        """The same for all workers of a master, by default later if it starts many of them."""
        root = isqrt(max(1, self.worker_count())) if self.restart is None else 1
        return root * self.restart_for(game)

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

    def job_policy(self, game: str) -> JobPolicy:
        """What a master decides."""
        return JobPolicy(
            self.iterations,
            self.updates,
            self.kept_state(),
            self.job_end,
            self.sharing,
            self.epsilon_for(game),
            self.start_numbers,
            self.order,
            self.restart_of_master(game),
        )

    def worker_policy(self, game: str) -> WorkerPolicy:
        """How its workers search."""
        return WorkerPolicy(
            self.epsilon_for(game),
            self.counting,
            self.process_weight,
            self.job_end,
            self.algorithm == PPN2,
            self.batch_for(game),
        )

    def _check_places(self) -> None:
        """Raise OptionError for an address or a file name that cannot be one."""
        for name in ("checkpoint", "resume", "keys"):
            if getattr(self, name) == "":
                raise OptionError(name, "invalid file name ''; expected the name of a file")
        if self.listen is None:
            return
        wrong = wrong_address(self.listen)
        if not (wrong or self.keys or is_local(self.listen)):
            wrong = NEEDS_KEYS % self.listen
        if wrong:
            raise OptionError("listen", wrong)

    def _check_choices(self) -> None:
        for name, choices in (
            ("algorithm", ALGORITHMS),
            ("when_full", (None, *WHEN_FULL)),
            ("state_level", (None, *STATE_LEVELS)),
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
                raise OptionError(name, UNKNOWN % (value, ", ".join(known)))
        if self.algorithm == PPN2 and self.state_level == 2:
            raise OptionError("state_level", "workers of ppn2 keep no table; expected 0 or 1")


def _check_count(name: str, value: Any, least: int, most: Optional[int]) -> None:
    """Raise OptionError unless it is None or a whole number in the range."""
    is_whole = isinstance(value, int) and value >= least and (most is None or value <= most)
    if value is not None and not is_whole:
        bound = "of at least %d" % least if most is None else "from %d to %d" % (least, most)
        raise OptionError(name, "invalid count %a; expected a whole number %s" % (value, bound))


def _check_real(name: str, value: Any, most: float) -> None:
    """Raise OptionError unless it is None or a number from 0 to `most`, which NaN is not."""
    if value is not None and not (isinstance(value, (int, float)) and 0 <= value <= most):
        wrong = "invalid number %a; expected a number from 0 to %g"
        raise OptionError(name, wrong % (value, most))
