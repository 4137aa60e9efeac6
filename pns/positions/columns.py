"""Columns with one value for each id, and distinct texts with an index, in little memory.

Arrays of machine words and bytes take a tenth of the memory of Python objects, and the garbage
collector does not scan them.
"""

from __future__ import annotations

from array import array
from typing import Any, Callable, Dict, Generic, Iterator, List, Protocol, Sequence, TypeVar

from pns.system.machine import private_bytes

CHUNK_BITS = 16
CHUNK = (1 << CHUNK_BITS) - 1
LEAST_SLOTS = 1 << 10
LOW = (1 << 32) - 1
CHUNK_BYTES = 1 << 21
"""Address space for the texts of a chunk; the system provides pages as they are used."""
CODE_BYTES, LIST_BYTES, NUMBER_BYTES = 5, 16, 4
"""The memory of a code in `Lists`, of what is said of a list, and of an id up to the last one."""
LEAST_UNUSED = 1 << 16
"""Unused places of `Lists` that are too few to be worth moving the others."""

T = TypeVar("T")


class Column(Protocol[T]):
    """One value for each id: a list, or a more compact sequence with the same operations."""

    def __getitem__(self, i: int, /) -> T: ...

    def __setitem__(self, i: int, value: T, /) -> None: ...

    def append(self, value: T, /) -> None: ...


def keep(column: "array[int]", live: Sequence[int]) -> None:
    """Drop the values that `live` does not mark, in place; the others move up.

    >>> column = array("I", [5, 6, 7])
    >>> keep(column, [1, 0, 1]); column
    array('I', [5, 7])
    """
    end = 0
    for i in range(len(live)):
        if live[i]:
            column[end] = column[i]
            end += 1
    del column[end:]


def places(live: Sequence[int]) -> "array[int]":
    """The place that `keep` gives each value, 0 for a dropped one.

    >>> places([1, 0, 1])
    array('I', [0, 0, 1])
    """
    found = array("I", bytes(4 * len(live)))
    end = 0
    for i in range(len(live)):
        if live[i]:
            found[i] = end
            end += 1
    return found


