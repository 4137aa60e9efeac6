"""Which tails can take each other's place in misère play, found by playing the tails alone.

A tail T gives way to a tail U and a Nim heap *k, k = 0 or 1, if the lands R + T and (R + U) + *k
are equal in misère play for every rest R: whatever is added to both, the same player wins. Two
games that can move are equal if each option of one is equal to an option of the other, or has an
option that is equal to the other, a *reversible* one. Here this is shown for the moves in the
tails, whatever the rest is (docs/theory.md, "Tails in misère play").
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Dict, Optional, Tuple

from pns.game import Land, Sum
from pns.sprouts.moves import children
from pns.sprouts.tail_play import TailSummary, summary
from pns.sprouts.tails import Tail, size

if TYPE_CHECKING:
    from pns.misere.trees import Trees

HEAPS = (0, 1)
"""The heaps *k; two heaps of one are equal to none in misère play, too."""


@lru_cache(maxsize=4)
def tails_with(trees: Trees) -> MisereTails:
    """The tails whose lands are some trees; the same object as long as it is used."""
    return MisereTails(trees)


class MisereTails:
    """Tails in misère play; the lands beside them are `trees`."""

    def __init__(self, trees: Trees) -> None:
        self._trees = trees
        self._heaps = [trees.heap(k) for k in HEAPS]
        self._tree_of_land: Dict[Land, int] = {}
        self._summaries: Dict[Tail, TailSummary] = {}
        self._equal: Dict[Tuple[Tail, Tail, int], bool] = {}

    def heap_beside(self, one: Tail, two: Tail) -> Optional[int]:
        """The k of the heap that a tail leaves beside a smaller one, None if it does not give way.

        Heap and tail have no more lives than the tail, so that no proof can go round in a circle.
        """
        fitting = [k for k in HEAPS if size(two)[0] + k <= size(one)[0]]
        return next((k for k in fitting if self.are_equal(one, two, k)), None)

    def are_equal(self, one: Tail, two: Tail, k: int) -> bool:
        """Whether play alone shows that R + `one` equals (R + `two`) + *k for every rest R."""
        if one == two:
            return k == 0
        key = one, two, k
        found = self._equal.get(key)
        if found is None:
            found = self._equal[key] = self._are_equal(*key)
        return found

    def _are_equal(self, one: Tail, two: Tail, k: int) -> bool:
        if not self._leave_the_same(one, two, k):
            return False
        trees, heap = self._trees, self._heaps[k]
        firsts = list(self._summary(one).options)
        seconds = [(tail, trees.sum(tree, heap)) for tail, tree in self._summary(two).options]
        seconds += [(two, smaller) for smaller in trees.options[heap]]
        sides = ((firsts, seconds, (two, heap)), (seconds, firsts, (one, 0)))
        return all(
            [
                any([self._same(option, other) for other in others])
                or self._leads_to(option, through)
                for options, others, through in sides
                for option in options
            ]
        )

    def _leave_the_same(self, one: Tail, two: Tail, k: int) -> bool:
        """Whether moves at the joint leave the same of two tails, but for *k.

        Both have such a move then, so that options may be reversible through either: an orphan,
        which may leave no move at all, is equal to no other tail.
        """
        plus, heap = self._trees.sum, self._heaps[k]
        first, second = self._summary(one), self._summary(two)
        left = frozenset([plus(tree, heap) for tree in second.at_joint])
        return first.alone == plus(second.alone, heap) and first.at_joint == left != frozenset()

    def _same(self, first: Tuple[Tail, int], second: Tuple[Tail, int]) -> bool:
        """Whether two tails, each beside a tree, are shown to be equal in every land."""
        (one, tree), (two, other) = first, second
        if one == two:
            return tree == other
        plus = self._trees.sum
        return any(
            [
                plus(tree, heap) == other
                and (self.are_equal(one, two, k) or self.are_equal(two, one, k))
                for k, heap in enumerate(self._heaps)
            ]
        )

    def _leads_to(self, first: Tuple[Tail, int], second: Tuple[Tail, int]) -> bool:
        """Whether a move in a tail or in the tree beside it leads to a tail beside a tree."""
        tail, tree = first
        plus = self._trees.sum
        options = [(after, plus(tree, beside)) for after, beside in self._summary(tail).options]
        options += [(tail, smaller) for smaller in self._trees.options[tree]]
        return any([self._same(option, second) for option in options])

    def _summary(self, tail: Tail) -> TailSummary:
        found = self._summaries.get(tail)
        if found is None:
            found = self._summaries[tail] = summary(tail, self._tree_of)
        return found

    def _tree_of(self, lands: Sum) -> int:
        """The tree of small lands."""
        found = 0
        for land in lands:
            tree = self._tree_of_land.get(land)
            if tree is None:
                options = [self._tree_of(child) for child in children(land)]
                tree = self._tree_of_land[land] = self._trees.reduced(options)
            found = self._trees.sum(found, tree)
        return found
