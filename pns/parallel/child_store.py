"""The options of lands that one process generated, for the others to read, in shared memory.

Most of the time of a search goes into generating options, and processes of one search
meet the same lands. Each process has a ring of bytes for the options that it generated
in full. An index of words, written by all without locks, says under the hash of a
land where to look; the exact text of the land decides. The memory is anonymous: forked
processes inherit it, and programs that one started on its machine, as a master its
workers, get a descriptor of it.

Before a process overwrites bytes of its ring it moves its word FRONT behind them. Who
reads a record copies it, and then looks at FRONT: what may have been overwritten
meanwhile is not taken. A machine that shows words out of order is caught by the
checksum of the record. The index is written after the record, so a process that is
killed leaves no half of one.
"""

from __future__ import annotations

import mmap
import os
import struct
import sys
from copy import copy
from typing import Iterable, Iterator, List, Optional, Tuple
from zlib import crc32

from pns.couple import hash_key
from pns.game import Game, Land, Sum, is_surely_land
from pns.machine import reservable, reserve, total_memory
from pns.table import LOW, words_of

STORE_PART = 8
"""The part of a memory limit, or of the machine's memory, that a store may take: one in so many."""
MOST_BYTES = 1 << 35
"""Positions in rings that are larger would not fit a word."""
UNIT = 16
"""Records start at multiples of so many bytes, so that a word can say where for long."""
BYTES_PER_SLOT = 256
"""Of the rings, a slot of the index each: about what a record takes."""
SLOT_WORDS = 3  # the high bits of the hash, the process + 1, the position in its ring
PAIR_WORDS = 2 * SLOT_WORDS
"""Slots stand in pairs: a land may be in either."""

_header = struct.Struct("<IIII")  # bytes of the land, bytes of its options, how many, checksum
PART = 1 << 31
"""Stands beside the number of options in a record that has the first of them only."""

FRONTS = 2
"""The first two words say how many rings and how many pairs of slots there are.

Then come the word FRONT of each ring, the slots, and the rings.
"""


