"""The master's proof-number tree: leaves are locked while others search them.

This is the first level of PNS-PDFPN [cizek2025]: job-level proof-number search [wu2013]. A node
all of whose children are locked is locked. The proof number of a node is the minimum of the
disproof numbers of its children that are not locked, so that the search turns away from leaves
that workers have; if all are locked, it is the maximum. The leaf that these numbers lead to is
the pseudo most proving leaf.

For every job the path from the root is chosen again, and the numbers of each node on it are
computed again, since they may have changed by way of another parent.
"""

from __future__ import annotations

from typing import Callable, Dict, List, Set, Tuple

from pns.choices import EPSILON, GENERATED
from pns.jobs.protocol import JobResult, children_in_order
from pns.positions.interned import HEAP, HEAP_BITS
from pns.positions.tree_couples import TreeCouples
from pns.search.bounds import (
    INF,
    MAX_NUMBER,
    ROOT,
    Numbers,
    Thresholds,
    dt_of_child,
    mt_of_land,
    pt_of_child,
)
from pns.search.nodes import (
    DN,
    FIRST,
    LOCKED,
    META,
    MOVE_SHIFT,
    NEXT,
    NODE_WORDS,
    PN,
    REFERENCE,
    SUM,
    Full,
    Nodes,
)
from pns.tree import TreeSearch

RESERVE = 8
"""1/RESERVE of the nodes is kept for couples of sums; leaves are expanded within the rest."""


