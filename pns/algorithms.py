"""A builder for each algorithm: from options to a search that `pns.solver` can run."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from typing import Any, Callable, Dict, List, Optional, Protocol, Tuple, Type, Union

from pns import checkpoint as checkpoints
from pns import table_checkpoint
from pns.checkpoint import Checkpointer, Steps
from pns.compact import CompactCouples
from pns.couple import Couples
from pns.dfpn import Search, StopToken
from pns.facts import Facts
from pns.game import Game, Sum, limit_caches, prior_file
from pns.machine import peak_memory, physical_cores, used_memory
from pns.memory import (
    BYTES_PER_UNIT,
    LEAST_BYTES_PER_NODE,
    caches,
    caches_of_process,
    default_capacity,
    tree_bytes,
)
from pns.nodes import Nodes
from pns.options import DISTRIBUTED, FIRST, PPN2, PROPER_TREE, Options
from pns.parallel.processes import ParallelSearch
from pns.parallel.search_process import SearchProcess
from pns.pdfpn import PdfpnProcess
from pns.pn2 import LEAST_CAPACITY, LimitedSearch
from pns.pnstree import PnsTree
from pns.prior import Prior, load
from pns.spdfpn import SpdfpnProcess
from pns.table import Table
from pns.table_checkpoint import SavedTable
from pns.usage import Progress, Usage


class Solver(Protocol):
    """A search for a position, by any algorithm."""

    couples: Couples

    @property
    def expansions(self) -> int:
        """Expansions of all processes and machines, as far as known here."""

    @property
    def memory(self) -> int:
        """Bytes that the search holds on this machine."""

    @property
    def unsaved(self) -> str:
        """Why the last checkpoint could not be written; "" if it was, or if none was wanted."""

    def outcome(self, lands: Sum) -> bool:
        """Whether the player to move wins; raises Stopped."""

    def grundy_number(self, lands: Sum) -> int:
        """The position's Grundy number; raises Stopped."""

    def stop(self, reason: str) -> None:
        """End the search soon; `outcome` and `grundy_number` then raise Stopped."""

    def tick(self) -> None:
        """Do what is due from time to time; the search calls it before the observer."""

    def save(self) -> None:
        """Save a search that was stopped, if the options name a checkpoint."""

    def progress(self) -> Progress:
        """How far the search is."""

    def usage(self) -> Usage:
        """What the search used; `pns.solver` fills in facts and seconds."""


@dataclass
class Request:
    """A position to search, and how; `observe` is called every few milliseconds."""

    game: Game
    lands: Sum
    facts: Facts
    options: Options
    stop: StopToken
    observe: Callable[[Solver], None]
    warn: Callable[[str], None]

    @property
    def prior(self) -> Prior:
        prior = self.options.prior
        prior = load(self.game.name, prior_file(self.game)) if prior is None else prior
        return prior.starting(self.options.start_numbers)

    @property
    def epsilon(self) -> float:
        return self.options.epsilon or 0.0

    @property
    def canonical(self) -> str:
        return self.game.format(self.lands)

    def saved_table(self) -> Optional[SavedTable]:
        """The checkpoint to resume from, if there is one; raises CheckpointError, OSError."""
        path = self.options.resume
        return SavedTable(path, self.game, self.canonical) if path else None

    def checkpointer(self, write: Callable[[str], Optional[Steps]]) -> Optional[Checkpointer]:
        """Saves the search as the options say; `write` gets the path."""
        options, path = self.options, self.options.checkpoint
        if not path:
            return None
        return Checkpointer(path, partial(write, path), options.every, self.warn, options.resume)


AnySearch = Union[Search, LimitedSearch, PnsTree, ParallelSearch]


