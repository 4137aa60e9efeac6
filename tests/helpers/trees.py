"""A game whose positions form a tree, and a plain proof-number search on it, for comparison.

The search is that of the paper on an explicit tree: each descent leads from the
root to a most proving leaf. It shares nothing with pns.dfpn but the initial numbers
of a leaf.
"""

from __future__ import annotations

import random
from typing import Any, Dict, List, Optional, Set, Tuple

from pns.dfpn import Search
from pns.facts import Facts
from pns.positions.couple import Couples
from pns.positions.interned import HEAP, HEAP_BITS
from pns.search.table import Table

INFINITE = float("inf")


class TreeGame:
    """Random children: a land is a path of numbers, so that there are no transpositions.

    A step that starts with `c` leads to a copy, with the same children under its own name.
    """

    name = "tree"
    decomposes = True

    def __init__(self, seed: int, depth: int, width: int) -> None:
        self.seed, self.depth, self.width = seed, depth, width
        self._children: Dict[bytes, List[Tuple[bytes, ...]]] = {}

    def parse(self, text: str) -> Tuple[bytes, ...]:
        return tuple(sorted(text.encode().split(b"+")))

    def format(self, lands: Tuple[bytes, ...]) -> str:
        return b"+".join(lands).decode()

    def children(self, land: bytes) -> List[Tuple[bytes, ...]]:
        if land not in self._children:
            self._children[land] = self._random_children(land)
        return self._children[land]

    def _random_children(self, land: bytes) -> List[Tuple[bytes, ...]]:
        moves = [step for step in land.split(b".") if step[:1] != b"c"]
        rng = random.Random("%d %s" % (self.seed, b".".join(moves).decode()))
        left = self.depth - len(moves)
        children: List[Tuple[bytes, ...]] = []
        for i in range(rng.randint(0, self.width) if left > 0 else 0):
            lands = rng.choice([0, 1, 1, 1, 2, 2, 3])
            children.append(tuple([land + b".%d%d" % (i, k) for k in range(lands)]))
        if children.count(()) > 1:
            children = [child for child in children if child] + [()]
        return children

    def estimate(self, land: bytes) -> Tuple[int, int]:
        return 4**self.depth, len(self.children(land))

    def grundy(self, lands: Tuple[bytes, ...]) -> int:
        """The Grundy number by brute force."""
        number = 0
        for land in lands:
            option_numbers = {self.grundy(child) for child in self.children(land)}
            number ^= min(set(range(len(option_numbers) + 1)) - option_numbers)
        return number


def copy_of(land: bytes, heap: int, n: int) -> bytes:
    """The copy of a land that stands beside *n after a move from *heap to *n."""
    return land + b".c%d-%d" % (heap, n)


class TreeCouples(Couples):
    """Couples of a tree game in which a move in the heap leads to a copy of the land."""

    def smaller_heaps(self, land: int, heap: int) -> List[int]:
        children = []
        for n in range(heap):
            if not self.option_numbers[land] >> n & 1:
                copy = self.land(copy_of(self.texts[land], heap, n))
                if self.numbers[copy] == n:
                    self.option_numbers[land] |= 1 << heap
                if self.numbers[copy] < 0 and not self.option_numbers[copy] >> n & 1:
                    children.append(copy << HEAP_BITS | n)
        return children


