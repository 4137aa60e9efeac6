"""The log of an audit: what it has checked so far, line by line, so that it can resume."""

from __future__ import annotations

import json
import os
from hashlib import sha256
from typing import Dict, List, Optional
from zlib import crc32

from pns.facts import Fact
from pns.proofs.check import Fault

FORMAT = 3
STAGES = 3
"""The most stages of an audit."""
SEAL = 9
"""Characters of a line before its text: the checksum and a space."""


class Log:
    """What an audit has checked so far, appended to a file; without a path kept in memory.

    The first line identifies the audit. The log of another audit, or a damaged one, is
    replaced.
    """

    def __init__(self, path: Optional[str], audit: Dict[str, object]) -> None:
        self._path = path
        self.checked = 0
        self.after = b""
        self.faults: List[Fault] = []
        self.held = [0] * STAGES
        """The entries that hold in each stage and in none before."""
        first = sealed(json.dumps(dict(audit, format=FORMAT), sort_keys=True))
        lines = self._read()
        if lines[:1] == [first] and all([is_whole(line) for line in lines]):
            for line in lines[1:]:
                record = json.loads(line[SEAL:])
                self.checked += record["checked"]
                self.after = record["after"].encode("latin-1")
                self._count(record["held"])
                for land, value, why in record["faults"]:
                    self.faults.append(Fault(land.encode("latin-1"), value, why))
        elif path is not None:
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            with open(path, "w", encoding="ascii") as file:
                file.write(first + "\n")

    def _read(self) -> List[str]:
        """The whole lines of the file; a last line that was cut off is removed."""
        if self._path is None or not os.path.exists(self._path):
            return []
        with open(self._path, "rb+") as file:
            text = file.read()
            end = text.rfind(b"\n") + 1
            file.truncate(end)
        return text[:end].decode("latin-1").split("\n")[:-1]

    def add(self, chunk: List[Fact], faults: List[Fault], held: List[int]) -> None:
        """Record that a chunk was checked; chunks come in order."""
        self.checked += len(chunk)
        self.after = chunk[-1][0]
        self.faults += faults
        self._count(held)
        if self._path is not None:
            found = [[fault.land.decode("latin-1"), fault.number, fault.why] for fault in faults]
            after = self.after.decode("latin-1")
            record = {"checked": len(chunk), "after": after, "faults": found, "held": held}
            with open(self._path, "a", encoding="ascii") as file:
                file.write(sealed(json.dumps(record)) + "\n")

    def _count(self, held: List[int]) -> None:
        for i, count in enumerate(held):
            self.held[i] += count

    def remove(self) -> None:
        """Remove the file of an audit that is complete."""
        if self._path is not None and os.path.exists(self._path):
            os.remove(self._path)


def sealed(text: str) -> str:
    """A line of the log: a text after its checksum."""
    return "%08x %s" % (crc32(text.encode("latin-1")), text)


def is_whole(line: str) -> bool:
    """Whether a line is as it was written."""
    return line == sealed(line[SEAL:])


def open_log(directory: Optional[str], audit: Dict[str, object]) -> Log:
    """The log of an audit in a directory, named by a hash of what is audited."""
    if directory is None:
        return Log(None, audit)
    name = sha256(json.dumps(audit, sort_keys=True).encode()).hexdigest()[:32]
    return Log(os.path.join(directory, name + ".log"), audit)
