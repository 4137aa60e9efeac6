"""The base of all searches: they count their expansions, keep a budget, and stop on request."""

from __future__ import annotations

import sys
from typing import Any, Callable, Optional

from pns.game import Land, Sum
from pns.positions.couple import Couples
from pns.search.restarts import Schedule

CHILDREN_BETWEEN = 5000
"""The number of generated children that triggers an observation: some tenths of a second."""


class Stopped(Exception):
    """The stop token was set: the search ended without a result."""


class SearchFailed(Exception):
    """A search cannot go on: processes keep dying, or reports contradict each other."""


class RestartDue(Exception):
    """The numbers of a search have become old: drop them and search on from the root."""


class StopToken:
    """Ends a search at its next expansion; may be set from any thread."""

    def __init__(self) -> None:
        self.reason = ""

    def stop(self, reason: str) -> None:
        self.reason = self.reason or reason or "a request"


class CountedSearch:
    """The base of searches that count their expansions in `expansions`, the unit of work.

    A search stops at `most_expansions`, or when `stop` is set. It calls the observer every
    `observe_every` expansions, or more often where they are slow. Its numbers are dropped by the
    schedule of `pns.search.restarts`, whose first start has `restart` expansions.
    """

    couples: Couples

    def __init__(
        self,
        stop: Optional[StopToken] = None,
        observer: Optional[Callable[[Any], None]] = None,
        observe_every: int = 64,
        most_expansions: Optional[int] = None,
        restart: int = 0,
    ) -> None:
        self.stop = stop or StopToken()
        self.observer = observer
        self.observe_every = observe_every
        self.most_expansions = sys.maxsize if most_expansions is None else most_expansions
        self.expansions = 0
        self.schedule = Schedule(restart)
        self._observe_at = CHILDREN_BETWEEN

    def outcome(self, lands: Sum, heap: int = 0) -> bool:
        """Whether the player to move wins lands + *heap; raises Stopped."""
        raise NotImplementedError

    def grundy_number(self, land: Land) -> int:
        """gn(P): the n for which P + *n is a loss, tried from 0 on; raises Stopped."""
        heap = 0
        while self.outcome((land,), heap):
            heap += 1
        return heap

    def forget_numbers(self) -> None:
        """Drop the proof and disproof numbers of all nodes; facts and children stay."""
        raise NotImplementedError

    def resume(self, expansions: int) -> None:
        """Count on from an earlier search; the budget is for new expansions."""
        self.expansions += expansions
        self.schedule.go_on_from(self.expansions)
        self.most_expansions = min(self.most_expansions + expansions, sys.maxsize)

    def _check(self) -> None:
        """Raise Stopped if the budget of expansions is spent or the stop token is set."""
        if self.expansions >= self.most_expansions:
            self.stop.stop("expansions")
        if self.stop.reason:
            raise Stopped(self.stop.reason)

    def _count_expansion(self) -> None:
        """Count an expansion and observe the search when that is due; raises Stopped."""
        self._check()
        self.expansions += 1
        generated = self.couples.children_generated
        if self.expansions % self.observe_every == 0 or generated >= self._observe_at:
            self._observe_at = generated + CHILDREN_BETWEEN
            self._observe()

    def _observe(self) -> None:
        """Do what is due from time to time; a subclass may do more. Raises RestartDue."""
        self.couples.facts.tick()
        if self.observer:
            self.observer(self)
        if self.schedule.is_over(self.expansions):
            raise RestartDue
