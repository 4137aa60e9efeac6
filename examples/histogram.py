"""The facts of a database, a .spr file or a certificate, counted by Grundy number and by size.

    python examples/histogram.py data/certificates/sprouts-12.cert.gz

The size of a land bounds the number of moves that are left; in Sprouts it is the number of lives.
"""

from __future__ import annotations

import sys
from typing import Dict

import pns

WIDTH = 40
"""Characters of the longest bar."""


def histogram(title: str, counts: Dict[int, int]) -> None:
    """Print a bar for each value."""
    most = max(counts.values())
    print("\n%s" % title)
    for value, count in counts.items():
        print("%6d %7d  %s" % (value, count, "#" * -(-WIDTH * count // most)))


def main(path: str) -> None:
    """Print what a file holds."""
    with pns.read_facts(path) as facts:
        found = facts.statistics()
        print("%s: a %s of %s, %d facts" % (path, facts.kind, facts.game, found.facts))
        if facts.claim:
            print("It proves that %s is a %s." % facts.claim)
        if found.facts:
            histogram("Facts by Grundy number", found.by_number)
            histogram("Facts by size", found.by_size)
        if facts.game == "sprouts":
            numbers = {n: facts.grundy_number("0*%d" % n) for n in range(1, 30)}
            known = ["G(0*%d) = %d" % (n, g) for n, g in numbers.items() if g is not None]
            print("\n%s" % (", ".join(known) or "No number of a start position is known."))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("name a database, a .spr file or a certificate")
    main(sys.argv[1])
