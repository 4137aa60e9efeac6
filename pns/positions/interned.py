"""Interned positions: lands and sums of lands as ints, in little memory.

Id 0 is the empty position, every other id a land or a sum of two or more different lands,
whose text is the packed ids of its lands. A code is ``id << 8 | n`` and stands for the couple
P + *n. Since a land of known Grundy number g is worth *g, codes are kept folded: every land in
them is unknown, and a code below 256 is a bare heap, a loss when it is 0 and a win otherwise.
Two equal lands cancel.

A position takes some 50 bytes, of which the collector of Python's objects scans none. Nearly
all positions of a search are children that it never visits.
"""

from __future__ import annotations

import struct
from array import array
from contextlib import contextmanager
from typing import Iterable, Iterator, List, Sequence, Tuple

from pns.facts import Facts
from pns.game import Game, Land, Sum, work_of
from pns.positions.columns import Bits, Column, Derived, Texts, keep, places
from pns.positions.waiting_wins import WaitingWins

HEAP_BITS = 8
HEAP = (1 << HEAP_BITS) - 1
"""The largest heap that a code holds, and the mask of its bits."""
KEY_PRIME, KEY_FACTOR = 7853981633974483123, 6180339887498948483
"""A prime below 2**63 without special form, and a multiplier that spreads short texts."""
MOST_BRANCHING = 1 << 20
"""Larger estimates are cut, so that proof numbers do not overflow."""
SUM_MARK = 0
SUM_BYTE = bytes([SUM_MARK])
"""The first byte of the text of a sum; texts of lands are printable."""
NO_LAND = b"\x01"
"""The text stored under id 0, the empty position."""
UNKNOWN, IS_SUM = -1, -2
"""The numbers of a land whose Grundy number is unknown, and of a sum."""
BYTES_PER_ID = 15
"""Memory of the columns of an id, without its text."""
BYTES_PER_TEXT = 14
"""Memory of the place of a text, of its hash, and of its slots in the index."""


_two_lands = struct.Struct("<BII")


def hash_key(text: bytes) -> int:
    """A hash below 2**63, the same in every process: the text as a number, modulo a prime."""
    return int.from_bytes(text, "little") * KEY_FACTOR % KEY_PRIME


def packed(parts: Sequence[int]) -> bytes:
    """The text of a sum of the lands with some ids."""
    if len(parts) == 2:  # as nearly all sums have
        return _two_lands.pack(SUM_MARK, *parts)
    return SUM_BYTE + b"".join([part.to_bytes(4, "little") for part in parts])


def unpacked(text: bytes) -> List[int]:
    """The ids of the lands of a sum from its text.

    >>> unpacked(packed([7, 70000]))
    [7, 70000]
    """
    return [
        text[k] | text[k + 1] << 8 | text[k + 2] << 16 | text[k + 3] << 24
        for k in range(1, len(text), 4)
    ]


HEAP_KEYS = [hash_key(b"*%d" % heap) if heap else 0 for heap in range(HEAP + 1)]
"""What a heap adds to the key of a couple."""


