"""Nim: heaps of objects; a move takes any number from one heap [bouton1901].

The Grundy number of a heap is its size.
"""

from __future__ import annotations

from typing import List, Tuple

from pns.game import Game, Land, Sum
from pns.games.numbers import format_numbers, parse_numbers
from pns.games.scenes.rows import HeapScenes

MAX_HEAP = 250
"""The largest heap: Grundy numbers are stored up to 250."""


class Nim:
    """The game contract for Nim; a land is a heap in decimal."""

    name = "nim"
    decomposes = True
    examples = ("3+4+5", "5+7+12", "250")

    def __init__(self) -> None:
        self.scenes = HeapScenes(
            "Nim",
            "Take as many objects as you like from one heap, at least one. "
            "Who takes the last object of all wins.",
            self.parse,
        )

    def parse(self, text: str) -> Sum:
        """The heaps of a text like 3+5.

        >>> Nim().parse("5+0+3")
        (b'3', b'5')
        """
        return tuple(sorted([b"%d" % heap for heap in parse_numbers(text, MAX_HEAP, "heap")]))

    def format(self, lands: Sum) -> str:
        return format_numbers(lands)

    def children(self, land: Land) -> List[Sum]:
        return [(b"%d" % left,) if left else () for left in range(int(land))]

    def estimate(self, land: Land) -> Tuple[int, int]:
        return int(land), int(land)


GAME: Game = Nim()
