"""Solves combinatorial games by proof-number search with Grundy numbers.

>>> from pns import children, grundy_number, solve
>>> grundy_number("0*3")
1
>>> children("0*2")
['0.AB|AB', '1a1a']
>>> result = solve("0*4")
>>> result.outcome, result.winning_move
('win', '0*2.AB|0.AB')
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Callable, Dict, List, Optional, Type, Union

from pns import checkpoint as checkpoints
from pns.checkpoint import Checkpointer, CheckpointError
from pns.compact import CompactCouples
from pns.couple import HEAP, Couples
from pns.dfpn import Search, Stopped, StopToken
from pns.facts import Facts
from pns.files import Reporter
from pns.game import NotationError, Sum, find_game, limit_caches, options
from pns.machine import NoMemory, peak_memory, physical_cores, total_memory
from pns.memory import (
    BYTES_PER_CELL,
    LEAST_BYTES_PER_NODE,
    MemoryWatch,
    TooLittleMemory,
    caches,
    caches_of_process,
    default_capacity,
    tree_bytes,
)
from pns.parallel.member import Member
from pns.parallel.processes import ParallelSearch, ProcessesDied
from pns.parallel.spdfpn import JobMember
from pns.pdfpn import RootMember
from pns.pn2 import LEAST_CAPACITY, LimitedSearch
from pns.prior import Prior, load
from pns.table import ENTRY_BYTES, Table

__version__ = "0.1.0"
__all__ = [
    "CheckpointError",
    "LimitedSearch",
    "NoMemory",
    "NotationError",
    "ParallelSearch",
    "ProcessesDied",
    "Result",
    "Search",
    "StopToken",
    "TooLittleMemory",
    "children",
    "grundy_number",
    "solve",
]

ALGORITHMS = ("dfpn", "pdfpn", "spdfpn", "pns", "pn2")
PARALLEL: Dict[str, Type[Member]] = {"pdfpn": RootMember, "spdfpn": JobMember}
TREES = ("pns", "pn2")
MOST_PROCESSES = 256
WHEN_FULL = ("pn2", "dfpn")
EPSILON = {"pdfpn": 0.25, "spdfpn": 0.25}
"""The ε of the 1+ε rule, where it is not 0: processes that come and go cost each other more."""
CHECKPOINT_SECONDS = 60.0


AnySearch = Union[Search, LimitedSearch, ParallelSearch]


@dataclass(frozen=True)
class Result:
    """What a search found, and what it took; None where it is not known."""

    position: str
    canonical: str
    game: str
    algorithm: str
    solved: bool
    outcome: Optional[str]
    """"win" or "loss" for the player to move."""
    grundy_number: Optional[int]
    winning_move: Optional[str]
    """The position after a move that wins."""
    stopped_by: Optional[str]
    """What ended an unsolved search: "expansions", "seconds", "memory", or a caller's word."""
    expansions: int
    children_generated: int
    facts_known: int
    facts_new: int
    table_entries: int
    nodes: Optional[int]
    """The most nodes that the tree had at a time; None without a tree, like the next two."""
    bytes_per_node: Optional[float]
    """The most memory of the tree, its map and its positions at a time, divided by `nodes`."""
    tree_mode: Optional[str]
    """How leaves were expanded at the end: "pns", "pn2" or "dfpn"."""
    processes: Optional[int]
    """How many processes searched, with pdfpn or spdfpn; None without it, like the next."""
    replaced: Optional[int]
    """How many of them were killed from outside, or found no memory, and replaced."""
    seconds: float
    peak_memory_bytes: int
    """With the algorithm pdfpn, what all processes held together at most."""
    version: str
    unsaved: Optional[str] = None
    """Why the last checkpoint of an unsolved search could not be written."""


def children(text: str, game: str = "sprouts") -> List[str]:
    """The options of a position: canonical texts, sorted, distinct; raises NotationError.

    >>> children("0*3")
    ['0*2.AB|AB', '0.1a1a', '0.AB|0.AB']
    """
    rules = find_game(game)
    return sorted({rules.format(child) for child in options(rules, rules.parse(text))})


def grundy_number(text: str, game: str = "sprouts") -> int:
    """The Grundy number of a position; raises NotationError.

    >>> grundy_number("3+5", game="nim")
    6
    """
    result = solve(text, game, grundy=True)
    assert result.grundy_number is not None
    return result.grundy_number


