"""PDFPN by logical processes on a virtual clock: what a worker with several cores does.

The search is that of `pdfpn.py`, table, board and logs included. Each process spends
virtual time on its own expansions, so that the order in which they meet is that of real
ones; every run is the same. They live from job to job, as those of a `Crew`, and to the
worker all of them look like one search.
"""

from __future__ import annotations

import sys
from typing import Any, Callable, List, Optional, Set, Tuple

from pns.bounds import ROOT, Thresholds, most_proving_below
from pns.couple import Couples
from pns.dfpn import Numbers, Observer, Search, Stopped
from pns.distributed.jobs import EPSILON
from pns.exchange import FACT
from pns.game import Land, Sum
from pns.machine import reservable
from pns.parallel.board import Board
from pns.parallel.crew import LivingSearch, PoolExchange
from pns.parallel.logs import OBSERVE_EVERY
from pns.parallel.member import Member
from pns.parallel.optionstore import STORE_PART, OptionStore, SharedGame
from pns.pdfpn import RootMember
from pns.study.timeline import Activity, Timeline
from pns.table import Table

STORE_BYTES = 1 << 28
"""Of the options that a simulated machine shares: there may be many in one real one."""

Work = Callable[[Activity, int, int], None]
"""Lets the time pass that so many expansions, and so many children generated, take."""
Sheet = Tuple[Sum, int, Thresholds]
"""What all processes are to search: lands, heap, thresholds; each naming has its own."""


def simulated_store_bytes() -> int:
    """STORE_BYTES, or less where a limit of this process leaves less."""
    return min(STORE_BYTES, reservable() // STORE_PART)


class Team(LivingSearch):
    """A search by a number of processes; `expansions` counts those of all.

    The observer is called in the time of `activity`, the worker's, while the processes
    go on. As with a `Crew`, the thresholds `limits` end a job when one of the processes
    finds them passed; all are called back to the root then, and go on at once.
    """

    def __init__(
        self,
        timeline: Timeline,
        activity: Activity,
        work: Work,
        processes: int,
        couples: Couples,
        table: Table,
        observer: Observer,
        seed: int,
        prior: Any,
        store: Optional[OptionStore] = None,
    ) -> None:
        super().__init__(couples, table, observer=observer)
        self.board = Board(processes + 1, store or OptionStore(processes, simulated_store_bytes()))
        self.game = SharedGame(couples.game, self.board.options)
        self.members = [
            RootMember(
                self.board,
                process,
                couples.game,
                couples.facts,
                table,
                seed,
                prior,
                epsilon=EPSILON,
                observer=self._spend,
                observe_every=OBSERVE_EVERY,
            )
            for process in range(processes)
        ]
        self._activity, self._work = activity, work
        self._counted = [(0, 0)] * processes
        self.exchange = couples.exchange = PoolExchange(self.board, [0] * (processes + 1))
        self._observed = 0
        self._waiting = False
        self._sheet: Optional[Sheet] = None
        self._begun: List[Optional[Sheet]] = [None] * processes
        self._wins: Optional[bool] = None
        self._beyond: Optional[Numbers] = None
        """The root's numbers beyond its thresholds, as the first process found them."""
        self._error: Optional[BaseException] = None
        self._idle: Set[int] = set()
        self._away: Set[int] = set()
        """Processes that were called back and have not come yet."""
        self._activities = [timeline.start(self._life(member)) for member in self.members]
        self._alive = processes

    def outcome(self, lands: Sum, heap: int = 0) -> bool:
        """Whether the player to move wins lands + *heap; raises Stopped."""
        self._name((lands, heap, self.limits))
        while self._is_open and self.expansions < self.job_ends:
            if self.expansions - self._observed >= self.observe_every:
                self._observed = self.expansions
                self._observe()
            else:
                self._pause()
        if self._wins is None:
            self._call_back()
        if self._error is not None:
            raise self._error
        if self._wins is not None:
            return self._wins
        self.root = self._beyond or self.root
        if self.limits != ROOT:  # they go on until they get another couple
            self._name((lands, heap, ROOT))
        raise Stopped("the job's end")

    def rest(self) -> None:
        self._name(None)

    def close(self) -> None:
        self.board.stop()
        self._name(None)
        while self._alive:
            self._pause()

    @property
    def _is_open(self) -> bool:
        return self._wins is None and self._beyond is None and self._error is None

    def _name(self, sheet: Optional[Sheet]) -> None:
        """Tell the processes what to search, or that there is nothing."""
        self._sheet, self._wins, self._beyond = sheet, None, None
        self._interrupt()
        for process in sorted(self._idle):
            self._activities[process].wake()
        self._idle.clear()

    def _call_back(self) -> None:
        """Have the processes come back to the root, so that the table holds what they found."""
        self._away = set(range(len(self.members))) - self._idle
        self._interrupt()
        while self._away and not self._error:
            self._pause()

    def _interrupt(self) -> None:
        """End the searches of all processes, wherever they are."""
        for member in self.members:
            member.job_ends = 0

    def _pause(self) -> None:
        """Wait for a process that has something to tell."""
        self._waiting = True
        self._activity.wait()

    def _call(self) -> None:
        """Have the worker look at what there is."""
        if self._waiting:
            self._waiting = False
            self._activity.wake()

    def _life(self, member: Member) -> Callable[[Activity], None]:
        """What a process does: search what the sheet says, until the board says that it ends."""

        def body(activity: Activity) -> None:
            done: Optional[Sheet] = None
            try:
                while not self.board.stopped():
                    self._away.discard(member.process)
                    self._call()
                    sheet = self._sheet
                    if sheet is None or sheet is done:
                        self._idle.add(member.process)
                        activity.wait()
                    elif self._follow(member, sheet):
                        done = sheet
            except Exception as error:
                self._error = error
            self._alive -= 1
            self._call()

        return body

    def _follow(self, member: Member, sheet: Sheet) -> bool:
        """Search what a sheet says until called back; whether nothing is left of it."""
        if sheet is not self._begun[member.process]:
            self._begun[member.process], member.root = sheet, (1, 1)
        lands, heap, member.limits = sheet
        member.job_ends = sys.maxsize
        wins, beyond = None, False
        try:
            wins = member.outcome(lands, heap)
        except Stopped:
            beyond = not most_proving_below(*member.root, *member.limits)
        member.report()
        self._spend(member)
        if sheet is self._sheet:
            self._wins = self._wins if wins is None else wins
            self._beyond = self._beyond or (member.root if beyond else None)
        return beyond or wins is not None

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
        self.couples.children_generated += more[1]
        if not me and self._begun[me] is self._sheet:
            self.root = search.root
        self.couples.exchange_records()
        if self.expansions >= self.job_ends or (
            self.expansions - self._observed >= self.observe_every
        ):
            self._call()

    def relay(self, land: Land, number: int) -> None:
        self.board.tell(len(self.members), FACT, number, land)
