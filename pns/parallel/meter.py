"""The memory of the processes of a search: measured now and then, and kept below a limit.

As it nears the limit, interned positions get less room. If it comes nearer all the same, the
largest process is to be started again.
"""

from __future__ import annotations

import math
import os
import time
from typing import Dict, Iterable

from pns.system.machine import memory_of, resident_memory_of

MEASURE_SECONDS = 0.5
"""The least time between two measurements."""
MEASURE_SHARE, IDLE_SHARE = 200, 500
"""The least time between two exact ones: the processor time of one multiplied by MEASURE_SHARE,
or by IDLE_SHARE if there is no limit.

Linux walks through all pages of a process for what it shares with others, during which the process
gets no more pages. In between it counts as sharing as many bytes as at the last exact measurement.
"""
ROOM_SECONDS = 3.0
"""The least time between two changes of the room for interned positions."""
EVICT_AT, EVICT_SECONDS = 0.95, 5.0
"""The share of the limit at which a process is evicted, and the least time between two
evictions."""
SHRINK_AT, GROW_AT = 0.88, 0.8
"""The shares of the limit above which the interned positions of a process get less room, and
below which they get more again."""
SHRINK_BY, GROW_BY, LEAST_SHARE = 0.85, 1.05, 0.1
"""The factors of one change, and the least share of the first room."""


class MemoryMeter:
    """Measures this process and others together.

    `bytes` is the last measurement and `most_bytes` the largest. The limit is given with each
    question, `math.inf` if there is none.
    """

    def __init__(self) -> None:
        self.bytes = self.most_bytes = 0
        self._due = self._exact_due = self._changed = self._evicted = -math.inf
        self._shared: Dict[int, int] = {}
        """By process: the bytes in memory that count for other processes."""

    def is_due(self) -> bool:
        """Whether it is time for the next measurement."""
        return time.monotonic() >= self._due

    def measure(self, pids: Iterable[int], limit: float = math.inf) -> Dict[int, int]:
        """The bytes that each of the other processes holds, 0 for those that have ended."""
        start = time.process_time()
        is_exact = time.monotonic() >= self._exact_due
        if is_exact:
            self._shared.clear()
        held = {pid: self._held(pid) for pid in pids}
        self.bytes = sum(held.values()) + self._held(os.getpid())
        self.most_bytes = max(self.most_bytes, self.bytes)
        now = time.monotonic()
        if is_exact:
            share = IDLE_SHARE if limit == math.inf else MEASURE_SHARE
            self._exact_due = now + share * (time.process_time() - start)
        self._due = now + MEASURE_SECONDS
        return held

    def _held(self, pid: int) -> int:
        """The bytes that a process holds, exactly if nothing is known of what it shares."""
        resident = resident_memory_of(pid)
        if resident and pid in self._shared:
            return max(0, resident - self._shared[pid])
        held = memory_of(pid)
        self._shared[pid] = resident - held
        return held

    def may_change(self) -> bool:
        """Whether a room may change again; True counts as a change."""
        now = time.monotonic()
        if now - self._changed < ROOM_SECONDS:
            return False
        self._changed = now
        return True

    def must_evict(self, limit: float) -> bool:
        """Whether a process has to be killed and started again, which True takes for done."""
        now = time.monotonic()
        if self.bytes < EVICT_AT * limit or now - self._evicted < EVICT_SECONDS:
            return False
        self._evicted = now
        return True


class OwnRoom:
    """The room for the interned positions of this process, which keeps itself below a limit."""

    def __init__(self, first: int, limit: float = math.inf) -> None:
        self.bytes = self.first = first
        self.limit = limit
        self.meter = MemoryMeter()

    def update(self) -> int:
        """Measure if that is due; the bytes that positions may take from now on."""
        if self.limit < math.inf and self.meter.is_due():
            self.meter.measure((), self.limit)
            if self.meter.may_change():
                self.bytes = next_room(self.bytes, self.first, self.meter.bytes, self.limit)
        return self.bytes


def next_room(room: int, first: int, used: int, limit: float) -> int:
    """Bytes for the interned positions of a process from now on, where it had `room`.

    What processes hold besides, `first`, their room at the start, could only guess. So this
    follows what all of them hold in fact, `used` bytes of `limit`.
    """
    if used > SHRINK_AT * limit:
        return max(int(SHRINK_BY * room), int(LEAST_SHARE * first))
    if used < GROW_AT * limit:
        return min(int(GROW_BY * room), first)
    return room
