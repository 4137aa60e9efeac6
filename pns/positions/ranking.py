"""The contract of a game whose positions are counted off, for strong solutions (`pns.strong`).

A strong solution divides the positions of a game into slices: slice 0 is the root, and every move
leads to a later slice. Any game can be solved by a list of its lands. A game that knows an index of
the positions within a slice needs no keys: `Ranking` is that index, and `SupportsRanking` how a
game offers it. A game has these parts by having their members.

Values are those of the player to move, in codes of two bits. Four share a byte, the first in its
lowest bits.
"""

from __future__ import annotations

from typing import Any, Iterable, List, Optional, Protocol, Tuple, runtime_checkable

NONE, LOSS, DRAW, WIN = range(4)
"""Codes; NONE stands for no position."""
OPEN = 3
"""The code, among marks, of a position at which play goes on."""

Codes = Any
"""Memory of packed codes, indexed by bytes."""


class Ranking(Protocol):
    """An index of all positions of a game of outcomes that are reached from a root.

    Every move leads from a slice to the next one. The entries of a slice are the numbers from 0
    below its size; an entry may stand for no position, or for several that are images of each
    other. Slices are filled in parts by several processes, so `mark` and `fill` write only the
    entries that they are asked for. `start` is a multiple of 256, and so is `stop` unless the
    slice ends there.
    """

    sizes: List[int]
    """Entries of each slice."""
    needs_marks: bool
    """Whether `mark` has to be called for all slices, from the first on, before `fill`."""
    bytes: int
    """About the memory that its tables take in each process."""

    def rank(self, text: str) -> Optional[Tuple[int, int]]:
        """(slice, entry) of a position; None for one that no play from the root reaches.

        Raises NotationError. A position that cannot be reached may also have an entry whose code
        is NONE.
        """

    def text(self, slice: int, entry: int) -> str:
        """The text of the position that an entry stands for, as `rank` and `Game.parse` read it."""

    def children(self, slice: int, entry: int) -> Iterable[int]:
        """The entries of the next slice that moves lead to, -1 for a move that wins at once.

        There are none where play is over. An entry may occur several times.
        """

    def mark(self, slice: int, start: int, stop: int, before: Codes, out: Codes) -> None:
        """Set the codes of entries from `start` below `stop`: OPEN where play goes on, else the
        value, or NONE. `before` has the codes of the slice before."""

    def fill(self, slice: int, start: int, stop: int, after: Codes, out: Codes) -> List[int]:
        """Set the values of entries from `start` below `stop`; `after` has those of the next slice.

        Returns the number of positions by code, images counted. With `needs_marks`, `out` holds
        the marks before.
        """


@runtime_checkable
class SupportsRanking(Protocol):
    """Optional: a game with a closed-form index of its positions."""

    def ranking(self, text: str) -> Optional[Ranking]:
        """The index of all positions that play from a position reaches; None if there is none.

        Raises NotationError.
        """


@runtime_checkable
class SupportsSections(Protocol):
    """Optional: a game with another index of its positions, by the parts that the board has."""

    def section_ranking(self, text: str) -> Optional[Ranking]:
        """The index of all positions that play from a position reaches; None if there is none.

        Raises NotationError.
        """


@runtime_checkable
class SupportsLateRanking(Protocol):
    """Optional: a game whose late positions are solved in full within seconds to minutes."""

    def late_ranking(self, text: str) -> Optional[Ranking]:
        """The index of all positions that play from a position reaches, which needs no marks.

        None if the position is too early, or play is over. Slice 0 has the position itself at
        its entry 0. Raises NotationError.
        """


@runtime_checkable
class SupportsBoards(Protocol):
    """Optional: a ranking that can rule a position out at once."""

    def shares_board(self, text: str) -> bool:
        """Whether a position is on the board of the root, wherever its stones are.

        Raises NotationError.
        """


def packed_bytes(entries: int) -> int:
    """Bytes that hold the codes of some entries.

    >>> packed_bytes(9)
    3
    """
    return (entries + 3) // 4


def pack(codes: bytearray, out: Codes, start: int) -> None:
    """Write codes to packed memory from the entry `start` on, a multiple of 4.

    >>> out = bytearray(2)
    >>> pack(bytearray([WIN, NONE, DRAW, LOSS, WIN]), out, 0)
    >>> out.hex()
    '6303'
    """
    codes = codes + bytes(-len(codes) % 4)
    at = start >> 2
    for i in range(0, len(codes), 4):
        out[at] = codes[i] | codes[i + 1] << 2 | codes[i + 2] << 4 | codes[i + 3] << 6
        at += 1


def signed_words(codes: Codes) -> Any:
    """Packed codes as an indexable of signed 64-bit words, each with 32 codes.

    The first code is in the lowest bits, on a little-endian machine. Codes that fill no word are
    left out.
    """
    if isinstance(codes, (bytearray, memoryview)):
        return memoryview(codes)[: len(codes) // 8 * 8].cast("q")
    from pns.system.bindings import ffi

    return ffi.cast("int64_t *", codes)


def code_at(packed: Codes, entry: int) -> int:
    """The code of an entry in packed memory."""
    return int(packed[entry >> 2] >> ((entry & 3) << 1) & 3)
