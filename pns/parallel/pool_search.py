"""PDFPN for the jobs of a worker, by processes that live from job to job.

All processes search the couple that was assigned last, and go on with it until another is
assigned. None of them waits while the worker hands a job in and gets the next, and compiled
code and caches stay. At the end of a job they are recalled to its root, so that the table holds
their results, and go on from there.
"""

from __future__ import annotations

import sys
from typing import Optional, Tuple

from pns.dfpn import Search
from pns.game import Land, Sum
from pns.parallel.child_store import SharedGame
from pns.parallel.parent_couples import ParentView
from pns.parallel.search_process import SearchProcess
from pns.parallel.shared_state import SharedState
from pns.positions.exchange import Exchange
from pns.search.bounds import ROOT, WIN, Numbers, Thresholds, most_proving_below
from pns.search.counted_search import Stopped


class PoolSearch(Search):
    """A search by processes that live from job to job: a `ProcessPool` or a `SimulatedPool`.

    `expansions` counts those of all processes. A job ends at `job_ends` expansions, or when one
    of the processes has passed the thresholds `limits`.
    """

    game: SharedGame
    """The game, with the children that the processes generated."""
    state: SharedState
    parent_view: ParentView
    """The facts and wins of the processes."""
    exchange: Exchange
    """Polls the logs of the processes."""

    def outcome(self, lands: Sum, heap: int = 0) -> bool:
        """Whether the player to move wins an atomic couple; raises Stopped at the job's end.

        Raises what the processes raise.
        """
        self.assign(lands, heap, self.limits)
        is_recalled = False
        while True:
            self.refresh()
            wins = self.outcome_of_processes(lands, heap)
            if wins is not None:
                return wins
            beyond = self.beyond()
            if self.expansions < self.job_ends and beyond is None:
                self.wait()
            elif not is_recalled:
                is_recalled = True
                self.recall()
            else:
                self.root = beyond or self.root
                if self.limits != ROOT:  # the processes go on until they get another couple
                    self.assign(lands, heap, ROOT)
                raise Stopped("the job's end")

    def assign(self, lands: Sum, heap: int, limits: Thresholds) -> None:
        """Give the processes a couple."""
        raise NotImplementedError

    def recall(self) -> None:
        """Make the processes return to the root, so that the table holds their results."""
        raise NotImplementedError

    def refresh(self) -> None:
        """Update the expansions and the root's numbers; raises what the processes raise."""
        raise NotImplementedError

    def outcome_of_processes(self, lands: Sum, heap: int) -> Optional[bool]:
        """Whether the player to move wins the couple, None while no process knows."""
        raise NotImplementedError

    def beyond(self) -> Optional[Numbers]:
        """The root's numbers of a process that has passed the thresholds, None if none has."""
        raise NotImplementedError

    def wait(self) -> None:
        """Call the observer if that is due, and let the processes go on for a while."""
        raise NotImplementedError

    def _numbers_of_hint(self, land: int, heap: int) -> Numbers:
        if not self.parent_view.has_win(self.couples.texts[land], heap):
            return super()._numbers_of_hint(land, heap)
        self.couples.note(land, 1 << heap)
        return WIN

    def forget_numbers(self) -> None:
        """Clear the table; the processes begin again at the root of the job that they have."""
        self.state.restart(self.table)

    def relay(self, land: Land, number: int) -> None:
        """Pass a fact from the master on to the processes."""
        self.parent_view.add_fact(land, number)

    def rest(self) -> None:
        """Make the processes wait for the next couple."""
        raise NotImplementedError

    def close(self) -> None:
        """End the processes."""
        raise NotImplementedError


def search_until_recalled(
    searcher: SearchProcess, lands: Sum, heap: int, limits: Thresholds
) -> Tuple[Optional[bool], bool]:
    """Search a couple in a process of a pool, until it is solved or `job_ends` is set to 0.

    Returns its outcome, None if unknown, and whether the process is done with it: it is solved,
    or the thresholds are passed. Otherwise the process goes on, after a recall with the same
    couple.
    """
    searcher.limits = limits
    searcher.job_ends = sys.maxsize
    try:
        return searcher.outcome(lands, heap), True
    except Stopped:
        return None, not most_proving_below(*searcher.root, *limits)
