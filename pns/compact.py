"""Couples in little memory: texts in byte arrays, columns of machine words, nothing stored twice.

What `Couples` stores in Python objects, some 200 bytes for each land, takes about 45 here,
and the garbage collector does not scan it. The children of a land stay in the order of their
generation, so that the number of a child, its move, is valid as long as the id of its land.

Children are generated in batches: up to one that the prior expects to be a loss, BATCH at
most. The next batch follows when a search asks for it. A list says whether it is complete;
only then does it prove a Grundy number.
"""

from __future__ import annotations

from array import array
from typing import Callable, Dict, Generic, Iterator, List, Tuple

from pns.choices import BATCH
from pns.couple import HEAP, HEAP_BITS, MOST_BRANCHING, Couples, T, hash_key
from pns.exchange import FACT
from pns.game import Land, Sum

CHUNK_BITS = 16
CHUNK = (1 << CHUNK_BITS) - 1
LEAST_SLOTS = 1 << 10
REST_SHARE = 4
"""The children not yet generated have the disproof number 1 + branching // REST_SHARE."""
SUM_MARK = 0
SUM_BYTE = bytes([SUM_MARK])
IS_SUM = -2
"""The mark of a sum in the column of expected numbers."""
MOST_UNFINISHED, LANDS_PER_UNFINISHED = 1000, 128
"""Suspended generators: at most MOST_UNFINISHED, and one for LANDS_PER_UNFINISHED lands.

The children of other lands are generated from the start again, and known ones skipped.
"""
UNFINISHED_BYTES = 8000
"""About the memory of a suspended generator."""
NO_LAND = b"\x01"
"""The text stored under id 0, the empty position; texts of lands are printable."""


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


