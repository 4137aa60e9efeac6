"""Proof-number search with Grundy numbers on a proper tree, as in GLOP: a baseline.

The PNS of [lemoine2015], as [cizek2025] describes it in the sections "Proof-Number Search with
Grundy Numbers" and "Efficiency of DFPN with GN".
Equal positions in different places of the tree have nodes of their own, and all nodes below a
solved one are dropped. Only Grundy numbers outlive their nodes, as facts. `pns.tree` merges
equal positions instead, and needs far fewer expansions.

A node is a couple of one land, or a sum of several unknown lands and a heap. Every leaf has the
numbers (1, 1), and an expansion gives a couple all its children that facts do not decide.
A sum is searched through its lands one after another, the smallest first, so that the Grundy
number of the last one, the hardest, is never needed. A Grundy node is represented by the couple
that it searches, land + *j, the only child of its sum: when that is a win it becomes
land + *(j + 1), a leaf. The Grundy nodes whose turn has not come are leaves without a record.
When a land of a sum is known, the sum becomes a leaf with one land less, at last a couple.
"""

from __future__ import annotations

import sys
from array import array
from random import Random
from typing import Any, Dict, List, Optional

from pns.game import Sum, TooLarge
from pns.positions.interned import HEAP, HEAP_BITS
from pns.positions.tree_couples import TreeCouples
from pns.search.bounds import INF, LOSS, MAX_NUMBER, WIN, Numbers
from pns.search.counted_search import CountedSearch, Stopped
from pns.search.nodes import DN, FIRST, META, NEXT, NODE_WORDS, PN, Full, Nodes

POSITION = META
"""The word of a record that holds the id of the node's land or sum; its heap is in `_heaps`."""
LEAF: Numbers = (1, 1)
ENOUGH_FREED = 0.9
"""The search stops for memory if it still holds more than this share of its bytes once the
positions of dropped nodes are forgotten: otherwise it would soon do little else."""


