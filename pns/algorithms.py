"""A builder for each algorithm: from options to a search that `pns.solver` can run.

Each imports its own search, since importing all of them takes long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Type

from pns.choices import (
    DISTRIBUTED,
    FIRST,
    LEAST_CAPACITY,
    PDFPN,
    PPN2,
    PROPER_TREE,
    SPDFPN,
)
from pns.dfpn import Search
from pns.front.memory import (
    LEAST_BYTES_PER_NODE,
    caches,
    caches_of_process,
    default_capacity,
    tree_bytes,
)
from pns.front.request import Request, Solver
from pns.game import limit_caches
from pns.local_solvers import DfpnSolver, ProcessSolver, ProperTreeSolver, TreeSolver
from pns.positions.couple import Couples
from pns.search.table import Table
from pns.system.machine import physical_cores

if TYPE_CHECKING:
    from pns.parallel.search_process import SearchProcess


def _dfpn(request: Request) -> Solver:
    options, (saved, capacity) = request.options, request.saved_table()
    positions, game_cache = caches(capacity, options.max_memory)
    limit_caches(request.game, game_cache)
    couples = Couples(request.game, request.facts, options.seed, request.prior)
    couples.batch = request.batch
    search = Search(
        couples,
        Table(capacity or default_capacity()),
        epsilon=request.epsilon,
        most_expansions=options.max_expansions,
        max_bytes=positions,
        first_land=options.sum_order == FIRST,
        restart=request.restart,
    )
    return DfpnSolver(search, request, saved)


def process_class(algorithm: str) -> Type[SearchProcess]:
    """The processes of a parallel algorithm."""
    if algorithm == SPDFPN:
        from pns.spdfpn import SpdfpnProcess

        return SpdfpnProcess
    from pns.pdfpn import PdfpnProcess

    return PdfpnProcess


def _parallel(request: Request) -> Solver:
    from pns.parallel.processes import ParallelSearch

    options, (saved, capacity) = request.options, request.saved_table()
    processes = options.processes or physical_cores()
    positions, game_cache = caches_of_process(processes, capacity, options.max_memory)
    limit_caches(request.game, game_cache)
    own: Dict[str, Any] = {"work_limit": options.work_limit}
    if options.algorithm == PDFPN:
        own = {
            "batch": request.batch,
            "counting": options.counting,
            "weight": options.process_weight,
        }
    search = ParallelSearch(
        processes,
        request.game,
        request.facts,
        capacity or default_capacity(),
        options.seed,
        request.prior,
        most_expansions=options.max_expansions,
        max_memory=options.max_memory,
        searcher=process_class(options.algorithm),
        restart=request.restart,
        epsilon=request.epsilon,
        max_bytes=positions,
        **own,
    )
    return ProcessSolver(search, request, saved)


def _tree(request: Request) -> Solver:
    from pns.pn2 import LimitedSearch
    from pns.positions.tree_couples import TreeCouples

    options = request.options
    room, game_cache = tree_bytes(options.max_memory)
    limit_caches(request.game, game_cache)
    couples = TreeCouples(request.game, request.facts, options.seed, request.prior)
    couples.batch = request.batch
    search = LimitedSearch(
        couples,
        options.capacity or max(LEAST_CAPACITY, room // LEAST_BYTES_PER_NODE),
        room,
        options.algorithm,
        options.when_full or "pn2",
        first_land=options.sum_order == FIRST,
        epsilon=request.epsilon,
        most_expansions=options.max_expansions,
        restart=request.restart,
    )
    return TreeSolver(search, request)


def _proper_tree(request: Request) -> Solver:
    from pns.pnstree import PnsTree
    from pns.positions.tree_couples import TreeCouples
    from pns.search.nodes import Nodes

    options = request.options
    room, game_cache = tree_bytes(options.max_memory)
    limit_caches(request.game, game_cache)
    search = PnsTree(
        TreeCouples(request.game, request.facts),
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
