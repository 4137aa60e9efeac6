"""One LMDB file with a header that says whose it is: opened, grown, shared, refused.

LMDB comes from py-lmdb, or from ``liblmdb`` where that cannot be imported. Any number
of processes may read and write a file at a time, each through its own ``Database``.
Open after a fork, not before: what the parent opened must not be used by the child,
and py-lmdb lets the child not open it again.
"""

from __future__ import annotations

import json
import os
import stat
from contextlib import closing, contextmanager
from importlib import import_module
from itertools import islice
from typing import Any, Callable, Dict, Iterator, Optional, Set, Tuple

FORMAT = 1
HEADER = b"\x00header"
MAGIC = (0xBEEFC0DE).to_bytes(4, "little")  # at offset 16 of every LMDB file
CHUNK = 10000  # records read in one snapshot
MOST_READERS = 1024  # processes at one file


class FactsError(Exception):
    """Facts cannot be kept or read: where, what is wrong, what would be right."""


class LmdbMissing(FactsError):
    """Neither py-lmdb nor liblmdb is here: facts can be kept in memory only."""


def find_lmdb() -> Any:
    """The module py-lmdb, or ``liblmdb`` with the same calls, or None."""
    for name in ("lmdb", "pns.liblmdb"):
        try:
            return import_module(name)
        except Exception:  # a wheel built for another interpreter may raise anything
            continue
    return None


LMDB: Any = find_lmdb()


def reason(error: Exception) -> str:
    """Why a path was refused, without the path."""
    return getattr(error, "strerror", None) or str(error)


def locate(path: str, readonly: bool) -> Tuple[str, bool]:
    """The data file at ``path``, and whether there is something in it.

    Refuses what is no LMDB file by looking at it, not by opening it as one: that would
    leave a lock file beside it.
    """
    if not path:
        raise FactsError("the path of a database is empty; name a file")
    file = path
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            file = os.path.join(path, "data.mdb")
            if not os.path.isfile(file):
                raise FactsError("%s: a directory without LMDB in it; name a file" % path)
        elif not stat.S_ISREG(mode):
            raise FactsError("%s: not a regular file; name another" % path)
        with open(file, "rb") as stream:
            start = stream.read(20)
    except FileNotFoundError:
        if readonly:
            raise FactsError("%s: no such database; solve a position first" % path) from None
        start = b""
    except (OSError, ValueError) as error:
        raise FactsError("%s: %s; name a file that can be used" % (path, reason(error))) from error
    if start and start[16:] != MAGIC:
        raise FactsError("%s: not an LMDB database; name another file" % path)
    if readonly and not start:
        raise FactsError("%s: empty; solve a position first" % path)
    return file, bool(start)


