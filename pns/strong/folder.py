"""The directory of a strong solution: what is in it, while it is built and afterwards.

    plan.json           what is built; it is there until the solution is complete
    marks-NN.pns        the forward pass, until the solution is complete
    found-NN.pns        the lands that a slice of a list led to first, until then, too
    lists.json          written when the forward pass over a list of lands is done
    slice-NN.pns        the values of a slice
    solution.json       the header: written last, so a directory with it is complete

Each JSON file is an object on one line, and then the BLAKE2b digest of that line. The header has
the digests of all slices.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional

from pns.strong.blocks import BlockFile, SolutionError, digest_of, write_blocks
from pns.strong.manifest import LISTS_FIELDS, about_fault, fields_fault, header_fault, invalid
from pns.system import scratch
from pns.system.files import open_whole, parse_json, require_regular

FORMAT = 1
"""The version of the files; others are refused."""
HEADER, PLAN, LISTS = "solution.json", "plan.json", "lists.json"
SLICE, MARKS, FOUND = "slice", "marks", "found"
LOCK_SECONDS = 2.0
SliceRecord = Dict[str, Any]
"""What is known of a slice: the head of its file, its digest and its bytes."""
BuildObserver = Callable[[int, int, int, str], None]
"""Called with the entries done, those of all passes, those done by an earlier run, and a remark."""


def unobserved(done: int, total: int, before: int, remark: str) -> None:
    """An observer that does nothing."""


def read_object(path: str) -> Dict[str, Any]:
    """The object in a JSON file with its digest; raises SolutionError and OSError."""
    require_regular(path)
    with open(path, "rb") as stream:
        data = stream.read()
    line, _, rest = data.partition(b"\n")
    if rest != digest_of(line).hex().encode("ascii") + b"\n":
        raise SolutionError("%s is damaged: its digest is wrong" % path)
    try:
        found = parse_json(line)
    except ValueError:
        found = None
    if type(found) is not dict:
        raise SolutionError("%s: not a JSON object; expected a file of a strong solution" % path)
    version = found.get("format")
    if type(version) is not int or version != FORMAT:
        raise SolutionError("%s: %s" % (path, invalid("format", version, str(FORMAT))))
    checked: Dict[str, Any] = found
    return checked


def write_object(path: str, value: Dict[str, Any]) -> None:
    """Write such a file."""
    line = json.dumps(value).encode("ascii")
    with open_whole(path) as stream:
        stream.write(line + b"\n" + digest_of(line).hex().encode("ascii") + b"\n")


def is_locked(file: int, path: str) -> bool:
    """Whether a file could be locked, within the time that processes of a killed build need to end.

    True on a file system without locks.
    """
    limit = time.monotonic() + LOCK_SECONDS
    try:
        while not scratch.lock(file, path):
            if time.monotonic() > limit:
                return False
            time.sleep(LOCK_SECONDS / 100)
    except OSError:
        pass
    return True


def require(path: str, fault: str) -> None:
    """Raise SolutionError if there is a fault in a file."""
    if fault:
        raise SolutionError("%s: %s" % (path, fault))


class Folder:
    """A directory of a strong solution."""

    def __init__(self, path: str) -> None:
        self.path = path

    def name(self, kind: str, number: int) -> str:
        """The path of the file of a slice, of a kind."""
        return os.path.join(self.path, "%s-%02d.pns" % (kind, number))

    @property
    def is_complete(self) -> bool:
        return os.path.exists(os.path.join(self.path, HEADER))

    def header(self) -> Dict[str, Any]:
        """The header of a complete solution; raises SolutionError."""
        if not self.is_complete:
            raise SolutionError("%s: not a complete strong solution" % self.path)
        path = os.path.join(self.path, HEADER)
        header = read_object(path)
        require(path, header_fault(header))
        return header

    @contextmanager
    def building(self, plan: Dict[str, Any]) -> Iterator[None]:
        """Make the directory, or go on in one that was begun under the same plan.

        Raises SolutionError for any other directory, also one where another process builds.
        """
        plan = {"format": FORMAT, **plan}
        path = os.path.join(self.path, PLAN)
        if not os.path.exists(self.path):
            os.makedirs(self.path)
        elif os.listdir(self.path) and not os.path.exists(path):
            raise SolutionError("%s is not empty; name a new directory" % self.path)
        if not os.path.exists(path):
            write_object(path, plan)
        with open(path, "rb") as stream:
            if not is_locked(stream.fileno(), path):
                raise SolutionError("%s: another process is building there" % self.path)
            if read_object(path) != plan:
                raise SolutionError(
                    "%s was begun for another solution; give a new directory" % self.path
                )
            yield

    def finished(self, kind: str, numbers: Iterable[int]) -> List[int]:
        """The first of some slices that have whole and undamaged files."""
        found: List[int] = []
        for number in numbers:
            if not os.path.exists(self.name(kind, number)):
                break
            file = self.open(kind, number)
            try:
                for _ in file:
                    pass
            finally:
                file.close()
            found.append(number)
        return found

    def open(self, kind: str, number: int, digest: Optional[str] = None) -> BlockFile:
        """The file of a slice; raises SolutionError and OSError."""
        try:
            file = BlockFile(self.name(kind, number), digest)
        except FileNotFoundError:
            raise SolutionError("%s is missing" % self.name(kind, number)) from None
        try:
            require(file.path, about_fault(file.about, kind == SLICE))
        except SolutionError:
            file.close()
            raise
        return file

    def write(self, kind: str, number: int, blocks: Iterable[bytes], about: Dict[str, Any]) -> None:
        """Write the file of a slice."""
        write_blocks(self.name(kind, number), blocks, about)

    def lists(self) -> Optional[List[int]]:
        """The number of lands in each slice, None while they are being listed."""
        path = os.path.join(self.path, LISTS)
        if not os.path.exists(path):
            return None
        found = read_object(path)
        require(path, fields_fault(found, LISTS_FIELDS))
        return list(found["lands"])

    def write_lists(self, lands: List[int]) -> None:
        """Say that all lands are listed."""
        write_object(os.path.join(self.path, LISTS), {"format": FORMAT, "lands": lands})

    def record(self, number: int) -> SliceRecord:
        """What is known of a finished slice."""
        file = self.open(SLICE, number)
        file.close()
        about = {key: value for key, value in file.about.items() if key != "firsts"}
        return {**about, "digest": file.digest, "bytes": file.size}

    def complete(self, header: Dict[str, Any]) -> None:
        """Write the header, and remove what is needed no more."""
        write_object(os.path.join(self.path, HEADER), {"format": FORMAT, **header})
        for name in sorted(os.listdir(self.path)):
            if name.startswith((MARKS + "-", FOUND + "-")) or name in (PLAN, LISTS):
                os.remove(os.path.join(self.path, name))
