"""Files that are written wholly or not at all, and files that others wrote."""

from __future__ import annotations

import json
import os
import stat
from contextlib import contextmanager
from errno import EINVAL
from secrets import token_hex
from typing import Any, BinaryIO, Iterator

from pns.database import sync_directory


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
    except BaseException as error:
        if os.path.exists(temporary):
            os.remove(temporary)
        if isinstance(error, OSError) and error.filename in (None, temporary):
            raise OSError(error.errno, error.strerror, path) from error
        raise
    sync_directory(directory)


def require_regular(path: str) -> None:
    """Raise OSError for a pipe, which cannot be read twice, or a device, not to be replaced."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise OSError(EINVAL, "not a regular file", path)


MOST_JSON = 100_000_000


def load_json(path: str, most_bytes: int = MOST_JSON) -> Any:
    """What a JSON file holds; raises OSError, or ValueError for what is none or too large."""
    require_regular(path)
    with open(path, "rb") as stream:
        data = stream.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise ValueError("more than %d bytes" % most_bytes)
    return parse_json(data)


def parse_json(data: bytes) -> Any:
    """What a JSON text holds; raises ValueError, also where it is nested too deeply."""
    try:
        return json.loads(data)
    except RecursionError:
        raise ValueError("nested too deeply") from None
