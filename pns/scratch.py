"""Temporary files and directories that do not pile up: what a killed run leaves the next removes.

A file in use is locked (flock) by the process that made it; the kernel unlocks it when that
process ends, however it ends. A file with such a name that nobody has locked is a leftover.
The host is part of the name, since a file system that several share may not share its locks.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import stat
import tempfile
from contextlib import contextmanager, suppress
from hashlib import blake2b
from secrets import token_hex
from typing import BinaryIO, Iterator

HOST = blake2b(os.fsencode(os.uname().nodename), digest_size=3).hexdigest()
RANDOM_BYTES = 4
TREE = ".d"
"""A directory stands beside the file that shows whether it is in use, and ends in this."""


def create(stem: str) -> BinaryIO:
    """A new file, named after `stem`, the host and random letters; locked until it is closed.

    Raises OSError. On a file system without locks nothing is ever taken for a leftover.
    """
    while True:
        try:
            stream = open("%s%s-%s" % (stem, HOST, token_hex(RANDOM_BYTES)), "xb")
        except FileExistsError:
            continue
        try:
            if _take(stream.fileno(), stream.name):
                return stream
        except OSError:
            return stream
        stream.close()  # taken for a leftover before it was locked
        with suppress(FileNotFoundError):
            os.remove(stream.name)


def leftovers(stem: str) -> Iterator[str]:
    """The files of `create` that nobody uses any more, each to be removed while it is at hand."""
    directory, start = os.path.split(stem)
    name_of_ours = re.compile("%s%s-[0-9a-f]{%d}" % (re.escape(start), HOST, 2 * RANDOM_BYTES))
    try:
        names = os.listdir(directory or ".")
    except OSError:
        return
    for name in filter(name_of_ours.fullmatch, names):
        path = os.path.join(directory, name)
        try:
            file = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            continue
        try:
            found = os.fstat(file)
            with suppress(OSError):
                if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid():
                    if _take(file, path):
                        yield path
        finally:
            os.close(file)


def _take(file: int, path: str) -> bool:
    """Lock a file; False when somebody has it, or has removed it. Raises OSError without locks."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(file), os.stat(path, follow_symlinks=False))
    except (BlockingIOError, FileNotFoundError):
        return False


@contextmanager
def directory(place: str = "") -> Iterator[str]:
    """A directory for temporary files, removed in the end with what is in it.

    It is made in TMPDIR unless another `place` is named.
    """
    stem = os.path.join(place or tempfile.gettempdir(), "pns-")
    for path in leftovers(stem):
        _remove(path)
    with create(stem) as lock:
        try:
            os.mkdir(lock.name + TREE, 0o700)
            yield lock.name + TREE
        finally:
            _remove(lock.name)


def _remove(path: str) -> None:
    """Remove a directory of ours, then the file that stands for it."""
    tree = path + TREE
    with suppress(FileNotFoundError):
        if os.stat(tree, follow_symlinks=False).st_uid == os.geteuid():
            shutil.rmtree(tree, ignore_errors=True)
    if not os.path.lexists(tree):
        os.remove(path)
