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
LEAST_PAIRS = 1024
"""The first level has at least this number of pairs of slots, unless it is the only one."""


def level_pairs(pairs: int) -> List[int]:
    """The pairs of slots of each level, of which the last has `pairs`.

    >>> level_pairs(1 << 20), level_pairs(3)
    ([4096, 65536, 1048576], [3])
    """
    found = [pairs]
    while found[0] >= GROWTH * LEAST_PAIRS:
        found.insert(0, found[0] // GROWTH)
    return found


def index_words(pairs: int, slot_words: int) -> int:
    """The words of an index whose last level has `pairs` pairs of slots."""
    return 2 * slot_words * sum(level_pairs(pairs))


def tag_of(key: int) -> int:
    """What a slot says of a key, never 0."""
    return key >> 31 & LOW or 1


class StoreIndex:
    """Slots of `slot_words` words in the words of a memory, from `first` on.

    A slot begins with the tag of its key, 0 if it was never written. Each key has a pair of slots
    in each level. No slot becomes empty again, so that nothing of a key is behind an empty one.
    """

    def __init__(self, words: Any, first: int, pairs: int, slot_words: int) -> None:
        self.words = words
        self._slot_words = slot_words
        self._levels: List[Tuple[int, int]] = []
        """(first word, pairs) of each level."""
        for count in level_pairs(pairs):
            self._levels.append((first, count))
            first += 2 * slot_words * count

    def find(self, key: int) -> int:
        """The slot of a key, or of another one of the same tag; -1 if there is none."""
        words, slot_words = self.words, self._slot_words
        tag = tag_of(key)
        for first, pairs in self._levels:
            slot = first + key % pairs * 2 * slot_words
            one = words[slot]
            if one == tag:
                return slot
            slot += slot_words
            other = words[slot]
            if other == tag:
                return slot
            if not one or not other:
                return -1
        return -1

    def place(self, key: int, is_stale: Optional[Callable[[int], bool]] = None) -> int:
        """The slot to write for a key: that of its tag, else the first that is empty or stale.

        -1 if there is none.
        """
        slot = self.find(key)
        if slot >= 0:
            return slot
        words, slot_words = self.words, self._slot_words
        for first, pairs in self._levels:
            one = first + key % pairs * 2 * slot_words
            for slot in (one, one + slot_words):
                if not words[slot] or is_stale and is_stale(slot):
                    return slot
        return -1

    def taken(self, key: int) -> int:
        """A slot of another key that a key may take, of its last pair with an entry; -1 if none.

        The key decides which of two it is.
        """
        words, slot_words = self.words, self._slot_words
        which = tag_of(key) & 1
        for first, pairs in reversed(self._levels):
            one = first + key % pairs * 2 * slot_words
            for slot in (one + which * slot_words, one + (1 - which) * slot_words):
                if words[slot]:
                    return slot
        return -1
