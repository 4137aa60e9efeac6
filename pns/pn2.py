"""The tree search within limits of memory: solved subtrees freed, PN², DFPN at the leaves.

`pns` expands leaves one by one. When the nodes or the bytes are used up, the nodes that the
root does not reach through unsolved nodes are freed, and the lands that no node needs. If
more than half is still in use then, the search goes on in its second mode:

- `pn2` [allis1994thesis]: a leaf is expanded after a second search below it, on a tree of its
  own, which is discarded. The leaf's children start with their numbers from that tree, and
  facts and generated children stay. The second tree gets as many nodes as the first has at
  that time, at least LEAST_SECOND and at most a quarter of the capacity.
- `dfpn`: a leaf stays a leaf and gets the numbers that DFPN finds in
  max(LEAST_DFPN, leaf_expansions // DFPN_SHARE) expansions, where leaf_expansions counts
  those of all such searches so far. So a single search is long enough in the end. Its table
  and positions take a quarter of the memory, at least some 10 MB, and stay from leaf to leaf.

When the tree is full in mode `pn2` too, the search goes on with `dfpn`, which needs no more
nodes. So it ends in any amount of memory, given time.
"""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

from pns.choices import LEAST_CAPACITY
from pns.dfpn import Search
from pns.game import Sum
from pns.positions.couple import Couples
from pns.positions.exchange import FACT, Publisher
from pns.positions.interned import HEAP, HEAP_BITS
from pns.positions.tree_couples import TreeCouples
from pns.search.bounds import LOSS, WIN, Numbers
from pns.search.counted_search import Stopped, StopToken
from pns.search.nodes import (
    DN,
    FIRST,
    MARK,
    META,
    MOVE_SHIFT,
    NEXT,
    NODE_WORDS,
    PN,
    REFERENCE,
    REST,
    SUM,
    Full,
    Nodes,
)
from pns.search.table import ENTRY_BYTES, Table
from pns.tree import TreeSearch

LEAST_SECOND = 16
LEAST_DFPN = 100
DFPN_SHARE = 16
LEAST_TABLE = 10_000
LEAST_BYTES = 1_000_000


class SecondTreeFull(Exception):
    """A second search has used up its nodes."""


class OutOfBytes(Full):
    """The search uses more bytes than its limit."""


