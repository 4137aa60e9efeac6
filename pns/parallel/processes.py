"""Parallel search by real processes: forked, watched, replaced when they die, ended together.

The parent does not search. Every ten milliseconds it drains the logs of its processes
into the facts, as their only writer, checks the budgets, and replaces processes that
were killed. The first process restarts all, by what they have counted together, so that a
single process searches alike whenever its parent runs. All end with the parent
(`pns.system.lifeline`). Shared memory is anonymous, so nothing has to be cleaned up.
"""

from __future__ import annotations

import math
import os
import pickle
import signal
import sys
import time
import traceback
from typing import Any, Callable, Dict, List, Optional, Set, Type

from pns.dfpn import Search
from pns.facts import Facts, FactsError
from pns.game import Game, Land, Sum, TooLarge
from pns.parallel.logs import OBSERVE_EVERY, SearchOver
from pns.parallel.meter import MemoryMeter, next_room
from pns.parallel.parent_couples import ParentCouples, ParentView
from pns.parallel.position_store import PositionStore, positions_bytes
from pns.parallel.search_process import SearchProcess
from pns.parallel.shared_state import (
    EXPANSIONS,
    GENERATED,
    NUMBER,
    ROOM,
    ROOM_UNIT,
    ROOT_DN,
    ROOT_PN,
    SEARCHING,
    SOLVED,
    STATE,
    USED,
    SharedState,
)
from pns.positions.couple import Couples
from pns.positions.prior import Prior
from pns.search.bounds import Numbers
from pns.search.counted_search import SearchFailed, Stopped, StopToken
from pns.search.restarts import Schedule
from pns.search.table import LOW, Table
from pns.system.machine import NoMemory, explain_limit

POLL_SECONDS = 0.01
MOST_DEATHS = 20
"""The search is given up after this many deaths for each process, and one more for each 1000
expansions."""
REFUSED, NO_MEMORY = 3, 4
"""Exit statuses of a process with an exception for the parent to raise, or without memory."""

ParallelObserver = Callable[["ParallelSearch"], None]


class ProcessesDied(SearchFailed):
    """A process failed, or processes were killed again and again."""


def first_error(file: int) -> BaseException:
    """The first exception in a file that processes may be writing to.

    They share the file position with the parent, which must not move it.
    """
    error: BaseException = pickle.loads(os.pread(file, os.fstat(file).st_size, 0))
    return error


