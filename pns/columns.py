"""Columns with one value for each id, and distinct texts with an index, in little memory.

Arrays of machine words and bytes take a tenth of the memory of Python objects, and the garbage
collector does not scan them.
"""

from __future__ import annotations

from array import array
from typing import Callable, Dict, Generic, List, Protocol, TypeVar

CHUNK_BITS = 16
CHUNK = (1 << CHUNK_BITS) - 1
LEAST_SLOTS = 1 << 10

T = TypeVar("T")


class Column(Protocol[T]):
    """One value for each id: a list, or a more compact sequence with the same operations."""

    def __getitem__(self, i: int, /) -> T: ...

    def __setitem__(self, i: int, value: T, /) -> None: ...

    def append(self, value: T, /) -> None: ...


class Texts:
    """Distinct texts, numbered from 0 on, and a hash index from text to number.

    >>> texts = Texts()
    >>> texts.append(b"0*2"); texts.append(b"1a1a")
    >>> texts.find(b"1a1a"), texts.find(b"0*3"), texts[0]
    (1, -1, b'0*2')
    """

    def __init__(self) -> None:
        self.chunks: List[bytearray] = []
        self.ends = array("I")
        self._slots = array("I", bytes(4 * LEAST_SLOTS))

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, i: int) -> bytes:
        start = self.ends[i - 1] if i & CHUNK else 0
        return bytes(self.chunks[i >> CHUNK_BITS][start : self.ends[i]])

    def length(self, i: int) -> int:
        """The length of a text."""
        return self.ends[i] - (self.ends[i - 1] if i & CHUNK else 0)

    def append(self, text: bytes) -> None:
        """Add a text, which must be new, under the next number."""
        i = len(self.ends)
        if not i & CHUNK:
            self.chunks.append(bytearray())
        chunk = self.chunks[-1]
        chunk += text
        self.ends.append(len(chunk))
        if 5 * i > 4 * len(self._slots):
            self.index(len(self._slots) * 3 // 2)
        else:
            self._enter(text, i)

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
        return sum(map(len, self.chunks)) + 4 * (len(self.ends) + len(self._slots))


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
