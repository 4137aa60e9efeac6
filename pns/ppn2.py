"""PPN²: proof-number search at both levels, as a baseline for PNS-PDFPN.

The parallel PN² of [saffidine2012], which [cizek2025] calls PNS-PNS: the master of PNS-PDFPN,
whose workers search a leaf by the PNS of `pns.tree` and discard that tree after each job. At
state level 0 they lose the Grundy numbers too, at level 1 they keep them.
"""

from __future__ import annotations

from typing import Callable

from pns.game import Sum
from pns.positions.tree_couples import TreeCouples
from pns.search.counted_search import Stopped
from pns.search.nodes import Full, Nodes
from pns.tree import TreeSearch


class FactsArrived(Exception):
    """The observer has applied facts of others: the search begins at the root again."""


class JobPns(TreeSearch):
    """The search of a worker's next job, on an empty tree.

    It takes over `nodes`, and forgets the positions of `couples` when they take more than
    `most_bytes`. When the nodes are used up, the job ends with the numbers found by then.
    """

    def __init__(
        self,
        couples: TreeCouples,
        nodes: Nodes,
        observer: Callable[["JobPns"], None],
        most_bytes: int,
    ) -> None:
        super().__init__(couples, nodes, observer=lambda _: observer(self))
        nodes.clear()
        if couples.bytes() > most_bytes:
            couples.forget()

    @property
    def entries(self) -> int:
        """The number of nodes."""
        return self.nodes.used

    def outcome(self, lands: Sum, heap: int = 0) -> bool:
        while True:
            self.settle()
            self._generation = self.couples.generation
            try:
                return super().outcome(lands, heap)
            except FactsArrived:
                pass
            except Full:
                raise Stopped("a full tree") from None

    def _count_expansion(self) -> None:
        """Count an expansion, which is given up if facts arrive meanwhile."""
        super()._count_expansion()
        if self.expansions % self.observe_every == 0:
            self.couples.exchange_records()
        if self.couples.generation != self._generation:
            raise FactsArrived
