"""An index by keys in shared memory, which all processes read and write without locks.

The system provides memory in pages, at the first access to each. In one large hash table nearly
every entry of a search would take a page of its own, and so would every look-up in vain: a search
of a minute would spend a tenth of its time on them. So an index has levels, each GROWTH times as
large as the one before, and an entry is in the first level that had room for it.

An entry says where something is, and nothing rests on it: whoever looks it up compares exact text.
"""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Tuple

from pns.search.table import LOW

GROWTH = 16
LEAST_BUCKETS = 1024
"""The first level has at least this number of buckets, unless it is the only one."""


def level_buckets(buckets: int) -> List[int]:
    """The buckets of each level, of which the last has `buckets`.

    >>> level_buckets(1 << 20), level_buckets(3)
    ([4096, 65536, 1048576], [3])
    """
    found = [buckets]
    while found[0] >= GROWTH * LEAST_BUCKETS:
        found.insert(0, found[0] // GROWTH)
    return found


def index_words(buckets: int, slot_words: int, width: int) -> int:
    """The words of an index whose last level has `buckets` buckets of `width` slots."""
    return width * slot_words * sum(level_buckets(buckets))


def tag_of(key: int) -> int:
    """What a slot says of a key, never 0."""
    return key >> 31 & LOW or 1


class StoreIndex:
    """Slots of `slot_words` words in the words of a memory, from `first` on.

    A slot begins with the tag of its key, 0 if it was never written. Each key has a bucket of
    `width` slots in each level. No slot becomes empty again, so that nothing of a key is behind an
    empty one.
    """

    def __init__(self, words: Any, first: int, buckets: int, slot_words: int, width: int) -> None:
        self.words = words
        self._slot_words = slot_words
        self._bucket_words = width * slot_words
        self._levels: List[Tuple[int, int]] = []
        """(first word, buckets) of each level."""
        for count in level_buckets(buckets):
            self._levels.append((first, count))
            first += self._bucket_words * count

    def find(self, key: int) -> int:
        """The slot of a key, or of another one of the same tag; -1 if there is none."""
        slot = self.place(key)
        return slot if slot >= 0 and self.words[slot] else -1

    def place(self, key: int, is_stale: Optional[Callable[[int], bool]] = None) -> int:
        """The slot to write for a key: that of its tag, else the first that is empty or stale.

        -1 if there is none.
        """
        words, slot_words = self.words, self._slot_words
        tag, free = tag_of(key), -1
        for first, buckets in self._levels:
            slot = first + key % buckets * self._bucket_words
            end = slot + self._bucket_words
            while slot < end:
                found = words[slot]
                if found == tag:
                    return slot
                if not found:
                    return slot if free < 0 else free
                if free < 0 and is_stale and is_stale(slot):
                    free = slot
                slot += slot_words
        return free

    def taken(self, key: int) -> int:
        """The slot of another key that a key may take, in the last level; its bucket is full.

        The key decides which of them it is.
        """
        first, buckets = self._levels[-1]
        width = self._bucket_words // self._slot_words
        bucket = first + key % buckets * self._bucket_words
        return bucket + tag_of(key) % width * self._slot_words