class Interned:
    """The positions of a game that have an id, and what is known of them.

    Columns are indexed by id; `forget` empties them and invalidates all ids.
    """

    def __init__(self, game: Game, facts: Facts) -> None:
        self.game = game
        self._work = work_of(game)
        self.facts = facts
        self.forget()

    def forget(self) -> None:
        """Drop every id; facts stay."""
        self._clear()
        self._new_id(NO_LAND, 0)
        self._measure(0, 0)

    def _clear(self) -> None:
        """Empty all columns, even of the empty position."""
        self.store = Texts()
        self.texts: Column[Land] = Derived(self._text)
        self.parts: Column[Tuple[int, ...]] = Derived(self._parts)
        """The ids of a sum's lands; empty for a land."""
        self.keys: Column[int] = array("q")
        self.numbers = array("h")
        """The Grundy number of a land, UNKNOWN, or IS_SUM."""
        self.option_numbers = Bits()
        """Bit n is set if a child of the land is known to have Grundy number n."""
        self.branching: Column[int] = array("i")
        """The estimated number of a land's children, or the work for it (`pns.game.work_of`)."""
        self.generation = 0
        """Grows whenever a Grundy number becomes known."""
        self._wins = WaitingWins()
        """`option_numbers` of lands, as published by others before the land had an id."""

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Drop every id if the block fails, as for want of memory: half moved they would lie."""
        try:
            yield
        except BaseException:
            self.forget()
            raise

    def keep(self, live: bytearray) -> "array[int]":
        """Drop the ids that `live` does not mark; return the new id of each old one, 0 if dropped.

        The lands of a marked sum must be marked. All is moved in place, in the order of ids, so
        that memory that is full need not hold two copies.
        """
        live[0] = 1  # the empty position
        new_ids = places(live)
        with self._whole():
            store, numbers = self.store, self.numbers
            store.keep(live)
            for column in self._stored_columns():
                keep(column, live)
            self.option_numbers.keep(live, new_ids)
            for i in range(len(numbers)):
                if numbers[i] == IS_SUM:
                    store.replace(i, packed([new_ids[part] for part in unpacked(store[i])]))
            store.index_again()
            self._wins = WaitingWins()
        return new_ids

    def bytes(self) -> int:
        """About the memory in bytes, without the facts and the caches of the game."""
        return self.store.bytes() + BYTES_PER_ID * len(self.store) + self._wins.bytes()

    def _text(self, i: int) -> Land:
        return b"" if self.numbers[i] == IS_SUM else self.store[i]

    def _parts(self, i: int) -> Tuple[int, ...]:
        if self.numbers[i] != IS_SUM:
            return ()
        return tuple(unpacked(self.store[i]))

    def _count_ids(self) -> int:
        """The number of positions that this process has given an id."""
        return len(self.store)

    def is_sum(self, i: int) -> bool:
        """Whether an id is that of a sum of lands."""
        return self.numbers[i] == IS_SUM

    def lands(self) -> Iterator[Land]:
        """The texts of all lands that have an id."""
        for i in range(1, len(self.store)):
            if self.numbers[i] != IS_SUM:
                yield self.store[i]

    def land(self, text: Land) -> int:
        """The id of a land."""
        i = self.store.find(text)
        if i < 0:
            branching = self._branching_of(text)
            i = self._new_land(text)
            self._measure(hash_key(text), branching)
        return i

    def _new_land(self, text: Land) -> int:
        """A new id of a land, with what the facts say of it."""
        i = self._new_id(text, self.facts.get(text))
        if self.facts.knows_wins and self.numbers[i] < 0:
            self.option_numbers[i] |= self.facts.option_numbers(text)
        return i

    def _new_id(self, text: Land, number: int) -> int:
        """A new id; its columns of measures are left to the caller."""
        i = len(self.store)
        self.store.append(text)
        self.numbers.append(number)
        self.option_numbers.append(self._wins.get(text) if self._wins else 0)
        return i

    def _measure(self, key: int, branching: int) -> None:
        """The measures of the last new id."""
        self.keys.append(key)
        self.branching.append(branching)

    def _stored_columns(self) -> List["array[int]"]:
        """The arrays with a value for each id, but for texts and `option_numbers`."""
        columns = (self.numbers, self.keys, self.branching)
        return [column for column in columns if isinstance(column, array)]

    def code(self, lands: Sum) -> int:
        """The folded code of a position."""
        if len(lands) == 1:
            i = self.land(lands[0])
            number = self.numbers[i]
            return number if number >= 0 else i << HEAP_BITS
        return self._sum_code([self.land(text) for text in lands], 0)

    def _sum_code(self, lands: Iterable[int], heap: int) -> int:
        unknown: List[int] = []
        for i in sorted(lands):
            number = self.numbers[i]
            if number >= 0:
                heap ^= number
            elif unknown and unknown[-1] == i:
                unknown.pop()
            else:
                unknown.append(i)
        if len(unknown) < 2:
            return (unknown[0] if unknown else 0) << HEAP_BITS | heap
        return self._sum_id(tuple(unknown)) << HEAP_BITS | heap

    def _sum_id(self, parts: Tuple[int, ...]) -> int:
        text = packed(parts)
        i = self.store.find(text)
        if i < 0:
            i = self._new_id(text, IS_SUM)
            self._measure(self._key_of(parts), 0)
        return i

    def _key_of(self, parts: Tuple[int, ...]) -> int:
        key = 0
        for land in parts:
            key ^= self.keys[land]
        return key

    def _branching_of(self, land: Land) -> int:
        return min(self._work(land), MOST_BRANCHING)

    def fold(self, code: int) -> int:
        """The code with all lands that are known by now folded into its heap."""
        i = code >> HEAP_BITS
        number = self.numbers[i]
        if number == IS_SUM:
            parts = self._parts(i)
            for land in parts:
                if self.numbers[land] >= 0:
                    return self._sum_code(parts, code & HEAP)
            return code
        return code if number < 0 else code & HEAP ^ number

    def find(self, text: Land) -> int:
        """The id of a land, 0 if it has none."""
        return max(0, self.store.find(text))