class CompactCouples(Couples):
    """Couples whose lists of children stay as generated, without those that were known then.

    A sum has as its text the packed ids of its lands. `changed` lists the lands whose
    `numbers` or `option_numbers` changed, for a search that stores numbers of couples.
    `batch` is the largest number of unknown children that are generated at a time.
    """

    batch = BATCH

    def forget(self) -> None:
        super().forget()
        self.store = Texts()
        self.known = self.numbers = array("h")
        self.bits = self.option_numbers = Bits()
        self.texts = Derived(self._text)
        self.parts = Derived(self._parts)
        self.keys = Derived(self._key)
        self.branching = Derived(self._branching)
        self.expected = array("b")
        """The Grundy number that the prior expects of a land, -1 if none, IS_SUM for a sum."""
        self.child_ids = array("I")
        self.child_heaps = bytearray()
        """The lists of children, one after another, as ids and heaps.

        The first entry of a list is its length, with 1 in place of the heap while children
        may be missing, else 0.
        """
        self.child_starts = array("I")
        """For each id one more than the index of its list in `child_ids`, 0 if it has none."""
        self.changed: List[int] = []
        self._unfinished: Dict[int, Iterator[Sum]] = {}
        self._new_id(NO_LAND, (), 0, 0, 0)

    def _text(self, i: int) -> bytes:
        return b"" if self.expected[i] == IS_SUM else self.store[i]

    def _parts(self, i: int) -> Tuple[int, ...]:
        if self.expected[i] != IS_SUM:
            return ()
        packed = self.store[i]
        return tuple(
            [
                packed[k] | packed[k + 1] << 8 | packed[k + 2] << 16 | packed[k + 3] << 24
                for k in range(1, len(packed), 4)
            ]
        )

    def _key(self, i: int) -> int:
        return hash_key(self.store[i])

    def _branching(self, i: int) -> int:
        return min(self.game.estimate(self.store[i])[1], MOST_BRANCHING)

    def is_sum(self, i: int) -> bool:
        """Whether an id is that of a sum of lands."""
        return self.expected[i] == IS_SUM

    def fold(self, code: int) -> int:
        i = code >> HEAP_BITS
        if self.expected[i] == IS_SUM:
            parts = self._parts(i)
            for land in parts:
                if self.numbers[land] >= 0:
                    return self._sum_code(parts, code & HEAP)
            return code
        number = self.numbers[i]
        return code if number < 0 else code & HEAP ^ number

    def start_numbers(self, code: int) -> Tuple[int, int]:
        i = code >> HEAP_BITS
        return self.prior.start_numbers(self.expected[i], self._branching(i), code & HEAP)

    def rest_numbers(self, land: int) -> Tuple[int, int]:
        """The proof and disproof number of all children of a land not yet generated."""
        return 1, 1 + self._branching(land) // REST_SHARE

    def land(self, text: Land) -> int:
        return self.find(text) or self._new_id(text, (), 0, self.facts.get(text), 0)

    def _new_id(
        self, text: Land, parts: Tuple[int, ...], key: int, number: int, branching: int
    ) -> int:
        i = len(self.store)
        self.store.append(text)
        self.numbers.append(number)
        self.option_numbers.append(self._wins.get(text, 0) if self._wins else 0)
        self.child_starts.append(0)
        self.expected.append(self._expected(text))
        return i

    def _expected(self, text: bytes) -> int:
        return IS_SUM if text[0] == SUM_MARK else self.prior.expected(hash_key(text))

    def _sum_id(self, parts: Tuple[int, ...]) -> int:
        packed = SUM_BYTE + b"".join([part.to_bytes(4, "little") for part in parts])
        i = self.store.find(packed)
        return i if i > 0 else self._new_id(packed, parts, 0, -1, 0)

    def bytes(self) -> int:
        """About the memory in bytes, without the facts and the caches of the game."""
        unfinished = UNFINISHED_BYTES * len(self._unfinished)
        return self.store.bytes() + 8 * len(self.store) + 5 * len(self.child_ids) + unfinished

    def ensure_children(self, land: int, heap: int) -> bool:
        """Make sure that a land has children to try beside *heap; False if one is worth *heap.

        The list left by the search of another heap is enough if it is complete or has a
        child that is expected to be worth *heap.
        """
        if self.child_starts[land]:
            if self.is_complete(land):
                return True
            for code in self.child_codes(land):
                if self._is_promising(self.fold(code) ^ heap):
                    return True
        return self.more_children(land, heap)

    def more_children(self, land: int, heap: int) -> bool:
        """Generate a batch of children, up to one that is, or is expected to be, worth *heap.

        False if one is known to be worth *heap; `option_numbers` then contains the heap, and
        a land without a list gets none.
        """
        codes = self.child_codes(land)
        seen = {self.fold(code) for code in codes}
        for code in seen:
            if code <= HEAP:
                self.note(land, 1 << code)
        before = self.option_numbers[land]
        if before >> heap & 1:
            return False
        generator = self._unfinished.pop(land, None) or iter(self.game.children(self.texts[land]))
        new: List[int] = []
        is_won = is_enough = is_complete = False
        while not is_enough:
            child = next(generator, None)
            if child is None:
                is_complete = True
                break
            self.children_generated += 1
            code = self.code(child)
            if code <= HEAP:
                self.option_numbers[land] |= 1 << code
                is_enough = is_won = code == heap
            elif code not in seen:
                seen.add(code)
                new.append(code)
                is_enough = len(new) >= self.batch or self._is_promising(code ^ heap)
        if self.option_numbers[land] != before:
            self.changed.append(land)
        if is_won and not codes:
            return False
        if not is_complete:
            most = min(MOST_UNFINISHED, 1 + len(self.store) // LANDS_PER_UNFINISHED)
            if len(self._unfinished) >= most:
                del self._unfinished[next(iter(self._unfinished))]
            self._unfinished[land] = generator
        if self._random:
            self._random.shuffle(new)
        self._keep_children(land, codes + new, is_complete)
        return not is_won

    def _is_promising(self, child: int) -> bool:
        """Whether a folded couple is expected to be a loss and not known to be a win."""
        land, heap = child >> HEAP_BITS, child & HEAP
        return self.expected[land] == heap and not self.option_numbers[land] >> heap & 1

    def is_complete(self, land: int) -> bool:
        """Whether the list of a land, which must exist, has all children."""
        return not self.child_heaps[self.child_starts[land] - 1]

    def take_children(self, land: int, codes: List[int]) -> None:
        """Store all children of a land, which were generated elsewhere."""
        if not self.child_starts[land] or not self.is_complete(land):
            for code in codes:
                if code <= HEAP:
                    self.note(land, 1 << code)
            unknown = [code for code in codes if code > HEAP]
            distinct = dict.fromkeys(self.child_codes(land) + unknown)
            self._keep_children(land, list(distinct), True)

    def child_codes(self, land: int) -> List[int]:
        """The codes of the children generated so far, not folded."""
        start = self.child_starts[land]
        if not start:
            return []
        return [self.child_code(k) for k in range(start, start + self.child_ids[start - 1])]

    def list_index(self, land: int) -> int:
        """The index of a land's list, which must exist: its length, then the children."""
        return self.child_starts[land] - 1

    def count_children(self, land: int) -> int:
        """The length of a land's list, which must exist."""
        return self.child_ids[self.child_starts[land] - 1]

    def child_code(self, index: int) -> int:
        """The code of the child at an index of `child_ids`, not folded."""
        return self.child_ids[index] << HEAP_BITS | self.child_heaps[index]

    def _keep_children(self, land: int, codes: List[int], is_complete: bool) -> None:
        """Replace the list of a land by these codes: distinct, and the old ones first."""
        self.child_starts[land] = len(self.child_ids) + 1
        self.child_ids.append(len(codes))
        self.child_heaps.append(0 if is_complete else 1)
        for code in codes:
            self.child_ids.append(code >> HEAP_BITS)
            self.child_heaps.append(code & HEAP)

    def smaller_heap(self, land: int, heap: int, n: int) -> int:
        """The folded code of the child of land + *heap, the land unknown, by a move to *n."""
        return land << HEAP_BITS | n

    def note(self, land: int, option_numbers: int) -> bool:
        is_new = super().note(land, option_numbers)
        if is_new:
            self.changed.append(land)
        return is_new

    def prove(self, land: int, number: int) -> None:
        super().prove(land, number)
        self.changed.append(land)

    def apply(self, kind: int, number: int, text: Land) -> bool:
        changed = super().apply(kind, number, text)
        if changed and kind == FACT:
            self.changed.append(self.find(text))
        return changed

    def find(self, text: Land) -> int:
        return max(0, self.store.find(text))

    def keep(self, live: bytearray) -> "array[int]":
        """Drop the ids that `live` does not mark; return the new id of each old one, 0 if dropped.

        1 marks an id to keep, 2 a land to keep with its list of children. What is in a list
        that stays is kept too; ids beyond the end of `live` are dropped.
        """
        live.extend(bytes(len(self.store) - len(live)))
        for i in range(1, len(live)):
            if live[i] == 2 and self.child_starts[i]:
                place = self.child_starts[i]
                for k in range(place, place + self.child_ids[place - 1]):
                    child = self.child_ids[k]
                    for land in (child, *self._parts(child)):
                        live[land] = live[land] or 1
        store, numbers, bits = self.store, self.numbers, self.bits
        ids, heaps, starts = self.child_ids, self.child_heaps, self.child_starts
        generation = self.generation
        new_ids = array("I", bytes(4 * len(store)))
        self.forget()
        self.generation = generation
        for i in range(1, len(store)):
            if not live[i]:
                continue
            text = store[i]
            if text[0] == SUM_MARK:
                parts = [
                    new_ids[int.from_bytes(text[k : k + 4], "little")]
                    for k in range(1, len(text), 4)
                ]
                new_ids[i] = self._sum_id(tuple(parts))
                continue
            new_ids[i] = new = self._new_id(text, (), 0, numbers[i], 0)
            self.bits[new] = bits[i]
        for i in range(1, len(store)):
            if live[i] == 2 and starts[i]:
                place = starts[i] - 1
                self.child_starts[new_ids[i]] = len(self.child_ids) + 1
                self.child_ids.append(ids[place])
                self.child_heaps.append(heaps[place])
                for k in range(place + 1, place + 1 + ids[place]):
                    self.child_ids.append(new_ids[ids[k]])
                    self.child_heaps.append(heaps[k])
        return new_ids

    def dump(self) -> Dict[str, "array[int]"]:
        """The content as arrays, without `bits.high`."""
        return {
            "texts": array("B", b"".join(self.store.chunks)),
            "ends": self.store.ends,
            "numbers": self.known,
            "reached": self.bits.low,
            "options": self.child_ids,
            "child_heaps": array("B", self.child_heaps),
            "child_starts": self.child_starts,
        }

    def restore(self, arrays: Dict[str, "array[int]"]) -> None:
        """Replace the content by what `dump` returned."""
        self.forget()
        store, texts = self.store, arrays["texts"].tobytes()
        store.ends, store.chunks = arrays["ends"], []
        start = 0
        for i in range(0, len(store.ends), CHUNK + 1):
            end = start + store.ends[min(i + CHUNK, len(store.ends) - 1)]
            store.chunks.append(bytearray(texts[start:end]))
            start = end
        store.index(3 * len(store.ends) // 2 + LEAST_SLOTS)
        self.expected = array("b", [self._expected(store[i]) for i in range(len(store))])
        self.known = self.numbers = arrays["numbers"]
        self.bits.low = arrays["reached"]
        self.child_ids, self.child_starts = arrays["options"], arrays["child_starts"]
        self.child_heaps = bytearray(arrays["child_heaps"].tobytes())

    def exchange_facts(self) -> None:
        """Copy Grundy numbers to the facts and from them; list all known lands as changed."""
        for land in range(1, len(self.store)):
            if self.expected[land] == IS_SUM:
                continue
            if self.numbers[land] >= 0:
                self.facts.add(self.store[land], self.numbers[land])
            else:
                self.numbers[land] = self.facts.get(self.store[land])
            if self.numbers[land] >= 0 or self.bits[land]:
                self.changed.append(land)
        self.generation += 1
