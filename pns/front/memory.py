"""How much memory each part of a search may take: shares of what is available.

A caller may set `max_memory`, in bytes that all processes of a search hold together. The
shell may limit (`ulimit -v`) the address space of each process; there, reserved memory counts
at once, and shared memory counts in every process. Without either limit the shares are those
of the machine's memory, which `pns.system.machine` measures.
"""

from __future__ import annotations

import gc
import time
from typing import Callable, Optional, Tuple

from pns.choices import DEFAULT_CAPACITY
from pns.search.table import ENTRY_BYTES
from pns.system.machine import (
    PROGRAM_BYTES,
    NoMemory,
    explain_limit,
    is_short,
    process_limits,
    reservable,
    spare_memory,
    total_memory,
    used_memory,
)

__all__ = [
    "MemoryWatch",
    "NoMemory",
    "TooLittleMemory",
    "cache_bytes",
    "caches",
    "caches_of_process",
    "default_capacity",
    "tree_bytes",
]

TABLE_PART = 5
"""A table without a capacity takes at most 1 / TABLE_PART of what a limit of the shell leaves."""
CACHE_SHARE = 0.6
"""The share of the remaining memory that the interned positions of DFPN may take."""
TREE_SHARE, GAME_SHARE = 0.4, 0.2
"""The shares of the remaining memory for a tree with its positions, and for the game's caches.

They leave room, since the garbage collector does not return memory at once.
"""
CACHE_PART, GAME_PART = 4, 12
"""Under a limit of the shell DFPN's positions and the game's caches take at most one part in 4
and in 12 of what it leaves before anything is reserved."""
COMPILED_BYTES = 50_000_000
"""Roughly what PyPy's compiler takes for a search, once the program has started."""
LEAST_ROOM = 40_000_000
"""The least memory, beside the program's own, with which a tree is searched.

The tree's share of it also holds the least that DFPN at its leaves needs (`pns.pn2`).
"""
LEAST_BYTES_PER_NODE = 30
"""A tree without a capacity gets one node for this many bytes, more nodes than it can fill."""
BYTES_PER_PROCESS = 100_000_000
"""What each process of a parallel search holds besides, measured on PyPy."""
COLLECT_SECONDS = 1.0
"""Memory that is short again within this time after a garbage collection stays short."""


class TooLittleMemory(ValueError):
    """`max_memory` is too low for what is asked; the message says how much is enough."""


class MemoryWatch:
    """Says whether a search has used up its memory.

    It has when it holds `max_memory` bytes, or when a limit of the shell leaves only what
    the program needs to end cleanly.
    """

    def __init__(self, max_memory: Optional[int]) -> None:
        self._most = max_memory
        self._limited = bool(process_limits())
        self._collected = -COLLECT_SECONDS

    def is_spent(self, used: Callable[[], int] = used_memory) -> bool:
        """Whether memory is used up; `used` says how many bytes are held.

        It is called only if there is a `max_memory`, as it takes tens of microseconds.
        """
        if self._most is not None and used() >= self._most:
            return True
        if not self._limited or not is_short():
            return False
        now = time.monotonic()
        if now - self._collected >= COLLECT_SECONDS:
            gc.collect()
            self._collected = time.monotonic()
        return is_short()


def default_capacity() -> int:
    """Entries of a table without a given capacity."""
    return max(1, min(DEFAULT_CAPACITY, reservable() // TABLE_PART // ENTRY_BYTES))


def tree_bytes(max_memory: Optional[int]) -> Tuple[int, Optional[int]]:
    """(bytes for a tree with its positions, bytes for the game's caches or None: the default).

    Raises TooLittleMemory for a `max_memory` that leaves a tree no room beside the program,
    and NoMemory for such a limit of the shell.
    """
    limited = bool(process_limits())
    if max_memory is None and not limited:
        return total_memory() // 2, None
    taken = used_memory() + COMPILED_BYTES
    left = total_memory() - taken if max_memory is None else max_memory - taken
    if left < LEAST_ROOM and max_memory is not None:
        wrong = "a tree needs at least %d MB, as the program takes about %d of them"
        raise TooLittleMemory(wrong % (-(-(taken + LEAST_ROOM) // 10**6), taken // 10**6))
    if limited:
        left = min(left, spare_memory() - COMPILED_BYTES)
    if left < LEAST_ROOM:
        wanted = (LEAST_ROOM + COMPILED_BYTES + PROGRAM_BYTES) // 10**6
        wrong = "no memory for a tree: it needs %d MB, %s; algorithm dfpn takes less"
        raise NoMemory(wrong % (wanted, explain_limit()))
    return int(left * TREE_SHARE), int(left * GAME_SHARE)


def cache_bytes(processes: int) -> int:
    """Bytes that the interned positions of each process may take without a `max_memory`.

    All processes together get half of the machine's memory; a single one gets a quarter.
    """
    return min(total_memory() // 2 // max(2, processes), spare_memory() // CACHE_PART)


def game_cache_bytes() -> Optional[int]:
    """Bytes for the game's caches without a `max_memory`; None: the game's default."""
    return spare_memory() // GAME_PART if process_limits() else None


def caches(capacity: Optional[int], max_memory: Optional[int]) -> Tuple[int, Optional[int]]:
    """(bytes for interned positions, bytes for the game's caches or None: the default)."""
    if max_memory is None:
        return cache_bytes(1), game_cache_bytes()
    table = (capacity or default_capacity()) * ENTRY_BYTES
    room = max(max_memory - used_memory() - COMPILED_BYTES - table, max_memory // 10)
    return _shares(room)


def caches_of_process(
    processes: int, capacity: Optional[int], max_memory: Optional[int], store: int = 0
) -> Tuple[int, Optional[int]]:
    """The same for each of several processes that share a limit and a table.

    `store` are the bytes of a store of children that they share within the limit, too.
    """
    if max_memory is None:
        return cache_bytes(processes), game_cache_bytes()
    table = (capacity or default_capacity()) * ENTRY_BYTES
    room = max_memory - used_memory() - store - table
    room = max(room - processes * BYTES_PER_PROCESS, max_memory // 10) // processes
    return _shares(room)


def _shares(room: int) -> Tuple[int, Optional[int]]:
    """The same within `room` bytes, and within what a limit of the shell leaves."""
    spare = spare_memory()
    return min(int(room * CACHE_SHARE), spare // CACHE_PART), min(
        int(room * GAME_SHARE), spare // GAME_PART
    )
