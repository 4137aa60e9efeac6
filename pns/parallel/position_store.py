"""The memory of the positions that processes share: two halves, in turn, and who is in which.

All processes of a search use the same ids, so that none of them has to read what another one has
found: texts, Grundy numbers, wins and children are where all can see them. Nobody can number
ids again while others hold them, so positions are never moved. When one half is full, a process
copies the known Grundy numbers into the other one, and all begin again there. When the last one
has left, the system has the memory of the first half back.

A process takes ids, and room for texts and children, in blocks. Only for that, and to
change halves, it takes a lock, which the system releases if the process is killed. The memory is
anonymous, so that nothing of it outlives the processes.
"""

from __future__ import annotations

import fcntl
import mmap
import sys
import tempfile
from array import array
from contextlib import contextmanager
from typing import Callable, Iterator, List, Tuple

from pns.parallel.store_index import GROWTH, StoreIndex, index_words
from pns.positions.interned import IS_SUM, UNKNOWN
from pns.search.table import LOW, shared_words
from pns.system.machine import reservable, reserve, total_memory, wipe
from pns.system.views import buffer_of, bytes_of, signed_halves_of, signed_words_of, words_of

WORD_BYTES = 4
ROOM_PART, MACHINE_PART, RESERVED_PART = 2, 4, 32
"""Positions take at most 1/ROOM_PART of the room of all processes, 1/MACHINE_PART of the machine's
memory, and 1/RESERVED_PART of the address space that is left, of which they reserve more."""
MOST_BYTES = 1 << 35
"""Upper bound on a half, so that places in it fit a word."""
LEAST_BYTES = 1 << 18
"""A half has at least this number of bytes for each process."""
COLUMN_BYTES = 46
"""Memory of an id, with its slots in the index, without its text and children."""
BYTES_PER_ID = 80
"""A half has an id for this many bytes of its size."""
CONTENT_PART = 3
"""The texts of a half may take 1/CONTENT_PART of its size, and the children as much."""
BLOCK = 256
"""Ids that a process takes at a time: all of lands, or all of sums."""
UNIT, TEXT_UNITS, PART_WORDS = 8, 1 << 11, 1 << 12
"""Texts begin at multiples of UNIT bytes. A process takes room for TEXT_UNITS units, or for
children in PART_WORDS words."""
IDS, TEXTS, PARTS = range(3)
"""Words of a half: its ids, units for texts, and words for children that processes have taken."""
SLOT_WORDS, WIDTH = 2, 8  # a tag and an id; a bucket is as large as a line of a cache
INDEX_BYTES = 2 * GROWTH * SLOT_WORDS * WORD_BYTES
"""Levels of the index are in use up to this number of bytes for each id."""
SPARE_IDS, SPARE_UNITS, SPARE_WORDS = 1 << 14, 1 << 17, 1 << 15
"""What each process may take of a full half before it looks whether it has to leave."""
COPIED = 0.5
"""The share of a half that the Grundy numbers which are copied from the other one may take."""

EPOCH, OLD, EPOCHS = range(3)
"""Words of a store: the number of changes, whether the other half is to be wiped, and from EPOCHS
on the epoch in which each process is. The numbers of facts and of wins that each has found follow,
with a place for their parent."""
FACT_COUNTS, WIN_COUNTS = range(2)
WHAT, LESS = "the positions that processes share", "a smaller max_memory"
ABSENT = LOW
"""The epoch of a process that holds no ids."""

_UNKNOWN_BLOCK = array("h", [UNKNOWN] * BLOCK).tobytes()
_SUM_BLOCK = array("h", [IS_SUM] * BLOCK).tobytes()


