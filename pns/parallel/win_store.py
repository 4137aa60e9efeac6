"""Wins that processes have proved, in shared memory, to be looked up by the others.

That P + *n is a win rests on facts, so a win has to be known by its exact text: the number
that the transposition table gives for a hash is only a hint. Most wins are of no use to most
processes. So they are not sent to all: one process stores a win, and another looks it up
where it comes to the couple, or where the table says that a child is won.

The memory is an array of slots, in pairs; a couple may be in either slot of its pair, by its
key. There are no locks. A slot's checksum covers all that a win says, so that a mixture of two
writes is taken for nothing, and a win that another one replaces is only proved again.
"""

from __future__ import annotations

import struct
from typing import Callable, Iterator, Optional, Tuple
from zlib import crc32

from pns.facts import Facts
from pns.game import Game, Land
from pns.parallel.child_store import store_bytes
from pns.positions.couple import Couples
from pns.positions.exchange import WIN
from pns.positions.interned import HEAP_KEYS, hash_key
from pns.search.table import LOW
from pns.system.machine import reserve
from pns.system.views import words_of

WIN_PART = 8
"""The store of wins has 1/WIN_PART of the bytes for the children that processes share."""
SLOT_WORDS = 32
"""A slot: the high bits of the key, 0 if it is empty, a checksum, and the win."""
PAIR_WORDS = 2 * SLOT_WORDS
WORD_BYTES = 4
_win = struct.Struct("<BB")  # the heap, and the length of the land, which follows
BEFORE_WIN = 2 * WORD_BYTES
BEFORE_LAND = BEFORE_WIN + _win.size
LONGEST_LAND = SLOT_WORDS * WORD_BYTES - BEFORE_LAND
"""Wins of lands with longer texts are not stored, so each process proves them itself."""


def win_bytes(max_memory: Optional[int] = None) -> int:
    """Bytes for the wins of processes within a memory limit, by default the machine's memory."""
    return store_bytes(max_memory) // WIN_PART


class WinStore:
    """Wins land + *heap of all processes, in about `size` bytes.

    The system provides memory as slots are used.
    """

    def __init__(self, size: int = 0) -> None:
        size = size or win_bytes()
        self._pairs = max(size // (PAIR_WORDS * WORD_BYTES), 1)
        length = self._pairs * PAIR_WORDS * WORD_BYTES
        self._bytes = reserve(length, "the wins that processes share", "a smaller max_memory")
        self._words = words_of(self._bytes)

    def add(self, land: Land, heap: int) -> None:
        """Store a win, unless the text of its land is longer than LONGEST_LAND."""
        if len(land) > LONGEST_LAND:
            return
        key = hash_key(land) ^ HEAP_KEYS[heap]
        if self.holds(key, land, heap):
            return
        win = _win.pack(heap, len(land)) + land
        check, words = crc32(win), self._words
        slot = self._slot_for(key, check)
        words[slot] = 0
        at = slot * WORD_BYTES + BEFORE_WIN
        self._bytes[at : at + len(win)] = win
        words[slot + 1] = check
        words[slot] = _tag(key)

    def _slot_for(self, key: int, check: int) -> int:
        """The slot of a pair to write: one that is free or of the same key, else either."""
        first = key % self._pairs * PAIR_WORDS
        tag = _tag(key)
        for slot in (first, first + SLOT_WORDS):
            if self._words[slot] in (0, tag):
                return slot
        return first + check % 2 * SLOT_WORDS

    def holds(self, key: int, land: Land, heap: int) -> bool:
        """Whether a win is in the store; `key` is that of its couple."""
        words = self._words
        slot = key % self._pairs * PAIR_WORDS
        tag = _tag(key)
        if words[slot] != tag:
            slot += SLOT_WORDS
            if words[slot] != tag:
                return False
        return self._win_at(slot) == (land, heap)

    def _win_at(self, slot: int) -> Optional[Tuple[Land, int]]:
        """(land, heap) of the win in a slot that is not empty; None if it is not whole."""
        check = self._words[slot + 1]
        start = slot * WORD_BYTES
        heap, length = _win.unpack(self._bytes[start + BEFORE_WIN : start + BEFORE_LAND])
        win = self._bytes[start + BEFORE_WIN : start + BEFORE_LAND + length]
        if length > LONGEST_LAND or crc32(win) != check:
            return None
        return win[_win.size :], heap

    def items(self) -> Iterator[Tuple[Land, int]]:
        """(land, heap) for each win; it may be read while others write."""
        for slot in range(0, self._pairs * PAIR_WORDS, SLOT_WORDS):
            if self._words[slot]:
                win = self._win_at(slot)
                if win:
                    yield win


def _tag(key: int) -> int:
    """What a slot says of a key, never 0."""
    return key >> 31 & LOW or 1


def take_win(wins: WinStore, couples: Couples, land: int, heap: int) -> bool:
    """Note that a land beside *heap is a win if that is stored; return whether it is known."""
    if couples.option_numbers[land] >> heap & 1:
        return True
    key = couples.keys[land] ^ couples.heap_keys[heap]
    if not wins.holds(key, couples.texts[land], heap):
        return False
    couples.note(land, 1 << heap)
    return True


class ParentCouples(Couples):
    """Couples of the parent of a parallel search, whose wins are those in the store.

    `drain` makes its facts those of all processes.
    """

    def __init__(self, game: Game, facts: Facts, wins: WinStore, drain: Callable[[], None]) -> None:
        super().__init__(game, facts)
        self._stored_wins = wins
        self._drain = drain

    def apply(self, kind: int, number: int, text: Land) -> bool:
        if kind == WIN:
            self._stored_wins.add(text, number)
            return False
        return super().apply(kind, number, text)

    def wins(self) -> Iterator[Tuple[Land, int]]:
        """The wins of all processes; after the last one the facts that they rest on are there."""
        yield from self._stored_wins.items()
        self._drain()