class ParallelSearch:
    """A search by a number of forked processes, with the interface of `dfpn.Search`.

    `expansions` counts those of all processes; they exceed `most_expansions` by less than
    OBSERVE_EVERY for each process, and mostly by less than one. `replaced` counts processes
    that were killed from outside, or ran out of memory, and were replaced. `memory` is the
    memory of all processes in bytes at the last measurement, `most_memory` its maximum. As it
    nears `max_memory`, interned positions get less room (`pns.parallel.meter`). If it comes
    nearer all the same, the largest process is killed and started again, without its interned
    positions and caches; `evicted` counts that. The first start of the search, by the schedule of
    `pns.search.restarts`, has `restart` expansions. `searcher` is the class of the processes, whose
    `options` are those of `dfpn.Search`.
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
        observer: Optional[ParallelObserver] = None,
        most_expansions: Optional[int] = None,
        max_memory: Optional[int] = None,
        restart: int = 0,
        *,
        searcher: Type[SearchProcess],
        **options: Any,
    ) -> None:
        if processes < 1:
            raise ValueError("at least 1 process is needed")
        self.processes = processes
        self.game = game
        self.facts = facts
        self.table = Table(capacity)
        self.stop = stop or StopToken()
        self.observer = observer
        self.most_expansions = sys.maxsize if most_expansions is None else most_expansions
        self.max_memory = math.inf if max_memory is None else max_memory
        self.replaced = self.evicted = 0
        self.expansions_of = [0] * processes
        self._before = 0
        """The expansions of the search that was resumed."""
        self._begun = 0
        """Expansions before the processes of this run."""
        self.schedule = Schedule(restart)
        self._searcher = searcher
        self._max_bytes = options.get("max_bytes", sys.maxsize)
        self._rooms = processes * [self._max_bytes]
        """What the interned positions of each process may take now."""
        self._seed, self._prior, self._options = seed, prior, options
        positions = PositionStore(processes, positions_bytes(processes * self._max_bytes))
        self._state = SharedState(processes, positions)
        self.parent_view = ParentView(game, facts, positions)
        self.couples: Couples = ParentCouples(game, facts, self.parent_view, self._drain_logs)
        self._read = [0] * processes
        self.pids: Dict[int, int] = {}
        """The index of each running process by its pid."""
        self._lines: Dict[int, int] = {}
        self._counted: Dict[int, int] = {}
        self._evicted: Set[int] = set()
        self._meter = MemoryMeter()

    @property
    def memory(self) -> int:
        """Bytes that all processes held at the last measurement."""
        return self._meter.bytes

    @property
    def most_memory(self) -> int:
        """The largest measurement."""
        return self._meter.most_bytes

    @property
    def expansions(self) -> int:
        """Expansions of all processes."""
        return self._before + sum(self.expansions_of)

    @property
    def root(self) -> Numbers:
        """The numbers of the root according to the first process."""
        return self._state.get(0, ROOT_PN), self._state.get(0, ROOT_DN)

    def remarks(self) -> List[str]:
        """The remark of each process, for people."""
        return [self._state.remark(process) for process in range(self.processes)]

    def outcome(self, lands: Sum, heap: int = 0) -> bool:
        """Whether the player to move wins lands + *heap; raises Stopped."""

        def search(searcher: SearchProcess) -> int:
            return int(searcher.outcome(lands, heap))

        return bool(self._run(search))

    def grundy_number(self, land: Land) -> int:
        """gn(P): the n for which P + *n is a loss; raises Stopped."""
        return self._run(lambda searcher: searcher.grundy_number(land))

    def resume(self, expansions: int) -> None:
        """Count on from an earlier search, as `dfpn.Search.resume` does."""
        self._before += expansions
        self.schedule.go_on_from(self.expansions)
        self.most_expansions = min(self.most_expansions + expansions, sys.maxsize)

    # --- the parent -------------------------------------------------------------

    def _run(self, search: Callable[[SearchProcess], int]) -> int:
        """Let all processes search; the result of the first that ends."""
        state = SharedState(self.processes, self._state.positions)
        self._state, self._read = state, [0] * self.processes
        state.set(0, USED, self.table.used)
        self._begun = self.expansions
        self._counted.clear()
        import tempfile  # it takes long

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
                    if self._meter.is_due():
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
        """Fork a process for a place of the shared state."""
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
        """Write the facts in the logs to `facts`, and update the counters."""
        self._state.drain_facts(self._read, self.facts)
        self._update_counters()
        self.facts.tick()

    def _update_counters(self) -> None:
        """Read what the processes count."""
        for process in range(self.processes):
            self.expansions_of[process] += self._more(process, EXPANSIONS)
            self.couples.children_generated += self._more(process, GENERATED)
        self.table.used = sum([self._state.get(i, USED) for i in range(self.processes)])

    def _measure(self) -> None:
        """Measure the memory of all processes; give them less room, or evict the largest."""
        meter, limit = self._meter, self.max_memory
        held = meter.measure(self.pids, limit)
        if limit == math.inf or not held:
            return
        largest = max(held, key=lambda pid: held[pid])
        if meter.may_change():
            self._change_room(self.pids[largest])
        if meter.must_evict(limit):
            self._evicted.add(largest)
            os.kill(largest, signal.SIGKILL)

    def _change_room(self, largest: int) -> None:
        """Give the largest process less room for interned positions, or that with the least more.

        One at a time, as a process takes more memory while it makes room.
        """
        rooms, first, limit = self._rooms, self._max_bytes, self.max_memory
        process = largest
        if next_room(first, first, self.memory, limit) == first:
            process = rooms.index(min(rooms))
        rooms[process] = next_room(rooms[process], first, self.memory, limit)
        self._state.set(process, ROOM, min(rooms[process] // ROOM_UNIT, LOW))

    def _more(self, process: int, word: int) -> int:
        """The growth of a counter since the last call."""
        value = self._state.get(process, word)
        i = process << 8 | word
        more = value - self._counted.get(i, 0) & LOW
        self._counted[i] = value
        return more

    def _reap(self, search: Callable[[SearchProcess], int], errors: Any) -> None:
        """Replace processes that were killed; raises the exception of one that refused."""
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
            if pid in self._evicted:
                self._evicted.remove(pid)
                self.evicted += 1
            else:
                self.replaced += 1
            if self.replaced > MOST_DEATHS * self.processes + self.expansions // 1000:
                if os.WIFEXITED(status):
                    wrong = "%d processes ran out of memory; given up: %s"
                    less = "%s; fewer processes or a smaller capacity take less" % explain_limit()
                    raise NoMemory(wrong % (self.replaced, less))
                raise ProcessesDied("%d processes were killed; given up" % self.replaced)
            self._drain_logs()  # so that the new process inherits all facts
            self._start(process, search, errors)

    def _end(self) -> None:
        """End all processes and drain their logs."""
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
        """Remove a process that has ended."""
        self._state.positions.leave(self.pids.pop(pid))
        os.close(self._lines.pop(pid))

    # --- a process ----------------------------------------------------------------

    def _spent(self) -> int:
        """Expansions of all processes as they count them, which may be ahead of `expansions`."""
        return self._begun + sum([self._state.get(i, EXPANSIONS) for i in range(self.processes)])

    def _watch(self, searcher: Search) -> None:
        """Restart all if it is the first and that is due; stop it when the budget is spent.

        It observes every expansion near the end of the budget.
        """
        assert isinstance(searcher, SearchProcess)
        searcher.report()
        spent = self._spent()
        if searcher.process == 0 and self.schedule.is_over(spent):
            searcher.restart_all()
        if spent >= self.most_expansions:
            searcher.stop.stop("expansions")
        elif spent > self.most_expansions - 2 * OBSERVE_EVERY * self.processes:
            searcher.observe_every = 1

    def _search(
        self,
        process: int,
        search: Callable[[SearchProcess], int],
        errors: Any,
        mask: Any,
    ) -> None:
        """The body of a forked process; does not return."""
        status = 1
        try:
            self.schedule.go_on_from(self._spent())
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            searcher = self._searcher(
                self._state,
                process,
                self.game,
                self.facts,
                self.table,
                self._seed,
                self._prior,
                observer=self._watch,
                observe_every=OBSERVE_EVERY,
                most_expansions=self.most_expansions - self._spent(),
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
