"""A table of the reduced trees of small lands, which comes with a game: found once, then kept.

The file is compressed by gzip. Its first line is ``trees N``. The next N lines are those of
the trees 0, 1, ..., each with the numbers of its options in the file, which are smaller.
The others are small lands, each with a space and the number of its tree.

What a table says is taken for granted by a search, but not by an audit
(`pns.game.SupportsRecomputing`).
"""

from __future__ import annotations

import gzip
from functools import lru_cache
from typing import Dict, Iterable, List, NamedTuple, Tuple

from pns.game import Land
from pns.misere.trees import Trees
from pns.system.package_data import read_data


class KeptTrees(NamedTuple):
    """What is in the file."""

    options: List[List[int]]
    """Of each tree."""
    lands: Dict[Land, int]
    """The trees of lands."""

    def interned(self, trees: Trees) -> List[int]:
        """The trees of the file, in `trees`, by their numbers in the file."""
        found: List[int] = []
        for options in self.options:
            found.append(trees.reduced([found[option] for option in options]))
        return found


@lru_cache(maxsize=None)
def kept_trees(name: str) -> KeptTrees:
    """The table in a file of the package."""
    data = read_data(name)
    assert data is not None, name
    first, *lines = gzip.decompress(data).splitlines()
    count = int(first.split()[1])
    options = [[int(word) for word in line.split()] for line in lines[:count]]
    lands = {}
    for line in lines[count:]:
        land, _, number = line.partition(b" ")
        lands[land] = int(number)
    return KeptTrees(options, lands)


def table_text(trees: Trees, lands: Iterable[Tuple[Land, int]]) -> bytes:
    """The contents of a file with the trees of some lands; equal tables give equal contents."""
    numbers: Dict[int, int] = {}
    rows: List[bytes] = []

    def number(tree: int) -> int:
        """The number of a tree in the file, after those of its options."""
        if tree not in numbers:
            options = sorted([number(option) for option in trees.options[tree]])
            numbers[tree] = len(rows)
            rows.append(b" ".join([b"%d" % option for option in options]))
        return numbers[tree]

    last = [b"%s %d" % (land, number(tree)) for land, tree in sorted(lands)]
    data = b"\n".join([b"trees %d" % len(rows), *rows, *last, b""])
    return gzip.compress(data, 9, mtime=0)
