"""Proof-number search with Grundy numbers on an explicit tree of 20-byte nodes.

PNS with GN of [cizek2025], with transpositions merged [schijf1994]: a couple has one record,
which all its parents refer to. The records are described in `pns.search.nodes`, and what makes and
frees them in `pns.search.growing_tree`.

The search stays deep [elhage-web], by the thresholds of DFPN (`docs/errata.md` says why). After
an expansion it goes up only while the thresholds of Theorem 2 say that the most proving node
is elsewhere, and down again from there; numbers higher up may be out of date meanwhile. It
goes up to the root after each new Grundy number, which may change any node. On the way it
computes the numbers of each node again from its children. `settle` has written new facts
into the records of the land's couples by then, and a sum, which has no numbers of its own,
is folded and added up at every update of a parent. On a tree the leaves expanded are those
of a search from the root. With transpositions, numbers may be out of date for one parent
and not for another, and the order may differ.
"""

from __future__ import annotations

import sys
from typing import Any, List

from pns.game import Sum
from pns.positions.interned import HEAP, HEAP_BITS
from pns.positions.tree_couples import TreeCouples
from pns.search.bounds import (
    INF,
    LOSS,
    MAX_NUMBER,
    ROOT,
    WIN,
    Numbers,
    Thresholds,
    dt_of_child,
    most_proving_below,
    mt_of_land,
    pt_of_child,
)
from pns.search.counted_search import RestartDue, Stopped
from pns.search.growing_tree import GrowingTree
from pns.search.nodes import (
    DN,
    FIRST,
    HEAP_BITS_MASK,
    HEAP_MOVE,
    HEAP_SHIFT,
    META,
    MOVE_SHIFT,
    NEXT,
    NODE_WORDS,
    PN,
    REFERENCE,
    REST,
    SUM,
    Nodes,
)


