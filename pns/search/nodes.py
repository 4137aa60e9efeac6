"""Nodes of a proof-number tree: records of 20 bytes in one shared array, and the map to them.

A record is five 32-bit words in the machine's byte order, after [elhage-web]; a record is named
by its number in the array:

====== ======= =================================================================
offset word    content
====== ======= =================================================================
0      PN      proof number of the player to move
4      DN      disproof number
8      FIRST   first child, 0 at a leaf; of a reference, the owner of its state
12     NEXT    next sibling, 0 at the end; of a free record, the next free one
16     META    bits 0-5 flags, 6-13 the heap of the couple, 14-31 the move
====== ======= =================================================================

No position is stored: a node is the child of its parent by `move`. That is the number of a
child in the list of the parent's land, or HEAP_MOVE + n for the move to the heap *n. Flags:
a SUM record stands for several unknown lands, and its numbers are those of its last update;
a REFERENCE stands for a couple whose numbers and children another record owns; a REST
record stands for all children of the land from number `move` on, which are not generated
or have no records yet; MARK is used by `sweep`; LOCKED says that all leaves below are in
work (`pns.jobs.jobtree`).

Record 0 is not a node: its words are MAGIC, the records ever used, the root, its pn and dn.
The array is anonymous memory, freed with its last process; another process of the same
user maps it by its `name`, as a `View`.
"""

from __future__ import annotations

import mmap
import os
import sys
from array import array
from typing import Dict, Iterator, List, Tuple
from weakref import finalize

from pns.system.machine import reserve
from pns.system.views import words_of

NODE_BYTES = 20
NODE_WORDS = 5
PN, DN, FIRST, NEXT, META = range(NODE_WORDS)
SUM, REFERENCE, MARK, LOCKED, REST = 1, 2, 4, 8, 16
HEAP_SHIFT, MOVE_SHIFT = 6, 14
HEAP_BITS_MASK = 0xFF
HEAP_MOVE = (1 << 18) - 1 - HEAP_BITS_MASK
"""The move to the heap *0; smaller moves are numbers of children of the land."""
MAGIC = 0x31736E70
TOP, ROOT_RECORD, ROOT_PN, ROOT_DN = 1, 2, 3, 4
"""Words of record 0, after MAGIC."""

LEAST_SLOTS = 1 << 10


class Full(Exception):
    """There is no room for another record."""


class View:
    """The nodes of another process, read-only: `words` as described above.

    Raises OSError if there is no such process or array, ValueError if it holds no nodes.
    """

    def __init__(self, name: str) -> None:
        with open(name, "rb") as file:
            self._memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if len(self._memory) % NODE_BYTES or self._memory[:4] != MAGIC.to_bytes(4, sys.byteorder):
            raise ValueError("%s holds no nodes" % name)
        self.words = memoryview(self._memory).cast("I")

    @property
    def count(self) -> int:
        """Records ever used."""
        return self.words[TOP] - 1

    @property
    def root(self) -> Tuple[int, int]:
        """Proof and disproof number of the root."""
        return self.words[ROOT_PN], self.words[ROOT_DN]

    def moves(self) -> List[int]:
        """The moves of the most proving line from the root, as far as records lead."""
        words = self.words
        moves: List[int] = []
        at = words[ROOT_RECORD] * NODE_WORDS
        while at and len(moves) < self.count:
            if words[at + META] & REFERENCE:
                at = words[at + FIRST] * NODE_WORDS
            children: List[Tuple[int, int, int]] = []
            child = 0 if words[at + META] & SUM else words[at + FIRST]
            while child and len(children) < self.count:
                place = child * NODE_WORDS
                reference = words[place + META] & REFERENCE
                owner = words[place + FIRST] * NODE_WORDS if reference else place
                children.append((words[owner + DN], len(children), place))
                child = words[place + NEXT]
            at = min(children)[2] if children else 0
            if words[at + META] & REST:
                at = 0
            if at:
                moves.append(words[at + META] >> MOVE_SHIFT)
        return moves


