"""What the solver makes of a position, as sentences."""

from __future__ import annotations

from pns.cli.layout import count
from pns.play.engine import BOUNDS, FACTS, Judgement


def verdict(judgement: Judgement, mover: str, other: str, source: str = "") -> str:
    """What is known about the position from which a player moves, and from where."""
    how = "this is known" + source if judgement.source == FACTS else "a search has proved it"
    if judgement.source == BOUNDS:
        if judgement.wins:
            return "%s can win, but by which move is not known; this one is a guess." % mover
        return "Who wins is not decided. By bounds this move is best: %s." % numbers(
            *judgement.numbers
        )
    if judgement.draws:
        return "It is a draw, which this move keeps: %s." % how
    if judgement.wins:
        return "%s can win by it: %s." % (mover, how)
    return "All moves lose, so %s can win: %s." % (other, how)


def numbers(pn: int, dn: int) -> str:
    """The numbers of a player's win."""
    return "proof number %s, disproof number %s" % (count(pn), count(dn))
