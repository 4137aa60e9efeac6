"""The processes of a worker that live from job to job, over one table.

To the worker a `ProcessPool` is a search like that of `dfpn.py`; but the worker's own process
does not search, so that it can answer the master in time. A slot in shared memory names the
couple that all processes search, as `pool_search.py` says. Facts from the master reach them by
the positions that they share, and their facts reach the worker by their logs. The processes are
forked, watched and replaced as in `processes.py`.
"""

from __future__ import annotations

import tempfile
import time
from typing import Any, Iterable, List, Optional, Tuple, Type
from zlib import crc32

from pns.dfpn import KEPT, CacheFull, Search, SearchObserver
from pns.game import Land, Sum
from pns.parallel.child_store import ChildStore, SharedGame, store_bytes
from pns.parallel.pool_search import PoolSearch, search_until_recalled
from pns.parallel.processes import POLL_SECONDS, ParallelSearch
from pns.parallel.search_process import SearchProcess
from pns.parallel.shared_state import ROOT_DN, ROOT_PN, SharedState
from pns.positions.couple import Couples
from pns.positions.exchange import Record
from pns.positions.interned import HEAP
from pns.search.bounds import INF, ROOT, Numbers, Thresholds, most_proving_below
from pns.search.table import LOW, shared_words
from pns.system.machine import reserve

SERIAL, AT_HEAP, LENGTH, CHECK, RECALL, LIMITS = range(6)
BEGUN = LIMITS + len(ROOT)
WORDS_EACH = 3
"""Words of the slot. From BEGUN on there are WORDS_EACH for each process: the serial number of the
couple that it searches, the number of the last recall that it has followed, and the serial
number of the last couple that it has found to be a win."""
LONGEST_LAND = 1 << 16
IDLE_SECONDS = 0.001
RECALL_SECONDS = 0.1
"""Upper bound on the wait for processes that were recalled."""


class JobSlot:
    """The couple that all processes have to search, written by their parent."""

    def __init__(self, processes: int) -> None:
        what = "the couple to search", "a smaller number of processes"
        self.words, self._memory = shared_words(4 * (BEGUN + WORDS_EACH * processes), *what)
        self._text = reserve(LONGEST_LAND, *what)

    def write(self, serial: int, land: Land, heap: int, limits: Thresholds = ROOT) -> None:
        """Write a couple and its thresholds; serial 0 stands for no couple."""
        words = self.words
        words[SERIAL] = 0
        self._text[: len(land)] = land
        words[AT_HEAP], words[LENGTH] = heap, len(land)
        for i, limit in enumerate(limits):
            words[LIMITS + i] = min(limit, INF)
        words[CHECK] = crc32(land, serial)
        words[SERIAL] = serial

    def read(self) -> Tuple[int, Land, int, Thresholds]:
        """(serial, land, heap, thresholds), with serial 0 while there is no couple."""
        words = self.words
        serial, heap, land = words[SERIAL], words[AT_HEAP], self._text[: words[LENGTH]]
        pt, dt, mt, ps, ds = [int(words[i]) for i in range(LIMITS, BEGUN)]
        whole = words[CHECK] == crc32(land, serial) and words[SERIAL] == serial
        return (serial, land, heap, (pt, dt, mt, ps, ds)) if whole else (0, b"", 0, ROOT)


class PoolExchange:
    """The exchange of a pool's parent with its processes: it polls, and publishes nothing."""

    def __init__(self, state: SharedState, read: List[int]) -> None:
        self._state = state
        self._read = read

    def publish(self, kind: int, number: int, land: Land) -> None:
        pass

    def poll(self) -> Iterable[Record]:
        return self._state.drain(self._read)