class Nodes:
    """An array for `capacity` records and the exact map from couples to the records that own them.

    The map's memory grows with it; the array's is taken from the system as records are used.
    Only an array that `is_named` can be seen by other processes, and it takes a descriptor.
    Raises NoMemory when the array cannot be had.
    """

    def __init__(self, capacity: int, is_named: bool = True) -> None:
        self.capacity = capacity
        size = (capacity + 1) * NODE_BYTES
        self._file = -1
        if is_named and hasattr(os, "memfd_create"):
            self._file = os.memfd_create("pns-nodes")
            finalize(self, os.close, self._file)
            try:
                os.ftruncate(self._file, size)
            except OSError:  # above the limit for files: the array gets no name
                self._file = -1
        less = "a smaller capacity or max_memory"
        self._memory = reserve(size, "the nodes of the tree", less, self._file)
        self.words = words_of(self._memory)
        self.words[0] = MAGIC
        self.clear()

    @property
    def name(self) -> str:
        """The name for a `View`, "" where the system cannot share the array by name."""
        return "" if self._file < 0 else "/proc/%d/fd/%d" % (os.getpid(), self._file)

    def clear(self) -> None:
        """Forget every node."""
        self.top = 1
        self._free = 0
        self.free_count = 0
        self.most_heap = 0
        self.owners = 0
        self._lands = array("I", bytes(4 * LEAST_SLOTS))
        self._records = array("I", bytes(4 * LEAST_SLOTS))
        self.publish(0, 1, 1)

    @property
    def used(self) -> int:
        """The number of nodes."""
        return self.top - 1 - self.free_count

    def bytes(self) -> int:
        """Memory in bytes of the records ever used and of the map."""
        return self.top * NODE_BYTES + 8 * len(self._lands)

    def publish(self, root: int, pn: int, dn: int) -> None:
        """Write record 0, for readers in other processes."""
        words = self.words
        words[TOP], words[ROOT_RECORD], words[ROOT_PN], words[ROOT_DN] = self.top, root, pn, dn

    def new(self, meta: int, pn: int, dn: int, first: int) -> int:
        """A record without siblings; raises Full."""
        words = self.words
        record = self._free
        if record:
            self._free = words[record * NODE_WORDS + NEXT]
            self.free_count -= 1
        elif self.top <= self.capacity:
            record = self.top
            self.top += 1
            words[TOP] = self.top
        else:
            raise Full
        at = record * NODE_WORDS
        words[at + PN] = pn
        words[at + DN] = dn
        words[at + FIRST] = first
        words[at + NEXT] = 0
        words[at + META] = meta
        return record

    def release(self, record: int) -> None:
        """Free a record that is no longer linked."""
        at = record * NODE_WORDS
        self.words[at + FIRST] = 0
        self.words[at + META] = 0
        self.words[at + NEXT] = self._free
        self._free = record
        self.free_count += 1

    def find(self, land: int, heap: int) -> int:
        """The record that owns land + *heap, 0 when there is none."""
        lands = self._lands
        size = len(lands)
        i = (land * 0x9E3779B1 + heap * 0x3C6EF373) % size
        while lands[i]:
            if lands[i] == land:
                record = self._records[i]
                meta = self.words[record * NODE_WORDS + META]
                if meta >> HEAP_SHIFT & HEAP_BITS_MASK == heap:
                    return record
            i = i + 1 if i + 1 < size else 0
        return 0

    def enter(self, land: int, heap: int, record: int) -> None:
        """Make a record, whose META must hold the heap, the owner of land + *heap: it has none."""
        self.owners += 1
        if 5 * self.owners > 4 * len(self._lands):
            self._resize(len(self._lands) * 3 // 2)
        if heap > self.most_heap:
            self.most_heap = heap
        self._place(land, heap, record)

    def _place(self, land: int, heap: int, record: int) -> None:
        lands = self._lands
        size = len(lands)
        i = (land * 0x9E3779B1 + heap * 0x3C6EF373) % size
        while lands[i]:
            i = i + 1 if i + 1 < size else 0
        lands[i] = land
        self._records[i] = record

    def _resize(self, slots: int) -> None:
        lands, records, words = self._lands, self._records, self.words
        self._lands = array("I", bytes(4 * slots))
        self._records = array("I", bytes(4 * slots))
        for i in range(len(lands)):
            if lands[i]:
                meta = words[records[i] * NODE_WORDS + META]
                self._place(lands[i], meta >> HEAP_SHIFT & HEAP_BITS_MASK, records[i])

    def entries(self) -> Iterator[Tuple[int, int, int]]:
        """(land, heap, record) of every couple that has an owner."""
        for i in range(len(self._lands)):
            land = self._lands[i]
            if land:
                record = self._records[i]
                meta = self.words[record * NODE_WORDS + META]
                yield land, meta >> HEAP_SHIFT & HEAP_BITS_MASK, record

    def sweep(self, new_lands: "array[int]") -> None:
        """Free every record without MARK, unmark the others, and renumber the lands of the map."""
        words = self.words
        entries = [
            (new_lands[land], heap, record)
            for land, heap, record in self.entries()
            if words[record * NODE_WORDS + META] & MARK and new_lands[land]
        ]
        self._free = self.free_count = 0
        for record in range(self.top - 1, 0, -1):
            at = record * NODE_WORDS
            if words[at + META] & MARK:
                words[at + META] ^= MARK
            else:
                self.release(record)
        self.owners = len(entries)
        slots = max(LEAST_SLOTS, 3 * self.owners // 2)
        self._lands = array("I", bytes(4 * slots))
        self._records = array("I", bytes(4 * slots))
        for land, heap, record in entries:
            self._place(land, heap, record)

    def dump(self) -> Dict[str, "array[int]"]:
        """The content as arrays."""
        words = array("I")
        words.frombytes(self._memory[: self.top * NODE_BYTES])
        counts = [self.top, self._free, self.free_count, self.most_heap, self.owners]
        return {
            "nodes": words,
            "map_lands": self._lands,
            "map_records": self._records,
            "node_counts": array("I", counts),
        }

    def holds(self, arrays: Dict[str, "array[int]"]) -> bool:
        """Whether there is room for what `dump` returned."""
        return arrays["node_counts"][0] <= self.capacity + 1

    def restore(self, arrays: Dict[str, "array[int]"]) -> None:
        """Replace the content by what `dump` returned."""
        self.top, self._free, self.free_count, self.most_heap, self.owners = arrays["node_counts"]
        self._memory[: self.top * NODE_BYTES] = arrays["nodes"].tobytes()
        self._lands, self._records = arrays["map_lands"], arrays["map_records"]