class Texts:
    """Distinct texts, numbered from 0 on, and a hash index from text to number.

    The texts are in memory that the garbage collector neither scans nor counts.

    >>> texts = Texts()
    >>> texts.append(b"0*2"); texts.append(b"1a1a")
    >>> texts.find(b"1a1a"), texts.find(b"0*3"), texts[0]
    (1, -1, b'0*2')
    """

    def __init__(self) -> None:
        self.chunks: List[Any] = []
        """Texts one after another, CHUNK + 1 of them in each; every chunk has room for more."""
        self.ends = array("I")
        self._hashes = array("I")
        self._slots = array("I", bytes(4 * LEAST_SLOTS))

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, i: int) -> bytes:
        start = self.ends[i - 1] if i & CHUNK else 0
        text: bytes = self.chunks[i >> CHUNK_BITS][start : self.ends[i]]
        return text

    def length(self, i: int) -> int:
        """The length of a text."""
        return self.ends[i] - (self.ends[i - 1] if i & CHUNK else 0)

    def append(self, text: bytes) -> None:
        """Add a text, which must be new, under the next number."""
        i = len(self.ends)
        if i & CHUNK:
            start = self.ends[i - 1]
        else:
            start = 0
            self.chunks.append(private_bytes(CHUNK_BYTES))
        self.ends.append(self._put(i >> CHUNK_BITS, start, text))
        self._hashes.append(hash(text) & LOW)
        if 5 * i > 4 * len(self._slots):
            self.index(len(self._slots) * 3 // 2)
        else:
            self._enter(i)

    def _put(self, number: int, start: int, text: bytes) -> int:
        """Write a text at a place in a chunk, which grows when it has to; return its end there."""
        chunk, end = self.chunks[number], start + len(text)
        if end > len(chunk):
            self.chunks[number] = larger = private_bytes(2 * end)
            larger[:start] = chunk[:start]
            chunk = larger
        chunk[start:end] = text
        return end

    def keep(self, live: Sequence[int]) -> None:
        """Drop the texts that `live` does not mark, in place; the others are numbered again.

        Their order stays. The index is invalid until `index_again`. The system has the memory
        back after the next collection of garbage.
        """
        ends, start, count = self.ends, 0, 0
        for i in range(len(ends)):
            old_start, old_end = start if i & CHUNK else 0, ends[i]
            start = old_end
            if live[i]:
                text = self.chunks[i >> CHUNK_BITS][old_start:old_end]
                # what is written is never behind what is read, and a chunk that grows is read
                place = ends[count - 1] if count & CHUNK else 0
                ends[count] = self._put(count >> CHUNK_BITS, place, text)
                count += 1
        del ends[count:]
        keep(self._hashes, live)
        del self.chunks[(count + CHUNK) >> CHUNK_BITS :]

    def replace(self, i: int, text: bytes) -> None:
        """Put a text in the place of one as long. The index is invalid until `index_again`."""
        end = self.ends[i]
        self.chunks[i >> CHUNK_BITS][end - len(text) : end] = text
        self._hashes[i] = hash(text) & LOW

    def dump(self) -> bytes:
        """All texts, one after another."""
        return b"".join([chunk[:end] for chunk, end in zip(self.chunks, self._chunk_ends())])

    def restore(self, texts: bytes, ends: "array[int]") -> None:
        """Replace the content by that of a `dump` with its `ends`."""
        self.ends, self.chunks = ends, []
        start = 0
        for end in self._chunk_ends():
            chunk = private_bytes(max(end, CHUNK_BYTES))
            chunk[:end] = texts[start : start + end]
            self.chunks.append(chunk)
            start += end
        self._hashes = array("I", [hash(self[i]) & LOW for i in range(len(ends))])
        self.index(self._enough_slots())

    def _chunk_ends(self) -> List[int]:
        """The bytes of each chunk that texts take."""
        last = len(self.ends) - 1
        return [self.ends[min(i + CHUNK, last)] for i in range(0, last + 1, CHUNK + 1)]

    def _enough_slots(self) -> int:
        return 3 * len(self.ends) // 2 + LEAST_SLOTS

    def index(self, slots: int) -> None:
        """Build the index with a number of slots."""
        self._slots = array("I", bytes(4 * slots))
        self._enter_all()

    def index_again(self) -> None:
        """Build the index in the memory that it has, or in less of it if that is enough."""
        slots = self._slots
        del slots[self._enough_slots() :]
        for slot in range(len(slots)):
            slots[slot] = 0
        self._enter_all()

    def _enter_all(self) -> None:
        for i in range(len(self.ends)):
            self._enter(i)

    def _enter(self, i: int) -> None:
        slots = self._slots
        size = len(slots)
        slot = self._hashes[i] % size
        while slots[slot]:
            slot = slot + 1 if slot + 1 < size else 0
        slots[slot] = i + 1

    def find(self, text: bytes) -> int:
        """The number of a text, -1 when it has none."""
        slots, hashes, text_hash = self._slots, self._hashes, hash(text) & LOW
        size = len(slots)
        slot = text_hash % size
        while slots[slot]:
            i = slots[slot] - 1
            if hashes[i] == text_hash and self[i] == text:
                return i
            slot = slot + 1 if slot + 1 < size else 0
        return -1

    def bytes(self) -> int:
        """Memory in bytes."""
        return sum(self._chunk_ends()) + 4 * (2 * len(self.ends) + len(self._slots))


class Bits:
    """A column of bit sets whose elements are nearly all below 8.

    >>> bits = Bits()
    >>> bits.append(0); bits[0] |= 1 << 3 | 1 << 200; bits[0] == 1 << 3 | 1 << 200
    True
    """

    def __init__(self) -> None:
        self.low = array("B")
        self.high: Dict[int, int] = {}

    def __getitem__(self, i: int) -> int:
        low = self.low[i]
        if self.high:
            return low | self.high.get(i, 0) << 8
        return low

    def __setitem__(self, i: int, bits: int) -> None:
        self.low[i] = bits & 0xFF
        if bits >> 8:
            self.high[i] = bits >> 8

    def append(self, bits: int) -> None:
        self.low.append(bits & 0xFF)
        if bits >> 8:
            self.high[len(self.low) - 1] = bits >> 8

    def keep(self, live: Sequence[int], new_ids: Sequence[int]) -> None:
        """Drop the values that `live` does not mark; the others get the indices `new_ids`."""
        keep(self.low, live)
        self.high = {new_ids[i]: bits for i, bits in self.high.items() if live[i]}


class Lists:
    """Lists of codes ``id << 8 | n`` for some ids, in 5 bytes for each code.

    >>> lists = Lists()
    >>> lists[7] = [70000 << 8 | 3, 256]
    >>> lists[7], lists.get(8), 7 in lists, 8 in lists, len(lists)
    ([17920003, 256], [], True, False, 1)
    """

    def __init__(self) -> None:
        self._numbers = array("I")
        """By id one more than the number of its list, 0 if it has none; ids may be missing."""
        self._starts, self._lengths, self._rooms = array("q"), array("I"), array("I")
        """By number of a list: where it is in the next two, its length, and the places it has."""
        self._ids, self._heaps = array("I"), array("B")
        self._unused = 0
        """Places that no list has any more."""

    def __len__(self) -> int:
        return len(self._starts)

    def number(self, i: int) -> int:
        """The number of the list of an id, counted from 0 in the order of insertion; -1 if none."""
        return self._numbers[i] - 1 if i < len(self._numbers) else -1

    def __contains__(self, i: int) -> bool:
        return self.number(i) >= 0

    def __iter__(self) -> Iterator[int]:
        """The ids that have a list."""
        return (i for i in range(len(self._numbers)) if self._numbers[i])

    def length(self, number: int) -> int:
        """The length of the list with a number."""
        return self._lengths[number]

    def __getitem__(self, i: int) -> List[int]:
        """A copy of the list of an id; raises KeyError if it has none."""
        number = self.number(i)
        if number < 0:
            raise KeyError(i)
        ids, heaps, start = self._ids, self._heaps, self._starts[number]
        return [ids[k] << 8 | heaps[k] for k in range(start, start + self._lengths[number])]

    def get(self, i: int) -> List[int]:
        """A copy of the list of an id, empty if it has none."""
        return self[i] if i in self else []

    def __setitem__(self, i: int, codes: List[int]) -> None:
        number, length = self.number(i), len(codes)
        if number < 0:
            number = self._new_number(i)
        if length > self._rooms[number]:
            self._move_to_the_end(number, length)
        self._lengths[number] = length
        ids, heaps, k = self._ids, self._heaps, self._starts[number]
        for code in codes:
            ids[k], heaps[k] = code >> 8, code & 0xFF
            k += 1

    def _new_number(self, i: int) -> int:
        """The number of a new list, which is empty."""
        missing = i + 1 - len(self._numbers)
        if missing > 0:
            self._numbers.extend(array("I", bytes(4 * missing)))
        number = self._add_list()
        self._numbers[i] = number + 1
        return number

    def _add_list(self) -> int:
        """The number of one more list, which is empty."""
        for column in (self._starts, self._lengths, self._rooms):
            column.append(0)
        return len(self._starts) - 1

    def _move_to_the_end(self, number: int, room: int) -> None:
        """Give a list, whose codes are lost, places behind all others."""
        self._unused += self._rooms[number]
        self._lengths[number] = 0
        if self._unused > LEAST_UNUSED and self._unused > len(self._ids) // 4:
            self._close_up()
        self._starts[number], self._rooms[number] = len(self._ids), room
        self._ids.extend(array("I", bytes(4 * room)))
        self._heaps.extend(array("B", bytes(room)))

    def _close_up(self) -> None:
        """Move all lists to the front, with no places between them."""
        ids, heaps, starts, end = self._ids, self._heaps, self._starts, 0
        # sorted as ints, not by a key, which would take an object for each list
        for place in sorted([starts[number] << 32 | number for number in range(len(starts))]):
            start, number = place >> 32, place & 0xFFFFFFFF
            starts[number] = end
            for k in range(start, start + self._lengths[number]):
                ids[end], heaps[end] = ids[k], heaps[k]
                end += 1
            self._rooms[number] = self._lengths[number]
        del ids[end:], heaps[end:]
        self._unused = 0

    def keep(self, stay: Sequence[int], new_ids: Sequence[int]) -> None:
        """Drop the lists whose numbers `stay` does not mark, in place; ids become `new_ids`.

        That of a dropped id is 0. The others are numbered again in their order.
        """
        numbers, new_numbers, last = self._numbers, places(stay), 0
        for i in range(len(numbers)):
            number = numbers[i]
            if new_ids[i]:
                last = new_ids[i]
                is_listed = number and stay[number - 1]
                numbers[last] = 1 + new_numbers[number - 1] if is_listed else 0
        del numbers[last + 1 :]
        self._drop(stay)
        ids = self._ids
        for k in range(len(ids)):
            ids[k] = new_ids[ids[k]]

    def _drop(self, stay: Sequence[int]) -> None:
        """Drop the lists that `stay` does not mark; the others are numbered again."""
        for number in range(len(stay)):
            if not stay[number]:
                self._lengths[number] = 0
        self._close_up()
        for column in (self._starts, self._lengths, self._rooms):
            keep(column, stay)

    def bytes(self) -> int:
        """Memory in bytes."""
        lists = CODE_BYTES * len(self._ids) + LIST_BYTES * len(self._starts)
        return lists + NUMBER_BYTES * len(self._numbers)


class Derived(Generic[T]):
    """A column that is computed whenever it is read."""

    def __init__(self, value: Callable[[int], T]) -> None:
        self._value = value

    def __getitem__(self, i: int) -> T:
        return self._value(i)

    def __setitem__(self, i: int, value: T) -> None:
        raise TypeError("a computed column cannot be set")

    def append(self, value: T) -> None:
        pass
