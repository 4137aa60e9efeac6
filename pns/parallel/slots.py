"""Lands with a number each, in shared memory, to be looked up by all processes without locks.

The memory is an array of slots, in pairs; an entry may be in either slot of its pair, by its
key. A slot's checksum covers all that an entry says, so that a mixture of two writes is taken
for nothing. No entry rests on a hash: it is found by its key, and compared by its exact text.
"""

from __future__ import annotations

import struct
from typing import Iterator, Optional, Tuple
from zlib import crc32

from pns.game import Land
from pns.search.table import LOW
from pns.system.machine import reserve
from pns.system.views import words_of

WORD_BYTES = 4
_entry = struct.Struct("<BB")  # the number, and the length of the land, which follows
BEFORE_ENTRY = 2 * WORD_BYTES
BEFORE_LAND = BEFORE_ENTRY + _entry.size

SlotEntry = Tuple[Land, int]


class Slots:
    """Entries (land, number) by keys, in about `size` bytes; a slot has `slot_words` words.

    A slot begins with a word of the key, 0 if it is empty, and a checksum. The system provides
    memory as slots are used.
    """

    slot_words = 32
    what = "what processes share"

    def __init__(self, size: int) -> None:
        pair_bytes = 2 * self.slot_words * WORD_BYTES
        self.pairs = max(size // pair_bytes, 1)
        self.longest_land = self.slot_words * WORD_BYTES - BEFORE_LAND
        self._bytes = reserve(self.pairs * pair_bytes, self.what, "a smaller max_memory")
        self._words = words_of(self._bytes)

    def get(self, key: int) -> Optional[SlotEntry]:
        """The entry of a key, or another one whose key begins alike; None if there is none."""
        words = self._words
        slot = self.first_of(key)
        tag = tag_of(key)
        if words[slot] != tag:
            slot += self.slot_words
            if words[slot] != tag:
                return None
        return self._entry_at(slot)

    def first_of(self, key: int) -> int:
        """The first slot of a key's pair."""
        return key % self.pairs * 2 * self.slot_words

    def slot_for(self, key: int) -> int:
        """The slot of a pair to write: one that is free or of the same tag; -1 if there is none."""
        first, tag = self.first_of(key), tag_of(key)
        for slot in (first, first + self.slot_words):
            if self._words[slot] in (0, tag):
                return slot
        return -1

    def write(self, slot: int, key: int, land: Land, number: int) -> None:
        """Write an entry, whose land is not longer than `longest_land`, to a slot."""
        entry = _entry.pack(number, len(land)) + land
        words = self._words
        words[slot] = 0
        at = slot * WORD_BYTES + BEFORE_ENTRY
        self._bytes[at : at + len(entry)] = entry
        words[slot + 1] = crc32(entry)
        words[slot] = tag_of(key)

    def _entry_at(self, slot: int) -> Optional[SlotEntry]:
        """The entry in a slot that is not empty; None if it is not whole."""
        check = self._words[slot + 1]
        start = slot * WORD_BYTES
        number, length = _entry.unpack(self._bytes[start + BEFORE_ENTRY : start + BEFORE_LAND])
        entry = self._bytes[start + BEFORE_ENTRY : start + BEFORE_LAND + length]
        if length > self.longest_land or crc32(entry) != check:
            return None
        return entry[_entry.size :], number

    def items(self) -> Iterator[SlotEntry]:
        """All entries; they may be read while others write."""
        for slot in range(0, self.pairs * 2 * self.slot_words, self.slot_words):
            if self._words[slot]:
                entry = self._entry_at(slot)
                if entry:
                    yield entry


def tag_of(key: int) -> int:
    """What a slot says of a key, never 0."""
    return key >> 31 & LOW or 1
