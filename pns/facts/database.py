"""One LMDB file of one game: opening, checking, reading, writing and growing it.

A header names the format and the game. LMDB comes from py-lmdb, or from ``liblmdb`` where
that cannot be imported. Any number of processes may read and write a file at a time, each
through its own ``Database``. Open it after a fork, not before: a child must not use what
its parent opened, and py-lmdb does not let it open the file again.

LMDB crashes on damaged pages. So opening checks the pages: all of them in a file of up to
``CHECKED_AT_ONCE`` bytes; in a larger one those on the outermost paths, and the others
before all records are read. Pages that other processes write later are trusted.
"""

from __future__ import annotations

import json
import os
import stat
from contextlib import closing, contextmanager
from errno import EACCES, EDQUOT, EFBIG, ENOMEM, ENOSPC, EPERM, EROFS
from importlib import import_module
from itertools import islice
from typing import Any, Callable, Dict, Iterator, Optional, Set, Tuple

from pns.facts.lmdb_pages import Damaged, Meta, check_pages, read_meta
from pns.system.files import parse_json, sync_directory
from pns.system.machine import NoMemory, explain_limit, require

FORMAT = 1
HEADER = b"\x00header"
MAGIC = (0xBEEFC0DE).to_bytes(4, "little")  # at offset 16 of every LMDB file
CHUNK = 10000  # records read in one snapshot
MOST_READERS = 1024  # processes at one file
LOCK_BYTES = 64 * (MOST_READERS + 8)  # more than LMDB needs in the lock file
CHECKED_AT_ONCE = 1 << 28  # bytes, checked in about 0.3 s by PyPy and in 2.4 s by CPython
UNWRITABLE = (EACCES, EPERM, EROFS, ENOSPC, EDQUOT, EFBIG)  # where readers do without locks
CHECK_ATTEMPTS = 5  # at a file that changes meanwhile


class FactsError(Exception):
    """Facts cannot be stored or read; the message names the file, the fault and a remedy."""


class LmdbMissing(FactsError):
    """Neither py-lmdb nor liblmdb is installed: facts can be kept in memory only."""


def find_lmdb() -> Any:
    """The module py-lmdb, or ``liblmdb`` with the same calls, or None."""
    for name in ("lmdb", "pns.facts.liblmdb"):
        try:
            return import_module(name)
        except Exception:  # a wheel built for another interpreter may raise anything
            continue
    return None


LMDB: Any = find_lmdb()


def reason(error: Exception, path: str) -> str:
    """An error's reason, without the path that it may begin with."""
    text: str = getattr(error, "strerror", None) or str(error)
    return text[len(path) + 2 :] if text.startswith(path + ": ") else text


def locate(path: str, readonly: bool) -> Tuple[str, bool]:
    """(the data file at ``path``, whether it has content); raises FactsError.

    A file that is not LMDB's is refused by its first bytes. Opening it with LMDB would
    leave a lock file beside it.
    """
    if not path:
        raise FactsError("invalid file name ''; expected the name of a database")
    file = path
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            file = os.path.join(path, "data.mdb")
            if not os.path.isfile(file):
                raise FactsError("%s: a directory without an LMDB database; expected a file" % path)
        elif not stat.S_ISREG(mode):
            raise FactsError("%s: not a regular file; name another" % path)
        with open(file, "rb") as stream:
            start = stream.read(20)
    except FileNotFoundError:
        if readonly:
            raise FactsError("%s: no such database; solve a position first" % path) from None
        start = b""
    except (OSError, ValueError) as error:
        wrong = reason(error, path)
        raise FactsError("%s: %s; name a file that can be used" % (path, wrong)) from error
    if start and start[16:] != MAGIC:
        raise FactsError("%s: not an LMDB database; name another file" % path)
    if readonly and not start:
        raise FactsError("%s: empty; solve a position first" % path)
    return file, bool(start)


def own_directory() -> str:
    """The directory of the user's own databases."""
    home = os.environ.get("XDG_DATA_HOME", "")
    if not os.path.isabs(home):
        home = os.path.join(os.path.expanduser("~"), ".local", "share")
    return os.path.join(home, "pns")


def require_directory(path: str, file: str) -> str:
    """The directory of the data file of a database; raises FactsError for one that is missing.

    The user's own is made. Any other may be a mistake in the path, which would begin a database
    where nobody looks for it.
    """
    directory = os.path.dirname(os.path.realpath(file))
    if not os.path.isdir(directory) and directory != os.path.realpath(own_directory()):
        raise FactsError("%s: no such directory; make it, or name another" % path)
    return directory


_open_files: Set[Tuple[int, str]] = set()
"""(process, file): LMDB lets a process open a file only once."""


