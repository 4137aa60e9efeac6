"""Lands with a number each, in shared memory, to be looked up by all processes without locks.

The memory is an array of slots, which are taken one after the other, and an index to them. The
checksum of a slot covers all that its entry says, so that a mixture of two writes is taken for
nothing. No entry rests on a hash: it is found by its key, and compared by its exact text. Of two
processes that take the same slot at the same moment one loses its entry.
"""

from __future__ import annotations

import struct
from typing import Iterator, Optional, Tuple
from zlib import crc32

from pns.game import Land
from pns.parallel.store_index import StoreIndex, index_words, tag_of
from pns.search.table import shared_words
from pns.system.machine import reserve

WORD_BYTES = 4
FRONT_WORDS = 1
"""The first word is the number of slots that are taken; the index follows."""
INDEX_WORDS = 2
"""Words of the index for each slot: the tag of a key, and the slot of its entry."""
_check = struct.Struct("<I")
_entry = struct.Struct("<BB")  # the number, and the length of the land, which follows
BEFORE_LAND = _check.size + _entry.size

SlotEntry = Tuple[Land, int]


class Slots:
    """Entries (land, number) by keys, in about `size` bytes; a slot has `slot_bytes`.

    When all slots are taken, `is_full`, an entry can only replace another one. The system provides
    memory as slots are taken.
    """

    slot_bytes = 128
    what = "what processes share"

    def __init__(self, size: int) -> None:
        pairs = max(size // (self.slot_bytes + INDEX_WORDS * WORD_BYTES) // 2, 1)
        self.slots = 2 * pairs
        self.longest_land = self.slot_bytes - BEFORE_LAND
        less = "a smaller max_memory"
        words = index_words(pairs, INDEX_WORDS) + FRONT_WORDS
        self._bytes = reserve(self.slots * self.slot_bytes, self.what, less)
        self._words, self._memory = shared_words(words * WORD_BYTES, self.what, less)
        self._index = StoreIndex(self._words, FRONT_WORDS, pairs, INDEX_WORDS)

    @property
    def taken(self) -> int:
        """The number of slots that are taken."""
        return int(self._words[0])

    @property
    def is_full(self) -> bool:
        return self.taken >= self.slots

    def get(self, key: int) -> Optional[SlotEntry]:
        """The entry of a key, or another one; None if there is none."""
        place = self._index.find(key)
        return None if place < 0 else self._entry(self._words[place + 1])

    def place_for(self, key: int) -> int:
        """The place in the index to write for a key: of its tag, or free; -1 if there is none."""
        return self._index.find(key) if self.is_full else self._index.place(key)

    def place_of_another(self, key: int) -> int:
        """The place of an entry that one of a key can replace; -1 if there is none."""
        return self._index.taken(key)

    def write(self, place: int, key: int, land: Land, number: int) -> None:
        """Write an entry, whose land is not longer than `longest_land`."""
        words = self._words
        if words[place]:
            slot = int(words[place + 1])
        else:
            slot = min(self.taken, self.slots - 1)  # another process may have taken the last one
            words[0] = slot + 1
        entry = _entry.pack(number, len(land)) + land
        at = slot * self.slot_bytes
        self._bytes[at : at + _check.size + len(entry)] = _check.pack(crc32(entry)) + entry
        words[place + 1] = slot
        words[place] = tag_of(key)

    def _entry(self, slot: int) -> Optional[SlotEntry]:
        """The entry in a slot; None if it is not whole."""
        at = slot * self.slot_bytes
        start = at + _check.size
        (check,) = _check.unpack(self._bytes[at:start])
        number, length = _entry.unpack(self._bytes[start : at + BEFORE_LAND])
        entry = self._bytes[start : at + BEFORE_LAND + length]
        if length > self.longest_land or crc32(entry) != check:
            return None
        return entry[_entry.size :], number

    def items(self) -> Iterator[SlotEntry]:
        """All entries; they may be read while others write."""
        for slot in range(self.taken):
            entry = self._entry(slot)
            if entry:
                yield entry
