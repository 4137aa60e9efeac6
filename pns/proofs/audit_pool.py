"""Processes that check entries; each opens the store of all entries for itself."""

from __future__ import annotations

from collections import deque
from contextlib import ExitStack, contextmanager
from typing import Callable, Deque, Iterator, List, Optional, Tuple

from pns.facts import Fact
from pns.game import limit_caches
from pns.parallel.processes import ProcessesDied
from pns.parallel.tasks import TaskPool
from pns.proofs.check import Checker, Fault, Rules
from pns.proofs.sources import Store
from pns.sprouts import GAME, canonical, moves

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


class AuditPool:
    """Processes that check chunks of entries; start it before the store is opened here."""

    def __init__(self, count: int, store: Store, rules: Rules) -> None:
        self._store = store
        self._rules = rules
        self._checker: Optional[Checker] = None
        self._opened = ExitStack()
        """The store, in a process that has checked something; closed with the process."""
        self._pool = TaskPool(count, self._check)
        self.processes = self._pool.processes

    def _check(self, chunk: Chunk) -> List[Fault]:
        if self._checker is None:
            facts = self._opened.enter_context(self._store.open())
            self._checker = Checker(self._rules, facts.get)
        return check_chunk(self._checker, chunk)

    def check(self, chunks: Iterator[Chunk], lookup: Callable[[bytes], int]) -> Iterator[Checked]:
        """(chunk, its faults) for each chunk, in order; raises Interrupted, TooExpensive.

        `lookup` is used where this process checks them itself.
        """
        if not self.processes:
            self._checker = Checker(self._rules, lookup)
        given: Deque[Chunk] = deque()

        def tasks() -> Iterator[Chunk]:
            for chunk in chunks:
                given.append(chunk)
                yield chunk

        try:
            for faults in self._pool.run(tasks()):
                yield given.popleft(), faults
        except ProcessesDied:
            raise Interrupted(ENDED) from None

    def __enter__(self) -> "AuditPool":
        return self

    def __exit__(self, *exception: object) -> None:
        self._pool.__exit__(*exception)