class JobTree:
    """A tree whose leaves others search; nodes are named by codes.

    `search` has the tree, and computes the numbers of a node from those of its children. It
    expands nothing by itself, and knows nothing of locks.
    """

    def __init__(
        self,
        couples: TreeCouples,
        nodes: Nodes,
        job_epsilon: float = EPSILON,
        order: str = GENERATED,
    ) -> None:
        self.search = TreeSearch(couples, nodes)
        self.couples = couples
        self.nodes = nodes
        self._job_epsilon = job_epsilon
        self._order = order
        self._locked_inside: Set[int] = set()
        """Inner nodes that were locked since the last job was given out."""

    def pseudo_most_proving(self, root: int) -> List[int]:
        """The couples from a folded root to its pseudo most proving leaf.

        Empty if the root is solved, or if every leaf that matters is locked.
        """
        couples, words = self.couples, self.nodes.words
        for record in self._locked_inside:  # a leaf below may have been unlocked since
            words[record * NODE_WORDS + META] &= ~LOCKED
        self._locked_inside.clear()
        path = [root]
        while path:
            code = couples.fold(path[-1])
            if code <= HEAP:
                path.pop()
                continue
            generation, before = couples.generation, self._state(code)
            best = self._choose(code)
            if couples.generation != generation:  # a new fact may change any node of the path
                path = [couples.fold(root)]
            elif best == code:
                return path
            elif best and (len(path) == 1 or self._state(code) == before):
                path.append(best)
            else:
                path.pop()  # its parent, if it has one, chooses again
        return []

    def _state(self, code: int) -> Tuple[int, int, int]:
        """(pn, dn, lock) of an atomic couple; 0s for a sum, which its parent computes itself."""
        if self.couples.is_sum(code >> HEAP_BITS):
            return 0, 0, 0
        at = self.search.owner(code) * NODE_WORDS
        words = self.nodes.words
        return words[at + PN], words[at + DN], words[at + META] & LOCKED

    def _choose(self, code: int) -> int:
        """The most proving unlocked child, or the couple itself if an unlocked leaf; else 0."""
        words, couples = self.nodes.words, self.couples
        if couples.is_sum(code >> HEAP_BITS):
            return self._choose_land(code)
        at = self.search.owner(code) * NODE_WORDS
        if words[at + PN] and words[at + DN]:
            if not words[at + FIRST]:
                return 0 if words[at + META] & LOCKED else code
            best = self._update(at, code)
            if best:
                return self.search.child(code, words[best * NODE_WORDS + META] >> MOVE_SHIFT)
            if words[at + PN] and words[at + DN]:
                return 0
        self.search.free_children(at)
        return 0

    def _choose_land(self, code: int) -> int:
        """The unlocked couple of a sum's land with the least min(pn, dn); 0 if all are locked."""
        words, couples = self.nodes.words, self.couples
        best, least = 0, INF
        for land in couples.parts[code >> HEAP_BITS]:
            at = self.search.place_of(land)
            number = min(words[at + PN], words[at + DN])
            if number < least and not words[at + META] & LOCKED:
                best, least = couples.least_couple(land), number
        return best

    def _update(self, at: int, code: int) -> int:
        """Update a node; its most proving unlocked child, 0 if the node is solved or locked."""
        words, search = self.nodes.words, self.search
        while search.update_couple(at, code):
            if not words[at + PN] or not words[at + DN]:
                break  # facts about its children solved it
            pn, largest, best = INF, 0, 0
            child = words[at + FIRST]
            while child:
                place = child * NODE_WORDS
                meta = words[place + META]
                if meta & SUM and not self._add_up(place, search.child(code, meta >> MOVE_SHIFT)):
                    break  # it is a sum no longer: update again
                if meta & REFERENCE:
                    place = words[place + FIRST] * NODE_WORDS
                dn = words[place + DN]
                if not dn or not words[place + PN]:
                    break  # a child is solved: update again
                if words[place + META] & LOCKED:
                    largest = max(largest, dn)
                elif dn < pn:
                    pn, best = dn, child
                child = words[child * NODE_WORDS + NEXT]
            if child:
                continue
            words[at + PN] = pn if best else largest
            if best:
                words[at + META] &= ~LOCKED
            else:
                words[at + META] |= LOCKED
                self._locked_inside.add(at // NODE_WORDS)
            return best
        return 0

    def _add_up(self, place: int, code: int) -> bool:
        """Write the numbers and the lock of a sum into its record; whether it is still a sum."""
        if code <= HEAP or not self.couples.is_sum(code >> HEAP_BITS):
            return False
        words, couples = self.nodes.words, self.couples
        total, lock = 0, LOCKED
        for land in couples.parts[code >> HEAP_BITS]:
            at = self.search.place_of(land)
            total += min(words[at + PN], words[at + DN])
            lock &= words[at + META]
        words[place + PN] = words[place + DN] = min(total, MAX_NUMBER)
        words[place + META] = words[place + META] & ~LOCKED | lock
        return True

    def _place(self, code: int) -> int:
        """The index of a couple's record in the words of the nodes, 0 if it has none."""
        return self.nodes.find(code >> HEAP_BITS, code & HEAP) * NODE_WORDS

    def limits_of(self, path: List[int]) -> Thresholds:
        """The thresholds of the last couple of a path, as DFPN would pass them down.

        Equations (10) to (12) with the 1+ε rule, without the locked children, as in the choice
        of the path. They may be too small where a change elsewhere has not been propagated yet:
        that is why a worker exceeds them for `least` expansions.
        """
        couples, limits = self.couples, ROOT
        for code, child in zip(path, path[1:]):
            code, child = couples.fold(code), couples.fold(child)
            if code <= HEAP or child <= HEAP:
                return ROOT
            if couples.is_sum(code >> HEAP_BITS):
                limits = self._limits_of_land(code, child, *limits)
            else:
                limits = self._limits_of_child(code, child, *limits)
        return limits

    def _limits_of_land(
        self, code: int, couple: int, pt: int, dt: int, mt: int, ps: int, ds: int
    ) -> Thresholds:
        """The thresholds of the couple of a sum's land."""
        words, couples = self.nodes.words, self.couples
        total, number, second = 0, 0, INF
        for land in couples.parts[code >> HEAP_BITS]:
            at = self.search.place_of(land)
            least = min(words[at + PN], words[at + DN])
            total += least
            if couples.least_couple(land) == couple:
                number = least
            elif not words[at + META] & LOCKED:
                second = min(second, least)
        if second < INF:
            second = int((1 + self._job_epsilon) * second)
        mt_below = mt_of_land(total, number, second, pt, dt, mt, ps, ds)
        return INF, INF, max(mt_below, number + 1), 0, 0

    def _limits_of_child(
        self, code: int, child: int, pt: int, dt: int, mt: int, ps: int, ds: int
    ) -> Thresholds:
        """The thresholds of the child of an atomic couple."""
        words, fold = self.nodes.words, self.couples.fold
        at = self.search.owner(code) * NODE_WORDS
        dn, second = words[at + DN], INF
        child_pn = child_dn = 0
        record = words[at + FIRST]
        while record:
            place = record * NODE_WORDS
            other = self.search.child(code, words[place + META] >> MOVE_SHIFT)
            if words[place + META] & REFERENCE:
                place = words[place + FIRST] * NODE_WORDS
            if fold(other) == child:
                child_pn, child_dn = words[place + PN], words[place + DN]
            elif not words[place + META] & LOCKED:
                second = min(second, words[place + DN])
            record = words[record * NODE_WORDS + NEXT]
        pt_below = pt_of_child(dt, dn, child_pn)
        if pt_below < INF:
            pt_below = max(pt_below, int((1 + self._job_epsilon) * child_pn) + 1)
        dt_below = max(dt_of_child(pt, second, self._job_epsilon), child_dn + 1)
        return pt_below, dt_below, mt, max(0, ds + dn - child_pn), ps

    def lock(self, code: int) -> None:
        """Keep a leaf from being chosen."""
        place = self._place(code)
        if place:
            self.nodes.words[place + META] |= LOCKED

    def unlock(self, code: int) -> None:
        """Let a couple be chosen again, whether or not it is still a leaf."""
        place = self._place(code)
        if place:
            self.nodes.words[place + META] &= ~LOCKED

    def unlock_all(self) -> None:
        """Let every couple be chosen again, since all jobs are lost."""
        words = self.nodes.words
        for record in range(1, self.nodes.top):
            words[record * NODE_WORDS + META] &= ~LOCKED
        self._locked_inside.clear()

    def is_solved(self, code: int) -> bool:
        """Whether facts decide a couple."""
        code = self.couples.fold(code)
        if code <= HEAP:
            return True
        land = code >> HEAP_BITS
        return bool(
            not self.couples.is_sum(land) and self.couples.option_numbers[land] >> (code & HEAP) & 1
        )

    def is_leaf(self, code: int) -> bool:
        """Whether an unknown atomic couple is in the tree, unsolved and without children."""
        words, place = self.nodes.words, self._place(code)
        return bool(place and words[place + PN] and words[place + DN] and not words[place + FIRST])

    def set_numbers(self, code: int, pn: int, dn: int) -> None:
        """Give a leaf the numbers that a search below it found."""
        if self.is_leaf(code):
            words, place = self.nodes.words, self._place(code)
            words[place + PN] = max(1, min(pn, MAX_NUMBER))
            words[place + DN] = max(1, min(dn, MAX_NUMBER))

    def expand(
        self, code: int, result: JobResult, believes_win: Callable[[int], bool] = lambda code: True
    ) -> bool:
        """Give a leaf its children with the numbers of a search below it; whether it got them.

        A child with pn = 0 is noted as a win if `believes_win`; else it becomes a leaf with
        the largest disproof number. Without an effect if the number of children is wrong.
        Raises Full if the nodes outside the reserve are used up.
        """
        couples, nodes = self.couples, self.nodes
        land, heap = code >> HEAP_BITS, code & HEAP
        codes = [
            couples.code(lands) for lands in children_in_order(couples.game, couples.texts[land])
        ]
        couples.children_generated += len(codes)
        numbers = result.numbers
        if len(numbers) != 2 * (len(codes) + heap):
            return False
        if nodes.used + len(codes) > nodes.capacity - nodes.capacity // RESERVE:
            raise Full
        children = [code ^ heap for code in codes]
        children += [couples.smaller_heap(land, heap, n) for n in range(heap)]
        initial: Dict[int, Numbers] = {}
        for k, child in enumerate(children):
            if child > HEAP and not couples.is_sum(child >> HEAP_BITS):
                pn, dn = numbers[2 * k], numbers[2 * k + 1]
                if pn == 0 and believes_win(child):
                    couples.note(child >> HEAP_BITS, 1 << (child & HEAP))
                elif not self._place(child):
                    initial[child] = (1, MAX_NUMBER) if pn == 0 else (pn, dn)
        if self._order != GENERATED:  # the first of equal children is chosen
            children_of_land = couples.game.children(couples.texts[land])
            codes = [couples.code(lands) for lands in children_of_land]
        couples.take_children(land, codes)
        self.search.settle()
        self.search.generate(self.search.owner(code), code)
        for child, (pn, dn) in initial.items():
            self.set_numbers(child, pn, dn)
        return True

    def forget(self) -> None:
        """Drop all nodes and ids, since facts were withdrawn."""
        self.couples.forget()
        self.forget_numbers()

    def forget_numbers(self) -> None:
        """Drop all nodes."""
        self.search.forget_numbers()
        self._locked_inside.clear()

    def refresh(self, path: List[int]) -> None:
        """Update the nodes of a path, from its end to the root."""
        for code in reversed(path):
            code = self.couples.fold(code)
            if code > HEAP and not self.couples.is_sum(code >> HEAP_BITS):
                self._choose(code)
