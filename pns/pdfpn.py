"""PDFPN: processes that search a position together from the root [kaneko2010].

When a process chooses among children, each other process below a child raises the
child's disproof number by 1, and the same amount is subtracted from its threshold
([cizek2025], "Second-Level Parallelization"). The paper does not say what processes
count for in sums; here they raise the number of a land in the same way. A process counts
PROCESS_WEIGHT, not 1, where all children have to be searched, in a sum and at a couple
that is expected to be a loss: there the processes separate, and the work of each is needed.
Elsewhere it counts 0: at a couple that is expected to be a win one losing child is enough,
and the processes stay together until they can separate.

Each process publishes its line of play in the shared state. A process returns at once to
a couple on its own line that others have decided.
"""

from __future__ import annotations

from typing import Any, Dict, List

from pns.choices import EVERYWHERE, SEPARATING
from pns.dfpn import UNCONFIRMED
from pns.parallel.search_process import SearchProcess
from pns.positions.interned import HEAP, HEAP_BITS
from pns.search.bounds import Numbers

PROCESS_WEIGHT = 1000
"""The weight of a process below a child where all children have to be searched."""


class Decided(Exception):
    """Another process decided the couple at a depth of the line: search on from there."""

    def __init__(self, depth: int) -> None:
        super().__init__(depth)
        self.depth = depth


class PdfpnProcess(SearchProcess):
    """A process of PDFPN.

    Each process counts `weight` below a child, where `counting` says. By default that is
    PROCESS_WEIGHT where processes separate, or 1 everywhere.
    """

    shared = True

    def __init__(
        self, *arguments: Any, counting: str = SEPARATING, weight: int = 0, **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self._everywhere = counting == EVERYWHERE
        self._weight = weight or (1 if self._everywhere else PROCESS_WEIGHT)
        self._others_present: List[bool] = []
        """For each couple of the line, whether others were below it at the last look."""

    def _visit(self, code: int, pt: int, dt: int, mt: int, ps: int, ds: int) -> Numbers:
        couples, state = self.couples, self.state
        depth = len(self.line)
        while True:
            i, heap = code >> HEAP_BITS, code & HEAP
            if depth < len(self._others_present):
                self._others_present[depth] = False
            else:
                self._others_present.append(False)
            state.enter(self.process, depth, couples.keys[i] ^ couples.heap_keys[heap])
            try:
                numbers = super()._visit(code, pt, dt, mt, ps, ds)
            except Decided as decided:
                if decided.depth < depth:
                    raise
                del self.line[depth:]
                code = couples.fold(code)
                continue
            state.leave(self.process, depth)
            return numbers

    def _decided(self, depth: int) -> None:
        raise Decided(depth)

    def _chosen_by_others(self) -> Dict[int, int]:
        """How many other processes count below a child of the current couple, by its key.

        Everywhere, as published, all of them; else only those that came through the same couple
        at the same depth, where they separate.
        """
        if self._everywhere:
            return self.state.on_lines_of_others(self.process)
        code = self.line[-1]
        key = self.couples.keys[code >> HEAP_BITS] ^ self.couples.heap_keys[code & HEAP]
        found: Dict[int, int] = {}
        for child in self.state.next_of_others(self.process, len(self.line) - 1, key):
            found[child] = found.get(child, 0) + 1
        return found

    def _others_below(self, codes: List[int]) -> List[int]:
        chosen = self._chosen_by_others()
        if not chosen:
            return [0] * len(codes)
        keys, heap_keys = self.couples.keys, self.couples.heap_keys
        return [
            self._weight * chosen.get(keys[c >> HEAP_BITS] ^ heap_keys[c & HEAP], 0) for c in codes
        ]

    def _refresh(
        self, children: List[int], pns: List[int], dns: List[int], others: List[int]
    ) -> None:
        """Take wins of others; read again only if they count below the couple, or did before."""
        for i in range(len(children) - 1, -1, -1):
            if dns[i] == UNCONFIRMED and self._is_won(children[i]):
                del children[i], pns[i], dns[i], others[i]
        depth = len(self.line) - 1
        present = bool(self._chosen_by_others())
        if not present and not self._others_present[depth]:
            return
        self._others_present[depth] = present
        for i in range(len(children) - 1, -1, -1):
            pn, dn = self._current(children[i], (pns[i], dns[i]))
            if pn:
                pns[i], dns[i] = pn, dn
            else:
                del children[i], pns[i], dns[i]
        if children and (self._everywhere or sum(pns) <= min(dns)):
            others[:] = self._others_below(children)
        else:
            others[:] = [0] * len(children)

    def _is_won(self, code: int) -> bool:
        """Whether an atomic couple is noted as a win by now, and so no longer a child to try."""
        return bool(self.couples.option_numbers[code >> HEAP_BITS] >> (code & HEAP) & 1)

    def _current(self, code: int, fallback: Numbers) -> Numbers:
        """The numbers of a couple, `fallback` if the table has dropped any of them."""
        couples = self.couples
        for land in couples.parts[code >> HEAP_BITS]:
            key = couples.keys[land] ^ couples.heap_keys[couples.least_heap(land)]
            if self.table.find(key) < 0:
                return fallback
        return self.numbers(code, fallback)
