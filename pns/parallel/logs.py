"""Logs of what processes proved, in shared memory and without locks.

Each process has a ring of bytes to which no other writes, with records of exact texts. The
memory is anonymous: forked processes inherit it, and programs that one started on its
machine, as a master its workers, get a descriptor of it.

A record is complete before the word HEAD moves over it. Its checksum also covers its
place and the number; a reader that comes too late, or on a machine that shows words out
of order, sees that and takes nothing. A writer waits for the collector, the one reader
that may miss nothing; the others may be overtaken, and miss what they could have used.
"""

from __future__ import annotations

import os
import struct
import time
from typing import Callable, Dict, Iterator, List, Optional, Tuple
from zlib import crc32

from pns.exchange import Record
from pns.machine import reserve
from pns.table import LOW, words_of

BETWEEN = b"\n"
"""Between lands that have a record in common."""

OBSERVE_EVERY = 8
"""Expansions of a process between two looks at the logs of the others."""
LOG_BYTES = 1 << 22
WORD_BYTES = 4
HEAD, TAIL = range(2)
"""Words of a process: where its log ends, and up to where it was collected."""

_header = struct.Struct("<IIHH")  # length of the text, checksum, kind, number
WAIT_SECONDS = 0.001
MOST_LOOKS = 1000


class SearchOver(Exception):
    """Nobody collects the logs any more: the search is over."""


class Logs:
    """The logs of a number of processes.

    With `file` in the memory of that descriptor, for others to `open_logs`.
    """

    def __init__(self, processes: int, file: int = -1) -> None:
        self.processes = processes
        length = processes * _bytes_each()
        if file >= 0:
            os.ftruncate(file, length)
        less = "a smaller number of processes"
        self._bytes = reserve(length, "the logs of %d processes" % processes, less, file)
        self._heads = words_of(self._bytes)
        self._begin = length - processes * LOG_BYTES

    def head(self, process: int) -> int:
        """Where a log ends."""
        return int(self._heads[2 * process + HEAD])

    def heads(self) -> List[int]:
        """Where each log ends, one looked at after the other."""
        return [self.head(process) for process in range(self.processes)]

    def append(
        self, process: int, kind: int, number: int, lands: bytes, give_up: Callable[[], bool]
    ) -> None:
        """Add a record to a process's log; raises SearchOver when nobody makes room and give_up().

        It is about one land, or about several with BETWEEN between them.
        """
        head = self.head(process)
        record = _header.pack(len(lands), _check(head, kind, number, lands), kind, number) + lands
        while (head - int(self._heads[2 * process + TAIL]) & LOW) + len(record) > LOG_BYTES:
            if give_up():
                raise SearchOver
            time.sleep(WAIT_SECONDS)
        base, at = self._begin + process * LOG_BYTES, head % LOG_BYTES
        first = min(len(record), LOG_BYTES - at)
        self._bytes[base + at : base + at + first] = record[:first]
        self._bytes[base : base + len(record) - first] = record[first:]
        self._heads[2 * process + HEAD] = head + len(record) & LOW

    def tell(self, process: int, kind: int, number: int, lands: bytes) -> None:
        """Add a record to a log that nobody collects: who is overtaken misses it."""
        self.append(process, kind, number, lands, lambda: False)
        self._heads[2 * process + TAIL] = self._heads[2 * process + HEAD]

    def _read(self, process: int, position: int, size: int) -> bytes:
        base, at = self._begin + process * LOG_BYTES, position % LOG_BYTES
        first = min(size, LOG_BYTES - at)
        return self._bytes[base + at : base + at + first] + self._bytes[base : base + size - first]

    def records(
        self, process: int, positions: List[int], end: Optional[int] = None
    ) -> Iterator[Record]:
        """What is new in a process's log since positions[process], which moves on, up to `end`."""
        position = positions[process]
        head = self.head(process) if end is None else end
        if position == head:
            return
        new = self._read(process, position, min(head - position & LOW, LOG_BYTES))
        i = 0
        while i + _header.size <= len(new):
            size, check, kind, number = _header.unpack_from(new, i)
            lands = new[i + _header.size : i + _header.size + size]
            if check != _check(position, kind, number, lands):
                break
            i += _header.size + size
            position = position + _header.size + size & LOW
            positions[process] = position
            for land in lands.split(BETWEEN):
                yield kind, number, land
        if position != head and (self.head(process) - position & LOW) > LOG_BYTES // 2:
            positions[process] = head  # overtaken

    def records_of_others(self, process: int, positions: List[int]) -> Iterator[Record]:
        """What is new in the logs of all but one process."""
        for other in range(self.processes):
            if other != process:
                yield from self.records(other, positions)

    def collect(self, positions: List[int]) -> Iterator[Record]:
        """For the collector: what is new in all logs, up to one moment; this makes room.

        So what a process had read when it proved something is there with it.
        """
        for process, head in enumerate(self._ends() or positions):
            yield from self.records(process, positions, head)
            self._heads[2 * process + TAIL] = positions[process]

    def _ends(self) -> List[int]:
        """Where all logs ended at one moment; empty if none was found between their writings."""
        before: List[int] = []
        for _ in range(MOST_LOOKS):
            heads = self.heads()
            if heads == before:
                return heads
            before = heads
        return []


class Wins:
    """Couples shown to be wins, until they are written to a log together."""

    def __init__(self) -> None:
        self._lands: Dict[int, List[bytes]] = {}

    def add(self, land: bytes, heap: int) -> None:
        self._lands.setdefault(heap, []).append(land)

    def take(self) -> List[Tuple[int, bytes]]:
        """The lands of each heap, for a record of the log; they are forgotten here."""
        taken = [(heap, BETWEEN.join(lands)) for heap, lands in self._lands.items()]
        self._lands.clear()
        return taken


def open_logs(file: int) -> Logs:
    """The logs in the memory of a descriptor; raises OSError, ValueError if there are none."""
    processes, rest = divmod(os.fstat(file).st_size, _bytes_each())
    if rest or not processes:
        raise ValueError("descriptor %d has no logs" % file)
    return Logs(processes, file)


def _bytes_each() -> int:
    """What the words and the log of a process take."""
    return 2 * WORD_BYTES + LOG_BYTES


def _check(position: int, kind: int, number: int, lands: bytes) -> int:
    """The checksum of a record, a word: of its content and of its place."""
    return crc32(lands, position ^ (kind << 16 | number) * 0x9E3779B1 & LOW)
