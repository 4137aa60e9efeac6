"""Grundy numbers of lands, proved, under their exact text: in memory or in an LMDB file.

In the file the key is the land's text and the value one byte, the Grundy number. A text
that is too long for a key of LMDB stands under ``LONG`` and its digest, with the whole
text after the number, and is compared whenever it is read.
"""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import blake2b
from heapq import merge
from time import monotonic
from types import TracebackType
from typing import Any, Callable, Dict, Iterable, Iterator, Optional, Tuple, Type, TypeVar

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


class Contradiction(FactsError):
    """Two Grundy numbers for one land: what found one of them is wrong."""

    def __init__(self, land: bytes, known: int, number: int) -> None:
        super().__init__(
            "contradiction: %s has Grundy number %d, but %d is known already"
            % (land.decode("ascii", "backslashreplace"), number, known)
        )
        self.land = land
        self.known = known
        self.number = number

    def __reduce__(self) -> Tuple[Any, ...]:
        """For pickle: made again from what it is made of."""
        return Contradiction, (self.land, self.known, self.number)


class BadEntry(FactsError):
    """A record of a database that is no fact: which one, and what is wrong, as a sentence.

    The number is -1 where the record has none.
    """

    def __init__(self, path: str, land: bytes, number: int, wrong: str) -> None:
        super().__init__("%s: entry %s" % (path, wrong))
        self.path = path
        self.land = land
        self.number = number
        self.wrong = wrong

    def __reduce__(self) -> Tuple[Any, ...]:
        """For pickle: made again from what it is made of."""
        return BadEntry, (self.path, self.land, self.number, self.wrong)


Refuse = Callable[[BadEntry], None]
"""What is done with a bad entry."""


def raise_it(entry: BadEntry) -> None:
    """Refuse a bad entry, and with it all that was to be read."""
    raise entry


def check_number(land: bytes, number: int) -> None:
    """Raise FactsError for a number that no store of facts holds."""
    if not 0 <= number <= LARGEST_NUMBER:
        raise FactsError(
            "%s: Grundy number %d cannot be kept; 0 to %d can"
            % (land.decode("ascii", "backslashreplace"), number, LARGEST_NUMBER)
        )


