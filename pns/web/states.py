"""How far a search of the page is, as its state on the page shows it."""

from __future__ import annotations

from time import monotonic
from typing import Callable

from pns.front.request import Solver

PAUSE = 0.5
"""Seconds between two states, at least."""


class StatePrinter:
    """An observer that says how far the search is, by keywords."""

    def __init__(self, say: Callable[..., None]) -> None:
        self._say = say
        self._start = self._last = monotonic()
        self._expansions = 0

    def __call__(self, solver: Solver) -> None:
        now = monotonic()
        if now - self._last < PAUSE:
            return
        found = solver.progress()
        rate = (found.expansions - self._expansions) / (now - self._last)
        self._last, self._expansions = now, found.expansions
        self._say(
            root=found.root,
            expansions=found.expansions,
            rate=round(rate),
            facts_known=found.facts_known,
            facts_new=found.facts_new,
            memory=found.memory,
            seconds=round(now - self._start, 1),
            lines=found.lines,
        )
