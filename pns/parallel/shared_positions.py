"""What one process sees of the positions that all share, and adds to them, in one epoch.

Every process finds a land by its exact text, and a sum by its lands. Two processes that meet the
same land at the same moment may both give it an id. Then each holds one, which costs work, but
proves nothing wrong. All that is written under an id stays: a text, the lands of a sum, a
list of children. Numbers and wins only become known. So whatever a process reads is true, however
the writes of others interleave; checksums reveal what a machine shows out of order.

The children of a land are parts, each with a link to the one before, of which the newest is in the
column `lists`. A process that generates more writes a part behind those that it knows. If
two do so at the same moment, the longer list stays.
"""

from __future__ import annotations

from array import array
from typing import Callable, ContextManager, Iterator, List, NamedTuple, Optional, Sequence, Tuple
from zlib import crc32

from pns.game import Land
from pns.parallel.position_store import (
    BLOCK,
    COPIED,
    PART_WORDS,
    TEXT_UNITS,
    UNIT,
    Half,
    PositionStore,
)
from pns.parallel.store_index import tag_of
from pns.positions.interned import IS_SUM
from pns.search.table import LOW

TEXT_HEADER = 8
"""Bytes in front of a text: its checksum and its length."""
END, END_BYTE = 0, b"\0"
"""Follows a text, so that it is not taken for a longer one."""
BEFORE, TOTAL, LENGTH, CHECK = range(4)
PART_HEADER = 4
"""Words in front of the ids in a part: the place of the part before, the number of children up to
the end of this one, that of its ids, and a checksum."""
COMPLETE = 1 << 31
"""Added to the number of children if there are no more."""
FACTORS, OTHER_FACTORS = (461845907, 374761083), (322685411, 513826961)
PRIME, OTHER_PRIME = 2147483647, 2147483629
"""For the key of a sum: factors below 2**29, so that it takes no long arithmetic, and primes below
2**31. Sums of neighbouring ids differ in what is the tag in the index, the first hash."""
NOT_ZERO = 0x5BD1E995
KEY_MASK = (1 << 63) - 1
MOST_ATTEMPTS = 1000


class Children(NamedTuple):
    """The first children of a land, as ids of lands and sums, not folded, and where they end."""

    ids: List[int]
    is_complete: bool
    place: int


class Room:
    """Room of a half that a process takes in steps, and uses piece by piece."""

    def __init__(
        self, locked: Callable[[], ContextManager[None]], take: Callable[[int], int], step: int
    ) -> None:
        self._locked, self._take, self._step = locked, take, step
        self._next = self._end = 0

    def place(self, count: int) -> int:
        """The first of `count` places that follow each other."""
        place = self._next
        if place + count > self._end:
            size = max(count, self._step)
            with self._locked():
                place = self._take(size)
            self._end = place + size
        self._next = place + count
        return place


def sum_key(first: int, second: int) -> int:
    """The key of a sum in the index."""
    tag = (first * FACTORS[0] + second * FACTORS[1]) % PRIME
    return tag << 31 | (first * OTHER_FACTORS[0] + second * OTHER_FACTORS[1]) % OTHER_PRIME


def _check(ids: bytes, before: int, total: int) -> int:
    """A checksum of a part, which memory that was never written does not have."""
    return crc32(ids, (before ^ total * 0x9E3779B1 ^ NOT_ZERO) & LOW)


