"""Expected Grundy numbers, learned from known ones: they guide a search and prove nothing.

A prior is a table of 16-bit words under 63-bit keys, small enough to ship with
the project. It stores 12 bits of each key, so that about one in a thousand
positions outside the training set gets a number, too. Searches must be right for
any numbers; only their length depends on them.

The file is a line of text, ``pns-prior 1 GAME SLOTS``, and the words,
little-endian. A word is 0 where the slot is empty, else 16 c + n + 1 with c the
12 bits of the key from bit 50 on and n the number, 0 to 14. An entry is in one
of the PROBES slots from key mod SLOTS on.
"""

from __future__ import annotations

import sys
from array import array
from typing import Dict, Optional, Tuple

from pns.choices import BRANCHING, ONE
from pns.system.files import open_whole, read_some, require_regular
from pns.system.package_data import data_path, read_data

PROBES = 8
MOST_NUMBER = 14
LONGEST_HEADER = 200
MOST_BYTES = 1_000_000_000
_MAGIC = "pns-prior 1 "

EXPECTED_LOSS = 10
"""Added to the initial proof number of a couple that is expected to be a loss."""


class PriorError(ValueError):
    """A file is not a prior for this game."""


class Prior:
    """A table of expected Grundy numbers; without `words` it is empty.

    It decides the initial numbers of leaves, of the kind `start`, one of START_NUMBERS.
    """

    def __init__(self, words: Optional[array[int]] = None, start: str = BRANCHING) -> None:
        self.words = words or array("H", [0] * PROBES)
        self.slots = len(self.words) - PROBES + 1
        self.start = start
        self._is_uniform = start == ONE

    def starting(self, start: str) -> "Prior":
        """The same expectations with initial numbers of a kind."""
        return self if start == self.start else Prior(self.words, start)

    def start_numbers(self, expected: int, branching: int, heap: int) -> Tuple[int, int]:
        """The initial proof and disproof number of land + *heap.

        `expected` is the Grundy number expected of the land, -1 if there is none; `branching`
        estimates its children.
        """
        if self._is_uniform:
            return 1, 1
        if expected == heap:
            return EXPECTED_LOSS + branching, 1
        return 1, 1 + branching

    def expected(self, key: int) -> int:
        """The number expected under a key, -1 if there is none."""
        words = self.words
        check = key >> 50 & 0xFFF
        i = key % self.slots
        end = i + PROBES
        while i < end:
            word = words[i]
            if not word:
                return -1
            if word >> 4 == check:
                return (word & 15) - 1
            i += 1
        return -1


def build(numbers: Dict[int, int], slots: int) -> Prior:
    """A prior of numbers by key; those that find no free slot, or exceed 14, are left out."""
    words = array("H", [0] * (slots + PROBES - 1))
    for key, number in numbers.items():
        if number <= MOST_NUMBER:
            for i in range(key % slots, key % slots + PROBES):
                if not words[i]:
                    words[i] = (key >> 50 & 0xFFF) << 4 | number + 1
                    break
    return Prior(words)


def path(game_name: str) -> str:
    """The path of a game's prior; the file need not exist."""
    return data_path(game_name + ".prior")


def save(prior: Prior, game_name: str, file_name: str) -> None:
    """Write a prior to a file atomically; raises OSError."""
    words = array("H", prior.words)
    if sys.byteorder == "big":
        words.byteswap()
    with open_whole(file_name) as file:
        file.write(("%s%s %d\n" % (_MAGIC, game_name, prior.slots)).encode())
        file.write(words.tobytes())


def load(game_name: str, file_name: str = "") -> Prior:
    """The prior of a game, or of a file; empty if there is no file.

    Raises PriorError, OSError.
    """
    data = _read(file_name) if file_name else read_data(game_name + ".prior")
    if data is None:
        return Prior()
    length = data.find(b"\n", 0, LONGEST_HEADER) + 1
    header, content = data[:length], data[length:]
    words = array("H")
    slots = len(content) // 2 - PROBES + 1
    if header != ("%s%s %d\n" % (_MAGIC, game_name, slots)).encode() or len(content) % 2:
        where = file_name or path(game_name)
        raise PriorError("%s is not a prior for %s, or is damaged" % (where, game_name))
    words.frombytes(content)
    if sys.byteorder == "big":
        words.byteswap()
    return Prior(words)


def _read(file_name: str) -> Optional[bytes]:
    """The contents of a file, None if there is none; raises OSError."""
    try:
        require_regular(file_name)
        with open(file_name, "rb") as file:
            return read_some(file, MOST_BYTES)
    except FileNotFoundError:
        return None
