"""Parallel search by real processes: forked, watched, replaced when they die, and gone at the end.

The parent does not search. Every ten milliseconds it collects the logs of its
processes into the facts, as their one writer, looks after budgets, and replaces a
process that was killed. All end with the parent (`pns.lifeline`). What is shared is
anonymous memory, so nothing has to be cleaned.
"""

from __future__ import annotations

import math
import os
import pickle
import signal
import sys
import tempfile
import time
import traceback
from typing import Any, Callable, Dict, List, Optional, Set, Type

from pns.couple import Couples
from pns.dfpn import Numbers, Search, SearchFailed, Stopped, StopToken
from pns.exchange import FACT
from pns.facts import Facts, FactsError
from pns.game import Game, Land, Sum, TooLarge
from pns.machine import NoMemory, explain_limit, memory_of
from pns.parallel.child_store import ChildStore, store_bytes
from pns.parallel.logs import OBSERVE_EVERY, SearchOver
from pns.parallel.search_process import SearchProcess
from pns.parallel.shared_state import (
    EXPANSIONS,
    GENERATED,
    NUMBER,
    ROOT_DN,
    ROOT_PN,
    SEARCHING,
    SOLVED,
    STATE,
    USED,
    SharedState,
)
from pns.pdfpn import PdfpnProcess
from pns.prior import Prior
from pns.table import LOW, Table

POLL_SECONDS = 0.01
MEMORY_SECONDS, MEMORY_SHARE, IDLE_SHARE = 0.5, 50, 500
"""Between two measurements of memory; and so many times the processor time that one takes,
the last where there is no limit to keep.

Linux walks through all pages of a process for it, and keeps it from getting others.
"""
RENEWED_AT, RENEW_SECONDS = 0.9, 5.0
"""The part of the memory limit at which a process is begun anew, and how long to wait then."""
MOST_DEATHS = 20
"""Processes replaced for each place, and one for each 1000 expansions; then it is given up."""
REFUSED, NO_MEMORY = 3, 4
"""Exit statuses of a process that raised what the parent is to raise, or ran out of memory."""

Observer = Callable[["ParallelSearch"], None]


class ProcessesDied(SearchFailed):
    """A process failed, or processes were killed again and again."""


def first_error(file: int) -> BaseException:
    """The first error that processes wrote to a file, which others may be writing to.

    They share its position with the parent, which must not move it.
    """
    error: BaseException = pickle.loads(os.pread(file, os.fstat(file).st_size, 0))
    return error


