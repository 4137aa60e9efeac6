"""Writes files wholly or not at all, and reads those that others wrote."""

from __future__ import annotations

import json
import os
import stat
import sys
from contextlib import contextmanager
from errno import EINVAL
from time import monotonic
from typing import Any, BinaryIO, Callable, Iterator

from pns.system import scratch

REPORT_SECONDS = 60.0
"""The least time between two reports of a lasting fault."""


class Reporter:
    """Reports a lasting fault, such as a full disk, at most once in REPORT_SECONDS."""

    def __init__(self, warn: Callable[[str], None]) -> None:
        self._warn = warn
        self._reported = -REPORT_SECONDS

    def report(self, text: str) -> None:
        now = monotonic()
        if now - self._reported >= REPORT_SECONDS:
            self._reported = now
            self._warn(text)


def sync_directory(path: str) -> None:
    """Make the names in a directory as durable as its synced files."""
    directory = os.open(path, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


@contextmanager
def open_whole(path: str) -> Iterator[BinaryIO]:
    """A stream whose bytes replace the file at the end, unless an exception is raised.

    They are written under another name beside it; the file stays as it was until all of
    them are on the disk. What killed processes left there is removed. Raises OSError with
    the path.
    """
    path = os.path.realpath(path)
    if os.path.exists(path):
        require_regular(path)
    directory, name = os.path.split(path)
    stem = os.path.join(directory, ".%s." % name)
    try:
        for leftover in scratch.leftovers(stem):
            os.remove(leftover)
        with scratch.create(stem) as stream:
            try:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
                os.replace(stream.name, path)  # while the lock is held
            except BaseException:
                if os.path.exists(stream.name):
                    os.remove(stream.name)
                raise
        sync_directory(directory)
    except OSError as error:
        if error.filename is None or str(error.filename).startswith(stem):
            raise OSError(error.errno, error.strerror, path) from error
        raise


def require_regular(path: str) -> None:
    """Raise OSError for a pipe, a device or another file that cannot be read twice or replaced."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise OSError(EINVAL, "not a regular file", path)


MOST_JSON = 100_000_000
"""Bytes."""
JSON_DEPTH = 1000
"""A recursion limit that the C stack can hold."""


def load_json(path: str, most_bytes: int = MOST_JSON) -> Any:
    """What a JSON file holds; raises OSError, or ValueError for bad JSON or too many bytes."""
    return parse_json(read_file(path, most_bytes))


def read_file(path: str, most_bytes: int) -> bytes:
    """The contents of a regular file; raises OSError, or ValueError for too many bytes."""
    require_regular(path)
    with open(path, "rb") as stream:
        data = read_some(stream, most_bytes + 1)
    if len(data) > most_bytes:
        raise ValueError("more than %d bytes" % most_bytes)
    return data


def read_some(stream: BinaryIO, most_bytes: int) -> bytes:
    """The rest of a file, up to `most_bytes`, which may be far more than the file has.

    PyPy reserves as many bytes as a read asks for, so this asks only for those there are.
    """
    left = os.fstat(stream.fileno()).st_size - stream.tell()
    return stream.read(max(0, min(left, most_bytes)))


def parse_json(data: bytes) -> Any:
    """What a JSON text holds; raises ValueError for bad JSON, or too deep a nesting.

    Searches raise the recursion limit beyond the C stack, where a deep text would end the process.
    """
    limit = sys.getrecursionlimit()
    try:
        if data.count(b"[") + data.count(b"{") > JSON_DEPTH:
            sys.setrecursionlimit(min(limit, JSON_DEPTH))
        return json.loads(data)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    finally:
        sys.setrecursionlimit(limit)