class LimitedSearch(TreeSearch):
    """A tree search in `capacity` nodes and about `most_bytes` bytes of its own structures.

    `mode` is the current way to expand leaves, `when_full` the mode that follows `pns`.
    `peak_nodes` and `peak_bytes` are the largest numbers of nodes and bytes in use so far.
    Raises ValueError for a capacity below LEAST_CAPACITY.
    """

    def __init__(
        self,
        couples: TreeCouples,
        capacity: int,
        most_bytes: int,
        mode: str = "pns",
        when_full: str = "pn2",
        **options: Any,
    ) -> None:
        if capacity < LEAST_CAPACITY:
            raise ValueError("a tree needs a capacity of at least %d nodes" % LEAST_CAPACITY)
        super().__init__(couples, Nodes(capacity - capacity // 4), **options)
        self.most_second = capacity // 4
        self.most_bytes = most_bytes
        self.mode = mode
        self.when_full = when_full
        self.peak_nodes = 0
        self.peak_bytes = 0
        self._second_search: Optional[SecondSearch] = None
        self._leaf_search: Optional[LeafSearch] = None
        self._leaf_expansions = 0

    def outcome(self, lands: Sum, heap: int = 0) -> bool:
        """Whether the player to move wins lands + *heap; raises Stopped."""
        while True:
            before = self.expansions
            try:
                return super().outcome(lands, heap)
            except Full:
                if self.mode == "dfpn" and self.expansions == before:
                    return self._search_leaf(lands, heap, self.most_expansions) == WIN
                self.make_room(lands, heap)
            finally:
                self.measure()

    def bytes(self) -> int:
        """Memory in bytes of the nodes, the map, the positions and the inner searches."""
        second = self._second_search.nodes.bytes() if self._second_search else 0
        leaves = self._leaf_search.bytes() if self._leaf_search else 0
        return self.nodes.bytes() + self.couples.bytes() + second + leaves

    def bytes_per_node(self) -> float:
        """The peak of memory divided by the peak of nodes."""
        return self.peak_bytes / max(1, self.peak_nodes)

    def measure(self) -> None:
        """Update the peaks."""
        second = self._second_search.nodes.top - 1 if self._second_search else 0
        self.peak_nodes = max(self.peak_nodes, self.nodes.top - 1 + second)
        self.peak_bytes = max(self.peak_bytes, self.bytes())

    def _count_expansion(self) -> None:
        super()._count_expansion()
        if self.expansions % self.observe_every == 0 and self.bytes() > self.most_bytes:
            raise OutOfBytes

    def make_room(self, lands: Sum, heap: int) -> None:
        """Free what the search of a root does not need; if that is too little, change the mode."""
        self.measure()
        self._sweep(lands, heap)
        nodes = self.nodes
        if 2 * nodes.used > nodes.capacity or 2 * self.bytes() > self.most_bytes:
            if self.mode != "dfpn":
                self.mode = self.when_full if self.mode == "pns" else "dfpn"
        if self.mode == "dfpn":
            self._second_search = None

    def _sweep(self, lands: Sum, heap: int) -> None:
        """Free the nodes that a root does not lead to, and the lands that no node needs."""
        self.settle()
        couples, nodes = self.couples, self.nodes
        words = nodes.words
        live = bytearray(len(couples.store))
        waiting: List[Tuple[int, int]] = []

        def visit_sum(code: int) -> None:
            """Queue the couples whose numbers make up those of a position."""
            land, heap = code >> HEAP_BITS, code & HEAP
            parts = couples.parts[land]
            for part in parts or (land,):
                if parts:
                    heap = couples.least_heap(part)
                owner = nodes.find(part, heap)
                if owner:
                    waiting.append((owner, part << HEAP_BITS | heap))

        visit_sum(couples.code(lands) ^ heap)
        while waiting:
            record, code = waiting.pop()
            at = record * NODE_WORDS
            meta = words[at + META]
            if meta & MARK:
                continue
            words[at + META] = meta | MARK
            if meta & REFERENCE:
                waiting.append((words[at + FIRST], code))
            elif meta & SUM:
                visit_sum(code)
            elif code > HEAP:
                land = code >> HEAP_BITS
                child = words[at + FIRST]
                live[land] = 2 if child else live[land] or 1
                while child:
                    place = child * NODE_WORDS
                    meta = words[place + META]
                    if meta & REST:
                        words[place + META] = meta | MARK
                    else:
                        waiting.append((child, self.child(code, meta >> MOVE_SHIFT)))
                    child = words[place + NEXT]
        nodes.sweep(couples.keep(live))
        self.forget_path()

    def _expand(self, record: int, code: int) -> None:
        if self.mode == "pns":
            super()._expand(record, code)
            return
        land, heap = code >> HEAP_BITS, code & HEAP
        if self.mode == "pn2":
            self._search_below(code)
            if not self.couples.option_numbers[land] >> heap & 1 and self.couples.numbers[land] < 0:
                self.generate(record, code)
            return
        words, at = self.nodes.words, record * NODE_WORDS
        budget = max(LEAST_DFPN, self._leaf_expansions // DFPN_SHARE)
        numbers = self._search_leaf((self.couples.texts[land],), heap, budget)
        if numbers[0] and numbers[1]:
            words[at + PN], words[at + DN] = numbers

    def _expand_rest(self, record: int, code: int, rest: int) -> None:
        """Expand a rest; with DFPN at the leaves, which adds no nodes, make its parent a leaf."""
        if self.mode == "dfpn":
            self.free_children(record * NODE_WORDS)
            self._expand(record, code)
        else:
            super()._expand_rest(record, code, rest)

    def _search_below(self, code: int) -> None:
        """Search below a leaf on the second tree until it is solved or that tree is full."""
        if self._second_search is None:
            self._second_search = SecondSearch(self, Nodes(self.most_second))
        second = self._second_search
        second.nodes.clear()
        second.budget = min(max(LEAST_SECOND, self.nodes.used), self.most_second)
        second.forget_path()
        try:
            second.search_couple(code)
        except OutOfBytes:
            raise
        except (SecondTreeFull, Full):
            pass
        finally:
            self.settle()
            self.measure()

    def _start_numbers(self, code: int) -> Numbers:
        """The numbers from the second tree, if it has the couple."""
        if self._second_search:
            record = self._second_search.nodes.find(code >> HEAP_BITS, code & HEAP)
            if record:
                words = self._second_search.nodes.words
                pn, dn = words[record * NODE_WORDS + PN], words[record * NODE_WORDS + DN]
                if pn and dn:
                    return pn, dn
        return super()._start_numbers(code)

    def _search_leaf(self, lands: Sum, heap: int, budget: int) -> Numbers:
        """The numbers that DFPN finds in `budget` expansions; its proofs become known here."""
        self._check()
        if self._leaf_search is None:
            self._leaf_search = LeafSearch(self)
        before = self.expansions
        numbers = self._leaf_search.search(lands, heap, budget)
        self._leaf_expansions += self.expansions - before
        if numbers == WIN and len(lands) == 1:
            self.couples.note(self.couples.land(lands[0]), 1 << heap)
        self.settle()
        return numbers


class SecondSearch(TreeSearch):
    """A search below a leaf of an outer search, which counts its expansions."""

    is_outermost = False

    def __init__(self, outer: LimitedSearch, nodes: Nodes) -> None:
        super().__init__(outer.couples, nodes, epsilon=outer.epsilon, first_land=outer.first_land)
        self.budget = 0
        self._outer = outer

    def _count_expansion(self) -> None:
        if self.nodes.used >= self.budget:
            raise SecondTreeFull
        self._outer._count_expansion()


class LeafSearch:
    """DFPN at the leaves of another search, in a quarter of its memory."""

    def __init__(self, outer: LimitedSearch) -> None:
        self._outer = outer
        share = outer.most_bytes // 8
        tree = outer.couples
        found = Publisher(lambda land, number: tree.apply(FACT, number, land))
        self._search = Search(
            Couples(tree.game, tree.facts, prior=tree.prior, exchange=found),
            Table(max(LEAST_TABLE, share // ENTRY_BYTES)),
            epsilon=outer.epsilon,
            first_land=outer.first_land,
            observer=self._observe,
            max_bytes=max(LEAST_BYTES, share),
        )
        self._before = 0

    def bytes(self) -> int:
        """About the memory in bytes."""
        return self._search.table.used * ENTRY_BYTES + self._search.couples.bytes()

    def search(self, lands: Sum, heap: int, budget: int) -> Numbers:
        """The numbers of lands + *heap after at most `budget` expansions; raises Stopped."""
        search, outer = self._search, self._outer
        left = outer.most_expansions - outer.expansions
        generated = search.couples.children_generated
        self._before = outer.expansions - search.expansions
        search.stop = StopToken()
        search.most_expansions = search.expansions + min(budget, left)
        search.root = (1, 1)
        try:
            numbers = WIN if search.outcome(lands, heap) else LOSS
        except Stopped:
            numbers = search.root
        outer.expansions = self._before + search.expansions
        outer.couples.children_generated += search.couples.children_generated - generated
        outer._check()
        return numbers

    def _observe(self, search: Search) -> None:
        outer = self._outer
        outer.expansions = self._before + search.expansions
        if outer.observer:
            outer.observer(outer)
        if outer.stop.reason:
            search.stop.stop(outer.stop.reason)
