"""What is conjectured of n isolated spots, and whether a result agrees with it.

The Sprouts conjecture of [applegate1991]: the first player wins exactly if n mod 6 is 3, 4 or 5.
The extended one of [lemoine2015]: then the Grundy number is 1. Where the first player loses it is
0 anyhow.
"""

from __future__ import annotations

from typing import NamedTuple, Optional

PERIOD = 6


class Conjectured(NamedTuple):
    """What the conjectures say of a position."""

    wins: bool
    number: int


class Departure(NamedTuple):
    """A result that refutes a conjecture."""

    refutes: str
    """The name of the conjecture."""
    found: str
    conjectured: str


def conjectured(n: int) -> Conjectured:
    """What is conjectured of n spots, n >= 1.

    >>> conjectured(8), conjectured(9)
    (Conjectured(wins=False, number=0), Conjectured(wins=True, number=1))
    """
    wins = n % PERIOD >= 3
    return Conjectured(wins, int(wins))


def departure(n: int, wins: bool, number: Optional[int]) -> Optional[Departure]:
    """How n spots depart from a conjecture, None if they agree; the number may be unknown.

    A departure from the Sprouts conjecture is one from the extended one, and named as the first.

    >>> departure(9, True, None) is None
    True
    >>> departure(9, True, 2)
    Departure(refutes='extended conjecture', found='Grundy number 2', conjectured='1')
    """
    expected = conjectured(n)
    if wins != expected.wins:
        return Departure("Sprouts conjecture", outcome(wins), outcome(expected.wins))
    if number is not None and number != expected.number:
        found = "Grundy number %d" % number, "%d" % expected.number
        return Departure("extended conjecture", *found)
    return None


def outcome(wins: bool) -> str:
    """The word for who wins.

    >>> outcome(True), outcome(False)
    ('win', 'loss')
    """
    return "win" if wins else "loss"
