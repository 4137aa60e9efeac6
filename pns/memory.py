"""How much memory each part of a search may take: shares of what there is.

A caller may set `max_memory`, in bytes that all processes of a search hold together. The
shell may set a limit (`ulimit -v`), which holds for the address space of each process: what
is reserved counts at once, and what processes share counts in each. Without either the
shares are those of the machine. What there is, `pns.machine` measures.
"""

from __future__ import annotations

import gc
import time
from typing import Optional, Tuple

from pns.machine import (
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
from pns.parallel.child_store import store_bytes
from pns.table import ENTRY_BYTES

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

DEFAULT_CAPACITY = 2_000_000
TABLE_PART = 5
"""A table without a capacity takes at most this part of what a limit of the shell leaves."""
CACHE_SHARE = 0.6
"""The part of the memory left that the interned positions of DFPN may take."""
TREE_SHARE, GAME_SHARE = 0.4, 0.2
"""The parts of the memory left that a tree with its positions and the game's caches may take.

While a tree is swept its positions are there twice, and memory that the garbage collector
has freed is not given back at once.
"""
CACHE_PART, GAME_PART = 4, 12
"""The same under a limit of the shell, as parts of what it leaves before anything is reserved."""
COMPILER_BYTES = 50_000_000
"""What PyPy's compiler takes after the start, about."""
LEAST_ROOM = 40_000_000
"""The least memory beside the program's own that a search of a tree is tried in.

Then the share of the tree holds what DFPN at its leaves needs at least, too (`pns.pn2`).
"""
LEAST_BYTES_PER_NODE = 30
"""A tree without a capacity gets a node for each so many bytes, more than it can ever fill."""
BYTES_PER_UNIT = 80
"""Memory for each cell that a search counts, measured on PyPy with Sprouts."""
BYTES_PER_PROCESS = 100_000_000
"""What a process of several holds besides, measured on PyPy."""
COLLECT_SECONDS = 1.0
"""Memory that is short again so soon after a collection of garbage is short for good."""


class TooLittleMemory(ValueError):
    """A limit of memory is too low for what is asked: how much would do."""


class MemoryWatch:
    """Says when a search holds as much memory as it may.

    That is `max_memory`, or so much that a limit of the shell leaves only what the program
    needs to end in order.
    """

    def __init__(self, max_memory: Optional[int]) -> None:
        self._most = max_memory
        self._limited = bool(process_limits())
        self._collected = -COLLECT_SECONDS

    def is_spent(self, used: Optional[int] = None) -> bool:
        """Whether it is; `used` are the bytes that are held, by default those of this process."""
        if self._most is not None and (used_memory() if used is None else used) >= self._most:
            return True
        if not self._limited or not is_short():
            return False
        now = time.monotonic()
        if now - self._collected >= COLLECT_SECONDS:
            gc.collect()
            self._collected = time.monotonic()
        return is_short()


def default_capacity() -> int:
    """Entries of a table for which nobody named a capacity."""
    return max(1, min(DEFAULT_CAPACITY, reservable() // TABLE_PART // ENTRY_BYTES))


def tree_bytes(max_memory: Optional[int]) -> Tuple[int, Optional[int]]:
    """Bytes for a tree with its positions and for what the game caches, None for its default.

    Raises TooLittleMemory for a limit that leaves a tree no room beside the program.
    """
    limited = bool(process_limits())
    if max_memory is None and not limited:
        return total_memory() // 2, None
    taken = used_memory() + COMPILER_BYTES
    left = total_memory() - taken if max_memory is None else max_memory - taken
    if left < LEAST_ROOM and max_memory is not None:
        wrong = "a tree needs at least %d MB, as the program takes about %d of them"
        raise TooLittleMemory(wrong % (-(-(taken + LEAST_ROOM) // 10**6), taken // 10**6))
    if limited:
        left = min(left, spare_memory() - COMPILER_BYTES)
    if left < LEAST_ROOM:
        wanted = (LEAST_ROOM + COMPILER_BYTES + PROGRAM_BYTES) // 10**6
        wrong = "no memory for a tree: it needs %d MB, %s; --algorithm dfpn takes less"
        raise NoMemory(wrong % (wanted, explain_limit()))
    return int(left * TREE_SHARE), int(left * GAME_SHARE)


def cache_bytes(processes: int, memory: Optional[int] = None) -> int:
    """Bytes that the interned positions of each of so many processes may take.

    Half of the memory, by default that of the machine, for all together; a quarter for one.
    """
    share = (memory or total_memory()) // 2 // max(2, processes)
    return min(share, spare_memory() // CACHE_PART)


def game_cache_bytes() -> Optional[int]:
    """Bytes for what a game caches where no limit is set, None for its default."""
    return spare_memory() // GAME_PART if process_limits() else None


def caches(capacity: Optional[int], max_memory: Optional[int]) -> Tuple[int, Optional[int]]:
    """Bytes that interned positions and the game's caches may take, None for its default."""
    if max_memory is None:
        return cache_bytes(1), game_cache_bytes()
    table = (capacity or default_capacity()) * ENTRY_BYTES
    room = max(max_memory - used_memory() - COMPILER_BYTES - table, max_memory // 10)
    return _shares(room)


def caches_of_process(
    processes: int, capacity: Optional[int], max_memory: Optional[int]
) -> Tuple[int, Optional[int]]:
    """The same for each of several processes, so that all together keep the limit."""
    if max_memory is None:
        return cache_bytes(processes), game_cache_bytes()
    table = (capacity or default_capacity()) * ENTRY_BYTES
    room = max_memory - used_memory() - store_bytes(max_memory) - table
    room = max(room - processes * BYTES_PER_PROCESS, max_memory // 10) // processes
    return _shares(room)


def _shares(room: int) -> Tuple[int, Optional[int]]:
    """Those of so much memory, or less where a limit of the shell leaves less."""
    spare = spare_memory()
    return min(int(room * CACHE_SHARE), spare // CACHE_PART), min(
        int(room * GAME_SHARE), spare // GAME_PART
    )