class TreeSearch(GrowingTree):
    """A proof-number search over `nodes` and the facts of `couples`.

    `expansions` counts expanded leaves. `line` holds the codes of the couples from the root to
    the current node, `root` the numbers of the root. Without `stay_deep` every descent begins at
    the root; on a tree the same leaves are expanded. At `job_ends` expansions the path is updated
    up to the root, and the search ends. The root is searched within the thresholds `limits`.
    Of the lands of a sum the one with the least number is next, or with `first_land` that of
    `Couples.first_of`.
    """

    def __init__(
        self,
        couples: TreeCouples,
        nodes: Nodes,
        epsilon: float = 0.0,
        stay_deep: bool = True,
        first_land: bool = False,
        **counting: Any,
    ) -> None:
        super().__init__(couples, nodes, **counting)
        self.epsilon = epsilon
        self.stay_deep = stay_deep
        self.first_land = first_land
        self.root: Numbers = (1, 1)
        self.job_ends = sys.maxsize
        self.limits = ROOT
        self._depth = 0
        self._generation = 0
        # The path from the root to `_depth`, and beyond it the rest of the previous path.
        self._codes: List[int] = []
        self._records: List[int] = []
        self._chosen: List[int] = []
        self._thresholds: List[Thresholds] = []
        # Of the node updated last: the second least number of its children, the land of a sum.
        self._second = 0
        self._land = 0

    @property
    def line(self) -> List[int]:
        return self._codes[: self._depth + 1]

    def forget_path(self) -> None:
        """Forget the path, whose records or ids are no longer valid."""
        self._depth = self._settled = 0
        self._codes, self._records, self._chosen, self._thresholds = [], [], [], []

    def forget_numbers(self) -> None:
        self.nodes.clear()
        self.forget_path()

    def outcome(self, lands: Sum, heap: int = 0) -> bool:
        """Whether the player to move wins lands + *heap; raises Stopped."""
        while True:
            code = self.couples.code(lands) ^ heap
            if code <= HEAP:
                return code != 0
            try:
                pn = self.search_couple(code)
            except RestartDue:
                self.forget_numbers()
                continue
            if pn == 0:
                return True
            if pn < INF and (self.expansions >= self.job_ends or self.limits != ROOT):
                raise Stopped("the job's end")

    def search_couple(self, code: int) -> int:
        """Search a folded couple until it is solved or folds, or the job ends; return its pn."""
        words = self.nodes.words
        root = self._sum_or_owner(code)
        self._depth = 0
        self._codes, self._records, self._chosen = [code], [root], [root]
        self._thresholds = [self.limits]
        to_root = False
        while True:
            depth, best = self._depth, 0
            code, record = self._codes[depth], self._records[depth]
            at = record * NODE_WORDS
            if words[at + META] & SUM:
                best = self._update_sum(at, code)
            elif words[at + PN] and words[at + DN]:
                if not words[at + FIRST]:
                    self._expand(record, code)
                    to_root = not self.stay_deep
                if words[at + FIRST]:
                    best = self.update_couple(at, code)
            if not best:
                self.free_children(at)
            if depth == 0:
                self.root = words[at + PN], words[at + DN]
                self.nodes.publish(root, *self.root)
                if (
                    not best
                    or self.expansions >= self.job_ends
                    or not most_proving_below(*self.root, *self.limits)
                ):
                    return self.root[0]
                to_root = False
                self._generation = self.couples.generation
            elif (
                not best
                or to_root
                or self.expansions >= self.job_ends
                or self._generation != self.couples.generation
                or not most_proving_below(words[at + PN], words[at + DN], *self._thresholds[depth])
            ):
                self._depth -= 1
                continue
            if words[best * NODE_WORDS + META] & REST:
                self._expand_rest(record, code, best)
                to_root = not self.stay_deep
            else:
                self._go_down(best)

    def _go_down(self, best: int) -> None:
        """Extend the path by a child; the rest of the previous path stays if it starts there."""
        words = self.nodes.words
        depth = self._depth
        code = self._codes[depth]
        at = self._records[depth] * NODE_WORDS
        pt, dt, mt, ps, ds = self._thresholds[depth]
        place = best * NODE_WORDS
        meta = words[place + META]
        record = best
        if words[at + META] & SUM:
            code = self._land << HEAP_BITS | meta >> HEAP_SHIFT & HEAP_BITS_MASK
            least = min(words[place + PN], words[place + DN])
            mt = mt_of_land(words[at + PN], least, self._second, pt, dt, mt, ps, ds)
            thresholds = INF, INF, mt, 0, 0
        else:
            code = self.child(code, meta >> MOVE_SHIFT)
            if meta & REFERENCE:
                record = words[place + FIRST]
            pn, dn = words[record * NODE_WORDS + PN], words[at + DN]
            below = dt_of_child(pt, self._second, self.epsilon)
            thresholds = pt_of_child(dt, dn, pn), below, mt, ds + dn - pn, ps
        self._depth = depth = depth + 1
        if depth < len(self._records):
            if self._chosen[depth] == best and self._records[depth] == record:
                self._codes[depth] = code
                self._thresholds[depth] = thresholds
                return
            del self._codes[depth:], self._records[depth:], self._chosen[depth:]
            del self._thresholds[depth:]
        self._codes.append(code)
        self._records.append(record)
        self._chosen.append(best)
        self._thresholds.append(thresholds)

    def _preferred(self) -> int:
        """The child on the previous path, which is preferred among equals, 0 if there is none."""
        below = self._depth + 1
        return self._chosen[below] if below < len(self._chosen) else 0

    def child(self, code: int, move: int) -> int:
        """The folded code of a child of an atomic couple."""
        couples = self.couples
        land, heap = code >> HEAP_BITS, code & HEAP
        if move < HEAP_MOVE:
            return couples.fold(couples.child_code(couples.list_index(land) + 1 + move) ^ heap)
        return couples.smaller_heap(land, heap, move - HEAP_MOVE)

    def update_couple(self, at: int, code: int) -> int:
        """Update an expanded atomic couple; return its most proving child, 0 if it is solved.

        Children that are wins are dropped: they never matter again.
        """
        words, couples = self.nodes.words, self.couples
        preferred = self._preferred()
        pn = second = INF
        dn = best = previous = 0
        child = words[at + FIRST]
        while child:
            place = child * NODE_WORDS
            meta = words[place + META]
            following = words[place + NEXT]
            if meta & SUM:
                child_pn, child_dn = self._numbers_of_sum(
                    child, self.child(code, meta >> MOVE_SHIFT)
                )
            else:
                owner = words[place + FIRST] * NODE_WORDS if meta & REFERENCE else place
                child_pn, child_dn = words[owner + PN], words[owner + DN]
            if child_pn:
                dn += child_pn
                if child_dn < pn or (child_dn == pn and child == preferred):
                    second = pn
                    pn = child_dn
                    best = child
                elif child_dn < second:
                    second = child_dn
                previous = child
            else:
                if previous:
                    words[previous * NODE_WORDS + NEXT] = following
                else:
                    words[at + FIRST] = following
                self._note_child(code >> HEAP_BITS, words[place + META] >> MOVE_SHIFT)
                self._drop(child)
            child = following
        if pn and best:
            words[at + PN] = pn
            words[at + DN] = min(dn, MAX_NUMBER)
            self._second = second
            self.settle()
            return best
        if best:
            couples.note(code >> HEAP_BITS, 1 << (code & HEAP))
        else:
            couples.prove(code >> HEAP_BITS, code & HEAP)
        self.settle()
        return 0

    def _note_child(self, land: int, move: int) -> None:
        """Note the Grundy number of the child after a move, if it is known."""
        couples = self.couples
        if move < HEAP_MOVE:
            code = couples.fold(couples.child_code(couples.list_index(land) + 1 + move))
            if code <= HEAP:
                couples.note(land, 1 << code)

    def _update_sum(self, at: int, code: int) -> int:
        """Update a sum; return the owner of its most proving couple, 0 if the sum folds."""
        words, couples = self.nodes.words, self.couples
        preferred = self._preferred()
        if couples.fold(code) != code:
            return 0
        total = best = 0
        least = second = INF
        parts = couples.parts[code >> HEAP_BITS]
        first = couples.first_of(parts) if self.first_land else 0
        for land in parts:
            place = self.place_of(land)
            record = place // NODE_WORDS
            number = min(words[place + PN], words[place + DN])
            total += number
            if first and land != first:
                continue
            if number < least or (number == least and record == preferred):
                second = least
                least = number
                best = record
                self._land = land
            elif number < second:
                second = number
        self._second = second
        words[at + PN] = words[at + DN] = min(total, MAX_NUMBER)
        return best

    def _numbers_of_sum(self, record: int, code: int) -> Numbers:
        """The numbers of a sum by its folded code; its record becomes a reference at one land."""
        if code <= HEAP:
            return WIN if code else LOSS
        words, couples = self.nodes.words, self.couples
        land, heap = code >> HEAP_BITS, code & HEAP
        parts = couples.parts[land]
        if parts:
            total = 0
            for land in parts:
                place = self.place_of(land)
                total += min(words[place + PN], words[place + DN])
            total = min(total, MAX_NUMBER)
            return total, total
        if couples.option_numbers[land] >> heap & 1:
            return WIN
        owner = self.owner(code)
        at = record * NODE_WORDS
        words[at + FIRST] = owner
        words[at + META] = words[at + META] & ~SUM | REFERENCE
        return words[owner * NODE_WORDS + PN], words[owner * NODE_WORDS + DN]

    def _sum_or_owner(self, code: int) -> int:
        """The record of a root: a new one for a sum, else the owner of the couple."""
        if self.couples.parts[code >> HEAP_BITS]:
            return self.nodes.new(SUM, 1, 1, 0)
        return self.owner(code)
