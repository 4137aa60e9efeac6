"""Couples in little memory: texts in byte arrays, columns of machine words, nothing kept twice.

What `Couples` holds in Python objects, some 200 bytes for each land, takes about 45 here,
and the garbage collector need not look at it. A land's options are kept as they were
generated, so that the number of an option means the same as long as its land has its id.
"""

from __future__ import annotations

from array import array
from typing import Callable, Dict, Generic, List, Tuple

from pns.couple import HEAP, HEAP_BITS, MOST_BRANCHING, Couples, T, hash_key
from pns.game import Land

CHUNK_BITS = 16
CHUNK = (1 << CHUNK_BITS) - 1
LEAST_SLOTS = 1 << 10
SPARSE_BYTES = 48
"""Memory for each entry of a dictionary from int to int, about."""
SUM_BYTES = 250
"""Memory for each sum, about: its tuple in two dictionaries."""


class Texts:
    """Distinct texts, numbered from 0 on, and the number of a text, exactly; any number of b"".

    >>> texts = Texts()
    >>> texts.append(b"0*2"); texts.append(b"1a1a")
    >>> texts.find(b"1a1a"), texts.find(b"0*3"), texts[0]
    (1, -1, b'0*2')
    """

    def __init__(self) -> None:
        self._chunks: List[bytearray] = []
        self._ends = array("I")
        self._slots = array("I", bytes(4 * LEAST_SLOTS))
        self._entered = 0

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, i: int) -> bytes:
        start = self._ends[i - 1] if i & CHUNK else 0
        return bytes(self._chunks[i >> CHUNK_BITS][start : self._ends[i]])

    def __setitem__(self, i: int, text: bytes) -> None:
        raise TypeError("texts do not change")

    def append(self, text: bytes) -> None:
        """Number another text, which must not be there yet unless it is empty."""
        i = len(self._ends)
        if not i & CHUNK:
            self._chunks.append(bytearray())
        chunk = self._chunks[-1]
        chunk += text
        self._ends.append(len(chunk))
        if text:
            self._entered += 1
            if 4 * self._entered > 3 * len(self._slots):
                self._slots = array("I", bytes(8 * len(self._slots)))
                for k in range(i):
                    old = self[k]
                    if old:
                        self._enter(old, k)
            self._enter(text, i)

    def _enter(self, text: bytes, i: int) -> None:
        slots = self._slots
        mask = len(slots) - 1
        slot = hash(text) & mask
        while slots[slot]:
            slot = (slot + 1) & mask
        slots[slot] = i + 1

    def find(self, text: bytes) -> int:
        """The number of a text, -1 when it has none."""
        slots, ends = self._slots, self._ends
        mask = len(slots) - 1
        slot = hash(text) & mask
        length = len(text)
        while slots[slot]:
            i = slots[slot] - 1
            start = ends[i - 1] if i & CHUNK else 0
            if ends[i] - start == length and self[i] == text:
                return i
            slot = (slot + 1) & mask
        return -1

    def bytes(self) -> int:
        """Memory."""
        return sum(map(len, self._chunks)) + 4 * (len(self._ends) + len(self._slots))


class Sparse(Generic[T]):
    """A column most of whose values are one and the same."""

    def __init__(self, usual: T) -> None:
        self._usual = usual
        self._length = 0
        self.others: Dict[int, T] = {}

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, i: int) -> T:
        return self.others.get(i, self._usual)

    def __setitem__(self, i: int, value: T) -> None:
        self.others[i] = value

    def append(self, value: T) -> None:
        if value != self._usual:
            self.others[self._length] = value
        self._length += 1


class Derived:
    """A column worked out whenever it is read."""

    def __init__(self, value: Callable[[int], int]) -> None:
        self._value = value
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, i: int) -> int:
        return self._value(i)

    def __setitem__(self, i: int, value: int) -> None:
        raise TypeError("this column is not stored")

    def append(self, value: int) -> None:
        self._length += 1


class CompactCouples(Couples):
    """Couples whose lists of options stay as generated, known ones left out.

    `changed` lists the lands whose number or reached numbers grew, for those who keep
    numbers of couples themselves.
    """

    def forget(self) -> None:
        super().forget()
        self.text_store = Texts()
        self.text_store.append(b"")
        self.texts = self.text_store
        self.numbers = array("h", [0])
        self.sparse_reached: Sparse[int] = Sparse(0)
        self.sparse_reached.append(0)
        self.reached = self.sparse_reached
        nothing: Tuple[int, ...] = ()
        self.sparse_parts = Sparse(nothing)
        self.sparse_parts.append(nothing)
        self.parts = self.sparse_parts
        self.keys = Derived(lambda i: hash_key(self.texts[i]))
        self.branching = Derived(
            lambda i: min(self.game.estimate(self.texts[i])[1], MOST_BRANCHING)
        )
        self.codes = array("q", [0])
        """The lists of options, one after another, each after its length."""
        self.option_starts = array("I", [0])
        """For each id the place of its list in `codes`, 0 while it is not generated."""
        self.changed: List[int] = []

    def land(self, text: Land) -> int:
        i = self.text_store.find(text)
        return i if i > 0 else self._new_id(text, (), 0, self.facts.get(text), 0)

    def _new_id(
        self, text: Land, parts: Tuple[int, ...], key: int, number: int, branching: int
    ) -> int:
        i = len(self.texts)
        self.texts.append(text)
        self.parts.append(parts)
        self.numbers.append(number)
        self.reached.append(0)
        self.option_starts.append(0)
        return i

    def bytes(self) -> int:
        """Memory, about, without that of the facts and of the game's own caches."""
        sparse = SPARSE_BYTES * len(self.sparse_reached.others) + SUM_BYTES * len(self.sum_ids)
        return self.text_store.bytes() + sparse + 6 * len(self.texts) + 8 * len(self.codes)

    def option_list(self, land: int) -> int:
        """The place in `codes` of the land's options as generated: their count, then they."""
        if not self.option_starts[land]:
            self._generate(land)
        return self.option_starts[land]

    def options(self, land: int) -> List[int]:
        """The codes of a land's options that are not known yet, folded and distinct."""
        start = self.option_list(land)
        end = start + 1 + self.codes[start]
        return self._sift(land, [self.fold(self.codes[k]) for k in range(start + 1, end)])

    def _unknown(self, land: int, codes: List[int]) -> List[int]:
        unknown = self._sift(land, codes)
        self.option_starts[land] = len(self.codes)
        self.codes.append(len(unknown))
        self.codes.extend(unknown)
        return unknown

    def _sift(self, land: int, codes: List[int]) -> List[int]:
        """The distinct codes of options that are unknown; those that are known are noted."""
        unknown: Dict[int, None] = {}
        reached = 0
        for code in codes:
            if code <= HEAP:
                reached |= 1 << code
            else:
                unknown[code] = None
        self.note(land, reached)
        return list(unknown)

    def smaller_heap(self, land: int, heap: int, n: int) -> int:
        """The folded code of the child of an unknown land + *heap by a move to *n."""
        return land << HEAP_BITS | n

    def note(self, land: int, reached: int) -> None:
        """Some options of a land have the Grundy numbers whose bits are set."""
        known = self.reached[land]
        if reached & ~known:
            self.reached[land] = known | reached
            self.changed.append(land)

    def learn(self, land: int, number: int) -> None:
        super().learn(land, number)
        self.changed.append(land)
