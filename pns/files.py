"""Files that are written wholly or not at all, and reports of those that cannot be written."""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager
from errno import EINVAL
from secrets import token_hex
from time import monotonic
from typing import BinaryIO, Callable, Iterator

from pns.database import sync_directory

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
def open_whole(path: str, suffix: str = "") -> Iterator[BinaryIO]:
    """A stream whose bytes become the file at the end; any exception leaves nothing behind.

    Until all of it is on the disk, under another name beside it, the file stays as it
    was. With a suffix that name is fixed, for a file with one writer: what a killed
    process leaves there the next one overwrites. Raises OSError with the path.
    """
    path = os.path.realpath(path)
    if os.path.exists(path):
        require_regular(path)
    directory, name = os.path.split(path)
    hidden = os.path.join(directory, ".%s.%s" % (name, token_hex(8)))
    temporary = path + suffix if suffix else hidden
    try:
        with open(temporary, "wb" if suffix else "xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, path)
        sync_directory(directory)
    except BaseException as error:
        if os.path.exists(temporary):
            os.remove(temporary)
        if isinstance(error, OSError) and error.filename in (None, temporary):
            raise OSError(error.errno, error.strerror, path) from error
        raise


def require_regular(path: str) -> None:
    """Raise OSError for a pipe, which cannot be read twice, or a device, not to be replaced."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise OSError(EINVAL, "not a regular file", path)