class _ForkedProcesses(ParallelSearch):
    """The processes of a pool."""

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
        self.state = self._state
        self.state.store = store or ChildStore(processes, store_bytes(more.get("max_memory")))
        self.exchange = PoolExchange(self.state, self._read)
        self.slot = JobSlot(processes)
        self._errors = tempfile.TemporaryFile()

    def start(self) -> None:
        """Fork the processes."""
        for process in range(self.processes):
            self._start(process, self._serve, self._errors)

    def poll(self) -> None:
        """Read the logs, and replace processes that were killed; raises what they raise."""
        self._drain_logs()
        self._reap(self._serve, self._errors)
        if self._meter.is_due():
            self._measure()

    def beyond(self, serial: int, limits: Thresholds) -> Optional[Numbers]:
        """The root's numbers of a process that has passed the thresholds of a couple, else None."""
        for process in range(self.processes):
            numbers = self.state.get(process, ROOT_PN), self.state.get(process, ROOT_DN)
            if self.slot.words[BEGUN + WORDS_EACH * process] == serial:
                if not most_proving_below(*numbers, *limits):
                    return numbers
        return None

    def is_won(self, serial: int) -> bool:
        """Whether a process has found the couple with that serial number to be a win."""
        words = self.slot.words
        return serial in [words[BEGUN + WORDS_EACH * i + 2] for i in range(self.processes)]

    def end(self) -> None:
        """End the processes, and read their logs."""
        self._end()
        self._errors.close()

    def _drain_logs(self) -> None:
        self.couples.exchange_records()
        self._update_counters()

    def _serve(self, searcher: SearchProcess) -> int:
        """The main loop of a process: search the couple in the slot until the state is stopped."""
        state, slot, me, done = self.state, self.slot, searcher.process, 0
        words, mine = slot.words, BEGUN + WORDS_EACH * searcher.process

        def end_if_recalled(_: Search) -> None:
            if words[SERIAL] != words[mine] or words[RECALL] != words[mine + 1]:
                searcher.job_ends = 0

        searcher.observer = end_if_recalled
        while not state.stopped():
            words[mine + 1] = words[RECALL]
            serial, land, heap, limits = slot.read()
            if searcher.couples.must_go_on:
                searcher.couples.make_room(int(searcher.max_bytes * KEPT))
            if serial in (0, done):
                time.sleep(IDLE_SECONDS)
                continue
            if serial != words[mine]:
                searcher.root = (1, 1)
                searcher.report()
            words[mine] = serial
            wins, is_done = search_until_recalled(searcher, (land,), heap, limits)
            if wins:
                words[mine + 2] = serial
            if is_done:
                done = serial
            del searcher.line[:]
            state.leave(me, 0)
            searcher.report()
        return 0


class ProcessPool(PoolSearch):
    """A search by a number of forked processes.

    The observer is called every few milliseconds while the processes go on. `store` holds the
    children, `searcher` is the class of the processes, whose `options` are those of
    `dfpn.Search`. Raises ProcessesDied, and what the processes raise.
    """

    def __init__(
        self,
        processes: int,
        couples: Couples,
        capacity: int,
        observer: SearchObserver,
        seed: int = 0,
        prior: Any = None,
        max_bytes: int = 0,
        store: Optional[ChildStore] = None,
        *,
        searcher: Type[SearchProcess],
        **options: Any,
    ) -> None:
        self._forked = _ForkedProcesses(
            processes,
            couples,
            capacity,
            seed,
            prior,
            store=store,
            searcher=searcher,
            max_bytes=max_bytes,
            **options,
        )
        super().__init__(couples, self._forked.table, observer=observer, max_bytes=max_bytes)
        self._serial = 0
        self._is_won = False
        self.state, self.parent_view = self._forked.state, self._forked.parent_view
        assert self.state.store
        self.game = SharedGame(couples.game, self.state.store)
        self.exchange = couples.exchange = self._forked.exchange

    @property
    def replaced(self) -> int:
        """The number of processes that were killed and replaced."""
        return self._forked.replaced

    @property
    def pids(self) -> List[int]:
        """The ids of the running processes."""
        return list(self._forked.pids)

    def assign(self, lands: Sum, heap: int, limits: Thresholds) -> None:
        (land,) = lands
        is_first = not self._serial
        self._serial = self._serial % LOW + 1
        self._forked.slot.write(self._serial, land, heap, limits)
        if is_first:
            self._forked.start()

    def recall(self) -> None:
        words, end = self._forked.slot.words, time.monotonic() + RECALL_SECONDS
        recall = words[RECALL] = words[RECALL] % LOW + 1
        followed = [BEGUN + WORDS_EACH * i + 1 for i in range(self._forked.processes)]
        while any([words[i] != recall for i in followed]) and time.monotonic() < end:
            time.sleep(IDLE_SECONDS)

    def outcome_of_processes(self, lands: Sum, heap: int) -> Optional[bool]:
        couples = self.couples
        code = couples.code(lands) ^ heap
        if code <= HEAP:
            return code != 0
        return True if self._is_won else None

    def beyond(self) -> Optional[Numbers]:
        return self._forked.beyond(self._serial, self.limits)

    def wait(self) -> None:
        try:
            self._observe()
        except CacheFull:
            self.couples.forget()
            self._forgotten = self.expansions
        time.sleep(POLL_SECONDS)

    def refresh(self) -> None:
        forked = self._forked
        self._is_won = forked.is_won(self._serial)
        forked.poll()  # so that the facts which a win rests on are there
        self.expansions = forked.expansions
        begun = forked.slot.words[BEGUN] == self._serial
        self.root = forked.root if begun else (1, 1)

    def rest(self) -> None:
        self._forked.slot.write(0, b"", 0)

    def close(self) -> None:
        self._forked.end()
