"""PDFPN for the jobs of a worker: processes that live from job to job, over one table.

To the worker a `ProcessPool` is a search like that of `dfpn.py`; but it only looks on, so that the
master is answered in time. A sheet in shared memory says which couple all processes search.
They go on with it until it names another, so that none waits while the worker hands a job
in and gets the next; warm code and caches stay. At a job's end they are called back to its
root, so that the table holds what they found, and go on from there. What the master tells
goes to them by a log of the board that is the worker's own; what they prove comes by theirs.
The processes are forked, watched and replaced as in `processes.py`.
"""

from __future__ import annotations

import sys
import tempfile
import time
from typing import Any, Iterable, List, Optional, Tuple
from zlib import crc32

from pns.bounds import INF, ROOT, Thresholds, most_proving_below
from pns.couple import HEAP, HEAP_BITS, Couples
from pns.dfpn import CacheFull, Numbers, Observer, Search, Stopped
from pns.exchange import FACT, Exchange, Record
from pns.game import Land, Sum
from pns.machine import reserve
from pns.parallel.child_store import ChildStore, SharedGame
from pns.parallel.processes import POLL_SECONDS, ParallelSearch
from pns.parallel.search_process import SearchProcess
from pns.parallel.shared_state import EXPANSIONS, GENERATED, ROOT_DN, ROOT_PN, USED, SharedState
from pns.table import LOW, shared_words

SERIAL, AT_HEAP, LENGTH, CHECK, CALL, LIMITS = range(6)
BEGUN = LIMITS + len(ROOT)
"""Words of the sheet; from BEGUN on two for each process: the serial number that it has begun,
and the last call that it has followed."""
LONGEST_LAND = 1 << 16
IDLE_SECONDS = 0.001
CALL_SECONDS = 0.1
"""How long processes are waited for that were called back."""


class JobSlot:
    """The couple that all processes are to search, written by their parent."""

    def __init__(self, processes: int) -> None:
        what = "the couple to search", "a smaller number of processes"
        self.words, self._memory = shared_words(4 * (BEGUN + 2 * processes), *what)
        self._text = reserve(LONGEST_LAND, *what)

    def write(self, serial: int, land: Land, heap: int, limits: Thresholds = ROOT) -> None:
        """Name a couple, and the thresholds to search it within; serial 0 names none."""
        words = self.words
        words[SERIAL] = 0
        self._text[: len(land)] = land
        words[AT_HEAP], words[LENGTH] = heap, len(land)
        for i, limit in enumerate(limits):
            words[LIMITS + i] = min(limit, INF)
        words[CHECK] = crc32(land, serial)
        words[SERIAL] = serial

    def read(self) -> Tuple[int, Land, int, Thresholds]:
        """(serial, land, heap, thresholds), with serial 0 while there is none."""
        words = self.words
        serial, heap, land = words[SERIAL], words[AT_HEAP], self._text[: words[LENGTH]]
        pt, dt, mt, ps, ds = [int(words[i]) for i in range(LIMITS, BEGUN)]
        whole = words[CHECK] == crc32(land, serial) and words[SERIAL] == serial
        return (serial, land, heap, (pt, dt, mt, ps, ds)) if whole else (0, b"", 0, ROOT)


class PoolExchange:
    """The exchange of the one who looks on with its processes: it publishes nothing by itself."""

    def __init__(self, state: SharedState, read: List[int]) -> None:
        self._state = state
        self._read = read

    def publish(self, kind: int, number: int, land: Land) -> None:
        pass

    def poll(self) -> Iterable[Record]:
        return self._state.collect(self._read)


class _Processes(ParallelSearch):
    """The processes of a crew."""

    def __init__(
        self,
        processes: int,
        couples: Couples,
        *options: Any,
        store: Optional[ChildStore] = None,
        **more: Any,
    ) -> None:
        facts = couples.facts
        shared = facts.path is not None
        super().__init__(processes, couples.game, facts, *options, rereads_facts=shared, **more)
        self.couples = couples
        self.state = self._state = SharedState(processes + 1, store or self._state.options)
        self._read = [0] * (processes + 1)
        self.exchange = PoolExchange(self.state, self._read)
        self.slot = JobSlot(processes)
        self._errors = tempfile.TemporaryFile()

    def start(self) -> None:
        """Fork them."""
        for process in range(self.processes):
            self._start(process, self._serve, self._errors)

    def look(self) -> None:
        """Take in what they found, and replace those that were killed; raises what they raise."""
        self._drain_logs()
        self._reap(self._serve, self._errors)

    def beyond(self, serial: int, limits: Thresholds) -> Optional[Numbers]:
        """The numbers, beyond thresholds, that one found who has begun the couple of that number.

        None if nobody did.
        """
        for process in range(self.processes):
            numbers = self.state.get(process, ROOT_PN), self.state.get(process, ROOT_DN)
            if self.slot.words[BEGUN + 2 * process] == serial:
                if not most_proving_below(*numbers, *limits):
                    return numbers
        return None

    def end(self) -> None:
        """End them, and take what they proved."""
        self._end()
        self._errors.close()

    def _drain_logs(self) -> None:
        self.couples.exchange_records()
        for process in range(self.processes):
            self.expansions_of[process] += self._more(process, EXPANSIONS)
            self.couples.children_generated += self._more(process, GENERATED)
            self.table.used += self._more(process, USED)

    def _serve(self, searcher: SearchProcess) -> int:
        """The life of a process: search what the sheet says, until the board says that it ends."""
        state, slot, me, done = self.state, self.slot, searcher.process, 0
        words, mine = slot.words, BEGUN + 2 * searcher.process

        def look(_: Search) -> None:
            if words[SERIAL] != words[mine] or words[CALL] != words[mine + 1]:
                searcher.job_ends = 0

        searcher.observer = look
        while not state.stopped():
            words[mine + 1] = words[CALL]
            serial, land, heap, searcher.limits = slot.read()
            searcher.couples.exchange_records()
            if serial in (0, done):
                time.sleep(IDLE_SECONDS)
                continue
            if serial != words[mine]:
                searcher.root = (1, 1)
                searcher.report()
            words[mine] = serial
            searcher.job_ends = sys.maxsize
            try:
                searcher.outcome((land,), heap)
                done = serial
            except Stopped:  # to go on with the next, or with the same after a call
                if searcher.job_ends:
                    done = serial  # its thresholds are passed
            del searcher.line[:]
            state.leave(me, 0)
            searcher.report()
        return 0


