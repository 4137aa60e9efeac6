"""Columns with one value for each id, and distinct texts with an index, in little memory.

Arrays of machine words and bytes take a tenth of the memory of Python objects, and the garbage
collector does not scan them.
"""

from __future__ import annotations

from array import array
from typing import Any, Callable, Dict, Generic, Iterator, List, Protocol, TypeVar

from pns.machine import private_bytes

CHUNK_BITS = 16
CHUNK = (1 << CHUNK_BITS) - 1
LEAST_SLOTS = 1 << 10
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
        chunk, end = self.chunks[-1], start + len(text)
        if end > len(chunk):
            chunk = private_bytes(2 * end)
            chunk[:start] = self.chunks[-1][:start]
            self.chunks[-1] = chunk
        chunk[start:end] = text
        self.ends.append(end)
        if 5 * i > 4 * len(self._slots):
            self.index(len(self._slots) * 3 // 2)
        else:
            self._enter(text, i)

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
        self.index(3 * len(ends) // 2 + LEAST_SLOTS)

    def _chunk_ends(self) -> List[int]:
        """The bytes of each chunk that texts take."""
        last = len(self.ends) - 1
        return [self.ends[min(i + CHUNK, last)] for i in range(0, last + 1, CHUNK + 1)]

    def index(self, slots: int) -> None:
        """Build the index again with a number of slots."""
        self._slots = array("I", bytes(4 * slots))
        for i in range(len(self.ends)):
            self._enter(self[i], i)

    def _enter(self, text: bytes, i: int) -> None:
        slots = self._slots
        size = len(slots)
        slot = hash(text) % size
        while slots[slot]:
            slot = slot + 1 if slot + 1 < size else 0
        slots[slot] = i + 1

    def find(self, text: bytes) -> int:
        """The number of a text, -1 when it has none."""
        slots, ends = self._slots, self.ends
        size, length = len(slots), len(text)
        slot = hash(text) % size
        while slots[slot]:
            i = slots[slot] - 1
            start = ends[i - 1] if i & CHUNK else 0
            if ends[i] - start == length and self[i] == text:
                return i
            slot = slot + 1 if slot + 1 < size else 0
        return -1

    def bytes(self) -> int:
        """Memory in bytes."""
        return sum(self._chunk_ends()) + 4 * (len(self.ends) + len(self._slots))


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
        self._starts.append(0)
        self._lengths.append(0)
        self._rooms.append(0)
        self._numbers[i] = len(self._starts)
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
        ids, heaps, end = self._ids, self._heaps, 0
        for number in sorted(range(len(self._starts)), key=self._starts.__getitem__):
            start, length = self._starts[number], self._lengths[number]
            ids[end : end + length] = ids[start : start + length]
            heaps[end : end + length] = heaps[start : start + length]
            self._starts[number], self._rooms[number] = end, length
            end += length
        del ids[end:], heaps[end:]
        self._unused = 0

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
