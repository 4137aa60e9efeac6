"""Couples for a search on a tree, which holds the lists of nearly all children.

Lists are stored in arrays, and what a tree seldom asks for is computed. The children of a land
stay in the order of their generation, so that the number of a child, its move, is valid as long
as the id of its land.

A list says whether it is complete; only then does it prove a Grundy number.
"""

from __future__ import annotations

from array import array
from typing import Dict, List, Tuple

from pns.choices import TREE_BATCH
from pns.game import Land
from pns.positions.columns import Derived, keep
from pns.positions.couple import UNFINISHED_BYTES, Couples
from pns.positions.exchange import FACT
from pns.positions.interned import HEAP, HEAP_BITS, IS_SUM, SUM_MARK, UNKNOWN, hash_key


class TreeCouples(Couples):
    """Couples whose lists of children stay as generated, without those that were known then.

    A sum has as its text the packed ids of its lands. `changed` lists the lands whose
    `numbers` or `option_numbers` changed, for a search that stores numbers of couples.
    """

    batch = TREE_BATCH
    rest_share = 4

    def _clear(self) -> None:
        super()._clear()
        self.keys = Derived(self._key)
        self.branching = Derived(self._branching)
        self.expected = array("b")
        """The Grundy number that the prior expects of a land, -1 if none."""
        self.child_ids = array("I")
        self.child_heaps = bytearray()
        """The lists of children, one after another, as ids and heaps.

        The first entry of a list is its length, with 1 in place of the heap while children
        may be missing, else 0.
        """
        self.child_starts = array("I")
        """For each id one more than the index of its list in `child_ids`, 0 if it has none."""
        self.changed: List[int] = []

    def _key(self, i: int) -> int:
        return hash_key(self.store[i])

    def _branching(self, i: int) -> int:
        return self._branching_of(self.store[i])

    def _key_of(self, parts: Tuple[int, ...]) -> int:
        return 0  # keys are not stored

    def start_numbers(self, code: int) -> Tuple[int, int]:
        i = code >> HEAP_BITS
        return self.prior.start_numbers(self.expected[i], self.branching[i], code & HEAP)

    def land(self, text: Land) -> int:
        return self.find(text) or self._new_land(text)

    def _new_id(self, text: Land, number: int) -> int:
        i = super()._new_id(text, number)
        self.child_starts.append(0)
        self.expected.append(self._expected(text))
        return i

    def _stored_columns(self) -> List["array[int]"]:
        return [*super()._stored_columns(), self.expected]

    def _expected(self, text: Land) -> int:
        return -1 if text[0] == SUM_MARK else self.prior.expected(hash_key(text))

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
        generator = self._unfinished_of(land)
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
                is_enough = self._is_enough(len(new), code ^ heap)
        if self.option_numbers[land] != before:
            self.changed.append(land)
        if is_won and not codes:
            return False
        if not is_complete:
            self._suspend(land, generator)
        self._mix(new)
        self._keep_children(land, codes + new, is_complete)
        return not is_won

    def _expected_of(self, i: int) -> int:
        return self.expected[i]

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

    def keep(self, live: bytearray) -> "array[int]":
        """The same, where 2 marks a land to keep with its list of children.

        What is in a list that stays is kept too; ids beyond the end of `live` are dropped.
        """
        live.extend(bytes(len(self.store) - len(live)))
        for i in range(1, len(live)):
            if live[i] == 2 and self.child_starts[i]:
                place = self.child_starts[i]
                for k in range(place, place + self.child_ids[place - 1]):
                    child = self.child_ids[k]
                    for land in (child, *self._parts(child)):
                        live[land] = live[land] or 1
        with self._whole():
            new_ids = super().keep(live)
            self._keep_lists(live, new_ids)
        self.changed = []
        return new_ids

    def _keep_lists(self, live: bytearray, new_ids: "array[int]") -> None:
        """Move the lists of the lands that 2 marks to the front, and drop the others."""
        ids, heaps, starts, end = self.child_ids, self.child_heaps, self.child_starts, 0
        stay = [starts[i] - 1 << 32 | i for i in range(len(live)) if live[i] == 2 and starts[i]]
        stay.sort()
        for i in range(len(starts)):
            starts[i] = 0
        for place in stay:
            start, land = place >> 32, place & 0xFFFFFFFF
            count = ids[start]
            starts[land] = end + 1
            ids[end], heaps[end] = count, heaps[start]
            end += 1
            for k in range(start + 1, start + 1 + count):
                ids[end], heaps[end] = new_ids[ids[k]], heaps[k]
                end += 1
        del ids[end:], heaps[end:]
        keep(starts, live)

    def dump(self) -> Dict[str, "array[int]"]:
        """The content as arrays, without `option_numbers.high`."""
        return {
            "texts": array("B", self.store.dump()),
            "ends": self.store.ends,
            "numbers": self.numbers,
            "reached": self.option_numbers.low,
            "options": self.child_ids,
            "child_heaps": array("B", self.child_heaps),
            "child_starts": self.child_starts,
        }

    def restore(self, arrays: Dict[str, "array[int]"]) -> None:
        """Replace the content by what `dump` returned."""
        self.forget()
        store = self.store
        store.restore(arrays["texts"].tobytes(), arrays["ends"])
        self.expected = array("b", [self._expected(store[i]) for i in range(len(store))])
        self.numbers = array("h", map(self._checked, range(len(store)), arrays["numbers"]))
        self.option_numbers.low = arrays["reached"]
        self.child_ids, self.child_starts = arrays["options"], arrays["child_starts"]
        self.child_heaps = bytearray(arrays["child_heaps"].tobytes())

    def _checked(self, i: int, number: int) -> int:
        """The number of an id from a file, which may not say what is a sum."""
        return IS_SUM if self.store[i][0] == SUM_MARK else max(number, UNKNOWN)

    def exchange_facts(self) -> None:
        """Copy Grundy numbers to the facts and from them; list all known lands as changed."""
        for land in range(1, len(self.store)):
            if self.numbers[land] == IS_SUM:
                continue
            if self.numbers[land] >= 0:
                self.facts.add(self.store[land], self.numbers[land])
            else:
                self.numbers[land] = self.facts.get(self.store[land])
            if self.numbers[land] >= 0 or self.option_numbers[land]:
                self.changed.append(land)
        self.generation += 1
