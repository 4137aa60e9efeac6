"""Cheap estimates of a land: the moves left and the number of children."""

from __future__ import annotations

from typing import Tuple

from pns.sprouts.canonical import lives_of
from pns.sprouts.code import BARS, DOT, DOTS, TWO, encode, split_prefix


def estimate(land: bytes) -> Tuple[int, int]:
    """(lives, about the number of moves) of a land.

    Every move takes one life at least, so there are fewer moves left than
    lives. Moves are counted as curves, equal ones included: pairs of spots on
    different boundaries, and pairs on one boundary times the ways to part the
    other boundaries.

    >>> estimate(b"0*3")
    (9, 3)
    """
    shared = 0
    lives = 0
    moves = 0
    for region in encode(land).split(BARS):
        spots, rest = split_prefix(region)
        lives += lives_of(region)
        shared += sum([1 for c in rest if TWO <= c < DOT])
        sizes = [len(boundary) for boundary in rest.split(DOTS)] if rest else []
        total = sum(sizes)
        ways = 1 << len(sizes)
        moves += (spots * ways + 1) // 2 + (spots > 1) + (total if spots else 0)
        for size in sizes:
            moves += size * (total - size) // 2
            moves += size * (size - 1) // 2 * (spots + 1) * ways // 2
    return lives - shared // 2, moves
