"""Temporary files and directories that do not pile up: each run removes what killed ones left.

A file in use is locked (flock) by the process that made it; the kernel unlocks it when that
process ends, however it ends. A file with such a name and without a lock is a leftover. The
host is part of the name, since hosts that share a file system may not share its locks.
"""

from __future__ import annotations

import fcntl
import os
import re
import stat
from contextlib import ExitStack, contextmanager, suppress
from typing import BinaryIO, Iterator
from zlib import crc32

HOST = "%08x" % crc32(os.fsencode(os.uname().nodename))
RANDOM_BYTES = 4
TREE = ".d"
"""The end of a directory's name; a file of the same name without it is locked while it is used."""
LONGEST_PATH = 100
"""Upper bound on the directory of a socket in bytes; systems allow 103 to 107 for the socket."""


def create(stem: str) -> BinaryIO:
    """A new file, named after `stem`, the host and random digits; locked until it is closed.

    Raises OSError. On a file system without locks nothing is taken for a leftover.
    """
    while True:
        try:
            stream = open("%s%s-%s" % (stem, HOST, os.urandom(RANDOM_BYTES).hex()), "xb")
        except FileExistsError:
            continue
        try:
            if lock(stream.fileno(), stream.name):
                return stream
        except OSError:
            return stream
        stream.close()  # taken for a leftover before it was locked
        with suppress(FileNotFoundError):
            os.remove(stream.name)


def leftovers(stem: str) -> Iterator[str]:
    """The files of `create` that are no longer in use, each locked until the next is asked for."""
    directory, start = os.path.split(stem)
    own_name = re.compile("%s%s-[0-9a-f]{%d}" % (re.escape(start), HOST, 2 * RANDOM_BYTES))
    try:
        names = os.listdir(directory or ".")
    except OSError:
        return
    for name in filter(own_name.fullmatch, names):
        path = os.path.join(directory, name)
        try:
            file = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            continue
        try:
            found = os.fstat(file)
            with suppress(OSError):
                if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid():
                    if lock(file, path):
                        yield path
        finally:
            os.close(file)


def lock(file: int, path: str) -> bool:
    """Lock a file; False if it is locked or removed. Raises OSError where there are no locks."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(file), os.stat(path, follow_symlinks=False))
    except (BlockingIOError, FileNotFoundError):
        return False


@contextmanager
def socket_directory() -> Iterator[str]:
    """A directory for sockets, whose paths have to be short: in TMPDIR, else in /tmp."""
    with ExitStack() as stack:
        path = stack.enter_context(directory())
        if len(os.fsencode(path)) > LONGEST_PATH:
            path = stack.enter_context(directory("/tmp"))
        yield path


@contextmanager
def directory(place: str = "") -> Iterator[str]:
    """A directory for temporary files, in `place` or TMPDIR; removed at the end with its files."""
    if not place:
        import tempfile  # it takes long

        place = tempfile.gettempdir()
    stem = os.path.join(place, "pns-")
    for path in leftovers(stem):
        _remove(path)
    with create(stem) as marker:
        try:
            os.mkdir(marker.name + TREE, 0o700)
            yield marker.name + TREE
        finally:
            _remove(marker.name)


def _remove(path: str) -> None:
    """Remove a directory of this user, then the file that marks it as in use."""
    tree = path + TREE
    with suppress(FileNotFoundError):
        if os.stat(tree, follow_symlinks=False).st_uid == os.geteuid():
            import shutil  # it takes long

            shutil.rmtree(tree, ignore_errors=True)
    if not os.path.lexists(tree):
        os.remove(path)