class ParallelSearch:
    """A search by a number of forked processes, called like that of `dfpn.Search`.

    `expansions` counts those of all; they exceed `most_expansions` by less than
    OBSERVE_EVERY for each process, and mostly by less than one. `replaced` is how many
    processes were killed by somebody, or ran out of memory, and replaced. `memory` is the
    bytes that all held together when they were measured last, `most_memory` the most. When
    it nears `max_memory` the largest process is ended and begun anew, without all that it
    had interned and cached; `renewed` counts that. `searcher` says how they share the work,
    options are those of `dfpn.Search`.
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
        max_memory: Optional[int] = None,
        searcher: Type[SearchProcess] = PdfpnProcess,
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
        self._budget = self.most_expansions
        self.max_memory = math.inf if max_memory is None else max_memory
        self.replaced = self.renewed = 0
        self.expansions_of = [0] * processes
        self._member = searcher
        self._seed, self._prior, self._options = seed, prior, options
        self._state = SharedState(processes, ChildStore(processes, store_bytes(max_memory)))
        self._read = [0] * processes
        self.pids: Dict[int, int] = {}
        """The place of each running process, by its id."""
        self._lines: Dict[int, int] = {}
        self._counted: Dict[int, int] = {}
        self._ended: Set[int] = set()
        self._measure_at = self._renewed = -math.inf
        self.memory = self.most_memory = 0

    @property
    def expansions(self) -> int:
        """Expansions of all processes."""
        return sum(self.expansions_of)

    @property
    def root(self) -> Numbers:
        """The numbers of the root as the first process sees them."""
        return self._state.get(0, ROOT_PN), self._state.get(0, ROOT_DN)

    def remarks(self) -> List[str]:
        """Where each process is, for people."""
        return [self._state.remark(process) for process in range(self.processes)]

    def outcome(self, lands: Sum, heap: int = 0) -> bool:
        """Whether the player to move wins lands + *heap; raises Stopped."""

        def search(searcher: SearchProcess) -> int:
            return int(searcher.outcome(lands, heap))

        return bool(self._run(search))

    def grundy_number(self, land: Land) -> int:
        """gn(P): the n for which P + *n is a loss; raises Stopped."""
        return self._run(lambda searcher: searcher.grundy_number(land))

    # --- the parent -------------------------------------------------------------

    def _run(self, search: Callable[[SearchProcess], int]) -> int:
        """Let all processes search; what the first to end found."""
        state = SharedState(self.processes, self._state.options)
        self._state, self._read = state, [0] * self.processes
        if self.most_expansions < sys.maxsize:
            self._budget = self.most_expansions - self.expansions
        self._counted.clear()
        with tempfile.TemporaryFile() as errors:
            try:
                for process in range(self.processes):
                    self._start(process, search, errors)
                while True:
                    time.sleep(POLL_SECONDS)
                    self._drain_logs()
                    for process in range(self.processes):
                        if state.get(process, STATE) == SOLVED:
                            return state.get(process, NUMBER)
                    self._reap(search, errors)
                    if time.monotonic() >= self._measure_at:
                        self._measure()
                    if self.expansions >= self.most_expansions:
                        self.stop.stop("expansions")
                    if self.observer:
                        self.observer(self)
                    if self.stop.reason:
                        raise Stopped(self.stop.reason)
            finally:
                self._end()

    def _start(self, process: int, search: Callable[[SearchProcess], int], errors: Any) -> None:
        """Fork a process for a place of the board."""
        state = self._state
        state.leave(process, 0)
        state.set(process, STATE, SEARCHING)
        sys.stdout.flush()
        sys.stderr.flush()
        blocked = {signal.SIGINT, signal.SIGTERM}
        before = signal.pthread_sigmask(signal.SIG_BLOCK, blocked)
        try:
            pid, line = self.facts.fork()
            if not pid:
                self._search(process, search, errors, before)
            self.pids[pid] = process
            self._lines[pid] = line
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _drain_logs(self) -> None:
        """Write what is in the logs to the facts, and count."""
        for kind, number, land in self._state.collect(self._read):
            if kind == FACT:
                self.facts.add(land, number)
        for process in range(self.processes):
            self.expansions_of[process] += self._more(process, EXPANSIONS)
            self.couples.children_generated += self._more(process, GENERATED)
            self.table.used += self._more(process, USED)
        self.facts.tick()

    def _measure(self) -> None:
        """See how much memory all hold; begin the largest process anew when that is too much."""
        start = time.process_time()
        held = {pid: memory_of(pid) for pid in self.pids}
        self.memory = sum(held.values()) + memory_of(os.getpid())
        self.most_memory = max(self.most_memory, self.memory)
        now, cost = time.monotonic(), time.process_time() - start
        share = IDLE_SHARE if self.max_memory == math.inf else MEMORY_SHARE
        self._measure_at = now + max(MEMORY_SECONDS, share * cost)
        if self.memory >= RENEWED_AT * self.max_memory and held:
            if now - self._renewed >= RENEW_SECONDS:
                self._renewed = now
                largest = max(held, key=lambda pid: held[pid])
                self._ended.add(largest)
                os.kill(largest, signal.SIGKILL)

    def _more(self, process: int, word: int) -> int:
        """By how much a counter has grown since the last look."""
        value = self._state.get(process, word)
        i = process << 8 | word
        more = value - self._counted.get(i, 0) & LOW
        self._counted[i] = value
        return more

    def _reap(self, search: Callable[[SearchProcess], int], errors: Any) -> None:
        """Replace processes that were killed; raises what one of them refused."""
        for pid, process in list(self.pids.items()):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if not ended:
                continue
            self._forget(pid)
            if os.WIFEXITED(status) and os.WEXITSTATUS(status) == REFUSED:
                raise first_error(errors.fileno())
            if self._state.get(process, STATE) == SOLVED:
                continue
            if not status:
                self.stop.stop("expansions")
                continue
            if os.WIFEXITED(status) and os.WEXITSTATUS(status) != NO_MEMORY:
                raise ProcessesDied("a process failed; its traceback is on standard error")
            if pid in self._ended:
                self._ended.remove(pid)
                self.renewed += 1
            else:
                self.replaced += 1
            if self.replaced > MOST_DEATHS * self.processes + self.expansions // 1000:
                if os.WIFEXITED(status):
                    wrong = "%d processes ran out of memory; given up: %s"
                    less = "%s; fewer processes or a smaller capacity take less" % explain_limit()
                    raise NoMemory(wrong % (self.replaced, less))
                raise ProcessesDied("%d processes were killed; given up" % self.replaced)
            self._drain_logs()  # all that it proved, for the one that takes its place
            self._start(process, search, errors)

    def _end(self) -> None:
        """End all processes and take what they have proved."""
        self._measure()
        self._state.stop()
        limit = time.monotonic() + 2.0
        while self.pids:
            for pid in list(self.pids):
                if os.waitpid(pid, os.WNOHANG)[0]:
                    self._forget(pid)
                elif time.monotonic() > limit:
                    os.kill(pid, signal.SIGKILL)
            if self.pids:
                time.sleep(POLL_SECONDS)
        self._drain_logs()

    def _forget(self, pid: int) -> None:
        """A process has ended."""
        del self.pids[pid]
        os.close(self._lines.pop(pid))

    # --- a process ----------------------------------------------------------------

    def _left(self) -> int:
        """Expansions that all processes together may still make."""
        if self._budget == sys.maxsize:
            return self._budget
        return self._budget - sum([self._state.get(i, EXPANSIONS) for i in range(self.processes)])

    def _watch_budget(self, searcher: Search) -> None:
        """End a process whose expansions are no longer due; look more often towards the end."""
        assert isinstance(searcher, SearchProcess)
        searcher.report()
        left = self._left()
        if left <= 0:
            searcher.stop.stop("expansions")
        elif left < 2 * OBSERVE_EVERY * self.processes:
            searcher.observe_every = 1

    def _search(
        self,
        process: int,
        search: Callable[[SearchProcess], int],
        errors: Any,
        mask: Any,
    ) -> None:
        """The life of a forked process; does not return."""
        status = 1
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            searcher = self._member(
                self._state,
                process,
                self.game,
                self.facts,
                self.table,
                self._seed,
                self._prior,
                read=list(self._read),
                observer=None if self._budget == sys.maxsize else self._watch_budget,
                observe_every=OBSERVE_EVERY,
                most_expansions=self._left(),
                **self._options,
            )
            number = search(searcher)
            searcher.report()
            self._state.set(process, NUMBER, number)
            self._state.set(process, STATE, SOLVED)
            status = 0
        except (Stopped, SearchOver):
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
