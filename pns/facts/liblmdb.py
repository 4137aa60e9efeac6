"""LMDB through cffi's ABI mode: the calls of py-lmdb that ``pns.facts`` makes, by the same names.

No compiler is needed: cffi is part of PyPy, the library is Debian's package liblmdb0 or lmdb
of Homebrew, and its declarations are in ``pns.system.bindings``. Importing this module raises
ImportError where either is missing.
As in py-lmdb, read transactions belong to no thread, and a call that fails raises a
subclass of ``Error``. An environment must not be shared between threads: its
transactions use one key buffer.
"""

from __future__ import annotations

import os
from typing import Any, Dict, Iterator, Optional, Sequence, Tuple, Type

from pns.system.bindings import ffi

NAMES = (
    "liblmdb.so.0",
    "liblmdb.dylib",
    "/opt/homebrew/lib/liblmdb.dylib",
    "/usr/local/lib/liblmdb.dylib",
)
"""The library on Linux, and on macOS where its linker and where Homebrew look."""


def load(names: Sequence[str]) -> Any:
    """The first library of these names that there is; raises ImportError."""
    for name in names:
        try:
            return ffi.dlopen(name)
        except OSError:
            continue
    raise ImportError("there is no %s" % " or ".join(names))


lib: Any = load(NAMES)

NOSUBDIR, RDONLY, NOTLS, NOLOCK = 0x4000, 0x20000, 0x200000, 0x400000  # of an environment
NOOVERWRITE = 0x10  # of a put
NEXT, SET_RANGE = 8, 17  # moves of a cursor
KEYEXIST, NOTFOUND = -30799, -30798
LONGEST_KEY = 511


class Error(Exception):
    """A call of LMDB failed."""


class InvalidError(Error):
    """The file is not an LMDB database."""


class VersionMismatchError(Error):
    """The file is of another version of LMDB."""


class MapFullError(Error):
    """The database no longer fits in the map."""


class MapResizedError(Error):
    """Another process made the map larger."""


class ReadonlyError(Error):
    """The file's permissions, or the mode it was opened in, do not allow writing."""


class DiskError(Error):
    """No space is left on the device."""


class InvalidParameterError(Error):
    """An argument is wrong, or the transaction is over."""


class BadValsizeError(Error):
    """A key is empty or too long."""


ERRORS: Dict[int, Type[Error]] = {
    -30794: VersionMismatchError,
    -30793: InvalidError,
    -30792: MapFullError,
    -30785: MapResizedError,
    -30781: BadValsizeError,
    13: ReadonlyError,  # EACCES
    22: InvalidParameterError,  # EINVAL
    28: DiskError,  # ENOSPC
}


def check(code: int, call: str) -> None:
    """Raise the exception that the return code of an LMDB call stands for, if any."""
    if code:
        text = ffi.string(lib.mdb_strerror(code)).decode()
        raise ERRORS.get(code, Error)("%s: %s" % (call, text))


class Cursor:
    """A place in the order of keys; close it before its transaction ends."""

    def __init__(self, txn: Any, dbi: int) -> None:
        pointer = ffi.new("MDB_cursor **")
        check(lib.mdb_cursor_open(txn, dbi, pointer), "mdb_cursor_open")
        self._cursor = pointer[0]
        self._key = ffi.new("MDB_val *")
        self._value = ffi.new("MDB_val *")

    def _move(self, op: int) -> bool:
        code = lib.mdb_cursor_get(self._cursor, self._key, self._value, op)
        if code != NOTFOUND:
            check(code, "mdb_cursor_get")
        return bool(code == 0)

    def set_range(self, key: bytes) -> bool:
        """Move to the first key >= ``key``; False if there is none."""
        buffer = ffi.new("char[]", key)
        self._key.mv_size = len(key)
        self._key.mv_data = buffer
        return self._move(SET_RANGE)

    def iternext(self) -> Iterator[Tuple[bytes, bytes]]:
        """(key, value) from the place that ``set_range`` found to the end."""
        key, value = self._key, self._value
        found = True
        while found:
            yield (
                ffi.unpack(key.mv_data, key.mv_size),
                ffi.unpack(value.mv_data, value.mv_size),
            )
            found = self._move(NEXT)

    def close(self) -> None:
        """Free the cursor."""
        lib.mdb_cursor_close(self._cursor)


