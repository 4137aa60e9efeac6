"""Kayles: rows of pins; a throw takes one pin or two neighbours [guy1956]."""

from __future__ import annotations

from typing import List, Tuple

from pns.game import Game, Land, Sum
from pns.games.numbers import format_numbers, parse_numbers
from pns.games.scenes.rows import RowScenes

MAX_ROW = 10_000
"""The longest row."""


def digits(head: str) -> Tuple[int, ...]:
    """Kayles as an octal game (`pns.games.octal`), whatever precedes the rows."""
    return (0, 7, 7)


class Kayles:
    """The game contract for Kayles; a land is a row's number of pins in decimal."""

    name = "kayles"
    decomposes = True
    examples = ("12", "17", "3+8+8")

    def __init__(self) -> None:
        self.scenes = RowScenes(
            "Kayles",
            "Knock down one pin of the row, or two that stand side by side. "
            "Who knocks down the last pin wins.",
            self.parse,
            digits,
            "",
            12,
        )

    def parse(self, text: str) -> Sum:
        """The rows of a text like 4+10.

        >>> Kayles().parse("10+4")
        (b'10', b'4')
        """
        return tuple(sorted([b"%d" % row for row in parse_numbers(text, MAX_ROW, "row")]))

    def format(self, lands: Sum) -> str:
        return format_numbers(lands)

    def children(self, land: Land) -> List[Sum]:
        """The children of a row, without mirror images: the left rest is never the longer one.

        >>> Kayles().children(b"3")
        [(b'2',), (b'1', b'1'), (b'1',)]
        """
        pins = int(land)
        return [
            tuple(sorted([b"%d" % rest for rest in (left, pins - taken - left) if rest]))
            for taken in (1, 2)
            for left in range((pins - taken) // 2 + 1)
        ]

    def estimate(self, land: Land) -> Tuple[int, int]:
        return int(land), int(land)


GAME: Game = Kayles()
