"""The nodes of an explicit tree: made when a leaf is expanded, written when facts come, freed.

The children of a node are those generated so far, and one record for the rest, if there may
be one. The rest is a leaf; its expansion generates the next children. So a node is a loss
only when no rest is left.
"""

from __future__ import annotations

from typing import Any, Dict

from pns.game import TooLarge
from pns.positions.interned import HEAP, HEAP_BITS
from pns.positions.tree_couples import TreeCouples
from pns.search.bounds import LOSS, MAX_NUMBER, WIN, Numbers
from pns.search.counted_search import CountedSearch
from pns.search.nodes import (
    DN,
    FIRST,
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
    Full,
    Nodes,
)


class GrowingTree(CountedSearch):
    """A tree over `nodes` and the facts of `couples`, without an order in which it grows.

    `couples.changed` has the lands whose records are out of date until `settle` writes them.
    """

    is_outermost = True
    """Whether this search clears `couples.changed`; an inner search leaves it to the outer one."""

    def __init__(self, couples: TreeCouples, nodes: Nodes, **counting: Any) -> None:
        super().__init__(**counting)
        self.couples: TreeCouples = couples
        self.nodes = nodes
        self._settled = 0

    def owner(self, code: int) -> int:
        """The record that owns an unknown atomic couple, a new leaf if there is none yet."""
        land, heap = code >> HEAP_BITS, code & HEAP
        return self.nodes.find(land, heap) or self._new_owner(land, heap, 0)

    def place_of(self, land: int) -> int:
        """The index among the words of the couple that stands for an unknown land of a sum."""
        return self.owner(self.couples.least_couple(land)) * NODE_WORDS

    def numbers(self, code: int) -> Numbers:
        """The proof and disproof number of a folded couple, those of a leaf if it has no node."""
        if code <= HEAP:
            return WIN if code else LOSS
        couples = self.couples
        land, heap = code >> HEAP_BITS, code & HEAP
        parts = couples.parts[land]
        if parts:
            total = sum([min(self.numbers(couples.least_couple(part))) for part in parts])
            total = min(total, MAX_NUMBER)
            return total, total
        if couples.option_numbers[land] >> heap & 1:
            return WIN
        words, at = self.nodes.words, self.nodes.find(land, heap) * NODE_WORDS
        return (words[at + PN], words[at + DN]) if at else couples.start_numbers(code)

    def _new_owner(self, land: int, heap: int, move: int) -> int:
        if self.couples.option_numbers[land] >> heap & 1:
            pn, dn = WIN
        else:
            pn, dn = self._start_numbers(land << HEAP_BITS | heap)
        record = self.nodes.new(move << MOVE_SHIFT | heap << HEAP_SHIFT, pn, dn, 0)
        self.nodes.enter(land, heap, record)
        return record

    def _start_numbers(self, code: int) -> Numbers:
        return self.couples.start_numbers(code)

    def _expand(self, record: int, code: int) -> None:
        """Give a leaf its children, or solve it."""
        self._count_expansion()
        self.generate(record, code)

    def generate(self, record: int, code: int) -> None:
        """Expand a leaf without counting it; raises Full before the tree is changed."""
        words, couples, nodes = self.nodes.words, self.couples, self.nodes
        land, heap = code >> HEAP_BITS, code & HEAP
        first_new = len(couples.store)
        is_folded = couples.child_starts[land] == 0
        if not couples.ensure_children(land, heap):
            self.settle()
            return
        children = self._unknown_children(land, heap, 0, is_folded)
        for n in range(heap):
            if not couples.option_numbers[land] >> n & 1:
                child = couples.smaller_heap(land, heap, n)
                if child == 0:
                    couples.note(land, 1 << heap)
                if not self._is_known(child) and child not in children:
                    children[child] = HEAP_MOVE + n
        self.settle()
        if couples.option_numbers[land] >> heap & 1:
            return
        is_complete = couples.is_complete(land)
        if not children and is_complete:
            couples.prove(land, heap)
            self.settle()
            return
        self._require_room(len(children) + 1)
        rest = 0
        if not is_complete:
            pn, dn = couples.rest_numbers(land)
            move = couples.count_children(land)
            rest = nodes.new(move << MOVE_SHIFT | REST, pn, dn, 0)
        words[record * NODE_WORDS + FIRST] = self._new_children(children, first_new, rest)

    def _expand_rest(self, record: int, code: int, rest: int) -> None:
        """Generate a batch of the children that a REST record stands for; link them before it."""
        self._count_expansion()
        words, couples = self.nodes.words, self.couples
        land, heap = code >> HEAP_BITS, code & HEAP
        at, place = record * NODE_WORDS, rest * NODE_WORDS
        first_new = len(couples.store)
        first = words[place + META] >> MOVE_SHIFT
        if first == couples.count_children(land) and not couples.more_children(land, heap):
            self.settle()
            return
        children = self._unknown_children(land, heap, first, False)
        self.settle()
        if couples.option_numbers[land] >> heap & 1:
            return
        self._require_room(len(children))
        before, child = 0, words[at + FIRST]
        while child != rest:
            before, child = child, words[child * NODE_WORDS + NEXT]
        is_complete = couples.is_complete(land)
        head = self._new_children(children, first_new, 0 if is_complete else rest)
        words[before * NODE_WORDS + NEXT if before else at + FIRST] = head
        if not is_complete:
            words[place + META] = couples.count_children(land) << MOVE_SHIFT | REST
            return
        self.nodes.release(rest)
        if not words[at + FIRST]:
            couples.prove(land, heap)
            self.settle()

    def _unknown_children(
        self, land: int, heap: int, first: int, is_folded: bool
    ) -> Dict[int, int]:
        """The unknown children of land + *heap by moves from `first` on, as {code: move}.

        Notes the known ones. `is_folded` says that the stored list has just been folded.
        """
        couples = self.couples
        start, count = couples.list_index(land) + 1, couples.count_children(land)
        if count > HEAP_MOVE:
            raise TooLarge("a position has %d children; a node numbers %d" % (count, HEAP_MOVE))
        children: Dict[int, int] = {}
        for move in range(first, count):
            child = couples.child_code(start + move)
            if not is_folded:
                child = couples.fold(child)
                if child <= HEAP:
                    couples.note(land, 1 << child)
            child ^= heap
            if not self._is_known(child) and child not in children:
                children[child] = move
        return children

    def _is_known(self, code: int) -> bool:
        """Whether a folded code is a heap or an atomic couple known to be a win."""
        return code <= HEAP or bool(
            self.couples.option_numbers[code >> HEAP_BITS] >> (code & HEAP) & 1
        )

    def _require_room(self, count: int) -> None:
        """Raise Full before the tree is changed: a partial list of children would be wrong."""
        if count > self.nodes.capacity - self.nodes.used:
            raise Full

    def _new_children(self, children: Dict[int, int], first_new: int, following: int) -> int:
        """Make a chain of records for children, {code: move}, before `following`; return the first.

        Lands from the id first_new on have no owners yet.
        """
        words, couples, nodes = self.nodes.words, self.couples, self.nodes
        head = last = 0
        for child, move in children.items():
            land, heap = child >> HEAP_BITS, child & HEAP
            if couples.is_sum(land):
                node = nodes.new(move << MOVE_SHIFT | SUM, 1, 1, 0)
            else:
                owner = nodes.find(land, heap) if land < first_new else 0
                if owner:
                    node = nodes.new(move << MOVE_SHIFT | REFERENCE, 1, 1, owner)
                else:
                    node = self._new_owner(land, heap, move)
            if last:
                words[last * NODE_WORDS + NEXT] = node
            else:
                head = node
            last = node
        if not last:
            return following
        words[last * NODE_WORDS + NEXT] = following
        return head

    def settle(self) -> None:
        """Write new numbers and wins of lands into the records of their couples."""
        couples, nodes = self.couples, self.nodes
        changed, words = couples.changed, nodes.words
        while self._settled < len(changed):
            land = changed[self._settled]
            self._settled += 1
            number, option_numbers = couples.numbers[land], couples.option_numbers[land]
            for heap in range(nodes.most_heap + 1):
                if number < 0 and not option_numbers >> heap & 1:
                    continue
                record = nodes.find(land, heap)
                if record:
                    pn, dn = LOSS if heap == number else WIN
                    words[record * NODE_WORDS + PN] = pn
                    words[record * NODE_WORDS + DN] = dn
        if self.is_outermost:
            self._settled = 0
            del changed[:]

    def free_children(self, at: int) -> None:
        """Free the children of a solved node, except owners, which others may refer to."""
        words = self.nodes.words
        child = words[at + FIRST]
        words[at + FIRST] = 0
        while child:
            following = words[child * NODE_WORDS + NEXT]
            self._drop(child)
            child = following

    def _drop(self, child: int) -> None:
        """Free a record that left its list of children; an owner stays, unlinked."""
        if self.nodes.words[child * NODE_WORDS + META] & (SUM | REFERENCE | REST):
            self.nodes.release(child)
        else:
            self.nodes.words[child * NODE_WORDS + NEXT] = 0