def sync_directory(path: str) -> None:
    """Make the names in a directory as durable as its synced files."""
    directory = os.open(path, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


_open: Set[Tuple[int, str]] = set()  # (process, file): LMDB allows a process each file once


class Database:
    """Records of bytes under keys of at most 511 bytes, for one game.

    ``read(key)`` gives the value or None as of the last ``renew``, and ``count`` the
    number of records then. To be renewed often: pages that somebody may still read are
    not used again.
    """

    read: Callable[[bytes], Optional[bytes]]
    count: int

    def __init__(self, path: str, game_name: str, readonly: bool) -> None:
        if LMDB is None:
            raise LmdbMissing(
                "no LMDB here, so facts can be kept in memory only:"
                " install liblmdb0 (Debian) or the Python package lmdb"
            )
        self.path = path
        self.readonly = readonly
        self._game_name = game_name
        self.file, exists = locate(path, readonly)
        self._subdir = self.file != path
        self._reader: Any = None
        self._slot = (os.getpid(), os.path.realpath(self.file))
        if self._slot in _open:
            raise FactsError("%s: open in this process already; name another" % path)
        with self._explaining():
            os.makedirs(os.path.dirname(self._slot[1]), exist_ok=True)
            if exists:
                with closing(self._open_lmdb(True, os.path.exists(self._lock_file()))) as self._env:
                    self._check_file()
            self._env = self._open_lmdb(readonly, True)
            _open.add(self._slot)
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
            raise FactsError("%s: %s; name another file" % (self.path, error)) from error
        except (LMDB.Error, OSError) as error:
            right = "readable" if self.readonly else "writable and has room"
            wrong = "%s; see that the place is %s" % (reason(error), right)
            raise FactsError("%s: %s" % (self.path, wrong)) from error

    def _lock_file(self) -> str:
        return os.path.join(self.path, "lock.mdb") if self._subdir else self.file + "-lock"

    def _open_lmdb(self, readonly: bool, lock: bool) -> Any:
        """LMDB's environment, with the map as large as the file says.

        Where a reader may not write the lock file it reads without: writers do not see
        it then and may reuse a page under it from their second commit on. A snapshot
        here is shorter than that, and each page holds facts only.
        """
        options: Dict[str, Any] = dict(map_size=0, mode=0o644, max_readers=MOST_READERS)
        options.update(subdir=self._subdir, readonly=readonly)
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

    def _check_file(self) -> None:
        """Refuse a file that is cut off (its pages are counted) or not ours."""
        pages = self._env.stat()
        used = 2 + pages["branch_pages"] + pages["leaf_pages"] + pages["overflow_pages"]
        if os.path.getsize(self.file) < used * pages["psize"]:
            raise FactsError("%s: cut off; bring back a whole copy" % self.path)
        with self._begin() as txn:
            if self._is_empty(txn) and self.readonly:
                raise FactsError("%s: empty; solve a position first" % self.path)

    def _is_empty(self, txn: Any) -> bool:
        """Whether nobody began the database yet; refuses what is not ours."""
        with closing(txn.cursor()) as cursor:
            empty = not cursor.set_range(b"\0")
        if not empty:
            self._check_header(txn.get(HEADER))
        return empty

    def _check_header(self, value: Optional[bytes]) -> None:
        """Refuse a database of something else, of another format or of another game."""
        try:
            header = json.loads(value or b"")
            found_format, found_game = header["format"], header["game"]
        except (ValueError, TypeError, KeyError, RecursionError):
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
        """Begin the database unless another process did."""
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
        """Whether this process opened it, and did not close it."""
        return self._slot[0] == os.getpid()

    def _begin(self, write: bool = False) -> Any:
        """A transaction, the only one, on a map as large as the file."""
        while True:
            try:
                return self._env.begin(write=write)
            except LMDB.MapResizedError:
                self._env.set_mapsize(0)

    def _end_reading(self) -> None:
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.abort()

    def renew(self) -> None:
        """Read from now on what every process has stored by now."""
        if not self.is_open():
            raise FactsError("%s: closed, or opened before a fork; open it anew" % self.path)
        with self._explaining():
            self._end_reading()
            self._reader = self._begin()
            self.read = self._reader.get
            self.count = self._env.stat()["entries"] - 1

    def scan(self, start: bytes, stop: bytes) -> Iterator[Tuple[bytes, bytes]]:
        """The records with start <= key < stop; the snapshot is renewed on the way."""
        while True:
            self.renew()
            with closing(self._reader.cursor()) as cursor:
                found = cursor.set_range(start)
                chunk = list(islice(cursor.iternext(), CHUNK)) if found else []
            for key, value in chunk:
                if key >= stop:
                    return
                yield key, value
            if len(chunk) < CHUNK:
                return
            start = chunk[-1][0] + b"\0"

    def write(self, fill: Callable[[Any], int]) -> int:
        """What ``fill(transaction)`` gives, once its puts are stored durably.

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
                        self._env.set_mapsize(2 * self._env.info()["map_size"])
        finally:
            self.renew()

    def close(self) -> None:
        """Close the file; a copy that a fork made is left alone."""
        if self.is_open():
            self._end_reading()
            self._env.close()
            _open.discard(self._slot)
            self._slot = (0, "")
