"""The solvers of this machine: a search with its checkpoints, its progress and its usage."""

from __future__ import annotations

from typing import TYPE_CHECKING, List, Optional, Tuple, Union

from pns.dfpn import Search
from pns.facts.log import MASTER, FactLog
from pns.front.request import Request
from pns.game import Sum
from pns.positions.couple import Couples
from pns.saving import table_checkpoint, tree_checkpoint
from pns.saving.checkpointer import Checkpointer, Steps
from pns.saving.table_checkpoint import SavedTable
from pns.search.table import Table
from pns.system.machine import used_memory
from pns.system.platform import peak_memory
from pns.usage import Progress, Usage

if TYPE_CHECKING:
    from pns.parallel.processes import ParallelSearch
    from pns.pn2 import LimitedSearch
    from pns.pnstree import PnsTree

AnySearch = Union[Search, "LimitedSearch", "PnsTree", "ParallelSearch"]


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
    filled = 100.0 * table.used / table.capacity
    return "table", "{:.1f} % of {:,}".format(filled, table.capacity)


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
            capacity=self.search.table.capacity,
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
            capacity=search.table.capacity,
            processes=search.processes,
            replaced=search.replaced,
            peak_memory_bytes=max(peak_memory(), search.most_memory),
        )


def tree_fill(search: Union[LimitedSearch, PnsTree]) -> str:
    """How full a tree is: of its nodes, or of the memory it may take."""
    nodes = search.nodes
    filled = max(nodes.used / nodes.capacity, search.bytes() / search.most_bytes)
    return "{:,} nodes, {:.1f} % full".format(nodes.used, 100.0 * filled)


def tree_usage(search: Union[LimitedSearch, PnsTree], mode: Optional[str] = None) -> Usage:
    """What a search on a tree used."""
    return Usage(
        expansions=search.expansions,
        children_generated=search.couples.children_generated,
        capacity=search.nodes.capacity,
        nodes=search.peak_nodes,
        bytes_per_node=search.bytes_per_node(),
        tree_mode=mode,
        peak_memory_bytes=peak_memory(),
    )


class TreeSolver(LocalSolver):
    """PNS or PN² on an explicit tree, with checkpoints."""

    search: LimitedSearch

    def __init__(self, search: LimitedSearch, request: Request) -> None:
        super().__init__(search, request)
        if request.options.resume:
            tree_checkpoint.load(request.options.resume, search, request.canonical)
        self._checkpointer = request.checkpointer(self._write)

    def _write(self, path: str) -> None:
        """Write a checkpoint; the facts that it rests on are stored before it or in it."""
        facts = self.couples.facts
        facts.try_flush()
        log = FactLog()
        log.extend(facts.in_memory(), MASTER)
        tree_checkpoint.save(path, self.search, self._request.canonical, log=log)

    def progress(self) -> Progress:
        search = self.search
        fill = "%s, %s" % (tree_fill(search), search.mode)
        view = [("view", search.nodes.name)] if search.nodes.name else []
        return self._progress(("tree", fill), line_of(search) + view)

    def usage(self) -> Usage:
        return tree_usage(self.search, self.search.mode)


class ProperTreeSolver(LocalSolver):
    """PNS on a proper tree."""

    search: PnsTree

    def progress(self) -> Progress:
        return self._progress(("tree", tree_fill(self.search)), line_of(self.search))

    def usage(self) -> Usage:
        return tree_usage(self.search)
