"""PDFPN by logical processes on a virtual clock: what a worker with several cores does.

The search is that of `pdfpn.py`, table, board and logs included. Each process spends
virtual time on its own expansions, so that the order in which they meet is that of real
ones; every run is the same. To the worker it looks like one search.
"""

from __future__ import annotations

import sys
from typing import Any, Callable, Dict, Optional

from pns.bounds import most_proving_below
from pns.dfpn import Numbers, Observer, Search, Stopped
from pns.distributed.peers import PeerCouples
from pns.game import Land, Sum
from pns.parallel.board import Board
from pns.parallel.logs import FACT, OBSERVE_EVERY
from pns.parallel.member import Member
from pns.parallel.optionstore import OptionStore
from pns.pdfpn import RootMember
from pns.study.timeline import Activity, Timeline
from pns.table import Table

STORE_BYTES = 1 << 28
"""Of the options that a simulated machine shares: there may be many in one real one."""

Work = Callable[[Activity, int, int], None]
"""Lets the time pass that so many expansions, and so many children generated, take."""


class TeamCouples(PeerCouples):
    """Couples of a worker that hand on to its processes what they hear from the master."""

    tell: Optional[Callable[[Land, int], None]] = None

    def hear(self, text: Land, number: int) -> None:
        super().hear(text, number)
        if self.tell:
            self.tell(text, number)


class Team(Search):
    """A search by a number of processes; `expansions` counts those of all.

    The observer is called in the time of `activity`, the worker's, while the processes
    go on. As with a `Crew`, the thresholds `limits` end a job when one of the processes
    finds them passed.
    """

    couples: TeamCouples

    def __init__(
        self,
        timeline: Timeline,
        activity: Activity,
        work: Work,
        processes: int,
        couples: TeamCouples,
        table: Table,
        observer: Observer,
        seed: int,
        prior: Any,
        store: Optional[OptionStore] = None,
    ) -> None:
        super().__init__(couples, table, observer=observer)
        couples.tell = self._tell
        self.board = Board(processes + 1, store or OptionStore(processes, STORE_BYTES))
        self.members = [
            RootMember(
                self.board,
                process,
                couples.game,
                couples.facts,
                table,
                seed,
                prior,
                observer=self._spend,
                observe_every=OBSERVE_EVERY,
            )
            for process in range(processes)
        ]
        self._timeline, self._activity, self._work = timeline, activity, work
        self._activities: Dict[int, Activity] = {}
        self._counted = [(0, 0)] * processes
        self._read = [0] * (processes + 1)
        self._observed = 0
        self._waiting = False
        self._wins: Optional[bool] = None
        self._beyond: Optional[Numbers] = None
        """The root's numbers beyond its thresholds, as the first process found them."""
        self._error: Optional[BaseException] = None

    def outcome(self, lands: Sum, heap: int = 0) -> bool:
        """Whether the player to move wins lands + *heap; raises Stopped."""
        self._wins, self._beyond, self._error = None, None, None
        for member in self.members:
            member.job_ends, member.limits = sys.maxsize, self.limits
            member.root = (1, 1)
            self.board.leave(member.process, 0)
            self._activities[member.process] = self._timeline.start(self._body(member, lands, heap))
        try:
            while True:
                if self._is_open:  # they may have ended while the worker talked to the master
                    self._pause()
                if not self._is_open:
                    break
                self._observed = self.expansions
                if self.expansions < self.job_ends:
                    self._observe()
                if self.expansions >= self.job_ends:
                    break
        finally:
            for member in self.members:
                member.job_ends = 0  # they come back, and the table holds what they found
        while self._activities:
            self._pause()
        if self._error is not None:
            raise self._error
        if self._wins is None:
            self.root = self._beyond or self.root
            raise Stopped("the job's end")
        return self._wins

    @property
    def _is_open(self) -> bool:
        return self._wins is None and self._beyond is None and self._error is None

    def _pause(self) -> None:
        """Wait for a process that has something to tell."""
        self._waiting = True
        self._activity.wait()
        self._waiting = False

    def _call(self) -> None:
        """Have the worker look at what there is."""
        if self._waiting:
            self._waiting = False
            self._activity.wake()

    def _body(self, member: Member, lands: Sum, heap: int) -> Callable[[Activity], None]:
        """The life of a process during a job."""

        def body(activity: Activity) -> None:
            self._activities[member.process] = activity
            try:
                wins = member.outcome(lands, heap)
                self._spend(member)
                if self._wins is None:
                    self._wins = wins
            except Stopped:
                self._spend(member)
                if not (self._beyond or most_proving_below(*member.root, *member.limits)):
                    self._beyond = member.root
            except Exception as error:
                self._error = error
            del self._activities[member.process]
            self._call()

        return body

    def _spend(self, search: Search) -> None:
        """Let the time of what a process did pass; then take what it found."""
        assert isinstance(search, Member)
        me = search.process
        before = self._counted[me]
        done = search.expansions, search.game.children_generated
        self._counted[me] = done
        more = done[0] - before[0], done[1] - before[1]
        self._work(self._activities[me], *more)
        self.expansions += more[0]
        if not me:
            self.root = search.root
        for kind, number, land in self.board.collect(self._read):
            if kind == FACT:
                self.couples.told(kind, number, land)
        if self.expansions >= self.job_ends or (
            self.expansions - self._observed >= self.observe_every
        ):
            self._call()

    def _tell(self, land: Land, number: int) -> None:
        """Tell all processes a Grundy number that the master sent."""
        self.board.tell(len(self.members), FACT, number, land)
