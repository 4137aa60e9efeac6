"""The transposition table: proof and disproof numbers under 63-bit keys, in shared memory.

A cache and never a source of truth: an entry may be lost at any time, and a
search must not conclude from one what it has not confirmed by facts.

An entry is 20 bytes, five 32-bit words:

===== =====================================================================
word  content
===== =====================================================================
0     low 32 bits of the key
1     high 31 bits of the key
2     pn
3     dn
4     work: expansions spent below the node, 1 to 2**24 - 1, 0 when empty;
      above it 8 bits that count the processes below the node
===== =====================================================================

Four entries with neighbouring places form a bucket. When a bucket is full the
entry with the least work leaves (Nagai 1999; Pawlewicz and Hayward 2014), but a
solved entry never loses its place to an unsolved one of less work.
"""

from __future__ import annotations

import mmap
from typing import Any, Tuple

from pns.bounds import INF

ENTRY_BYTES = 20
ENTRY_WORDS = 5
BUCKET_ENTRIES = 4
BUCKET_WORDS = BUCKET_ENTRIES * ENTRY_WORDS
PN, DN, WORK = 2, 3, 4
MOST_WORK = (1 << 24) - 1
LOW = (1 << 32) - 1


def _shared_words(size: int) -> Tuple[Any, mmap.mmap]:
    """Zeroed shared memory of that many bytes: as an indexable of 32-bit words, and its owner.

    Anonymous: forked processes share it, and nothing is left of it at any end.
    """
    memory = mmap.mmap(-1, size)
    try:
        from cffi import FFI
    except ImportError:  # CPython without cffi: the same words, slower
        return memoryview(memory).cast("I"), memory
    ffi = FFI()
    return ffi.cast("uint32_t *", ffi.from_buffer(memory)), memory


class Table:
    """A table of at least `capacity` entries, rounded up to whole buckets.

    Raises ValueError for a capacity below 1, OSError or MemoryError when the
    memory cannot be had. Memory is taken from the system as entries are used.
    """

    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            raise ValueError("a table needs a capacity of at least 1 entry")
        self.buckets = -(-capacity // BUCKET_ENTRIES)
        self.capacity = self.buckets * BUCKET_ENTRIES
        self.used = 0
        self.words, self._memory = _shared_words(self.capacity * ENTRY_BYTES)

    def find(self, key: int) -> int:
        """The index of an entry's first word in `words`, -1 when there is none."""
        words = self.words
        i = key % self.buckets * BUCKET_WORDS
        low, high = key & LOW, key >> 32
        end = i + BUCKET_WORDS
        while i < end:
            if words[i] == low and words[i + 1] == high and words[i + WORK] & MOST_WORK:
                return i
            i += ENTRY_WORDS
        return -1

    def store(self, key: int, pn: int, dn: int, work: int) -> None:
        """Set the numbers of a node and add to its work, which is at least 1."""
        words = self.words
        i = self.find(key)
        if i < 0:
            i = self._place(key, pn == INF or dn == INF, work)
            if i < 0:
                return
            words[i] = key & LOW
            words[i + 1] = key >> 32
            words[i + WORK] = min(work, MOST_WORK)
        else:
            old = words[i + WORK]
            words[i + WORK] = old + min(work, MOST_WORK - (old & MOST_WORK))
        words[i + PN] = pn
        words[i + DN] = dn

    def _place(self, key: int, solved: bool, work: int) -> int:
        """The index for a new entry, -1 when every entry of its bucket stays."""
        words = self.words
        i = key % self.buckets * BUCKET_WORDS
        end = i + BUCKET_WORDS
        best, least = -1, MOST_WORK + 1
        while i < end:
            other = words[i + WORK] & MOST_WORK
            if not other:
                self.used += 1
                return i
            stays = not solved and work < other and (words[i + PN] == INF or words[i + DN] == INF)
            if other < least and not stays:
                best, least = i, other
            i += ENTRY_WORDS
        return best