class Database:
    """Records of bytes under keys of at most 511 bytes, for one game.

    ``read(key)`` gives the value, or None, as of the last ``renew``; ``count`` is the
    number of records then. Renew often: LMDB reuses no page that a reader may still see.
    """

    read: Callable[[bytes], Optional[bytes]]
    count: int

    def __init__(self, path: str, game_name: str, readonly: bool, is_checked: bool = False) -> None:
        """Open a file; ``is_checked`` says that all of its pages have been found sound before."""
        if LMDB is None:
            raise LmdbMissing(
                "LMDB is missing, so facts can be kept in memory only: run apt-get install liblmdb0"
                " (Debian), brew install lmdb (macOS) or, for CPython, pip install 'lmdb>=3'"
            )
        self.path = path
        self.readonly = readonly
        self._game_name = game_name
        self.file, exists = locate(path, readonly)
        self._subdir = self.file != path
        self._reader: Any = None
        self.is_checked = is_checked or not exists
        self._slot = (os.getpid(), os.path.realpath(self.file))
        if self._slot in _open_files:
            raise FactsError("%s: open in this process already; name another" % path)
        with self._explaining():
            directory = require_directory(self.path, self._slot[1])
            os.makedirs(directory, exist_ok=True)
            if exists:
                self._read_meta()
                with closing(self._open_lmdb(True, os.path.exists(self._lock_file()))) as self._env:
                    self._check_file()
            self._env = self._open_lmdb(readonly, True)
            _open_files.add(self._slot)
            try:
                if not readonly:
                    self._write_header()
                self.renew()
            except BaseException:
                self.close()
                raise

    # --- opening -------------------------------------------------------------

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        """Turn LMDB's errors into FactsError."""
        try:
            yield
        except (LMDB.InvalidError, LMDB.VersionMismatchError) as error:
            wrong = reason(error, self.path)
            raise FactsError("%s: %s; name another file" % (self.path, wrong)) from error
        except Damaged as error:
            raise FactsError("%s: %s; bring back a whole copy" % (self.path, error)) from error
        except NoMemory as error:
            raise FactsError("%s: %s" % (self.path, error)) from error
        except (LMDB.Error, OSError) as error:
            if os.strerror(ENOMEM) in str(error):
                wrong = "%s: no memory to map it, %s" % (self.path, explain_limit())
                raise FactsError(wrong) from error
            right = "readable" if self.readonly else "writable and has room"
            wrong = "%s; see that the place is %s" % (reason(error, self.path), right)
            raise FactsError("%s: %s" % (self.path, wrong)) from error

    def _lock_file(self) -> str:
        return os.path.join(self.path, "lock.mdb") if self._subdir else self.file + "-lock"

    def _open_lmdb(self, readonly: bool, lock: bool) -> Any:
        """LMDB's environment, with the map as large as the file says.

        A reader that may not write the lock file reads without it. Writers then do not
        see it and may reuse a page that it reads, from their second commit on. Snapshots
        here end sooner, and each page holds facts only.
        """
        options: Dict[str, Any] = dict(map_size=0, mode=0o644, max_readers=MOST_READERS)
        options.update(subdir=self._subdir, readonly=readonly)
        if lock:
            try:
                self._fill_lock_file()
            except OSError as error:
                if not readonly or error.errno not in UNWRITABLE:
                    raise
                lock = False
        while True:
            try:
                env = LMDB.open(self.path, lock=lock, **options)
                break
            except LMDB.MapResizedError:  # another process has let the file grow meanwhile
                pass
            except LMDB.ReadonlyError:
                if not (readonly and lock):
                    raise
                lock = False
        if lock:
            env.reader_check()  # free the places of processes that were killed
        return env

    def _fill_lock_file(self) -> None:
        """Give the lock file room on the disk; raises OSError where there is none.

        LMDB maps it. On a full disk, writing to a hole of it would end the process.
        """
        with open(os.open(self._lock_file(), os.O_RDWR | os.O_CREAT, 0o644), "rb") as stream:
            size = os.fstat(stream.fileno()).st_size or LOCK_BYTES
            if hasattr(os, "posix_fallocate"):  # not on macOS
                # PyPy 7.3 returns the error that CPython raises.
                error: Optional[int] = os.posix_fallocate(stream.fileno(), 0, size)  # type: ignore[func-returns-value]
                if error:
                    raise OSError(error, os.strerror(error))

    def _check_file(self) -> None:
        """Raise Damaged, or FactsError for a database that is not ours."""
        with self._begin():
            self._check_pages(False)
        with self._begin() as txn:
            if self._is_empty(txn) and self.readonly:
                raise FactsError("%s: empty; solve a position first" % self.path)

    def _read_meta(self) -> Meta:
        """The newest state of the file; raises Damaged."""
        with open(self.file, "rb") as stream:
            return read_meta(stream.fileno())

    def _check_pages(self, whole: bool) -> None:
        """Raise Damaged for pages that LMDB must not read; call it within a transaction.

        Writers do not see a process that may not write the lock file. They may reuse
        pages while it reads; then the meta pages have changed, and it checks again.
        """
        if self.is_checked:
            return
        with open(self.file, "rb") as stream:
            descriptor = stream.fileno()
            for attempt in range(1, CHECK_ATTEMPTS + 1):
                meta = read_meta(descriptor)
                size = os.fstat(descriptor).st_size
                whole = whole or size <= CHECKED_AT_ONCE or size < meta.size
                if whole:  # the pages of a tree lie in any order, and disks prefer theirs
                    os.posix_fadvise(descriptor, 0, size, os.POSIX_FADV_WILLNEED)
                try:
                    check_pages(descriptor, meta, whole, not self.readonly)
                    break
                except Damaged:
                    if attempt == CHECK_ATTEMPTS or read_meta(descriptor) == meta:
                        raise
        self.is_checked = whole

    def _is_empty(self, txn: Any) -> bool:
        """Whether the database has no records yet; raises FactsError where it is not ours."""
        with closing(txn.cursor()) as cursor:
            empty = not cursor.set_range(b"\0")
        if not empty:
            self._check_header(txn.get(HEADER))
        return empty

    def _check_header(self, value: Optional[bytes]) -> None:
        """Raise FactsError for another kind of database, another format or another game."""

        try:
            header = parse_json(value or b"")
            found_format, found_game = header["format"], header["game"]
        except (ValueError, TypeError, KeyError):
            wrong = "an LMDB database, but not one of facts; name another file"
            raise FactsError("%s: %s" % (self.path, wrong)) from None
        if found_format != FORMAT:
            raise FactsError(
                "%s: has format %s, this version reads format %d; name another file"
                % (self.path, found_format, FORMAT)
            )
        if found_game != self._game_name:
            raise FactsError(
                "%s: holds facts of %s, not of %s; choose that game or name another file"
                % (self.path, found_game, self._game_name)
            )

    def _write_header(self) -> None:
        """Write the header unless another process has."""
        with self._begin() as txn:
            if not self._is_empty(txn):
                return
        with self._begin(write=True) as txn:
            if self._is_empty(txn):
                header = {"format": FORMAT, "game": self._game_name}
                txn.put(HEADER, json.dumps(header).encode())
        sync_directory(os.path.dirname(os.path.abspath(self.file)))

    # --- reading and writing ---------------------------------------------------

    def is_open(self) -> bool:
        """Whether this process has the file open."""
        return self._slot[0] == os.getpid()

    def _begin(self, write: bool = False) -> Any:
        """A transaction on a map as large as the file; no other one may be open."""
        while True:
            try:
                return self._env.begin(write=write)
            except LMDB.MapResizedError:
                self._resize(2 * os.path.getsize(self.file), 0)  # a map is up to twice as large

    def _resize(self, wanted: int, size: int) -> None:
        """Set the map to ``size`` bytes, or with 0 to what the file says.

        Raises NoMemory unless there is address space for ``wanted`` bytes: LMDB cannot
        recover from a map that fails.
        """
        more = max(0, wanted - self._env.info()["map_size"])
        require(more, "the map of the database", "a search without a database")
        self._env.set_mapsize(size)

    def _refuse_to_read(self, key: bytes) -> Optional[bytes]:
        raise FactsError("%s: cannot be read any more" % self.path)

    def _end_reading(self) -> None:
        self.read = self._refuse_to_read
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.abort()

    def renew(self) -> None:
        """Take a new snapshot: read from now on what every process has stored."""
        if not self.is_open():
            raise FactsError("%s: closed, or opened before a fork; open it again" % self.path)
        with self._explaining():
            self._end_reading()
            self._reader = self._begin()
            self.read = self._reader.get
            self.count = self._env.stat()["entries"] - 1

    def scan(self, start: bytes, stop: Optional[bytes]) -> Iterator[Tuple[bytes, bytes]]:
        """The records with start <= key, and < ``stop`` unless that is None.

        A new snapshot is taken after every ``CHUNK`` records.
        """
        self.renew()
        with self._explaining():
            self._check_pages(True)
        while True:
            self.renew()
            with closing(self._reader.cursor()) as cursor:
                found = cursor.set_range(start)
                chunk = list(islice(cursor.iternext(), CHUNK)) if found else []
            for key, value in chunk:
                if stop is not None and key >= stop:
                    return
                yield key, value
            if len(chunk) < CHUNK:
                return
            start = chunk[-1][0] + b"\0"

    def write(self, fill: Callable[[Any], int]) -> int:
        """Store durably what ``fill(transaction)`` puts; returns its result.

        On any error nothing is stored. ``fill`` is called again if the map had to grow.
        """
        self._end_reading()
        try:
            with self._explaining():
                while True:
                    try:
                        with self._begin(write=True) as txn:
                            result = fill(txn)
                        return result
                    except LMDB.MapFullError:
                        size = 2 * self._env.info()["map_size"]
                        self._resize(size, size)
        finally:
            self.renew()

    def close(self) -> None:
        """Close the file; a copy that a fork made is left alone."""
        if self.is_open():
            self._end_reading()
            self._env.close()
            _open_files.discard(self._slot)
            self._slot = (0, "")