class LocalSolver:
    """The base of the searches that run on this machine alone."""

    _checkpointer: Optional[Checkpointer] = None

    def __init__(self, search: AnySearch, request: Request) -> None:
        self.couples: Couples = search.couples
        self.search = search
        self._request = request
        search.stop = request.stop

        def observe(_: object) -> None:
            self.tick()
            request.observe(self)

        search.observer = observe

    @property
    def expansions(self) -> int:
        return self.search.expansions

    @property
    def memory(self) -> int:
        return used_memory()

    @property
    def unsaved(self) -> str:
        return self._checkpointer.unsaved if self._checkpointer else ""

    def outcome(self, lands: Sum) -> bool:
        try:
            return self.search.outcome(lands)
        finally:
            self._abandon()

    def grundy_number(self, lands: Sum) -> int:
        number = 0
        try:
            for land in set(lands):
                if lands.count(land) % 2:
                    number ^= self.search.grundy_number(land)
        finally:
            self._abandon()
        return number

    def stop(self, reason: str) -> None:
        self.search.stop.stop(reason)

    def tick(self) -> None:
        if self._checkpointer:
            self._checkpointer.tick()

    def save(self) -> None:
        if self._checkpointer:
            self._checkpointer.save()

    def _abandon(self) -> None:
        """Leave no part of a checkpoint behind."""
        if self._checkpointer:
            self._checkpointer.abandon()

    def progress(self) -> Progress:
        raise NotImplementedError

    def usage(self) -> Usage:
        raise NotImplementedError

    def _progress(self, store: Tuple[str, str], lines: List[Tuple[str, str]]) -> Progress:
        facts = self.couples.facts
        return Progress(
            root=self.search.root,
            expansions=self.expansions,
            facts_known=len(facts),
            facts_new=facts.new,
            memory=self.memory,
            store=store,
            lines=lines,
        )


def line_of(search: Union[Search, LimitedSearch, PnsTree]) -> List[Tuple[str, str]]:
    """The line of play from the root to the node being searched."""
    return [("line", " > ".join([search.couples.describe(code) for code in search.line]))]


def fill_of(table: Table) -> Tuple[str, str]:
    """How full a table is, as `Progress.store` has it."""
    return "table", "%.1f %% of %d" % (100.0 * table.used / table.capacity, table.capacity)


class TableSolver(LocalSolver):
    """The base of the searches on a transposition table, with checkpoints of it."""

    search: Union[Search, ParallelSearch]

    def __init__(
        self,
        search: Union[Search, ParallelSearch],
        request: Request,
        saved: Optional[SavedTable],
    ) -> None:
        super().__init__(search, request)
        if saved:
            saved.restore(search.table, search.couples)
            search.resume(saved.expansions)
            search.couples.children_generated += saved.children_generated
        self._checkpointer = request.checkpointer(self._write)

    def _write(self, path: str) -> Steps:
        search, canonical = self.search, self._request.canonical
        return table_checkpoint.save(
            path, search.table, search.couples, canonical, search.expansions
        )


class DfpnSolver(TableSolver):
    """DFPN on one core."""

    search: Search

    def progress(self) -> Progress:
        return self._progress(fill_of(self.search.table), line_of(self.search))

    def usage(self) -> Usage:
        return Usage(
            expansions=self.expansions,
            children_generated=self.couples.children_generated,
            table_entries=self.search.table.used,
            peak_memory_bytes=peak_memory(),
        )


class ProcessSolver(TableSolver):
    """PDFPN or SPDFPN by processes of this machine."""

    search: ParallelSearch

    @property
    def memory(self) -> int:
        return self.search.memory

    def progress(self) -> Progress:
        search = self.search
        lines = [
            ("process %d" % i, "%d, %s" % (done, remark))
            for i, (done, remark) in enumerate(zip(search.expansions_of, search.remarks()), 1)
        ]
        if search.replaced:
            lines.append(("replaced", "%d processes that were killed" % search.replaced))
        return self._progress(fill_of(search.table), lines)

    def usage(self) -> Usage:
        search = self.search
        return Usage(
            expansions=search.expansions,
            children_generated=search.couples.children_generated,
            table_entries=search.table.used,
            processes=search.processes,
            replaced=search.replaced,
            peak_memory_bytes=max(peak_memory(), search.most_memory),
        )


class TreeSolver(LocalSolver):
    """PNS or PN² on an explicit tree, with checkpoints."""

    search: LimitedSearch

    def __init__(self, search: LimitedSearch, request: Request) -> None:
        super().__init__(search, request)
        if request.options.resume:
            checkpoints.load(request.options.resume, search, request.canonical)
        self._checkpointer = request.checkpointer(self._write)

    def _write(self, path: str) -> None:
        checkpoints.save(path, self.search, self._request.canonical)

    def progress(self) -> Progress:
        search = self.search
        nodes = search.nodes
        filled = 100.0 * max(nodes.used / nodes.capacity, search.bytes() / search.most_bytes)
        fill = "%d nodes, %.1f %% full, %s %s" % (nodes.used, filled, search.mode, nodes.name)
        return self._progress(("tree", fill), line_of(search))

    def usage(self) -> Usage:
        search = self.search
        return Usage(
            expansions=search.expansions,
            children_generated=search.couples.children_generated,
            nodes=search.peak_nodes,
            bytes_per_node=search.bytes_per_node(),
            tree_mode=search.mode,
            peak_memory_bytes=peak_memory(),
        )