class SharedPositions:
    """A process's view of the half that is current; `process` is -1 for one that holds no ids.

    Whoever is not one of the processes uses it while it has the lock of the store.
    """

    def __init__(self, store: PositionStore, process: int = -1) -> None:
        self.store, self.process = store, process
        self.count = 1
        """The ids that this process has given, and that of the empty position."""
        self.go_on()

    def go_on(self) -> None:
        """Use the half that is current, and forget all ids."""
        while True:
            epoch = self.store.epoch
            if self.process >= 0:
                self.store.enter(self.process, epoch)
            if self.store.epoch == epoch:  # nobody wipes the half now
                break
        self.use(epoch)

    def use(self, epoch: int) -> None:
        """Use the half of an epoch, with no blocks yet."""
        self.epoch, self.half = epoch, self.store.half_of(epoch)
        half, locked = self.half, self.store.locked
        self._lands = Room(locked, lambda _: half.block_of(is_sum=False), BLOCK)
        self._sums = Room(locked, lambda _: half.block_of(is_sum=True), BLOCK)
        self._texts = Room(locked, half.texts_of, TEXT_UNITS)
        self._parts = Room(locked, half.parts_of, PART_WORDS)

    @property
    def is_old(self) -> bool:
        """Whether processes use another half by now."""
        return self.store.epoch != self.epoch

    def find(self, text: Land) -> int:
        """The id of a land, 0 if it has none."""
        return self.id_in(self.half.index.find(hash(text) & KEY_MASK), text)

    def slot_of(self, text: Land) -> int:
        """The slot of the index for a land, -1 if there is none."""
        return self.half.index.place(hash(text) & KEY_MASK)

    def id_in(self, slot: int, text: Land) -> int:
        """The id in the slot for a land, 0 if the slot is empty or of another one."""
        words = self.half.index.words
        if slot < 0 or not words[slot]:
            return 0
        i = int(words[slot + 1])
        return i if self._is_text(i, text) else 0

    def _is_text(self, i: int, text: Land) -> bool:
        """Whether an id from the index is that of a land."""
        half = self.half
        if half.numbers[i] == IS_SUM:
            return False
        start = half.first[i] * UNIT + TEXT_HEADER
        end = start + len(text)
        return bool(half.text_bytes[end] == END and half.texts[start:end] == text)

    def add(self, slot: int, text: Land, key: int, branching: int, number: int) -> int:
        """A new id for a land, in the slot of the index where it is not found."""
        half = self.half
        size = TEXT_HEADER + len(text) + 1
        place = self._texts.place(-(-size // UNIT))
        at = place * UNIT
        header = crc32(text) | len(text) << 32
        half.texts[at : at + size] = header.to_bytes(TEXT_HEADER, "little") + text + END_BYTE
        i = self._lands.place(1)
        half.first[i], half.second[i], half.keys[i] = place, branching, key
        if number >= 0:
            half.numbers[i] = number
        self._put(slot, hash(text) & KEY_MASK, i)
        return i

    def _put(self, slot: int, key: int, i: int) -> None:
        """Write an id to a slot of the index, if there is one."""
        if slot >= 0:
            words = self.half.index.words
            words[slot + 1] = i
            words[slot] = tag_of(key)
        self.count += 1

    def pair(self, first: int, second: int) -> int:
        """The id of a land beside another one, or beside a sum."""
        half = self.half
        key = sum_key(first, second)
        slot = half.index.place(key)
        if slot >= 0 and half.index.words[slot]:
            i = int(half.index.words[slot + 1])
            if half.first[i] == first and half.second[i] == second and half.numbers[i] == IS_SUM:
                return i
        i = self._sums.place(1)
        half.first[i], half.second[i] = first, second
        half.keys[i] = half.keys[first] ^ half.keys[second]
        self._put(slot, key, i)
        return i

    def sum_of(self, lands: Sequence[int]) -> int:
        """The id of a sum of lands, given in the order of their ids; one is itself."""
        if not lands:
            return 0
        i = lands[-1]
        for k in range(len(lands) - 2, -1, -1):
            i = self.pair(lands[k], i)
        return i

    def lands_of(self, i: int) -> Tuple[int, ...]:
        """The lands of a sum, in the order of their ids; those of a land are itself."""
        half = self.half
        found: List[int] = []
        while half.numbers[i] == IS_SUM:
            first, second = half.first[i], half.second[i]
            while not first or not second:  # on a machine that shows writes out of order
                first, second = half.first[i], half.second[i]
            found.append(first)
            i = second
        found.append(i)
        return tuple(found)

    def text(self, i: int) -> Land:
        """The text of a land."""
        half = self.half
        for _ in range(MOST_ATTEMPTS):  # the first does, but where writes are seen out of order
            at = half.first[i] * UNIT
            header = int.from_bytes(half.texts[at : at + TEXT_HEADER], "little")
            start = at + TEXT_HEADER
            text: bytes = half.texts[start : start + (header >> 32)]
            if crc32(text) == header & LOW:
                return text
        raise RuntimeError("the text of a position is damaged")

    def lands(self) -> Iterator[int]:
        """The ids of all lands of the half, from the last block on; others may add more."""
        half = self.half
        for i in range(half.count - 1, 0, -1):
            if half.numbers[i] != IS_SUM and half.keys[i]:
                yield i

    def children(self, land: int, known: int = 0) -> Children:
        """The children of a land behind those up to a place where the caller has read.

        From the beginning if the newest children do not follow on that place.
        """
        half = self.half
        newest = place = int(half.lists[land])
        found: List[List[int]] = []
        while place and place != known:
            ids = self._part_at(place)
            if ids is None:
                return Children([], False, known)
            found.append(ids)
            place = int(half.parts[place + BEFORE])
        found.reverse()
        is_complete = self.count_children(newest) >= COMPLETE
        return Children([i for part in found for i in part], is_complete, newest)

    def children_up_to(self, place: int) -> List[int]:
        """The ids of the children up to a place that was read before."""
        found: List[List[int]] = []
        while place:
            ids = self._part_at(place)
            assert ids is not None
            found.append(ids)
            place = int(self.half.parts[place + BEFORE])
        found.reverse()
        return [i for part in found for i in part]

    def _part_at(self, place: int) -> Optional[List[int]]:
        """The ids of a part; None if it cannot be read yet."""
        parts = self.half.parts
        before, total = int(parts[place + BEFORE]), int(parts[place + TOTAL])
        start = 4 * (place + PART_HEADER)
        ids: bytes = self.half.part_bytes[start : start + 4 * int(parts[place + LENGTH])]
        if _check(ids, before, total) != parts[place + CHECK]:
            return None
        part = array("I")
        part.frombytes(ids)
        return part.tolist()

    def count_children(self, place: int) -> int:
        """The number of children up to a place, with COMPLETE if there are no more."""
        return int(self.half.parts[place + TOTAL]) if place else 0

    def add_children(self, land: int, known: int, ids: List[int], is_complete: bool) -> int:
        """Add children behind those up to a place; return the place where they end.

        The longer list stays if others have added any meanwhile.
        """
        half = self.half
        total = self.count_children(known) + len(ids) + (COMPLETE if is_complete else 0)
        place = self._parts.place(PART_HEADER + len(ids))
        packed = array("I", ids).tobytes()
        start = 4 * (place + PART_HEADER)
        half.part_bytes[start : start + len(packed)] = packed
        parts = half.parts
        parts[place], parts[place + TOTAL] = known, total
        parts[place + LENGTH], parts[place + CHECK] = len(ids), _check(packed, known, total)
        if total > self.count_children(int(half.lists[land])):
            half.lists[land] = place
        return place

    def change(self) -> bool:
        """Make all processes go on in the other half, if it is free; whether they do."""
        return self.store.change(self.epoch, self._copy)

    def _copy(self, old: Half, new: Half) -> None:
        """Copy the known Grundy numbers, of the latest blocks if there is no room for all."""
        other = SharedPositions(self.store)
        other.use(self.epoch + 1)
        for i in self.lands():
            number = int(old.numbers[i])
            if number >= 0 and new.used < COPIED * new.size:
                text = self.text(i)
                slot = other.slot_of(text)
                if not other.id_in(slot, text):
                    other.add(slot, text, int(old.keys[i]), int(old.second[i]), number)
