"""Files that are written wholly or not at all, and reports of those that cannot be written."""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager
from errno import EINVAL
from time import monotonic
from typing import BinaryIO, Callable, Iterator

from pns import scratch
from pns.facts.database import sync_directory

REPORT_SECONDS = 60.0


class Reporter:
    """Reports a fault that lasts, as a full disk, once a minute at most."""

    def __init__(self, warn: Callable[[str], None]) -> None:
        self._warn = warn
        self._reported = -REPORT_SECONDS

    def report(self, text: str) -> None:
        now = monotonic()
        if now - self._reported >= REPORT_SECONDS:
            self._reported = now
            self._warn(text)


@contextmanager
def open_whole(path: str) -> Iterator[BinaryIO]:
    """A stream whose bytes become the file at the end; any exception leaves nothing behind.

    Until all of it is on the disk, under another name beside it, the file stays as it
    was. What killed processes left there is removed. Raises OSError with the path.
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
                os.replace(stream.name, path)  # before it is unlocked
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
    """Raise OSError for a pipe, which cannot be read twice, or a device, not to be replaced."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise OSError(EINVAL, "not a regular file", path)