class Node:
    """A node of the explicit tree: an atomic couple, or a sum of unknown lands and a heap."""

    def __init__(self, tree: "PlainTree", lands: List[bytes], heap: int) -> None:
        self.lands, self.heap = lands, heap
        self.children: Optional[List[Node]] = None
        self.is_sum = len(lands) > 1
        self.chosen: Optional[Node] = None
        self.pn = self.dn = 0.0
        self.set_numbers(tree)

    def set_numbers(self, tree: "PlainTree") -> None:
        """Numbers from the children, equations (4) to (7), or those of a leaf."""
        for land in list(self.lands):
            if land in tree.known:
                self.heap ^= tree.known[land]
                self.lands = [other for other in self.lands if other != land]
        if not self.lands:
            self.pn, self.dn = (0, INFINITE) if self.heap else (INFINITE, 0)
        elif len(self.lands) > 1:
            nodes = [self.land_node(tree, land) for land in self.lands]
            self.pn = self.dn = sum([min(node.pn, node.dn) for node in nodes])
        elif self.is_sum:
            last = self.couple(tree, self.lands[0], self.heap)
            self.pn, self.dn = last.pn, last.dn
        elif self.heap in tree.option_numbers.get(self.lands[0], ()):
            self.pn, self.dn = 0, INFINITE
        elif self.children is None:
            self.pn = 1
            self.dn = 1 + len(tree.game.children(self.lands[0]))
        else:
            self.pn = min([child.dn for child in self.children], default=INFINITE)
            self.dn = sum([child.pn for child in self.children])
            if self.pn == INFINITE:
                tree.known[self.lands[0]] = self.heap
            elif self.dn == INFINITE:
                tree.option_numbers[self.lands[0]].add(self.heap)

    def land_node(self, tree: "PlainTree", land: bytes) -> "Node":
        """The couple of an unknown land with the least heap that is not known to be a win."""
        heap = 0
        while heap in tree.option_numbers.get(land, ()):
            heap += 1
        return self.couple(tree, land, heap)

    def couple(self, tree: "PlainTree", land: bytes, heap: int) -> "Node":
        """The node of a land in a sum, shared by all sums and heaps of that land."""
        if (land, heap) not in tree.couples:
            tree.couples[land, heap] = Node(tree, [land], heap)
        node = tree.couples[land, heap]
        node.set_numbers(tree)
        return node

    def next(self, tree: "PlainTree") -> Optional["Node"]:
        """The child to descend to, None at a leaf; among equals the one chosen before."""
        if len(self.lands) == 1 and self.is_sum:
            return self.couple(tree, self.lands[0], self.heap)
        if not self.is_sum and self.children is None:
            return None
        if self.children is not None:
            pairs = [(child.dn, child) for child in self.children]
        else:
            nodes = [self.land_node(tree, land) for land in self.lands]
            pairs = [(min(node.pn, node.dn), node) for node in nodes]
        least = min([number for number, _ in pairs])
        best = [node for number, node in pairs if number == least]
        return self.chosen if self.chosen in best else best[0]


class PlainTree:
    """Proof-number search with Grundy numbers on an explicit tree.

    `leaves` are the expanded leaves in their order. `shares` is set when two couples
    of one land are open at once, as when a sum is left with one land: they share the
    lands below, so that the graph is not a tree.
    """

    def __init__(self, game: TreeGame, root: Tuple[bytes, ...]) -> None:
        self.game = game
        self.known: Dict[bytes, int] = {}
        self.option_numbers: Dict[bytes, Set[int]] = {}
        self.couples: Dict[Tuple[bytes, int], Node] = {}
        self.leaves: List[Tuple[bytes, int]] = []
        self.expanded: Dict[bytes, List[Node]] = {}
        self.shares = False
        self.root = Node(self, list(root), 0)
        path: List[Node] = []
        while self.root.pn and self.root.dn:
            before, path = path, [self.root]
            while True:
                child = path[-1].next(self)
                path[-1].chosen = child
                if child is None:
                    break
                path.append(child)
            for node in before:
                if node not in path:
                    node.chosen = None
            self.expand(path[-1])
            for node in reversed(path):
                node.set_numbers(self)
                self.note_children_on(path)

    def expand(self, leaf: Node) -> None:
        land, heap = leaf.lands[0], leaf.heap
        self.leaves.append((land, heap))
        nodes = self.expanded.setdefault(land, [])
        self.shares |= any([node.pn and node.dn for node in nodes])
        nodes.append(leaf)
        self.note_children(land)
        children = [Node(self, list(child), heap) for child in self.game.children(land)]
        option_numbers = self.option_numbers[land]
        for n in range(heap):
            if n not in option_numbers:
                children.append(Node(self, [copy_of(land, heap, n)], n))
        leaf.children = children

    def note_children(self, land: bytes) -> None:
        """Note the known Grundy numbers of an expanded land's children."""
        option_numbers = self.option_numbers.setdefault(land, set())
        for child in self.game.children(land):
            if all([part in self.known for part in child]):
                number = 0
                for part in child:
                    number ^= self.known[part]
                option_numbers.add(number)

    def note_children_on(self, path: List[Node]) -> None:
        for node in path:
            if node.children is not None:
                for land in node.lands:
                    self.note_children(land)


Leaf = Tuple[bytes, int]


class RecordingSearch(Search):
    """DFPN that records the atomic couples in the order of their first visits."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.leaves: Dict[Leaf, None] = {}

    def _visit(self, code: int, *thresholds: int) -> Tuple[int, int]:
        land = code >> HEAP_BITS
        if code > HEAP and not self.couples.parts[land]:
            self.leaves.setdefault((self.couples.texts[land], code & HEAP))
        return super()._visit(code, *thresholds)


def leaves_of_dfpn(game: TreeGame, root: Tuple[bytes, ...]) -> Tuple[bool, List[Leaf]]:
    search = RecordingSearch(TreeCouples(game, Facts(game.name)), Table(1 << 14))
    return search.outcome(root), list(search.leaves)