class Transaction:
    """A snapshot to read, or with ``write`` the only transaction that may write."""

    def __init__(self, env: Environment, write: bool = False) -> None:
        self._env = env
        pointer = ffi.new("MDB_txn **")
        flags = 0 if write else RDONLY
        check(lib.mdb_txn_begin(env.pointer(), ffi.NULL, flags, pointer), "mdb_txn_begin")
        self._txn = pointer[0]
        self._dbi = env.dbi
        self._key = env.key
        self._key_buffer = env.key_buffer
        self._value = env.value

    def _set_key(self, key: bytes) -> None:
        size = len(key)
        if size > LONGEST_KEY:
            raise BadValsizeError("key of %d bytes; %d is the most" % (size, LONGEST_KEY))
        self._key.mv_size = size
        self._key.mv_data = self._key_buffer
        ffi.memmove(self._key_buffer, key, size)

    def get(self, key: bytes) -> Optional[bytes]:
        """The value under ``key``, or None."""
        self._set_key(key)
        code = lib.mdb_get(self._txn, self._dbi, self._key, self._value)
        if code:
            if code != NOTFOUND:
                check(code, "mdb_get")
            return None
        value: bytes = ffi.unpack(self._value.mv_data, self._value.mv_size)
        return value

    def put(self, key: bytes, value: bytes, overwrite: bool = True) -> bool:
        """Store ``value``; False if the key is there and must not be overwritten."""
        self._set_key(key)
        buffer = ffi.from_buffer("char[]", value)
        self._value.mv_size = len(value)
        self._value.mv_data = buffer
        flags = 0 if overwrite else NOOVERWRITE
        code = lib.mdb_put(self._txn, self._dbi, self._key, self._value, flags)
        if code == KEYEXIST:
            return False
        check(code, "mdb_put")
        return True

    def delete(self, key: bytes) -> bool:
        """Remove the record under ``key``; False if there is none."""
        self._set_key(key)
        code = lib.mdb_del(self._txn, self._dbi, self._key, ffi.NULL)
        if code == NOTFOUND:
            return False
        check(code, "mdb_del")
        return True

    def cursor(self) -> Cursor:
        """A cursor that has no place yet."""
        return Cursor(self._txn, self._dbi)

    def commit(self) -> None:
        """End the transaction and write its changes to the disk."""
        txn, self._txn = self._txn, ffi.NULL
        if txn:
            check(lib.mdb_txn_commit(txn), "mdb_txn_commit")

    def abort(self) -> None:
        """End the transaction and drop its changes."""
        txn, self._txn = self._txn, ffi.NULL
        if txn:
            lib.mdb_txn_abort(txn)

    def __enter__(self) -> Transaction:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], *_: object) -> None:
        if kind is None:
            self.commit()
        else:
            self.abort()


class Environment:
    """An open database: one in each process for each file, never used across a fork."""

    def __init__(
        self,
        path: str,
        map_size: int = 0,
        subdir: bool = True,
        readonly: bool = False,
        lock: bool = True,
        mode: int = 0o644,
        max_readers: int = 126,
    ) -> None:
        pointer = ffi.new("MDB_env **")
        check(lib.mdb_env_create(pointer), "mdb_env_create")
        self._env = pointer[0]
        self.key = ffi.new("MDB_val *")
        self.key_buffer = ffi.new("char[]", LONGEST_KEY)
        self.value = ffi.new("MDB_val *")
        self.dbi = 1  # the unnamed database's handle, always
        flags = NOTLS | (0 if subdir else NOSUBDIR)
        flags |= (RDONLY if readonly else 0) | (0 if lock else NOLOCK)
        try:
            self.set_mapsize(map_size)
            check(lib.mdb_env_set_maxreaders(self._env, max_readers), "mdb_env_set_maxreaders")
            check(lib.mdb_env_open(self._env, os.fsencode(path), flags, mode), path)
            with self.begin() as txn:
                dbi = ffi.new("MDB_dbi *")
                check(lib.mdb_dbi_open(txn._txn, ffi.NULL, 0, dbi), "mdb_dbi_open")
        except BaseException:
            self.close()
            raise

    def pointer(self) -> Any:
        """The C library's environment; raises Error after ``close``."""
        if not self._env:
            raise InvalidParameterError("the environment is closed")
        return self._env

    def begin(self, write: bool = False) -> Transaction:
        """A new transaction; one that writes waits until that of another process has ended."""
        return Transaction(self, write)

    def set_mapsize(self, map_size: int) -> None:
        """Set the size of the map, in bytes, while no transaction is open; 0: as the file says."""
        check(lib.mdb_env_set_mapsize(self.pointer(), map_size), "mdb_env_set_mapsize")

    def reader_check(self) -> int:
        """Free the slots of readers that were killed; returns their number."""
        dead = ffi.new("int *")
        check(lib.mdb_reader_check(self.pointer(), dead), "mdb_reader_check")
        return int(dead[0])

    def stat(self) -> Dict[str, int]:
        """Page size in bytes, pages by kind, entries."""
        stat = ffi.new("MDB_stat *")
        check(lib.mdb_env_stat(self.pointer(), stat), "mdb_env_stat")
        names = ("psize", "branch_pages", "leaf_pages", "overflow_pages", "entries")
        return {name: int(getattr(stat, "ms_" + name)) for name in names}

    def info(self) -> Dict[str, int]:
        """The size of the map in bytes, as ``map_size``."""
        info = ffi.new("MDB_envinfo *")
        check(lib.mdb_env_info(self.pointer(), info), "mdb_env_info")
        return {"map_size": int(info.me_mapsize)}

    def close(self) -> None:
        """Close the file; all transactions must be over."""
        env, self._env = self._env, ffi.NULL
        if env:
            lib.mdb_env_close(env)


open = Environment
