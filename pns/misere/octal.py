"""Heaps of octal games in misère play: their trees, genera and outcomes."""

from __future__ import annotations

from typing import List, NamedTuple, Optional, Tuple

from pns.games.octal import Code, moves
from pns.misere.genus import Genera, Pair
from pns.misere.trees import EMPTY, Trees

MOST_TREES = 1000
"""Trees of the heaps that are listed and of all positions below them: more are found slowly."""
SHOWN_TEXT = 60
"""Letters: the longest text of a tree that is given."""


class Heap(NamedTuple):
    """A heap in misère play."""

    is_won: bool
    """Whether the player to move wins the heap alone."""
    genus: str
    tame_pair: Optional[Pair]
    """Its Grundy number and its misère number if it is tame."""
    tree: Optional[str]
    """Its reduced tree, if its text has at most SHOWN_TEXT letters."""


def misere_heaps(code: Code, most: int) -> Tuple[List[Heap], bool]:
    """The heaps 0 to `most`, and whether they are all; there are fewer if they have MOST_TREES.

    >>> from pns.games.octal import parse_code
    >>> heaps, _ = misere_heaps(parse_code("0.77"), 5)
    >>> heaps[5]
    Heap(is_won=True, genus='4^146', tame_pair=None, tree='(1,2,3,(2,3))')
    """
    trees = Trees()
    genera = Genera(trees)
    found: List[int] = [EMPTY]
    while len(found) <= most and len(trees) < MOST_TREES:
        pairs = moves(code.digits, len(found))
        found.append(trees.reduced([trees.sum(found[left], found[right]) for left, right in pairs]))
    heaps = [
        Heap(
            trees.won[tree],
            genera.text(tree),
            genera.tame_pair(tree),
            trees.text(tree) if trees.lengths[tree] <= SHOWN_TEXT else None,
        )
        for tree in found
    ]
    return heaps, len(found) > most
