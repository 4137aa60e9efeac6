"""The codes of lands during a solution, in a hash table that processes share.

A slot is a word of 63 bits: 55 of the hash of a land, and its code. All lands are added before
processes are forked, and one whose hash is that of another land is refused, so that afterwards a
hash stands for one land. Each land is written by one process, and read by others only after its
slice is done.
"""

from __future__ import annotations

import bisect
import struct
from typing import List, Tuple

from pns.game import Land
from pns.positions.interned import hash_key
from pns.system.machine import reserve
from pns.system.views import signed_words_of

LAND_BYTES = 14
"""Bytes of memory for each land: a word of 8 in a table that is filled to this share."""
CODE_BITS, HASH_BITS = 8, 55
CODE_MASK = (1 << CODE_BITS) - 1
LANDS_OF_BLOCK = 1024
_length = struct.Struct("<I")


class EqualHashes(ValueError):
    """Two lands have the same hash."""


class LandCodes:
    """A code for each of at most `lands` lands, 0 at first. `salt` is a part of what is hashed."""

    def __init__(self, lands: int, salt: bytes = b"") -> None:
        self._slots = lands * LAND_BYTES // 8 + 8
        self._memory = reserve(8 * self._slots, "the lands", "a smaller position")
        self._words = signed_words_of(self._memory)
        self._salt = salt

    def _find(self, land: Land) -> Tuple[int, int]:
        """(the slot of a land or the free one where it belongs, its hash in place)."""
        key = hash_key(land + self._salt)
        slot = key % self._slots
        key = (key & (1 << HASH_BITS) - 1 or 1) << CODE_BITS
        words = self._words
        while words[slot] and words[slot] & ~CODE_MASK != key:
            slot += 1
            if slot == self._slots:
                slot = 0
        return slot, key

    def add(self, land: Land, code: int = 0) -> None:
        """Add a land; raises EqualHashes if its hash is there."""
        slot, key = self._find(land)
        if self._words[slot]:
            raise EqualHashes
        self._words[slot] = key | code

    def set(self, land: Land, code: int) -> None:
        """Set the code of a land."""
        slot, key = self._find(land)
        self._words[slot] = key | code

    def get(self, land: Land) -> int:
        """The code of a land, 0 for none."""
        slot, _ = self._find(land)
        return int(self._words[slot] & CODE_MASK)


def land_block(lands: List[Land], codes: bytes = b"") -> bytes:
    """Sorted lands, and a code for each of them, as a block of a file.

    >>> read_block(land_block([b"x", b"yz"], bytes([7, 8])))
    ([b'x', b'yz'], b'\\x07\\x08')
    """
    text = b"\n".join(lands)
    return _length.pack(len(text)) + text + codes


def read_block(block: bytes) -> Tuple[List[Land], bytes]:
    """The lands of a block, and their codes; raises ValueError for one of another form."""
    if len(block) < _length.size:
        raise ValueError("the length of its lands is missing")
    (length,) = _length.unpack_from(block)
    end = _length.size + length
    lands, codes = block[_length.size : end].split(b"\n"), block[end:]
    if end > len(block) or codes and len(codes) != len(lands):
        raise ValueError("the length of its lands is wrong")
    return lands, codes


def code_in(block: Tuple[List[Land], bytes], land: Land) -> int:
    """The code of a land in a block that was read, 0 if it is not there."""
    lands, codes = block
    place = bisect.bisect_left(lands, land)
    return codes[place] if place < len(lands) and lands[place] == land else 0
