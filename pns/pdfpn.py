"""PDFPN: processes that search a position together from the root (Kaneko 2010).

Where a process chooses among children, the other processes below a child raise its
disproof number, or in a sum the number of its land, and what they raise it by is
subtracted again from its threshold (Čížek, Balko and Schmid, "Second-Level
Parallelization"). There each process counts for 1 everywhere. Here it counts for
PROCESS_WEIGHT where all children are to be searched, in a sum and at a couple that is expected
to be a loss: there processes part, and what each of them does is needed. Elsewhere it
counts for nothing: at a couple expected to be a win, one child that is a loss will do,
and processes go on together to where they can part.

Who is where is read from the lines of play that the processes tell on the board. A
process that learns that a couple of its own line is decided comes back to it at once.
"""

from __future__ import annotations

from typing import Any, List

from pns.couple import HEAP, HEAP_BITS
from pns.dfpn import Numbers
from pns.parallel.search_process import SearchProcess

PROCESS_WEIGHT = 1000
"""What a process below a child counts for where all children are to be searched."""


class Decided(Exception):
    """Another process decided the couple at that depth of the line: search on from there."""

    def __init__(self, depth: int) -> None:
        super().__init__(depth)
        self.depth = depth


class PdfpnProcess(SearchProcess):
    """A process of PDFPN."""

    shared = True

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._others_present: List[bool] = []
        """Whether others were below each couple of the line."""

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

    def _chosen_by_others(self) -> List[int]:
        """The keys of the children that others chose below the couple that is visited.

        Counted are those who came to the child through this couple, at this depth.
        """
        code = self.line[-1]
        key = self.couples.keys[code >> HEAP_BITS] ^ self.couples.heap_keys[code & HEAP]
        return self.state.next_of_others(self.process, len(self.line) - 1, key)

    def _others_below(self, codes: List[int]) -> List[int]:
        chosen = self._chosen_by_others()
        if not chosen:
            return [0] * len(codes)
        keys, heap_keys = self.couples.keys, self.couples.heap_keys
        return [
            PROCESS_WEIGHT * chosen.count(keys[c >> HEAP_BITS] ^ heap_keys[c & HEAP]) for c in codes
        ]

    def _refresh(
        self, children: List[int], pns: List[int], dns: List[int], others: List[int]
    ) -> None:
        """Only where others are below the same couple, or were at the last look."""
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
        if children and sum(pns) <= min(dns):
            others[:] = self._others_below(children)
        else:
            others[:] = [0] * len(children)

    def _current(self, code: int, fallback: Numbers) -> Numbers:
        """The numbers of a couple, `fallback` if the table has forgotten any part of them."""
        couples = self.couples
        for land in couples.parts[code >> HEAP_BITS]:
            key = couples.keys[land] ^ couples.heap_keys[couples.least_heap(land)]
            if self.table.find(key) < 0:
                return fallback
        return self.numbers(code, fallback)
