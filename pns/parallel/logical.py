"""Parallel search in one process: logical processes that take turns, the same in every run.

It is the search of `pdfpn.py` or `spdfpn.py`, board and logs included, but one logical process runs
at a time, for a number of expansions drawn with a seed. So tests replay, and the
search overhead of many processes can be measured on any machine: expansions of all
together over those of a search on its own.
"""

from __future__ import annotations

import threading
from random import Random
from typing import Any, Optional, Type

from pns.dfpn import Search, Stopped
from pns.exchange import FACT
from pns.facts import Facts
from pns.game import Game, Sum
from pns.machine import require
from pns.parallel.board import Board
from pns.parallel.member import Member
from pns.pdfpn import RootMember
from pns.table import Table

STACK_BYTES = 128 << 20
TURN = 8
"""Expansions of a turn on average: what real processes do between two looks at the logs."""


class LogicalSearch:
    """A search by a number of logical processes; facts are added to `facts`.

    `member` is the search of one. `expansions` counts those of all, `longest` those of
    the process that had most. Options are those of `member`.
    """

    def __init__(
        self,
        processes: int,
        game: Game,
        facts: Facts,
        capacity: int,
        seed: int = 0,
        turn: int = TURN,
        most_expansions: Optional[int] = None,
        member: Type[Member] = RootMember,
        **options: Any,
    ) -> None:
        self.board = Board(processes)
        self.facts = facts
        self.table = Table(capacity)
        self.turn = turn
        self.most_expansions = most_expansions
        self._read = [0] * processes
        self._random = Random(seed)
        self._batons = [threading.Semaphore(0) for _ in range(processes)]
        self._done = threading.Semaphore(0)
        self._ends = [0] * processes
        self._wins: Optional[bool] = None
        self._error: Optional[BaseException] = None
        observer = self._take_turns
        self.members = [
            member(
                self.board,
                i,
                game,
                facts,
                self.table,
                observer=observer,
                observe_every=1,
                **options,
            )
            for i in range(processes)
        ]

    @property
    def expansions(self) -> int:
        """Expansions of all processes."""
        return sum([member.expansions for member in self.members])

    @property
    def longest(self) -> int:
        """Expansions of the process that had most: what they would take side by side."""
        return max([member.expansions for member in self.members])

    def outcome(self, lands: Sum, heap: int = 0) -> bool:
        """Whether the player to move wins lands + *heap; raises Stopped."""
        self._wins = None
        count = len(self.members)
        what = "the stacks of %d logical processes" % count
        require(count * STACK_BYTES, what, "a smaller number of processes")
        before = threading.stack_size(STACK_BYTES)
        try:
            threads = [
                threading.Thread(target=self._run, args=(member, lands, heap), daemon=True)
                for member in self.members
            ]
            for thread in threads:
                thread.start()
        finally:
            threading.stack_size(before)
        try:
            self._batons[0].release()
            self._done.acquire()
        finally:
            self.board.stop()
            for baton, thread in zip(self._batons, threads):
                baton.release()
                thread.join()
        self._collect()
        if self._error is not None:
            raise self._error
        assert self._wins is not None
        return self._wins

    def _run(self, member: Member, lands: Sum, heap: int) -> None:
        self._batons[member.process].acquire()
        if self.board.stopped():
            return
        try:
            self._wins = member.outcome(lands, heap)
        except Stopped as stopped:
            if self.board.stopped():
                return
            self._error = stopped
        except BaseException as error:
            if self.board.stopped():
                return
            self._error = error
        self._done.release()

    def _take_turns(self, search: Search) -> None:
        """Give the turn to another process when this one's is over."""
        assert isinstance(search, Member)
        me = search.process
        if self.board.stopped() or search.expansions < self._ends[me]:
            return
        self._collect()
        if self.most_expansions is not None and self.expansions >= self.most_expansions:
            search.stop.stop("expansions")
        following = self._random.randrange(len(self.members))
        member = self.members[following]
        self._ends[following] = member.expansions + self._random.randint(1, 2 * self.turn - 1)
        if following != me:
            self._batons[following].release()
            self._batons[me].acquire()

    def _collect(self) -> None:
        """Write what is in the logs to the facts."""
        for kind, number, land in self.board.collect(self._read):
            if kind == FACT:
                self.facts.add(land, number)
