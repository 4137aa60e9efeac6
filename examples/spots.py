"""Who wins Sprouts with 1 to N spots, and by which move.

    python examples/spots.py 10

Each row comes from a search of its own; all searches share what they prove, so that a row needs
fewer expansions than its position alone.
"""

from __future__ import annotations

import sys

import pns


def table(most: int) -> None:
    """Print a line for each number of spots up to `most`."""
    facts = pns.Facts("sprouts")
    print("%5s  %-7s %10s  %s" % ("spots", "outcome", "expansions", "a winning move leads to"))
    for spots in range(1, most + 1):
        result = pns.solve("0*%d" % spots, facts=facts)
        row = spots, result.outcome, result.usage.expansions, result.winning_move or "-"
        print("%5d  %-7s %10d  %s" % row)
    print("%d facts are known by now." % len(facts))


if __name__ == "__main__":
    table(int(sys.argv[1]) if len(sys.argv) > 1 else 8)
