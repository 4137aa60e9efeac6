"""Logs of records that processes publish, in shared memory and without locks.

Each process has a ring of bytes that no other process writes to, with records of exact
texts. The memory is anonymous: forked processes inherit it, and other programs, such as the
workers that a master starts on its machine, receive its descriptor.

A record is complete before the word HEAD moves past it. Its checksum also covers its
position. So a reader that is too late, or whose machine shows writes out of order, notices
this and takes nothing. A writer waits for the collector, the one reader that must not miss
a record; other readers may be overtaken, and then miss records.
"""

from __future__ import annotations

import os
import struct
import time
from typing import Callable, Dict, Iterator, List, Optional, Tuple
from zlib import crc32

from pns.facts import Facts
from pns.positions.exchange import WIN, Record
from pns.search.table import LOW
from pns.system.machine import reserve
from pns.system.views import words_of

BETWEEN = b"\n"
"""The separator of the lands in one record."""

OBSERVE_EVERY = 8
"""Expansions of a process between two polls of the logs of others."""
LOG_BYTES = 1 << 22
WORD_BYTES = 4
HEAD, TAIL = range(2)
"""Words of a process: the end of its log, and the position up to which it was collected."""

_header = struct.Struct("<IIHH")  # length of the text, checksum, kind, number
WAIT_SECONDS = 0.001
MOST_ATTEMPTS = 1000


class SearchOver(Exception):
    """The search is over, and its logs are no longer collected."""


class Logs:
    """The logs of a number of processes.

    With `file` they are in the memory of that descriptor, which others `open_logs`.
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
        """The position of the end of a log."""
        return int(self._heads[2 * process + HEAD])

    def heads(self) -> List[int]:
        """The ends of all logs, read one after another."""
        return [self.head(process) for process in range(self.processes)]

    def append(
        self, process: int, kind: int, number: int, lands: bytes, give_up: Callable[[], bool]
    ) -> None:
        """Append a record about one land, or several with BETWEEN between them.

        Waits for room in the log; raises SearchOver if there is none and `give_up()` is true.
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

    def broadcast(self, process: int, kind: int, number: int, lands: bytes) -> None:
        """Append a record to a log without a collector, overwriting what is oldest."""
        self.append(process, kind, number, lands, lambda: False)
        self._heads[2 * process + TAIL] = self._heads[2 * process + HEAD]

    def _read(self, process: int, position: int, size: int) -> bytes:
        base, at = self._begin + process * LOG_BYTES, position % LOG_BYTES
        first = min(size, LOG_BYTES - at)
        return self._bytes[base + at : base + at + first] + self._bytes[base : base + size - first]

    def records(
        self, process: int, positions: List[int], end: Optional[int] = None
    ) -> Iterator[Record]:
        """The records of a log from positions[process], which is moved, up to `end` or HEAD."""
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

    def record_at(self, process: int, position: int) -> Optional[Record]:
        """The record about one land at a position of a log; None if it is no longer there."""
        size, check, kind, number = _header.unpack(self._read(process, position, _header.size))
        if size > LOG_BYTES:
            return None
        land = self._read(process, position + _header.size & LOW, size)
        return (kind, number, land) if check == _check(position, kind, number, land) else None

    def records_of_others(self, process: int, positions: List[int]) -> Iterator[Record]:
        """The new records in the logs of all processes but one."""
        heads = self._heads
        for other in range(self.processes):
            if heads[2 * other + HEAD] != positions[other] and other != process:
                yield from self.records(other, positions)

    def drain(self, positions: List[int]) -> Iterator[Record]:
        """For the collector: the new records of all logs up to one moment, whose room is freed.

        So together with a fact come all records that its process had read before.
        """
        for process, head in enumerate(self._ends() or positions):
            yield from self.records(process, positions, head)
            self._heads[2 * process + TAIL] = positions[process]

    def drain_facts(self, positions: List[int], facts: Facts) -> None:
        """Add the facts among the records of `drain`."""
        for kind, number, land in self.drain(positions):
            if kind != WIN:
                facts.add(land, number)

    def _ends(self) -> List[int]:
        """The ends of all logs at one moment; empty if they changed at every attempt."""
        before: List[int] = []
        for _ in range(MOST_ATTEMPTS):
            heads = self.heads()
            if heads == before:
                return heads
            before = heads
        return []


class Wins:
    """Wins that wait to be written to a log together."""

    def __init__(self) -> None:
        self._lands: Dict[int, List[bytes]] = {}

    def add(self, land: bytes, heap: int) -> None:
        self._lands.setdefault(heap, []).append(land)

    def take(self) -> List[Tuple[int, bytes]]:
        """(heap, lands joined for one record) for each heap; removes them."""
        taken = [(heap, BETWEEN.join(lands)) for heap, lands in self._lands.items()]
        self._lands.clear()
        return taken


def open_logs(file: int) -> Logs:
    """The logs in the memory of a descriptor; raises OSError, or ValueError if there are none."""
    processes, rest = divmod(os.fstat(file).st_size, _bytes_each())
    if rest or not processes:
        raise ValueError("descriptor %d does not hold logs" % file)
    return Logs(processes, file)


def _bytes_each() -> int:
    """The bytes for the words and the log of one process."""
    return 2 * WORD_BYTES + LOG_BYTES


def _check(position: int, kind: int, number: int, lands: bytes) -> int:
    """The checksum of a record's content and position, as a word."""
    return crc32(lands, position ^ (kind << 16 | number) * 0x9E3779B1 & LOW)