class Facts:
    """Facts of one game in memory, and the calls that every store of facts has.

    ``new`` counts the facts that came in by this object, ``stored`` those of them that
    are on the disk for good: none here. ``path`` is that of the file that holds them,
    None where they are in memory only. ``trouble`` says why facts could not be stored when
    that was tried last, "" when they could.

    >>> facts = Facts("nim")
    >>> facts.get(b"3")
    -1
    >>> facts.add(b"3", 3)
    >>> facts.get(b"3"), len(facts)
    (3, 1)
    """

    path: Optional[str] = None

    def __init__(self, game_name: str) -> None:
        self.game_name = game_name
        self.new = 0
        self.stored = 0
        self.trouble = ""
        self._numbers: Dict[bytes, int] = {}

    def get(self, land: bytes) -> int:
        """The land's Grundy number, -1 when it is unknown."""
        return self._numbers.get(land, -1)

    def add(self, land: bytes, number: int) -> None:
        """Learn a proved Grundy number; raises Contradiction if another is known."""
        check_number(land, number)
        known = self.get(land)
        if known == number:
            return
        if known >= 0:
            raise Contradiction(land, known, number)
        self._numbers[land] = number
        self.new += 1

    def withdraw(self, facts: Iterable[Fact]) -> None:
        """Forget facts, where they are here with just these numbers."""
        for land, number in facts:
            if self._numbers.get(land) == number:
                del self._numbers[land]
                self.new -= 1

    def items(self, refuse: Refuse = raise_it) -> Iterator[Fact]:
        """All (land, Grundy number), sorted by land; ``refuse`` gets the entries that are bad.

        Whether a text is a land is for the caller to check.
        """
        return iter(sorted(self._numbers.items()))

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def waiting(self) -> int:
        """Facts that are not on the disk yet though they will be: those that came in last."""
        return 0

    def flush(self) -> None:
        """Store what is new and see what other processes stored."""

    def try_flush(self) -> None:
        """Flush; where that fails the facts wait in memory, and `trouble` says why.

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
        """As `try_flush` if that was a second ago; to be called several times a second."""

    def fork(self) -> Tuple[int, int]:
        """Fork as `lifeline.fork` does; the child only reads these facts."""
        return lifeline.fork()

    def close(self) -> None:
        """Flush and end the use."""

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
    return LONG + blake2b(land, digest_size=32).digest()


class LmdbFacts(Facts):
    """Facts in an LMDB file; new ones wait in memory for the next flush.

    A flush is one durable transaction. One that fails (a full disk) raises FactsError,
    leaves the file as it was, and the new facts in memory for another attempt. After a
    Contradiction nothing that still waits is stored: it may be as wrong.
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

    def items(self, refuse: Refuse = raise_it) -> Iterator[Fact]:
        """All (land, Grundy number), sorted by land; of these only the long ones in memory."""
        self.flush()
        long = sorted(self._good(b"\0", FIRST_LAND, refuse))
        return merge(self._good(FIRST_LAND, None, refuse), long)

    def _good(self, start: bytes, stop: Optional[bytes], refuse: Refuse) -> Iterator[Fact]:
        """The facts of the records with start <= key < stop."""
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
                refuse(error)
            else:
                yield land, number

    def add(self, land: bytes, number: int) -> None:
        """Learn a proved Grundy number; raises Contradiction if another is known."""
        if self._database.readonly:
            raise FactsError("%s: opened to be read only" % self._database.path)
        try:
            super().add(land, number)
        except Contradiction:
            self._numbers.clear()
            raise

    def add_all(self, source: Callable[[], Iterable[Fact]]) -> int:
        """Store many facts, on any error none of them; how many were not known.

        ``source()`` is read within one transaction, during which no other process can
        write, and from its beginning again if the map has to grow. LMDB keeps at most
        half a gigabyte of changed pages in memory meanwhile.
        """
        self.flush()
        added = self._database.write(lambda txn: self._put(txn, source()))
        self.new += added
        self.stored += added
        return added

    def _put(self, txn: Any, facts: Iterable[Fact]) -> int:
        """Put facts in a transaction; how many were not there."""
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
        """Forget facts, where they are here with just these numbers, durably; raises FactsError."""
        wrong = list(facts)
        super().withdraw(wrong)
        removed = self._database.write(lambda txn: self._remove(txn, wrong))
        self.new -= removed
        self.stored -= removed

    def _remove(self, txn: Any, facts: Iterable[Fact]) -> int:
        """Remove facts in a transaction; how many were there."""
        removed = 0
        for land, number in facts:
            key = long_key(land) if len(land) > LONGEST_KEY else land
            value = txn.get(key)
            if value is not None and self._number_in(value, land) == number:
                removed += txn.delete(key)
        return removed

    def flush(self) -> None:
        """Store what is new, durably, and see what other processes stored."""
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
        """As `try_flush` if that was a second ago; to be called several times a second."""
        if monotonic() - self._flushed >= COMMIT_SECONDS:
            self.try_flush()

    def fork(self) -> Tuple[int, int]:
        """Fork as `lifeline.fork` does; the child only reads these facts.

        The file is closed meanwhile and opened by each process, as LMDB wants it. Facts that
        cannot be stored now wait in memory, and the child has them too.
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
        """Flush and close the file; nothing is done twice, nor in a child of a fork."""
        if not self._database.is_open():
            return
        try:
            self.flush()
        finally:
            self._database.close()


def open_facts(
    path: str, game_name: str, readonly: bool = False, is_checked: bool = False
) -> LmdbFacts:
    """The game's database at ``path``, made if it is not there; raises FactsError.

    ``path`` names the file, or a directory that holds LMDB's ``data.mdb``. A file that
    is refused is not altered. Each process opens its own: what was opened before a fork
    must not be used after it. Pass ``is_checked`` of an earlier use, to check no page twice.
    """
    return LmdbFacts(path, game_name, readonly, is_checked)


def default_path(game_name: str) -> str:
    """The game's database in the user's data directory."""
    home = os.environ.get("XDG_DATA_HOME", "")
    if not os.path.isabs(home):
        home = os.path.join(os.path.expanduser("~"), ".local", "share")
    return os.path.join(home, "pns", game_name + ".lmdb")
