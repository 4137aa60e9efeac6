"""The transposition table: proof and disproof numbers under 63-bit keys, in shared memory.

A cache and never a source of truth: an entry may be lost at any time, and a
search must not conclude from one what it has not confirmed by facts.

An entry is 20 bytes, five 32-bit words:

===== =====================================================================
word  content
===== =====================================================================
0     low 32 bits of the key, xor pn, xor dn
1     high 31 bits of the key, xor dn
2     pn
3     dn
4     work: expansions spent below the node, 0 when empty
===== =====================================================================

Processes share the table without locks. Words are read and written whole, but one
process may write an entry while another reads or writes it. The key reveals this
[hyatt2002]: in an entry that two processes wrote at the same time, word 1
says whose dn is valid, and then word 0 whose pn. A mixture of two entries is found
under no key, unless the mixed words are equal in both. `get` reads each word once
and checks what it returns; words that are read after `find` may belong to another
entry by then. The work may miss what another process added; it only decides which
entry leaves. The same holds for a copy that is made meanwhile (`entries`): it reads each
word once, as `get` does, so what it takes from two writes is a mixture, too.

Four entries with neighbouring places form a bucket. When a bucket is full the
entry with the least work leaves [nagai2002] [pawlewicz2014], but a
solved entry never loses its place to an unsolved one of less work.
"""

from __future__ import annotations

import mmap
from array import array
from typing import Any, Optional, Tuple

from pns.search.bounds import INF
from pns.system.machine import reserve, wipe
from pns.system.views import words_of

ENTRY_BYTES = 20
ENTRY_WORDS = 5
BUCKET_ENTRIES = 4
BUCKET_WORDS = BUCKET_ENTRIES * ENTRY_WORDS
PN, DN, WORK = 2, 3, 4
MOST_WORK = (1 << 32) - 1
LOW = (1 << 32) - 1
MOST_HIGH = (1 << 31) - 1
"""The largest value of the high bits of a key."""
Columns = Tuple["array[int]", "array[int]", "array[int]", "array[int]"]
"""The keys, pn, dn and work of entries."""


def shared_words(size: int, what: str, less: str) -> Tuple[Any, mmap.mmap]:
    """Reserve `size` bytes: (an indexable of 32-bit words, the mapping that owns them)."""
    memory = reserve(size, what, less)
    return words_of(memory), memory


class Table:
    """A table of at least `capacity` entries, rounded up to whole buckets.

    Raises ValueError for a capacity below 1, NoMemory if the memory cannot be reserved. The
    system provides its pages as entries are used.
    """

    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            raise ValueError("a table needs a capacity of at least 1 entry")
        self.buckets = -(-capacity // BUCKET_ENTRIES)
        self.capacity = self.buckets * BUCKET_ENTRIES
        self.used = 0
        self.words, self.memory = shared_words(
            self.capacity * ENTRY_BYTES, "the transposition table", "a smaller capacity"
        )

    def clear(self) -> None:
        """Drop all entries, for all processes, and give their memory back to the system.

        Others may read and write meanwhile. What they write may stay.
        """
        wipe(self.memory)
        self.used = 0

    def find(self, key: int) -> int:
        """The index of an entry's first word in `words`, -1 when there is none.

        Other processes may put another entry there at any time.
        """
        words = self.words
        i = key % self.buckets * BUCKET_WORDS
        low, high = key & LOW, key >> 32
        end = i + BUCKET_WORDS
        while i < end:
            dn = words[i + DN]
            if words[i + 1] ^ dn == high and words[i] ^ words[i + PN] ^ dn == low:
                if words[i + WORK]:
                    return i
            i += ENTRY_WORDS
        return -1

    def get(self, key: int) -> Optional[Tuple[int, int]]:
        """The pn and dn of a node, both from one `store`; None when there is no entry."""
        words = self.words
        i = key % self.buckets * BUCKET_WORDS
        low, high = key & LOW, key >> 32
        end = i + BUCKET_WORDS
        while i < end:
            pn, dn = words[i + PN], words[i + DN]
            if words[i + 1] ^ dn == high and words[i] ^ pn ^ dn == low and words[i + WORK]:
                return pn, dn
            i += ENTRY_WORDS
        return None

    def is_solved(self, key: int) -> bool:
        """Whether a node is a win or a loss by its entry."""
        i = self.find(key)
        return i >= 0 and (self.words[i + PN] == INF or self.words[i + DN] == INF)

    def store(self, key: int, pn: int, dn: int, work: int, corrects: bool = False) -> None:
        """Set the numbers of a node and add to its work, which is at least 1.

        A solved node stays solved, unless `corrects` says that the visit began with it so and did
        not confirm it.

        >>> table = Table(4)
        >>> table.store(5, 0, INF, 1)
        >>> table.store(5, 7, 9, 1)
        >>> table.get(5) == (0, INF)
        True
        """
        words = self.words
        solved = pn == INF or dn == INF
        i = self.find(key)
        if i < 0:
            i = self._place(key, solved, work)
            if i < 0:
                return
            words[i + WORK] = min(work, MOST_WORK)
        else:
            words[i + WORK] = min(words[i + WORK] + work, MOST_WORK)
            if not (solved or corrects) and (words[i + PN] == INF or words[i + DN] == INF):
                return
        words[i] = key & LOW ^ pn ^ dn
        words[i + 1] = key >> 32 ^ dn
        words[i + PN] = pn
        words[i + DN] = dn

    def insert(self, key: int, pn: int, dn: int, work: int) -> None:
        """Store an entry of another table, unless its bucket is full of those with more work."""
        words = self.words
        i = key % self.buckets * BUCKET_WORDS + WORK
        least = min([words[i + k] for k in range(0, BUCKET_WORDS, ENTRY_WORDS)])
        if least <= work:
            self.store(key, pn, dn, work)

    def entries(self, first: int, end: int) -> Columns:
        """The entries of the buckets from `first` up to `end`, while others may write.

        A mixture of two entries has a key that belongs to neither. It is left out if that key
        has another bucket; else it stays under this key, under which nobody looks, as it does
        in the table itself. Untouched pages of the table become memory when they are read.
        """
        words, buckets = self.words, self.buckets
        keys, pns, dns, works = array("q"), array("I"), array("I"), array("I")
        for bucket in range(first, end):
            i = bucket * BUCKET_WORDS
            for _ in range(BUCKET_ENTRIES):
                work = words[i + WORK]
                if work:
                    pn, dn = words[i + PN], words[i + DN]
                    low, high = words[i] ^ pn ^ dn, words[i + 1] ^ dn
                    if high <= MOST_HIGH and (high << 32 | low) % buckets == bucket:
                        keys.append(high << 32 | low)
                        pns.append(pn)
                        dns.append(dn)
                        works.append(work)
                i += ENTRY_WORDS
        return keys, pns, dns, works

    def _place(self, key: int, solved: bool, work: int) -> int:
        """The index for a new entry, -1 when every entry of its bucket stays."""
        words = self.words
        i = key % self.buckets * BUCKET_WORDS
        end = i + BUCKET_WORDS
        best, least = -1, MOST_WORK + 1
        while i < end:
            other = words[i + WORK]
            if not other:
                self.used += 1
                return i
            stays = not solved and work < other and (words[i + PN] == INF or words[i + DN] == INF)
            if other < least and not stays:
                best, least = i, other
            i += ENTRY_WORDS
        return best