class PoolSearch(Search):
    """A search by processes that live from job to job: a `ProcessPool`, or a simulated one."""

    game: SharedGame
    """The game, with the options that the processes generated."""
    exchange: Exchange
    """Brings what the processes prove."""

    def relay(self, land: Land, number: int) -> None:
        """Pass on to the processes a fact that came from elsewhere."""

    def rest(self) -> None:
        """Let the processes wait."""

    def close(self) -> None:
        """End the processes."""


class ProcessPool(PoolSearch):
    """A search by a number of processes; `expansions` counts those of all.

    The observer is called every few milliseconds, while the processes go on; `job_ends` ends
    a job, and so do the thresholds `limits` when one of the processes finds them passed.
    Options are kept in `store`, if one is given. Raises ProcessesDied, and what the
    processes raise.
    """

    def __init__(
        self,
        processes: int,
        couples: Couples,
        capacity: int,
        observer: Observer,
        seed: int = 0,
        prior: Any = None,
        max_size: int = 0,
        store: Optional[ChildStore] = None,
        epsilon: float = 0.0,
    ) -> None:
        self._processes = _Processes(
            processes,
            couples,
            capacity,
            seed,
            prior,
            store=store,
            max_size=max_size,
            epsilon=epsilon,
        )
        super().__init__(couples, self._processes.table, observer=observer, max_size=max_size)
        self._serial = 0
        self.game = SharedGame(couples.game, self._processes.state.options)
        self.exchange = couples.exchange = self._processes.exchange

    @property
    def replaced(self) -> int:
        """Processes that were killed, and replaced."""
        return self._processes.replaced

    def outcome(self, lands: Sum, heap: int = 0) -> bool:
        """Whether the player to move wins an atomic couple; raises Stopped."""
        (land,) = lands
        processes, couples = self._processes, self.couples
        started = self._serial
        self._name(land, heap, self.limits)
        if not started:
            processes.start()
        called = False
        while True:
            self._take()
            code = couples.code(lands) ^ heap
            if code <= HEAP:
                return code != 0
            if couples.option_numbers[code >> HEAP_BITS] >> heap & 1:
                return True
            beyond = processes.beyond(self._serial, self.limits)
            if self.expansions >= self.job_ends or beyond:
                if called:
                    self.root = beyond or self.root
                    if self.limits != ROOT:  # they go on until they get another couple
                        self._name(land, heap, ROOT)
                    raise Stopped("the job's end")
                called = True
                self._call_back()
                continue
            try:
                self._observe()
            except CacheFull:
                couples.forget()
                self._forgotten = self.expansions
            time.sleep(POLL_SECONDS)

    def _name(self, land: Land, heap: int, limits: Thresholds) -> None:
        """Tell the processes what to search."""
        self._serial = self._serial % LOW + 1
        self._processes.slot.write(self._serial, land, heap, limits)

    def _call_back(self) -> None:
        """Have the processes come back to the root, so that the table holds what they found."""
        words, end = self._processes.slot.words, time.monotonic() + CALL_SECONDS
        call = words[CALL] = words[CALL] % LOW + 1
        followed = [BEGUN + 2 * i + 1 for i in range(self._processes.processes)]
        while any([words[i] != call for i in followed]) and time.monotonic() < end:
            time.sleep(IDLE_SECONDS)

    def _take(self) -> None:
        """See what the processes did."""
        processes = self._processes
        processes.look()
        self.expansions = processes.expansions
        begun = processes.slot.words[BEGUN] == self._serial
        self.root = processes.root if begun else (1, 1)

    def rest(self) -> None:
        self._processes.slot.write(0, b"", 0)

    def relay(self, land: Land, number: int) -> None:
        if self._serial:  # before, they are not there, and will find it in the facts
            self._processes.state.tell(self._processes.processes, FACT, number, land)

    def close(self) -> None:
        self._processes.end()
