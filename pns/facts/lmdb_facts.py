"""Facts in an LMDB file.

The key is the land's text and the value is one byte, the Grundy number. A text that is too
long for a key of LMDB is stored under ``LONG`` and its digest. Its value is the number and
the whole text, which is compared at every read.
"""

from __future__ import annotations

import os
from contextlib import suppress
from heapq import merge
from time import monotonic
from typing import Any, Callable, Iterable, Iterator, Optional, Tuple

from pns.facts.database import HEADER, Database, FactsError, own_directory
from pns.facts.store import (
    LARGEST_NUMBER,
    BadEntry,
    BadEntryHandler,
    Contradiction,
    Fact,
    Facts,
    check_number,
    raise_bad_entry,
)
from pns.game import shortened
from pns.system import lifeline

LONG = b"\x01"
FIRST_LAND = b"\x02"  # above the header and the long lands, below the others
LONGEST_KEY = 511
COMMIT_SECONDS = 1.0
"""The least time between two flushes by ``tick``."""


def long_key(land: bytes) -> bytes:
    """The key of a land whose text is longer than a key can be."""
    from hashlib import blake2b  # it takes long

    return LONG + blake2b(land, digest_size=32).digest()


class LmdbFacts(Facts):
    """Facts in an LMDB file; new ones wait in memory for the next flush.

    A flush is one durable transaction. One that fails, as on a full disk, raises FactsError,
    leaves the file as it was, and keeps the new facts in memory for another attempt. After
    a Contradiction the facts that wait are dropped: they may be wrong, too.
    """

    def __init__(
        self, path: str, game_name: str, readonly: bool = False, is_checked: bool = False
    ) -> None:
        super().__init__(game_name)
        self._database = Database(path, game_name, readonly, is_checked)
        self.path = self._database.file
        self._flushed = monotonic()

    @property
    def is_checked(self) -> bool:
        """Whether all pages of the file have been found sound."""
        return self._database.is_checked

    def get(self, land: bytes) -> int:
        """The land's Grundy number, -1 when it is unknown."""
        number = self._numbers.get(land, -1)
        if number >= 0:
            return number
        value = self._database.read(land if len(land) <= LONGEST_KEY else long_key(land))
        return -1 if value is None else self._number_in(value, land)

    def _number_in(self, value: bytes, land: bytes) -> int:
        """The Grundy number in the value of the land's record; raises BadEntry."""
        if len(value) == 1 and len(land) <= LONGEST_KEY and value[0] <= LARGEST_NUMBER:
            return value[0]
        number = value[0] if value else -1
        if number > LARGEST_NUMBER:
            wrong = "Grundy number %d is above %d" % (number, LARGEST_NUMBER)
        elif len(land) <= LONGEST_KEY:
            wrong = "its value has %d bytes, not 1" % len(value)
        elif value[1:] == land:
            return number
        else:
            wrong = "its digest is that of another land, %s" % shortened(value[1:])
        sentence = "%s: %s" % (shortened(land), wrong)
        raise BadEntry(self._database.path, land, number, sentence)

    def __len__(self) -> int:
        return self._database.count + len(self._numbers)

    @property
    def waiting(self) -> int:
        return len(self._numbers)

    def items(self, on_bad: BadEntryHandler = raise_bad_entry) -> Iterator[Fact]:
        """All (land, Grundy number), sorted by land; only the long lands are held in memory."""
        self.flush()
        long = sorted(self._good(b"\0", FIRST_LAND, on_bad))
        return merge(self._good(FIRST_LAND, None, on_bad), long)

    def _good(self, start: bytes, stop: Optional[bytes], on_bad: BadEntryHandler) -> Iterator[Fact]:
        """The facts of the good records with start <= key < stop."""
        for key, value in self._database.scan(start, stop):
            land = key if key >= FIRST_LAND else value[1:]
            if key == HEADER:
                continue
            try:
                if land != key and (len(land) <= LONGEST_KEY or long_key(land) != key):
                    wrong = "%s: its key is neither a land nor the digest of one" % shortened(key)
                    raise BadEntry(self._database.path, key, -1, wrong)
                number = self._number_in(value, land)
            except BadEntry as error:
                on_bad(error)
            else:
                yield land, number

    def add(self, land: bytes, number: int) -> None:
        """Add a proved Grundy number; raises Contradiction if another is known."""
        if self._database.readonly:
            raise FactsError("%s: opened for reading only" % self._database.path)
        try:
            super().add(land, number)
        except Contradiction:
            self._numbers.clear()
            raise

    def add_all(self, source: Callable[[], Iterable[Fact]]) -> int:
        """Store many facts, or on any error none of them; returns how many were new.

        ``source()`` is read within one transaction, during which no other process can
        write. It is called again if the map has to grow. LMDB keeps up to half a gigabyte
        of changed pages in memory meanwhile.
        """
        self.flush()
        added = self._database.write(lambda txn: self._put(txn, source()))
        self.new += added
        self.stored += added
        return added

    def _put(self, txn: Any, facts: Iterable[Fact]) -> int:
        """Put facts in a transaction; returns how many were new."""
        added = 0
        for land, number in facts:
            check_number(land, number)
            key, value = land, bytes((number,))
            if len(land) > LONGEST_KEY:
                key, value = long_key(land), value + land
            if txn.put(key, value, overwrite=False):
                added += 1
            else:
                known = self._number_in(txn.get(key), land)
                if known != number:
                    raise Contradiction(land, known, number)
        return added

    def withdraw(self, facts: Iterable[Fact]) -> None:
        """Remove durably those of the facts known with just these numbers; raises FactsError."""
        wrong = list(facts)
        super().withdraw(wrong)
        removed = self._database.write(lambda txn: self._remove(txn, wrong))
        self.new -= removed
        self.stored -= removed

    def _remove(self, txn: Any, facts: Iterable[Fact]) -> int:
        """Remove facts in a transaction; returns how many were there."""
        removed = 0
        for land, number in facts:
            key = long_key(land) if len(land) > LONGEST_KEY else land
            value = txn.get(key)
            if value is not None and self._number_in(value, land) == number:
                removed += txn.delete(key)
        return removed

    def flush(self) -> None:
        """Store new facts durably, and read from now on what other processes have stored."""
        self._flushed = monotonic()
        if not self._numbers or self._database.readonly:
            self._database.renew()
            return
        try:
            self._database.write(lambda txn: self._put(txn, sorted(self._numbers.items())))
        except Contradiction:
            self._numbers.clear()
            raise
        self.stored += len(self._numbers)
        self._numbers.clear()

    def tick(self) -> None:
        """`try_flush`, if the last flush was a second ago; call it several times a second."""
        if monotonic() - self._flushed >= COMMIT_SECONDS:
            self.try_flush()

    def fork(self) -> Tuple[int, int]:
        """Fork as `lifeline.fork` does; the child may only read these facts.

        The file is closed before the fork and opened by each process after it, as LMDB
        requires. Facts that cannot be stored now wait in memory, in the child too.
        """
        database = self._database
        if database.is_open():
            self.try_flush()
            database.close()
        child, line = -1, -1
        with suppress(OSError):
            child, line = lifeline.fork()
        readonly = database.readonly or not child
        self._database = Database(database.path, self.game_name, readonly, database.is_checked)
        if child < 0:
            raise FactsError("%s: no process could be started" % database.path)
        return child, line

    def close(self) -> None:
        """Flush and close the file, unless it is closed or was opened before a fork."""
        if not self._database.is_open():
            return
        try:
            self.flush()
        finally:
            self._database.close()


def open_facts(
    path: str, game_name: str, readonly: bool = False, is_checked: bool = False
) -> LmdbFacts:
    """The game's database at ``path``, created if it is missing; raises FactsError.

    A missing directory is created only if it is the user's own data directory.

    ``path`` is the file, or a directory that contains LMDB's ``data.mdb``. If opening fails, the
    file is not altered. Each process has to open its own store: a store opened before a fork
    must not be used after it. Pass ``is_checked`` of an earlier store to avoid checking pages
    twice.
    """
    return LmdbFacts(path, game_name, readonly, is_checked)


def default_path(game_name: str) -> str:
    """The game's database in the user's data directory."""
    return os.path.join(own_directory(), game_name + ".lmdb")
