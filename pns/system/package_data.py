"""The files that come with the package, also where it is in a zip file."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import Any, Dict, List, Optional

from pns.system import scratch

CERTIFICATE = ".cert.gz"
_unpacked: List[str] = []
"""Directories in which the data have been unpacked."""
_DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data")


def data_path(name: str) -> str:
    """The path of a file that comes with the package, in pns/data; it need not exist.

    Where the package is in a zip file, the data are unpacked first, until the process ends.
    """
    return os.path.join(_data_directory(), name)


def data_files(folder: str) -> Dict[str, bytes]:
    """The contents of all files in a folder of pns/data, by their paths in it."""
    place = data_path(folder)
    found: Dict[str, bytes] = {}
    for where, _, names in os.walk(place):
        for name in names:
            path = os.path.join(where, name)
            with open(path, "rb") as stream:
                found[os.path.relpath(path, place).replace(os.sep, "/")] = stream.read()
    return found


def _data_directory() -> str:
    """pns/data, or where it is unpacked: again if that is gone, as in a copy of the memory."""
    if os.path.isdir(_DATA):
        return _DATA
    if not _unpacked or not os.path.isdir(_unpacked[-1]):
        _unpacked.append(_unpack())
    return _unpacked[-1]


def _unpack() -> str:
    """Unpack pns/data from the zip file of the package, until the process ends."""
    import atexit
    from zipfile import ZipFile

    loader: Any = __spec__.loader
    unpacked, owner = ExitStack(), os.getpid()
    place = unpacked.enter_context(scratch.directory())

    def clean() -> None:
        if os.getpid() == owner:  # not in a fork
            unpacked.close()

    atexit.register(clean)
    with ZipFile(loader.archive) as archive:
        names = archive.namelist()
        archive.extractall(place, [name for name in names if name.startswith("pns/data/")])
    return os.path.join(place, "pns", "data")


def read_data(name: str) -> Optional[bytes]:
    """The contents of a file that comes with the package, None if there is no such file."""
    loader: Any = __spec__.loader
    try:
        data: bytes = loader.get_data(os.path.join(_DATA, name))
    except OSError:
        return None
    return data


def find_certificate(name: str) -> str:
    """The path of a file, or of the certificate of that name that comes with the package.

    >>> os.path.basename(find_certificate("sprouts-9"))
    'sprouts-9.cert.gz'
    >>> find_certificate("no/such/file")
    'no/such/file'
    """
    if os.path.exists(name) or os.path.basename(name) != name:
        return name
    shipped = data_path(os.path.join("certificates", name + CERTIFICATE))
    return shipped if os.path.exists(shipped) else name
