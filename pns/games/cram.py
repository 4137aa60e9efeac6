"""Cram: place a domino on two free neighbouring squares, in either direction [gardner1974].

A land is a connected region of free squares (`.`) with the least rectangle around it, in
which all others are blocked (`#`).
"""

from __future__ import annotations

from typing import List, Optional, Tuple

from pns.game import Game, Land, Picture, Sum
from pns.games.board import (
    MOVE_WEIGHT,
    TextCache,
    around,
    connected,
    count,
    format_boards,
    mask_of,
    parse_boards,
    parts,
    read_land,
    read_sum,
    region_text,
    sum_of,
)
from pns.games.board_svg import board_picture
from pns.games.scenes.placed import DominoScenes

FREE = ord(".")


class Cram:
    """The game contract for Cram."""

    name = "cram"
    decomposes = True
    examples = ("..|..", "...|...", ".....", "....|.#..", "..#..|.....|.#...")

    scenes = DominoScenes(
        "Cram",
        "Put a domino on two free squares side by side, lying or standing. "
        "Who has no room for another one loses.",
        (4, 5),
    )

    def __init__(self) -> None:
        self._cache: TextCache[int] = TextCache()

    def parse(self, text: str) -> Sum:
        """The regions of boards like ..#|..., without single squares.

        >>> Cram().parse("..#..|..#.#")
        (b'#.|..', b'..|..')
        """
        lands: List[Land] = []
        for board in parse_boards(text, ".#", "..#|..."):
            stride = board.width + 1
            free = mask_of(board.cells, board.width, FREE)
            lands += [
                region_text(part, stride, self._cache)
                for part in parts(free, stride)
                if part & part - 1
            ]
        return read_sum(text, lands)

    def format(self, lands: Sum) -> str:
        return format_boards(lands)

    def draw(self, land: Land) -> Picture:
        return board_picture(land.decode())

    def children(self, land: Land) -> List[Sum]:
        """The positions after each domino.

        >>> Cram().children(b"....")
        [(b'..',), ()]
        """
        cells, width = read_land(land)
        stride = width + 1
        free = mask_of(cells, width, FREE)
        found: List[Sum] = []
        for step in (1, stride):
            lower = free & free >> step
            while lower:
                square = lower & -lower
                lower ^= square
                found.append(self._without(free, square | square << step, stride))
        return list(dict.fromkeys(found))

    def estimate(self, land: Land) -> Tuple[int, int]:
        """(half the squares, the weighted dominoes that fit)."""
        cells, width = read_land(land)
        free = mask_of(cells, width, FREE)
        dominoes = count(free & free >> 1) + count(free & free >> width + 1)
        return count(free) // 2, MOVE_WEIGHT * dominoes

    def limit_caches(self, most_bytes: Optional[int]) -> None:
        self._cache.limit(most_bytes)

    def _without(self, free: int, domino: int, stride: int) -> Sum:
        """The regions that are left of a connected one without a domino."""
        free ^= domino
        ends = around(domino, stride) & free
        lands: List[Land] = []
        while ends:
            part = connected(ends & -ends, free, stride)
            ends &= ~part
            if part & part - 1:
                lands.append(region_text(part, stride, self._cache))
        return sum_of(lands) if len(lands) > 1 else tuple(lands)


GAME: Game = Cram()
