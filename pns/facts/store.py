"""Grundy numbers of lands, proved, under their exact text: in memory or in an LMDB file.

In the file the key is the land's text and the value is one byte, the Grundy number. A text
that is too long for a key of LMDB is stored under ``LONG`` and its digest. Its value is the
number and the whole text, which is compared at every read.
"""

from __future__ import annotations

import os
from contextlib import suppress
from heapq import merge
from time import monotonic
from types import TracebackType
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple, Type, TypeVar

from pns import lifeline
from pns.facts.database import HEADER, Database, FactsError, LmdbMissing
from pns.game import shortened

__all__ = [
    "BadEntry",
    "Contradiction",
    "Facts",
    "FactsError",
    "LmdbFacts",
    "LmdbMissing",
    "default_path",
    "open_facts",
]

Fact = Tuple[bytes, int]
AnyFacts = TypeVar("AnyFacts", bound="Facts")

LARGEST_NUMBER = 250
LONG = b"\x01"
FIRST_LAND = b"\x02"  # above the header and the long lands, below the others
LONGEST_KEY = 511
COMMIT_SECONDS = 1.0
"""The least time between two flushes by ``tick``."""


class Contradiction(FactsError):
    """Two Grundy numbers for one land: one of their sources is wrong."""

    def __init__(self, land: bytes, known: int, number: int) -> None:
        super().__init__(
            "contradiction: %s has Grundy number %d, but %d is known already"
            % (land.decode("ascii", "backslashreplace"), number, known)
        )
        self.land = land
        self.known = known
        self.number = number

    def __reduce__(self) -> Tuple[Any, ...]:
        """Pickle the arguments: the default would pass the message instead."""
        return Contradiction, (self.land, self.known, self.number)


class BadEntry(FactsError):
    """A record of a database that is not a fact; the message names it and the fault.

    ``number`` is -1 where the record has none.
    """

    def __init__(self, path: str, land: bytes, number: int, wrong: str) -> None:
        super().__init__("%s: entry %s" % (path, wrong))
        self.path = path
        self.land = land
        self.number = number
        self.wrong = wrong

    def __reduce__(self) -> Tuple[Any, ...]:
        """Pickle the arguments: the default would pass the message instead."""
        return BadEntry, (self.path, self.land, self.number, self.wrong)


BadEntryHandler = Callable[[BadEntry], object]
"""Called with each bad entry that a reader meets."""


def raise_bad_entry(entry: BadEntry) -> None:
    """The default handler: end reading at the first bad entry."""
    raise entry


def check_number(land: bytes, number: int) -> None:
    """Raise FactsError for a number that cannot be stored."""
    if not 0 <= number <= LARGEST_NUMBER:
        raise FactsError(
            "%s: Grundy number %d cannot be kept; 0 to %d can"
            % (land.decode("ascii", "backslashreplace"), number, LARGEST_NUMBER)
        )


class Facts:
    """Facts of one game in memory, and the calls that every store of facts has.

    ``new`` counts the facts added through this object, ``stored`` those of them that are
    durably on the disk: none here. ``path`` is the file that holds them, None where they
    are in memory only. ``trouble`` says why the last flush failed; it is "" if it did not.

    >>> facts = Facts("nim")
    >>> facts.get(b"3")
    -1
    >>> facts.add(b"3", 3)
    >>> facts.get(b"3"), len(facts)
    (3, 1)
    """

    path: Optional[str] = None
    knows_wins = False
    """Whether `option_numbers` has to be asked about lands whose number is unknown."""

    def __init__(self, game_name: str) -> None:
        self.game_name = game_name
        self.new = 0
        self.stored = 0
        self.trouble = ""
        self._numbers: Dict[bytes, int] = {}

    def get(self, land: bytes) -> int:
        """The land's Grundy number, -1 when it is unknown."""
        return self._numbers.get(land, -1)

    def option_numbers(self, land: bytes) -> int:
        """Bit n is set if land + *n is known to be a win, other than by facts."""
        return 0

    def add(self, land: bytes, number: int) -> None:
        """Add a proved Grundy number; raises Contradiction if another is known."""
        check_number(land, number)
        known = self.get(land)
        if known == number:
            return
        if known >= 0:
            raise Contradiction(land, known, number)
        self._numbers[land] = number
        self.new += 1

    def supply(self, facts: Iterable[Fact]) -> None:
        """Add facts from elsewhere, which `new` and `stored` do not count; raises Contradiction."""
        new, stored = self.new, self.stored
        for land, number in facts:
            self.add(land, number)
        if self.new > new:
            self.try_flush()
        self.new, self.stored = new, stored

    def withdraw(self, facts: Iterable[Fact]) -> None:
        """Remove those of the facts that are known with just these numbers."""
        for land, number in facts:
            if self._numbers.get(land) == number:
                del self._numbers[land]
                self.new -= 1

    def items(self, on_bad: BadEntryHandler = raise_bad_entry) -> Iterator[Fact]:
        """All (land, Grundy number), sorted by land; ``on_bad`` gets the bad entries.

        The caller checks whether each text is a canonical land.
        """
        return iter(sorted(self._numbers.items()))

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def waiting(self) -> int:
        """The number of facts that wait in memory to be stored."""
        return 0

    def in_memory(self) -> List[Fact]:
        """The facts that are in no file, in the order in which they were added."""
        return list(self._numbers.items())

    def flush(self) -> None:
        """Store new facts, and read from now on what other processes have stored."""

    def try_flush(self) -> None:
        """Flush; if that fails, the facts wait in memory, and `trouble` says why.

        Raises Contradiction.
        """
        try:
            self.flush()
        except Contradiction:
            raise
        except FactsError as error:
            self.trouble = str(error)
        else:
            self.trouble = ""

    def tick(self) -> None:
        """`try_flush`, if the last flush was a second ago; call it several times a second."""

    def fork(self) -> Tuple[int, int]:
        """Fork as `lifeline.fork` does; the child may only read these facts."""
        return lifeline.fork()

    def close(self) -> None:
        """Flush, and release what is held."""

    def __enter__(self: AnyFacts) -> AnyFacts:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()


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
            raise FactsError("%s: opened to be read only" % self._database.path)
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

    ``path`` names the file, or a directory that holds LMDB's ``data.mdb``. A file that
    is refused is not altered. Each process opens its own: a store opened before a fork
    must not be used after it. Pass ``is_checked`` of an earlier use so that no page is
    checked twice.
    """
    return LmdbFacts(path, game_name, readonly, is_checked)


def default_path(game_name: str) -> str:
    """The game's database in the user's data directory."""
    home = os.environ.get("XDG_DATA_HOME", "")
    if not os.path.isabs(home):
        home = os.path.join(os.path.expanduser("~"), ".local", "share")
    return os.path.join(home, "pns", game_name + ".lmdb")