def solve(
    text: str,
    game: str = "sprouts",
    *,
    algorithm: str = "dfpn",
    facts: Optional[Facts] = None,
    grundy: bool = False,
    processes: Optional[int] = None,
    capacity: Optional[int] = None,
    when_full: str = "pn2",
    epsilon: Optional[float] = None,
    seed: int = 0,
    prior: Optional[Prior] = None,
    max_expansions: Optional[int] = None,
    max_seconds: Optional[float] = None,
    max_memory: Optional[int] = None,
    stop: Optional[StopToken] = None,
    observer: Optional[Callable[[AnySearch], None]] = None,
    checkpoint: Optional[str] = None,
    every: float = CHECKPOINT_SECONDS,
    resume: Optional[str] = None,
    warn: Optional[Callable[[str], None]] = None,
) -> Result:
    """Who wins a position, the player to move or the other; with grundy, its Grundy number.

    Facts are read from and added to `facts`, which stays open; without it they
    live in memory for this call. processes is for pdfpn and spdfpn, by default as
    many as there are physical cores. capacity counts entries of the transposition
    table, or nodes of the tree; without it the tree may take a part of what max_memory
    leaves or half of the machine holds. A tree that is full goes on as when_full says
    (see pns.pn2). epsilon is that of the 1+ε rule, by default the algorithm's in EPSILON
    or 0; seed 0 keeps the order of children and another seed shuffles it. prior is what
    the search expects of positions, by default what the game's file in data/ says. A budget
    (expansions, seconds, bytes of memory) that runs out and the stop token end
    the search: `solved` is then false. The observer sees the search every few expansions.

    A tree is saved to the file `checkpoint` every so many seconds and when it is
    stopped; `resume` names such a file to go on with. A checkpoint that cannot be written,
    and facts that cannot be stored, as on a full disk, are reported to `warn`, by default as
    warnings, and tried again; facts wait in memory.

    Raises NotationError for a text that is no position, ValueError for an argument out of
    range, TooLittleMemory for a max_memory that leaves a tree no room, NoMemory where there
    is none for what is reserved, Contradiction when facts disagree, CheckpointError for a
    file that cannot be gone on with, OSError for one that cannot be used.

    >>> solve("0*5").outcome
    'win'
    >>> solve("1+2+3", game="nim").outcome
    'loss'
    """
    start = time.monotonic()
    rules = find_game(game)
    lands = rules.parse(text)
    if algorithm not in ALGORITHMS:
        raise ValueError("no algorithm %r; there are %s" % (algorithm, ", ".join(ALGORITHMS)))
    if when_full not in WHEN_FULL:
        raise ValueError("no mode %r; there are %s" % (when_full, ", ".join(WHEN_FULL)))
    if algorithm not in TREES and (checkpoint or resume):
        raise ValueError("only a tree has checkpoints: choose the algorithm pns or pn2")
    if processes is not None and algorithm not in PARALLEL:
        raise ValueError("only the algorithms %s have processes" % " and ".join(PARALLEL))
    if processes is not None and not 1 <= processes <= MOST_PROCESSES:
        raise ValueError("%d processes; there can be 1 to %d" % (processes, MOST_PROCESSES))
    if capacity is not None:
        check_capacity(capacity, algorithm)
    if facts is None:
        facts = Facts(game)
    if prior is None:
        prior = load(game)
    if epsilon is None:
        epsilon = EPSILON.get(algorithm, 0.0)
    stop = stop or StopToken()

    warn = warn or _warn
    reporter = Reporter(warn)
    checkpointer: Optional[Checkpointer] = None
    watch = MemoryWatch(max_memory)

    def observe(search: AnySearch) -> None:
        now = time.monotonic()
        if max_seconds is not None and now - start >= max_seconds:
            search.stop.stop("seconds")
        if watch.is_spent(search.memory if isinstance(search, ParallelSearch) else None):
            search.stop.stop("memory")
        if facts.trouble:
            reporter.report("facts wait in memory: %s" % facts.trouble)
        if checkpointer:
            checkpointer.tick()
        if observer:
            observer(search)

    couples: Couples
    search: AnySearch
    if algorithm in PARALLEL:
        processes = processes or physical_cores()
        cache, game_cache = caches_of_process(processes, capacity, max_memory)
        limit_caches(rules, game_cache)
        search = ParallelSearch(
            processes,
            rules,
            facts,
            capacity or default_capacity(),
            seed,
            prior,
            stop=stop,
            observer=observe,
            most_expansions=max_expansions,
            epsilon=epsilon,
            max_memory=max_memory,
            most_cells=cache // BYTES_PER_CELL,
            member=PARALLEL[algorithm],
        )
        couples = search.couples
    elif algorithm == "dfpn":
        cache, game_cache = caches(capacity, max_memory)
        limit_caches(rules, game_cache)
        couples = Couples(rules, facts, seed, prior)
        search = Search(
            couples,
            Table(capacity or default_capacity()),
            epsilon=epsilon,
            stop=stop,
            observer=observe,
            most_expansions=max_expansions,
            most_cells=cache // BYTES_PER_CELL,
        )
    else:
        room, game_cache = tree_bytes(max_memory)
        limit_caches(rules, game_cache)
        couples = compact = CompactCouples(rules, facts, seed, prior)
        search = tree = LimitedSearch(
            compact,
            capacity or max(LEAST_CAPACITY, room // LEAST_BYTES_PER_NODE),
            room,
            algorithm,
            when_full,
            epsilon=epsilon,
            stop=stop,
            observer=observe,
            most_expansions=max_expansions,
        )
        if resume:
            checkpoints.load(resume, search, rules.format(lands))
        if checkpoint:
            path = checkpoint

            def save() -> None:
                checkpoints.save(path, tree, rules.format(lands))

            checkpointer = Checkpointer(path, save, every, warn, resume)
    wins: Optional[bool] = None
    number: Optional[int] = None
    try:
        wins = search.outcome(lands)
        if not wins:
            number = 0
        elif grundy:
            number = _grundy_number(search, lands)
    except Stopped:
        if checkpointer:
            checkpointer.save()
    except MemoryError:
        if isinstance(search, ParallelSearch):
            raise
        stop.stop("memory")
        if checkpointer:  # what was being changed then is not to be saved
            checkpointer.unsaved = "%s: memory ran out; the one before is kept" % checkpointer.path
    if wins and number is None and couples.code(lands) <= HEAP:
        number = couples.code(lands)
    facts.try_flush()
    solved = wins is not None and not (grundy and number is None)
    return Result(
        position=text,
        canonical=rules.format(lands),
        game=game,
        algorithm=algorithm,
        solved=solved,
        outcome=None if wins is None else "win" if wins else "loss",
        grundy_number=number,
        winning_move=_winning_move(couples, lands) if wins else None,
        stopped_by=stop.reason or None,
        expansions=search.expansions,
        children_generated=couples.children_generated,
        facts_known=len(facts),
        facts_new=facts.new,
        table_entries=0 if isinstance(search, LimitedSearch) else search.table.used,
        nodes=search.most_nodes if isinstance(search, LimitedSearch) else None,
        bytes_per_node=search.bytes_per_node() if isinstance(search, LimitedSearch) else None,
        tree_mode=search.mode if isinstance(search, LimitedSearch) else None,
        processes=search.processes if isinstance(search, ParallelSearch) else None,
        replaced=search.replaced if isinstance(search, ParallelSearch) else None,
        seconds=time.monotonic() - start,
        peak_memory_bytes=max(
            peak_memory(), search.most_memory if isinstance(search, ParallelSearch) else 0
        ),
        version=__version__,
        unsaved=checkpointer.unsaved or None if checkpointer and not solved else None,
    )


def _warn(text: str) -> None:
    warnings.warn(text, RuntimeWarning, stacklevel=2)


def check_capacity(capacity: int, algorithm: str) -> None:
    """Raise ValueError for a table or a tree too small or larger than the machine's memory."""
    if algorithm not in TREES and capacity < 1:
        raise ValueError("a table needs a capacity of at least 1 entry")
    if algorithm in TREES and capacity < LEAST_CAPACITY:
        raise ValueError("a tree needs a capacity of at least %d nodes" % LEAST_CAPACITY)
    if capacity * ENTRY_BYTES > total_memory():
        most = total_memory() // ENTRY_BYTES
        raise ValueError("%d entries are more than memory holds, %d at most" % (capacity, most))


def check_memory(max_memory: Optional[int], algorithm: str) -> None:
    """Raise TooLittleMemory for a limit that leaves a tree no room beside the program."""
    if algorithm in TREES:
        tree_bytes(max_memory)


def _grundy_number(search: AnySearch, lands: Sum) -> int:
    number = 0
    for land in lands:
        if lands.count(land) % 2:
            number ^= search.grundy_number(land)
    return number


def _winning_move(couples: Couples, lands: Sum) -> Optional[str]:
    """The first option of a won position that facts show to be lost, if they show one."""
    for option in options(couples.game, lands):
        if couples.code(option) == 0:
            return couples.game.format(option)
    return None