def positions_bytes(room: int = sys.maxsize) -> int:
    """Bytes for the positions of processes that may hold `room` bytes together.

    Address space is reserved at once, memory as positions come.
    """
    most = min(room // ROOM_PART, total_memory() // MACHINE_PART, reservable() // RESERVED_PART)
    return min(MOST_BYTES, most)


class Half:
    """Columns by id, the index of lands and sums, texts and lists of children.

    Id 0 is the empty position. The columns `first` and `second` say of a land where its text is
    and its branching, and of a sum its first land and the sum, or the land, of the others.
    `lists` says where the newest children of a land are, 0 if there are none.
    """

    def __init__(self, size: int, processes: int) -> None:
        self.size = size
        self._limits = (
            size // BYTES_PER_ID,
            size // CONTENT_PART // UNIT,
            size // CONTENT_PART // WORD_BYTES,
        )
        spare = SPARE_IDS, SPARE_UNITS, SPARE_WORDS
        self._most = [limit + processes * more for limit, more in zip(self._limits, spare)]
        ids, text_units, part_words = self._most
        buckets = 2 * ids // WIDTH
        self._columns: List[Tuple[mmap.mmap, int, int]] = []
        """(memory, the word of the head that counts its entries, bytes of each)"""
        self.head, self._memory = shared_words(3 * WORD_BYTES, WHAT, LESS)
        self.first, self.second, self.lists = [
            words_of(self._column(IDS, ids, WORD_BYTES)) for _ in range(3)
        ]
        self.keys = signed_words_of(self._column(IDS, ids, 8))
        self._number_bytes = self._column(IDS, ids, 2)
        self.numbers = signed_halves_of(self._number_bytes)
        wins = self._column(IDS, ids, 8)
        self.wins, self.win_bytes = signed_words_of(wins), bytes_of(wins)
        """A byte for each heap below 8: its bit if a child of the land has that Grundy number."""
        texts = self._column(TEXTS, text_units, UNIT)
        self.texts, self.text_bytes = buffer_of(texts), bytes_of(texts)
        parts = self._column(PARTS, part_words, WORD_BYTES)
        self.parts, self.part_bytes = words_of(parts), buffer_of(parts)
        size_of_index = index_words(buckets, SLOT_WORDS, WIDTH) * WORD_BYTES
        self._index_memory = reserve(size_of_index, WHAT, LESS)
        slots = words_of(self._index_memory)
        self.index = StoreIndex(slots, 0, buckets, SLOT_WORDS, WIDTH)
        self.begin()

    def _column(self, counted_by: int, count: int, width: int) -> mmap.mmap:
        """Memory for `count` entries of `width` bytes, counted by a word of the head."""
        memory = reserve(count * width, WHAT, LESS)
        self._columns.append((memory, counted_by, width))
        return memory

    def begin(self) -> None:
        """Take the first block, of which only the id of the empty position is used."""
        self.head[IDS], self.head[PARTS] = BLOCK, 1  # place 0 stands for no children

    def wipe(self) -> None:
        """Drop everything, and give the memory back to the system."""
        for memory, counted_by, width in self._columns:
            wipe(memory, width * int(self.head[counted_by]))
        # an entry that stays in the index leads nowhere, since texts and lands are compared
        wipe(self._index_memory, INDEX_BYTES * self.count)
        wipe(self._memory)
        self.begin()

    @property
    def count(self) -> int:
        """The ids that processes have taken."""
        return int(self.head[IDS])

    @property
    def used(self) -> int:
        """Bytes in use, with what processes have taken."""
        head = self.head
        return (
            COLUMN_BYTES * int(head[IDS]) + UNIT * int(head[TEXTS]) + WORD_BYTES * int(head[PARTS])
        )

    @property
    def is_full(self) -> bool:
        """Whether it is time to leave."""
        head, (ids, text_units, part_words) = self.head, self._limits
        return (
            head[IDS] > ids
            or head[TEXTS] > text_units
            or head[PARTS] > part_words
            or self.used > self.size
        )

    def block_of(self, is_sum: bool) -> int:
        """The first id of a new block; nobody else may be taking one."""
        start = self._take(IDS, BLOCK)
        block = _SUM_BLOCK if is_sum else _UNKNOWN_BLOCK
        self._number_bytes[2 * start : 2 * start + len(block)] = block
        return start

    def texts_of(self, units: int) -> int:
        """The first unit of new room for texts; nobody else may be taking any."""
        return self._take(TEXTS, units)

    def parts_of(self, words: int) -> int:
        """The first word of new room for children; nobody else may be taking any."""
        return self._take(PARTS, words)

    def _take(self, word: int, count: int) -> int:
        start = int(self.head[word])
        if start + count > self._most[word]:
            raise MemoryError("the memory for the positions that processes share is full")
        self.head[word] = start + count
        return start


class PositionStore:
    """Two halves for the positions of a number of processes, of `size` bytes if that is enough."""

    def __init__(self, processes: int, size: int = 0) -> None:
        size = max(size or positions_bytes(), processes * LEAST_BYTES)
        self.processes = processes
        what = "the epochs of %d processes" % processes, "a smaller number of processes"
        self.words, self._memory = shared_words(WORD_BYTES * (EPOCHS + 3 * processes + 2), *what)
        for process in range(processes):
            self.words[EPOCHS + process] = ABSENT
        self.halves = Half(size, processes), Half(size, processes)
        self._file = tempfile.TemporaryFile()
        self._depth = 0

    def _first_count(self, kind: int) -> int:
        return EPOCHS + self.processes + kind * (self.processes + 1)

    def count(self, kind: int, process: int) -> None:
        """Count a fact or a win that a process has found, or with -1 its parent, modulo 2**32."""
        place = self._first_count(kind) + process % (self.processes + 1)
        self.words[place] = self.words[place] + 1 & LOW

    def count_of_others(self, kind: int, process: int) -> int:
        """A number that differs from an earlier one if others have found more since then."""
        words, first = self.words, self._first_count(kind)
        total = 0
        for place in range(first, first + self.processes + 1):
            total += words[place]
        return total - int(words[first + process % (self.processes + 1)])

    @property
    def epoch(self) -> int:
        """The number of changes from one half to the other."""
        return int(self.words[EPOCH])

    @property
    def current(self) -> Half:
        return self.half_of(self.epoch)

    def half_of(self, epoch: int) -> Half:
        """The half that processes use in an epoch."""
        return self.halves[epoch % 2]

    @property
    def used(self) -> int:
        """Bytes in use."""
        return sum([half.used for half in self.halves])

    @property
    def is_free(self) -> bool:
        """Whether the half that is not current can be used."""
        return not self.words[OLD]

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Alone take blocks or change halves; for the process that has the lock again, nothing."""
        if not self._depth:
            fcntl.lockf(self._file, fcntl.LOCK_EX)
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if not self._depth:
                fcntl.lockf(self._file, fcntl.LOCK_UN)

    def enter(self, process: int, epoch: int) -> None:
        """Note in which epoch a process is; the last one to leave the old half wipes it."""
        self.words[EPOCHS + process] = epoch
        if self.words[OLD]:
            with self.locked():
                if self.words[OLD] and self._all_are_in(self.epoch):
                    self.half_of(self.epoch + 1).wipe()
                    self.words[OLD] = 0

    def leave(self, process: int) -> None:
        """Note that a process has ended, and holds no ids."""
        self.words[EPOCHS + process] = ABSENT

    def _all_are_in(self, epoch: int) -> bool:
        present = [self.words[EPOCHS + process] for process in range(self.processes)]
        return all([word in (epoch, ABSENT) for word in present])

    def change(self, epoch: int, copy: Callable[[Half, Half], None]) -> bool:
        """Let all processes go on in the other half, if it is free and this is the epoch.

        First `copy(from, to)` copies what is to stay. Returns whether the epoch has changed.
        """
        with self.locked():
            if self.epoch == epoch and self.is_free:
                copy(self.current, self.half_of(epoch + 1))
                self.words[OLD] = 1
                self.words[EPOCH] = epoch + 1 & LOW
            return self.epoch != epoch
