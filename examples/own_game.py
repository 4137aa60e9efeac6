"""A game of one's own: solved, explained, certified, and the certificate audited.

    python examples/own_game.py 3+12 proof.cert.gz

Grundy's game: a move splits a heap into two heaps that are not equal. Whoever cannot move loses.
It is not known whether its Grundy numbers become periodic.
"""

from __future__ import annotations

import sys
from typing import List, Tuple

import pns
from pns.games.numbers import format_numbers, parse_numbers

MOST = 10_000
"""The largest heap."""


class Splitting:
    """The rules as pns needs them (`pns.Game`); a land is a heap, by its size in decimal."""

    name = "splitting"
    decomposes = True

    def parse(self, text: str) -> Tuple[bytes, ...]:
        """The heaps of a text like 3+12; those of 1 and 2 have no moves and are left out."""
        heaps = [heap for heap in parse_numbers(text, MOST, "heap") if heap > 2]
        return tuple(sorted([b"%d" % heap for heap in heaps]))

    def format(self, lands: Tuple[bytes, ...]) -> str:
        return format_numbers(lands)

    def children(self, land: bytes) -> List[Tuple[bytes, ...]]:
        heap = int(land)
        splits = [(part, heap - part) for part in range(1, (heap + 1) // 2)]
        return [tuple(sorted([b"%d" % n for n in split if n > 2])) for split in splits]

    def estimate(self, land: bytes) -> Tuple[int, int]:
        """(most moves left, number of children)."""
        return int(land) - 2, (int(land) - 1) // 2


def main(position: str, path: str) -> None:
    """Solve a position, and write and audit a certificate."""
    pns.register(Splitting())
    numbers = [pns.grundy_number(str(heap), "splitting") for heap in range(1, 21)]
    print("Grundy numbers of 1 to 20:", *numbers)
    result = pns.solve(position, "splitting")
    print(result.why())
    header = result.certificate(path)
    print("%s proves %s with %d entries." % (path, header.claim(), header.entries))
    report = pns.audit_facts(path)
    holds = not report.faults and not report.why_unproved
    print("Audit: %d entries checked, %s." % (report.checked, "all hold" if holds else "some fail"))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("name a position like 3+12, and a file for the certificate")
    main(sys.argv[1], sys.argv[2])
