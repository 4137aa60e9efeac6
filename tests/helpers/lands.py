"""Whole lands of Sprouts for tests of their tails."""

from __future__ import annotations

from pns.finding import find_game
from pns.game import Land

RESTS = ("222{}", "1.{}", "0.{}", "12{}", "2B|B{}", "2.B|2B{}", "1.{}B|2B", "2B|BC|C{}")
"""Rests of lands with a joint at {}."""


def with_rest(rest: str, tail: bytes) -> Land:
    """A rest and a tail at its joint."""
    higher = {ord("A") + i: chr(ord("J") + i) for i in range(10)}
    text = "%s|%s" % (rest.format("J"), tail.decode().translate(higher))
    (land,) = find_game("sprouts").parse(text)
    return land