class ProperTreeSolver(LocalSolver):
    """PNS on a proper tree."""

    search: PnsTree

    def progress(self) -> Progress:
        nodes = self.search.nodes
        filled = max(nodes.used / nodes.capacity, self.search.bytes() / self.search.most_bytes)
        fill = "%d nodes, %.1f %% full" % (nodes.used, 100.0 * filled)
        return self._progress(("tree", fill), line_of(self.search))

    def usage(self) -> Usage:
        search = self.search
        return Usage(
            expansions=search.expansions,
            children_generated=search.couples.children_generated,
            nodes=search.peak_nodes,
            bytes_per_node=search.bytes_per_node(),
            peak_memory_bytes=peak_memory(),
        )


def _dfpn(request: Request) -> Solver:
    options, saved = request.options, request.saved_table()
    capacity = saved.capacity(options.capacity) if saved else options.capacity
    positions, game_cache = caches(capacity, options.max_memory)
    limit_caches(request.game, game_cache)
    search = Search(
        Couples(request.game, request.facts, options.seed, request.prior),
        Table(capacity or default_capacity()),
        epsilon=request.epsilon,
        most_expansions=options.max_expansions,
        max_size=positions // BYTES_PER_UNIT,
        first_land=options.sum_order == FIRST,
    )
    return DfpnSolver(search, request, saved)


PROCESS_CLASSES: Dict[str, Type[SearchProcess]] = {"pdfpn": PdfpnProcess, "spdfpn": SpdfpnProcess}
"""The processes of each parallel algorithm."""


def _parallel(request: Request) -> Solver:
    options, saved = request.options, request.saved_table()
    capacity = saved.capacity(options.capacity) if saved else options.capacity
    processes = options.processes or physical_cores()
    positions, game_cache = caches_of_process(processes, capacity, options.max_memory)
    limit_caches(request.game, game_cache)
    own: Dict[str, Any] = {"work_limit": options.work_limit}
    if options.algorithm == "pdfpn":
        own = {"counting": options.counting, "weight": options.process_weight}
    search = ParallelSearch(
        processes,
        request.game,
        request.facts,
        capacity or default_capacity(),
        options.seed,
        request.prior,
        most_expansions=options.max_expansions,
        max_memory=options.max_memory,
        searcher=PROCESS_CLASSES[options.algorithm],
        collects_wins=options.checkpoint is not None,
        epsilon=options.shared_epsilon(),
        max_size=positions // BYTES_PER_UNIT,
        **own,
    )
    return ProcessSolver(search, request, saved)


def _tree(request: Request) -> Solver:
    options = request.options
    room, game_cache = tree_bytes(options.max_memory)
    limit_caches(request.game, game_cache)
    couples = CompactCouples(request.game, request.facts, options.seed, request.prior)
    couples.batch = options.batch or sys.maxsize
    search = LimitedSearch(
        couples,
        options.capacity or max(LEAST_CAPACITY, room // LEAST_BYTES_PER_NODE),
        room,
        options.algorithm,
        options.when_full or "pn2",
        epsilon=request.epsilon,
        most_expansions=options.max_expansions,
    )
    return TreeSolver(search, request)


def _proper_tree(request: Request) -> Solver:
    options = request.options
    room, game_cache = tree_bytes(options.max_memory)
    limit_caches(request.game, game_cache)
    search = PnsTree(
        CompactCouples(request.game, request.facts),
        Nodes(options.capacity or max(LEAST_CAPACITY, room // LEAST_BYTES_PER_NODE), False),
        room,
        options.seed,
        most_expansions=options.max_expansions,
    )
    return ProperTreeSolver(search, request)


def _distributed(request: Request) -> Solver:
    from pns.distributed.solver import DistributedSolver

    return DistributedSolver(request)


BUILDERS: Dict[str, Callable[[Request], Solver]] = {
    "dfpn": _dfpn,
    "pdfpn": _parallel,
    "spdfpn": _parallel,
    "pns": _tree,
    "pn2": _tree,
    PROPER_TREE: _proper_tree,
    DISTRIBUTED: _distributed,
    PPN2: _distributed,
}
