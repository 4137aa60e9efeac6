"""PDFPN: processes that search a position together from the root (Kaneko 2010).

Where a process chooses among children, the number of other processes below a child
raises its disproof number, or in a sum the number of its land, and is subtracted
again from its threshold (Čížek, Balko and Schmid, "Second-Level Parallelization");
so processes part when the numbers are near each other. Who is where is read from
the lines of play that the processes tell on the board. A process that learns that a
couple of its own line is decided comes back to it at once.
"""

from __future__ import annotations

from typing import List

from pns.couple import HEAP, HEAP_BITS
from pns.dfpn import Numbers
from pns.parallel.member import Member


class Decided(Exception):
    """Another process decided the couple at that depth of the line: search on from there."""

    def __init__(self, depth: int) -> None:
        super().__init__(depth)
        self.depth = depth


class RootMember(Member):
    """A process of PDFPN."""

    shared = True

    def _visit(self, code: int, pt: int, dt: int, mt: int, ps: int, ds: int) -> Numbers:
        couples, board = self.couples, self.board
        while True:
            i, heap, depth = code >> HEAP_BITS, code & HEAP, len(self.line)
            board.enter(self.process, depth, couples.keys[i] ^ couples.heap_keys[heap])
            try:
                numbers = super()._visit(code, pt, dt, mt, ps, ds)
            except Decided as decided:
                if decided.depth < depth:
                    raise
                del self.line[depth:]
                code = couples.fold(code)
                continue
            board.leave(self.process, depth)
            return numbers

    def _decided(self, depth: int) -> None:
        raise Decided(depth)

    def _others_below(self, codes: List[int]) -> List[int]:
        """th(w) of each child of the couple that is visited.

        Counted are those who came to the child through this couple, at this depth.
        """
        keys, heap_keys = self.couples.keys, self.couples.heap_keys
        code = self.line[-1]
        key = keys[code >> HEAP_BITS] ^ heap_keys[code & HEAP]
        chosen = self.board.next_of_others(self.process, len(self.line) - 1, key)
        if not chosen:
            return [0] * len(codes)
        return [chosen.count(keys[c >> HEAP_BITS] ^ heap_keys[c & HEAP]) for c in codes]

    def _read_again(
        self, children: List[int], pns: List[int], dns: List[int], others: List[int]
    ) -> None:
        others[:] = self._others_below(children)
        for i in range(len(children) - 1, -1, -1):
            if others[i]:
                pn, dn = self._current(children[i], (pns[i], dns[i]))
                if pn:
                    pns[i], dns[i] = pn, dn
                else:
                    del children[i], pns[i], dns[i], others[i]

    def _current(self, code: int, lost: Numbers) -> Numbers:
        """The numbers of a couple, `lost` if the table has forgotten any part of them."""
        couples = self.couples
        for land in couples.parts[code >> HEAP_BITS]:
            key = couples.keys[land] ^ couples.heap_keys[couples.least_heap(land)]
            if self.table.find(key) < 0:
                return lost
        return self.numbers(code, lost)
