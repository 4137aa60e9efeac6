"""Processes that check entries; each opens the store of all entries for itself."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from contextlib import contextmanager
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Any, Callable, Dict, Iterator, List, Tuple, cast

from pns import lifeline
from pns.facts import Fact
from pns.game import limit_caches
from pns.proofs.check import Checker, Fault, Rules, TooExpensive
from pns.proofs.sources import Store
from pns.sprouts import GAME, canonical, moves

SIGNALS = (signal.SIGINT, signal.SIGTERM)

ENDED = "a process of the audit was ended from outside"

Chunk = List[Fact]
Checked = Tuple[Chunk, List[Fault]]


class Interrupted(Exception):
    """A process of the audit ended too early."""


CACHED_MOVES = 300_000
CACHE_ENTRIES = 60_000
"""Bounds of the caches of Sprouts in an audit, which repeats positions less than a search."""


@contextmanager
def small_caches() -> Iterator[None]:
    """Keep the caches of Sprouts small within the context."""
    moves.limit_caches(CACHED_MOVES)
    canonical.limit_caches(CACHE_ENTRIES)
    try:
        yield
    finally:
        limit_caches(GAME, None)


def check_chunk(checker: Checker, chunk: Chunk) -> List[Fault]:
    """The entries that do not hold; raises TooExpensive."""
    faults = []
    for land, number in chunk:
        why = checker.why_bad(land, number)
        if why:
            faults.append(Fault(land, number, why))
    return faults


def check_chunks(connection: "Connection[Any, Any]", store: Store, rules: Rules) -> None:
    """Answer each chunk from a connection with its faults, until this process is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    with small_caches(), store.open() as facts:
        checker = Checker(rules, facts.get)
        while True:
            try:
                connection.send(check_chunk(checker, connection.recv()))
            except TooExpensive as error:
                connection.send(error)


class AuditPool:
    """Processes that check chunks of entries; start it before the store is opened here."""

    def __init__(self, count: int, store: Store, rules: Rules) -> None:
        self._store = store
        self._rules = rules
        self.processes: List[Tuple[int, int]] = []
        """(process id, lifeline) of each."""
        self._connections: List["Connection[Any, Any]"] = []
        # Signals are blocked until a process has set its own handlers.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            for _ in range(count if count > 1 else 0):
                self._start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _start(self) -> None:
        ours, theirs = Pipe()
        process, line = lifeline.fork()
        if not process:
            try:
                check_chunks(theirs, self._store, self._rules)
            except BaseException:
                traceback.print_exc()
                sys.stderr.flush()
            finally:
                os._exit(1)
        self.processes.append((process, line))
        theirs.close()
        self._connections.append(ours)

    def check(self, chunks: Iterator[Chunk], lookup: Callable[[bytes], int]) -> Iterator[Checked]:
        """(chunk, its faults) for each chunk, in order; raises Interrupted, TooExpensive."""
        if not self._connections:
            checker = Checker(self._rules, lookup)
            for chunk in chunks:
                yield chunk, check_chunk(checker, chunk)
            return
        sent: Dict["Connection[Any, Any]", Tuple[int, Chunk]] = {}
        done: Dict[int, Checked] = {}
        idle = list(self._connections)
        numbers = iter(range(1 << 62))
        next_due = 0
        more = True
        while True:
            while more and idle:
                chunk = next(chunks, [])
                if not chunk:
                    more = False
                    break
                connection = idle.pop()
                try:
                    connection.send(chunk)
                except OSError:
                    raise Interrupted(ENDED) from None
                sent[connection] = next(numbers), chunk
            if not sent:
                return
            for ready in wait(list(sent)):
                connection = cast("Connection[Any, Any]", ready)
                number, chunk = sent.pop(connection)
                try:
                    answer = connection.recv()
                except (EOFError, OSError):
                    raise Interrupted(ENDED) from None
                if isinstance(answer, TooExpensive):
                    raise answer
                done[number] = chunk, answer
                idle.append(connection)
            while next_due in done:
                yield done.pop(next_due)
                next_due += 1

    def __enter__(self) -> "AuditPool":
        return self

    def __exit__(self, *exception: object) -> None:
        for process, _ in self.processes:
            os.kill(process, signal.SIGKILL)
        for process, line in self.processes:
            os.waitpid(process, 0)
            os.close(line)