def store_bytes(max_memory: Optional[int] = None) -> int:
    """Bytes for the rings of a store in so much memory, by default that of the machine.

    They are taken from the system as the rings fill, but the address space at once.
    """
    return min(MOST_BYTES, (max_memory or total_memory()) // STORE_PART, reservable() // STORE_PART)


class ChildStore:
    """The rings of a number of processes, of 2**n bytes each, and their index.

    With `file` in the memory of that descriptor, for others to `open_child_store`. Whoever uses
    a `part` of it has the rings from `first` on.
    """

    def __init__(self, processes: int, size: int = 0, file: int = -1) -> None:
        self.processes = processes
        self.first = 0
        size = size or store_bytes()
        self.ring = UNIT << max(size // processes // UNIT, 1).bit_length() - 1
        self._pairs = max(processes * self.ring // BYTES_PER_SLOT // 2, 1)
        self._index = FRONTS + processes
        self._begin = (self._index + self._pairs * PAIR_WORDS) * 4
        length = self._begin + processes * self.ring
        if file >= 0:
            os.ftruncate(file, length)
        less = "a smaller --max-memory"
        self._bytes = reserve(length, "the options that processes share", less, file)
        self._words = words_of(self._bytes)
        self._words[0], self._words[1] = processes, self._pairs

    def part(self, first: int) -> "ChildStore":
        """The same store for processes whose rings begin with that one."""
        other = copy(self)
        other.first = first
        return other

    def used(self) -> int:
        """Bytes of memory that records have taken, at most."""
        fronts = [int(self._words[FRONTS + i]) * UNIT for i in range(self.processes)]
        return sum([min(front, self.ring) for front in fronts])

    def add(self, process: int, land: Land, options: List[Sum], is_part: bool = False) -> None:
        """Keep the options of a land, or the first of them, unless the ring is too small."""
        packed = b"\n".join([o[0] if len(o) == 1 else b" ".join(o) for o in options])
        count = len(options) | (PART if is_part else 0)
        check = crc32(packed, crc32(land, count))
        record = _header.pack(len(land), len(packed), count, check) + land + packed
        units = -(-len(record) // UNIT)
        ring = self.ring // UNIT
        if units * 8 > ring:
            return
        front = int(self._words[FRONTS + process])
        if front % ring + units > ring:
            front += ring - front % ring
        self._words[FRONTS + process] = front + units & LOW
        at = self._begin + process * self.ring + front % ring * UNIT
        self._bytes[at : at + len(record)] = record
        key = hash_key(land)
        slot = self._slot_for(key)
        self._words[slot] = key >> 31 & LOW
        self._words[slot + 1] = process + 1
        self._words[slot + 2] = front & LOW

    def _slot_for(self, key: int) -> int:
        """Which slot of a pair to write: that of the same hash, a free one, else the second."""
        words = self._words
        first = self._index + key % self._pairs * PAIR_WORDS
        second = first + SLOT_WORDS
        tag = key >> 31 & LOW
        if words[first] == tag or words[second] != tag and not self._is_live(first):
            return first
        return second

    def _is_live(self, slot: int) -> bool:
        """Whether a slot says where a record is that was not overwritten."""
        process = int(self._words[slot + 1]) - 1
        if not 0 <= process < self.processes:
            return False
        front = int(self._words[FRONTS + process])
        return (front - int(self._words[slot + 2]) & LOW) * UNIT <= self.ring

    def find(self, land: Land) -> Optional[Tuple[List[Sum], bool]]:
        """(options of a land in the order of their generation, whether there may be more).

        None when none are kept.
        """
        key = hash_key(land)
        slot = self._index + key % self._pairs * PAIR_WORDS
        tag = key >> 31 & LOW
        if self._words[slot] != tag:
            slot += SLOT_WORDS
            if self._words[slot] != tag:
                return None
        process = int(self._words[slot + 1]) - 1
        if not 0 <= process < self.processes:
            return None
        position = int(self._words[slot + 2])
        start = position % (self.ring // UNIT) * UNIT
        at = self._begin + process * self.ring + start
        room = self.ring - start
        size, more, count, check = _header.unpack(self._bytes[at : at + _header.size])
        if size != len(land) or _header.size + size + more > room:
            return None
        record = self._bytes[at + _header.size : at + _header.size + size + more]
        if (int(self._words[FRONTS + process]) - position & LOW) * UNIT > self.ring:
            return None
        packed = record[size:]
        if record[:size] != land or crc32(packed, crc32(land, count)) != check:
            return None
        is_part = count >= PART
        if not count & ~PART:
            return [], is_part
        return [tuple(lands.split(b" ")) if lands else () for lands in packed.split(b"\n")], is_part


def open_child_store(file: int, first: int) -> ChildStore:
    """The store in the memory of a descriptor; raises OSError, ValueError if there is none."""
    length = os.fstat(file).st_size
    with mmap.mmap(file, length) as memory:
        processes, pairs = [
            int.from_bytes(memory[4 * i : 4 * i + 4], sys.byteorder) for i in range(FRONTS)
        ]
    if not 0 <= first < processes:
        raise ValueError("descriptor %d has no options" % file)
    size = length - (FRONTS + processes + pairs * PAIR_WORDS) * 4
    return ChildStore(processes, size, file).part(first)


class SharedGame:
    """A game whose options are taken from a store, and put there, by one process.

    Without a `process` they are only taken. `children_generated` counts those that were
    not there. Who needs no more options of a land leaves them; the first ones are then put
    into the store when another land is asked for.
    """

    def __init__(self, game: Game, store: ChildStore, process: Optional[int] = None) -> None:
        self.name = game.name
        self.is_impartial = game.is_impartial
        self.parse, self.format, self.estimate = game.parse, game.format, game.estimate
        self.children_generated = 0
        self.original = game
        """The game that generates all options itself."""
        self._store = store
        self._ring = None if process is None else store.first + process
        self._land: Land = b""
        self._generated: List[Sum] = []
        """The options generated so far of `_land`, the land that was asked for last."""

    def is_land(self, land: Land) -> bool:
        return is_surely_land(self.original, land)

    def children(self, land: Land) -> Iterable[Sum]:
        """The options of a land, as the game gives them."""
        if self._generated:
            self._keep(is_part=True)
        found = self._store.find(land)
        if found is None:
            return self._generate(land)
        options, is_part = found
        return self._generate_others(land, options) if is_part else options

    def _generate(self, land: Land) -> Iterator[Sum]:
        """All options, in whatever order the game gives them."""
        self._land, self._generated = land, []
        options = self._generated
        for option in self.original.children(land):
            options.append(option)
            self.children_generated += 1
            yield option
        self._keep(is_part=False)

    def _generate_others(self, land: Land, known: List[Sum]) -> Iterator[Sum]:
        """The options that were kept, and then the others."""
        yield from known
        given = set(known)
        for option in self._generate(land):
            if option not in given:
                yield option

    def _keep(self, is_part: bool) -> None:
        """Put what was generated into the store."""
        if self._ring is not None:
            self._store.add(self._ring, self._land, self._generated, is_part)
        self._generated = []


def original_game(game: Game) -> Game:
    """The game that a SharedGame takes children from; any other game itself."""
    return game.original if isinstance(game, SharedGame) else game
