"""Processes that check entries, each with the store of all entries open for itself."""

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
    """A process of the audit ended before its work did."""


CACHED_MOVES = 300_000
CACHE_ENTRIES = 60_000
"""What the caches of Sprouts may hold in an audit, which sees a position less often than a
search does."""


@contextmanager
def small_caches() -> Iterator[None]:
    """Keep the caches of Sprouts small meanwhile."""
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


def work(connection: "Connection[Any, Any]", store: Store, rules: Rules) -> None:
    """Check the chunks that come through a connection, until this process is ended."""
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


class Workers:
    """Processes that check chunks of entries; to be started before the store is opened."""

    def __init__(self, count: int, store: Store, rules: Rules) -> None:
        self._store = store
        self._rules = rules
        self._processes: List[Tuple[int, int]] = []
        """Their ids and lifelines."""
        self._connections: List["Connection[Any, Any]"] = []
        # A process is not to see a signal before it has said what that shall do.
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
                work(theirs, self._store, self._rules)
            except BaseException:
                traceback.print_exc()
                sys.stderr.flush()
            finally:
                os._exit(1)
        self._processes.append((process, line))
        theirs.close()
        self._connections.append(ours)

    def check(self, chunks: Iterator[Chunk], lookup: Callable[[bytes], int]) -> Iterator[Checked]:
        """Each chunk and the faults in it, in order; raises Interrupted, TooExpensive."""
        if not self._connections:
            checker = Checker(self._rules, lookup)
            for chunk in chunks:
                yield chunk, check_chunk(checker, chunk)
            return
        sent: Dict["Connection[Any, Any]", Tuple[int, Chunk]] = {}
        done: Dict[int, Checked] = {}
        idle = list(self._connections)
        numbers = iter(range(1 << 62))
        due = 0
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
            while due in done:
                yield done.pop(due)
                due += 1

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *exception: object) -> None:
        for process, _ in self._processes:
            os.kill(process, signal.SIGKILL)
        for process, line in self._processes:
            os.waitpid(process, 0)
            os.close(line)