class PnsTree(CountedSearch):
    """A proof-number search on a tree of at most `nodes.capacity` nodes.

    `expansions` counts the couples that were given children. `peak_nodes` and `peak_bytes` are
    the largest numbers of nodes and bytes held so far. The search stops for "capacity" when a
    node finds no room, and for "memory" when nodes and positions need `most_bytes`. `line` holds
    the codes from the root to the current node, `root` the numbers of the root. `seed` shuffles
    children.
    """

    def __init__(
        self,
        couples: TreeCouples,
        nodes: Nodes,
        most_bytes: int = sys.maxsize,
        seed: int = 0,
        **counting: Any,
    ) -> None:
        super().__init__(**counting)
        self.couples: TreeCouples = couples
        self.nodes = nodes
        self.most_bytes = most_bytes
        self.peak_nodes = self.peak_bytes = 0
        self.root = LEAF
        self._random = Random(seed) if seed else None
        self._heaps = array("B", [0])
        self._path: List[int] = []
        self._is_grundy_root = False
        self._is_too_large = False

    @property
    def line(self) -> List[int]:
        return [self._code(record) for record in self._path]

    def outcome(self, lands: Sum, heap: int = 0) -> bool:
        """Whether the player to move wins lands + *heap; raises Stopped."""
        return self._search(self.couples.code(lands) ^ heap)

    def grundy_number(self, land: bytes) -> int:
        """gn(P): the n for which P + *n is a loss, tried from 0 on; raises Stopped."""
        self._is_grundy_root = True
        try:
            heap = 0
            while self._search(self.couples.code((land,)) ^ heap):
                heap += 1
            return heap
        finally:
            self._is_grundy_root = False

    def _search(self, code: int) -> bool:
        """Search a folded position on an empty tree; return whether it is a win."""
        if code <= HEAP:
            return code != 0
        self.nodes.clear()
        self.root = LEAF
        try:
            root = self._new(code)
            path = self._path = [root]
            while self.root[0] and self.root[1]:
                child = self._next(path[-1])
                while child:
                    path.append(child)
                    child = self._next(child)
                self._expand(path[-1])
                while len(path) > 1:
                    path.pop()
                    if not self._update(path[-1]):
                        break
                self.root = self._numbers(root)
                if self._is_too_large:
                    self._forget_positions()
        except Full:
            self.stop.stop("capacity")
            raise Stopped(self.stop.reason) from None
        finally:
            self._measure()
        return self.root[0] == 0

    def _next(self, record: int) -> int:
        """The most proving child, 0 at a leaf. A node that new facts decide becomes a leaf."""
        words, code = self.nodes.words, self._code(record)
        at = record * NODE_WORDS
        if self.couples.fold(code) != code:
            self._drop_below(record)
        child: int = words[at + FIRST]
        if not self.couples.is_sum(code >> HEAP_BITS):
            while child and words[child * NODE_WORDS + DN] != words[at + PN]:
                child = words[child * NODE_WORDS + NEXT]
        return child

    def _expand(self, record: int) -> None:
        """Give a leaf its children, or solve it; new facts may have changed its position."""
        couples, words = self.couples, self.nodes.words
        code = couples.fold(self._code(record))
        self._set(record, code, LEAF)
        land, heap = code >> HEAP_BITS, code & HEAP
        at = record * NODE_WORDS
        if code <= HEAP:
            self._set(record, code, WIN if code else LOSS)
        elif couples.is_sum(land):
            words[at + FIRST] = self._new(self._smallest(land) << HEAP_BITS)
            self._update(record)
        else:
            self._count_expansion()
            children = self._children(land, heap)
            if children is None:
                self._set(record, code, WIN)
            elif not children:
                couples.prove(land, heap)
                self._set(record, code, LOSS)
            else:
                for child in reversed(children):
                    node = self._new(child)
                    words[node * NODE_WORDS + NEXT] = words[at + FIRST]
                    words[at + FIRST] = node
                self._set(record, code, (1, len(children)))

    def _children(self, land: int, heap: int) -> Optional[List[int]]:
        """The children of a couple that facts do not decide, None if one of them is a loss.

        Of a Grundy node those by a move in the heap are left out: they were searched before.
        """
        couples = self.couples
        children: Dict[int, None] = {}
        for lands in couples.game.children(couples.texts[land]):
            couples.children_generated += 1
            child = couples.code(lands) ^ heap
            if child == 0:
                return None
            if child > HEAP:
                children[child] = None
        if not self._is_grundy_node():
            children.update(dict.fromkeys([land << HEAP_BITS | n for n in range(heap)]))
        found = list(children)
        if self._random:
            self._random.shuffle(found)
        return found

    def _is_grundy_node(self) -> bool:
        """Whether the last node of the path is the couple that a Grundy node searches."""
        if len(self._path) == 1:
            return self._is_grundy_root
        return self.couples.is_sum(self._code(self._path[-2]) >> HEAP_BITS)

    def _smallest(self, land: int) -> int:
        """The smallest land of a sum, the first of several."""
        texts, estimate = self.couples.texts, self.couples.game.estimate
        return min(self.couples.parts[land], key=lambda part: estimate(texts[part])[0])

    def _update(self, record: int) -> bool:
        """Compute the numbers of a node from its children; return whether they changed."""
        before, code = self._numbers(record), self._code(record)
        if self.couples.is_sum(code >> HEAP_BITS):
            self._update_sum(record, code)
        else:
            self._update_couple(record, code)
        return self._numbers(record) != before

    def _update_couple(self, record: int, code: int) -> None:
        """Update an expanded couple, equation (4). Children that are wins are dropped."""
        words = self.nodes.words
        at = record * NODE_WORDS
        pn, dn, previous = INF, 0, at + FIRST
        child = words[previous]
        while child:
            place = child * NODE_WORDS
            following = words[place + NEXT]
            if words[place + PN]:
                pn = min(pn, words[place + DN])
                dn += words[place + PN]
                previous = place + NEXT
            else:
                words[previous] = following
                self.nodes.release(child)
            child = following
        if pn and pn < INF:
            self._set(record, code, (pn, min(dn, MAX_NUMBER)))
            return
        if pn:
            self.couples.prove(code >> HEAP_BITS, code & HEAP)
        self._drop_below(record)
        self._set(record, code, LOSS if pn else WIN)

    def _update_sum(self, record: int, code: int) -> None:
        """Update a sum whose first land is searched, equations (5) to (7)."""
        words, folded = self.nodes.words, self.couples.fold(code)
        if folded != code:
            self._drop_below(record)
            solved = WIN if folded else LOSS
            self._set(record, folded, LEAF if folded > HEAP else solved)
            return
        child = words[record * NODE_WORDS + FIRST]
        if not words[child * NODE_WORDS + PN]:
            couple = self._code(child)
            if couple & HEAP == HEAP:
                raise TooLarge("a Grundy number above %d cannot be held" % HEAP)
            self._set(child, couple + 1, LEAF)
        others = len(self.couples.parts[code >> HEAP_BITS]) - 1
        total = min(min(self._numbers(child)) + others, MAX_NUMBER)
        self._set(record, code, (total, total))

    def _code(self, record: int) -> int:
        """The code of a node's position, folded when the node became a leaf."""
        position: int = self.nodes.words[record * NODE_WORDS + POSITION]
        return position << HEAP_BITS | self._heaps[record]

    def _numbers(self, record: int) -> Numbers:
        words, at = self.nodes.words, record * NODE_WORDS
        return words[at + PN], words[at + DN]

    def _set(self, record: int, code: int, numbers: Numbers) -> None:
        words, at = self.nodes.words, record * NODE_WORDS
        words[at + PN], words[at + DN] = numbers
        words[at + POSITION] = code >> HEAP_BITS
        self._heaps[record] = code & HEAP

    def _new(self, code: int) -> int:
        """A leaf; raises Full."""
        record = self.nodes.new(code >> HEAP_BITS, *LEAF, 0)
        self.peak_nodes = max(self.peak_nodes, self.nodes.used)
        if record == len(self._heaps):
            self._heaps.append(0)
        self._heaps[record] = code & HEAP
        return record

    def _drop_below(self, record: int) -> None:
        """Free all nodes below a node."""
        nodes, words = self.nodes, self.nodes.words
        waiting = [words[record * NODE_WORDS + FIRST]]
        words[record * NODE_WORDS + FIRST] = 0
        while waiting:
            child = waiting.pop()
            while child:
                at = child * NODE_WORDS
                waiting.append(words[at + FIRST])
                following = words[at + NEXT]
                nodes.release(child)
                child = following

    def _observe(self) -> None:
        self._measure()
        super()._observe()

    def _measure(self) -> None:
        """Update the peaks."""
        del self.couples.changed[:]  # a list for searches that merge equal positions
        held = self.bytes()
        self.peak_bytes = max(self.peak_bytes, held)
        self._is_too_large = held > self.most_bytes

    def _forget_positions(self) -> None:
        """Forget the positions of dropped nodes; raises Stopped if that is too little."""
        words, parts = self.nodes.words, self.couples.parts
        live = bytearray(len(self.couples.store))
        records = array("I", self._path[:1])
        for record in records:
            position = words[record * NODE_WORDS + POSITION]
            for land in (position, *parts[position]):
                live[land] = 1
            child = words[record * NODE_WORDS + FIRST]
            while child:
                records.append(child)
                child = words[child * NODE_WORDS + NEXT]
        new_ids = self.couples.keep(live)
        for record in records:
            at = record * NODE_WORDS + POSITION
            words[at] = new_ids[words[at]]
        self._is_too_large = False
        if self.bytes() > ENOUGH_FREED * self.most_bytes:
            self.stop.stop("memory")
            raise Stopped(self.stop.reason)

    def bytes(self) -> int:
        """Memory in bytes of the nodes and the positions."""
        return self.nodes.bytes() + len(self._heaps) + self.couples.bytes()

    def bytes_per_node(self) -> float:
        """The peak of memory divided by the peak of nodes."""
        return self.peak_bytes / max(1, self.peak_nodes)
