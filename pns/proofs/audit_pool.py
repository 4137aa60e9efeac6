"""Processes that check entries; each opens the store of all entries for itself."""

from __future__ import annotations

from collections import deque
from contextlib import ExitStack, contextmanager
from typing import Deque, Iterator, List, NamedTuple, Sequence, Tuple

from pns.facts import Fact
from pns.game import Game, limit_caches
from pns.parallel.processes import ProcessesDied
from pns.parallel.tasks import TaskPool
from pns.proofs.check import Checker, Fault, Lookup
from pns.proofs.rules import Rules
from pns.proofs.sources import Store

ENDED = "a process of the audit was ended from outside"

Chunk = List[Fact]
ChunkAnswer = Tuple[List[Fault], List[int]]
"""(faults, the entries that hold in each stage and in none before)."""
Checked = Tuple[Chunk, List[Fault], List[int]]


class Stage(NamedTuple):
    """By what entries are checked that failed in the stages before."""

    rules: Rules
    cancel: bool = False
    """Whether equal lands cancel."""


class Interrupted(Exception):
    """A process of the audit ended too early."""


CACHED_BYTES = 54_000_000
"""Bound of the caches of a game in an audit, which repeats positions less than a search."""


@contextmanager
def small_caches(game: Game) -> Iterator[None]:
    """Keep the caches of a game small within the context."""
    limit_caches(game, CACHED_BYTES)
    try:
        yield
    finally:
        limit_caches(game, None)


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

    def __init__(self, count: int, store: Store, stages: Sequence[Stage]) -> None:
        self._store = store
        self._stages = stages
        self._checkers: List[Checker] = []
        self._opened = ExitStack()
        """The store, in a process that has checked something; closed with the process."""
        self._pool = TaskPool(count, self._check)
        self.processes = self._pool.processes

    def _check(self, chunk: Chunk) -> ChunkAnswer:
        if not self._checkers:
            self._start(self._opened.enter_context(self._store.open()).get)
        faults: List[Fault] = []
        held = []
        for checker in self._checkers:
            faults = check_chunk(checker, chunk)
            held.append(len(chunk) - len(faults))
            chunk = [(fault.land, fault.number) for fault in faults]
        return faults, held

    def _start(self, lookup: Lookup) -> None:
        self._checkers = [Checker(stage.rules, lookup, stage.cancel) for stage in self._stages]

    def check(self, chunks: Iterator[Chunk], lookup: Lookup) -> Iterator[Checked]:
        """(chunk, and what was found) for each chunk, in order; raises Interrupted, TooExpensive.

        `lookup` is used where this process checks them itself.
        """
        if not self.processes:
            self._start(lookup)
        given: Deque[Chunk] = deque()

        def tasks() -> Iterator[Chunk]:
            for chunk in chunks:
                given.append(chunk)
                yield chunk

        try:
            for faults, held in self._pool.run(tasks()):
                yield given.popleft(), faults, held
        except ProcessesDied:
            raise Interrupted(ENDED) from None

    def __enter__(self) -> "AuditPool":
        return self

    def __exit__(self, *exception: object) -> None:
        self._pool.__exit__(*exception)
