"""Parallel search by real processes: forked, watched, replaced when they die, and gone at the end.

The parent does not search. Every few milliseconds it collects the logs of its
processes into the facts, as their one writer, looks after budgets, and replaces a
process that was killed. A process that finds its parent gone ends. All that is shared
is anonymous memory, so nothing has to be cleaned.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import tempfile
import time
import traceback
from typing import Any, Callable, Dict, List, Optional, Type

from pns.board import (
    EXPANSIONS,
    GENERATED,
    MEMORY,
    NUMBER,
    ROOT_DN,
    ROOT_PN,
    SEARCHING,
    SOLVED,
    STATE,
    USED,
    Board,
    Gone,
)
from pns.couple import Couples
from pns.dfpn import Numbers, Stopped, StopToken
from pns.facts import Facts, FactsError
from pns.game import Game, Land, Sum, TooLarge
from pns.machine import used_memory
from pns.member import Member
from pns.pdfpn import RootMember
from pns.prior import Prior
from pns.table import LOW, Table

POLL_SECONDS = 0.01
MOST_DEATHS = 20
"""Processes replaced for each place, and one for each 1000 expansions; then it is given up."""
REFUSED, NO_MEMORY = 3, 4
"""Exit statuses of a process that raised what the parent is to raise, or ran out of memory."""

Observer = Callable[["ParallelSearch"], None]


class ProcessesDied(Exception):
    """A process failed, or processes were killed again and again."""


class ParallelSearch:
    """A search by a number of forked processes, called like that of `dfpn.Search`.

    `expansions` counts those of all. `replaced` is how many processes were killed by
    somebody, or ran out of memory, and replaced. `most_memory` is the most bytes that all
    held together. `member` says how they share the work, options are those of `dfpn.Search`.
    """

    def __init__(
        self,
        processes: int,
        game: Game,
        facts: Facts,
        capacity: int,
        seed: int = 0,
        prior: Optional[Prior] = None,
        stop: Optional[StopToken] = None,
        observer: Optional[Observer] = None,
        most_expansions: Optional[int] = None,
        member: Type[Member] = RootMember,
        **options: Any,
    ) -> None:
        if processes < 1:
            raise ValueError("at least 1 process is needed")
        self.processes = processes
        self.game = game
        self.couples = Couples(game, facts, seed, prior)
        self.facts = facts
        self.table = Table(capacity)
        self.stop = stop or StopToken()
        self.observer = observer
        self.most_expansions = sys.maxsize if most_expansions is None else most_expansions
        self.replaced = 0
        self.expansions_of = [0] * processes
        self._member = member
        self._seed, self._prior, self._options = seed, prior, options
        self._board = Board(processes)
        self._read = [0] * processes
        self._pids: Dict[int, int] = {}
        self._counted: Dict[int, int] = {}
        self.most_memory = 0

    @property
    def expansions(self) -> int:
        """Expansions of all processes."""
        return sum(self.expansions_of)

    @property
    def root(self) -> Numbers:
        """The numbers of the root as the first process sees them."""
        return self._board.get(0, ROOT_PN), self._board.get(0, ROOT_DN)

    def remarks(self) -> List[str]:
        """Where each process is, for people."""
        return [self._board.remark(process) for process in range(self.processes)]

    def memory(self) -> int:
        """Bytes that all processes hold together."""
        private = sum([self._board.get(i, MEMORY) << 10 for i in range(self.processes)])
        return used_memory() + private + self._board.options.used()

    def outcome(self, lands: Sum, heap: int = 0) -> bool:
        """Whether the player to move wins lands + *heap; raises Stopped."""

        def search(member: Member) -> int:
            return int(member.outcome(lands, heap))

        return bool(self._run(search))

    def grundy_number(self, land: Land) -> int:
        """gn(P): the n for which P + *n is a loss; raises Stopped."""
        return self._run(lambda member: member.grundy_number(land))

    # --- the parent -------------------------------------------------------------

    def _run(self, search: Callable[[Member], int]) -> int:
        """Let all processes search; what the first to end found."""
        board = Board(self.processes, self._board.options)
        self._board, self._read = board, [0] * self.processes
        self._counted.clear()
        with tempfile.TemporaryFile() as errors:
            try:
                for process in range(self.processes):
                    self._start(process, search, errors)
                while True:
                    time.sleep(POLL_SECONDS)
                    self._collect()
                    for process in range(self.processes):
                        if board.get(process, STATE) == SOLVED:
                            return board.get(process, NUMBER)
                    self._bury(search, errors)
                    self.most_memory = max(self.most_memory, self.memory())
                    if self.expansions >= self.most_expansions:
                        self.stop.stop("expansions")
                    if self.observer:
                        self.observer(self)
                    if self.stop.reason:
                        raise Stopped(self.stop.reason)
            finally:
                self._end()

    def _start(self, process: int, search: Callable[[Member], int], errors: Any) -> None:
        """Fork a process for a place of the board."""
        board = self._board
        board.leave(process, 0)
        board.set(process, STATE, SEARCHING)
        board.set(process, MEMORY, 0)
        sys.stdout.flush()
        sys.stderr.flush()
        parent = os.getpid()
        blocked = {signal.SIGINT, signal.SIGTERM}
        before = signal.pthread_sigmask(signal.SIG_BLOCK, blocked)
        try:
            pid = self.facts.fork()
            if not pid:
                self._search(process, search, errors, parent, before)
            self._pids[pid] = process
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _collect(self) -> None:
        """Write what is in the logs to the facts, and count."""
        board = self._board
        for process in range(self.processes):
            for kind, number, land in board.collect(process, self._read):
                if not kind:
                    self.facts.add(land, number)
            self.expansions_of[process] += self._more(process, EXPANSIONS)
            self.couples.children_generated += self._more(process, GENERATED)
            self.table.used += self._more(process, USED)
        self.facts.tick()

    def _more(self, process: int, word: int) -> int:
        """By how much a counter has grown since the last look."""
        value = self._board.get(process, word)
        i = process << 8 | word
        more = value - self._counted.get(i, 0) & LOW
        self._counted[i] = value
        return more

    def _bury(self, search: Callable[[Member], int], errors: Any) -> None:
        """Replace processes that were killed; raises what one of them refused."""
        for pid, process in list(self._pids.items()):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if not ended:
                continue
            del self._pids[pid]
            if os.WIFEXITED(status) and os.WEXITSTATUS(status) == REFUSED:
                errors.seek(0)
                raise pickle.load(errors)
            if self._board.get(process, STATE) == SOLVED:
                continue
            if os.WIFEXITED(status) and os.WEXITSTATUS(status) != NO_MEMORY:
                raise ProcessesDied("a process failed; its traceback is on standard error")
            self.replaced += 1
            if self.replaced > MOST_DEATHS * self.processes + self.expansions // 1000:
                raise ProcessesDied("%d processes were killed; given up" % self.replaced)
            self._start(process, search, errors)

    def _end(self) -> None:
        """End all processes and take what they have proved."""
        self._board.stop()
        limit = time.monotonic() + 2.0
        while self._pids:
            for pid in list(self._pids):
                if os.waitpid(pid, os.WNOHANG)[0]:
                    del self._pids[pid]
                elif time.monotonic() > limit:
                    os.kill(pid, signal.SIGKILL)
            if self._pids:
                time.sleep(POLL_SECONDS)
        self._collect()

    # --- a process ----------------------------------------------------------------

    def _search(
        self,
        process: int,
        search: Callable[[Member], int],
        errors: Any,
        parent: int,
        mask: Any,
    ) -> None:
        """The life of a forked process; does not return."""
        status = 1
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            member = self._member(
                self._board,
                process,
                self.game,
                self.facts,
                self.table,
                self._seed,
                self._prior,
                give_up=lambda: os.getppid() != parent,
                observe_every=16,
                **self._options,
            )
            number = search(member)
            member.report()
            self._board.set(process, NUMBER, number)
            self._board.set(process, STATE, SOLVED)
            status = 0
        except (Stopped, Gone):
            status = 0
        except MemoryError:
            status = NO_MEMORY
        except (FactsError, TooLarge) as error:
            status = REFUSED
            errors.write(pickle.dumps(error))
            errors.flush()
        except BaseException:
            traceback.print_exc()
        finally:
            try:
                self.facts.close()
            finally:
                os._exit(status)
