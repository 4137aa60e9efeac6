"""Checkpoints of DFPN, PDFPN and SPDFPN: the transposition table and the facts in memory.

SPDFPN went on from such backups ([pawlewicz2014], section 6.1). Any of the three
algorithms resumes what another one wrote, with any capacity: entries are inserted again.

The file has the line TABLE_TITLE, a line with a JSON object (version, game, position, counts
and the capacity of the table), blocks, and 32 bytes, the BLAKE2b digest of everything before.
A block has a kind, the number of its items, the number of its bytes, and then columns, all
integers little-endian:

======= ====================================================================
kind    columns
======= ====================================================================
ENTRIES key, 8 bytes each; pn, dn and work, 4 bytes each, packed by zlib
FACTS   Grundy number, 1 byte each; length of the land's text, 4 bytes each;
        the texts
END     none; the last block
======= ====================================================================

The blocks are written one by one while the search goes on, so they show the table at slightly
different times. That does no harm: an entry stands for itself, and the facts come last, all of
one moment, so that none is without those that it rests on. The table may mislead the search but
proves nothing; facts are checked as those of a tree's checkpoint are.
"""

from __future__ import annotations

import json
import os
import struct
import sys
import zlib
from array import array
from hashlib import blake2b
from typing import BinaryIO, List, Optional

from pns.bounds import are_of_table
from pns.checkpoint import (
    DIGEST_BYTES,
    MALFORMED,
    TABLE_TITLE,
    CheckpointError,
    Steps,
    check_digest,
    check_fact,
    check_question,
    read_header,
)
from pns.facts import Contradiction, Fact, Facts
from pns.files import open_whole, require_regular
from pns.game import Game
from pns.machine import total_memory
from pns.table import BUCKET_ENTRIES, ENTRY_BYTES, Columns, Table
from pns.version import VERSION

END, ENTRIES, FACTS = range(3)
_block = struct.Struct("<BII")
BUCKETS_IN_BLOCK, FACTS_IN_BLOCK = 4096, 4096
"""What one step writes: some milliseconds."""
MOST_ENTRIES = BUCKETS_IN_BLOCK * BUCKET_ENTRIES
NUMBER_BYTES = 12
"""Bytes of the pn, dn and work of an entry."""
SYNC_BYTES = 1 << 25
"""Bytes between two waits for the disk, so that none of them is long."""
FACT_BYTES = 128
"""Bytes of a fact in memory beside its text."""
MOST_COUNT = 1 << 62


def save(
    path: str,
    table: Table,
    facts: Facts,
    game: Game,
    canonical: str,
    expansions: int,
    children_generated: int,
) -> Steps:
    """The steps that write the table of a search for a position, and facts that are in no file.

    The file stays as it was until everything is on the disk. Raises Contradiction, OSError.
    """
    header = {
        "version": VERSION,
        "game": game.name,
        "position": canonical,
        "expansions": expansions,
        "children_generated": children_generated,
        "capacity": table.capacity,
    }
    with open_whole(path) as stream:
        out = _Output(stream)
        out.write(TABLE_TITLE + json.dumps(header).encode("ascii") + b"\n")
        for first in range(0, table.buckets, BUCKETS_IN_BLOCK):
            columns = table.entries(first, min(first + BUCKETS_IN_BLOCK, table.buckets))
            keys, *numbers = map(_little_endian, columns)
            if keys:
                packed = zlib.compress(b"".join(numbers), 1)
                out.write_block(ENTRIES, len(columns[0]), keys + packed)
            yield
        facts.try_flush()
        unstored = facts.in_memory()
        for first in range(0, len(unstored), FACTS_IN_BLOCK):
            some = unstored[first : first + FACTS_IN_BLOCK]
            lengths = _little_endian(array("I", [len(land) for land, _ in some]))
            texts = b"".join([land for land, _ in some])
            out.write_block(FACTS, len(some), bytes([n for _, n in some]) + lengths + texts)
            yield
        out.write_block(END, 0, b"")
        stream.write(out.digest.digest())


class _Output:
    """A stream whose bytes count for a digest, and reach the disk as they are written."""

    def __init__(self, stream: BinaryIO) -> None:
        self.digest = blake2b(digest_size=DIGEST_BYTES)
        self._stream = stream
        self._unsynced = 0

    def write(self, data: bytes) -> None:
        self.digest.update(data)
        self._stream.write(data)
        self._unsynced += len(data)
        if self._unsynced >= SYNC_BYTES:
            self._unsynced = 0
            self._stream.flush()
            os.fsync(self._stream.fileno())

    def write_block(self, kind: int, count: int, data: bytes) -> None:
        self.write(_block.pack(kind, count, len(data)) + data)


class SavedTable:
    """A checkpoint for a position, whose digest and header are right.

    Raises CheckpointError for any other file, and OSError.
    """

    def __init__(self, path: str, game: Game, canonical: str) -> None:
        require_regular(path)
        self.path = path
        self._game = game
        with open(path, "rb") as stream:
            header = read_header(path, stream, TABLE_TITLE, capacity=int)
            self._start = stream.tell()
            check_digest(path, stream)
        check_question(path, header, game, canonical)
        for name in ("expansions", "children_generated", "capacity"):
            if not 0 <= header[name] <= MOST_COUNT:
                raise CheckpointError(path, "a damaged checkpoint: its %s cannot be" % name)
        self.expansions = int(header["expansions"])
        self.children_generated = int(header["children_generated"])
        self._capacity = max(1, int(header["capacity"]))

    def capacity(self, wanted: Optional[int]) -> int:
        """The entries of the table to make: as wanted, or as many as it had.

        Raises CheckpointError if they are more than memory holds.
        """
        most = total_memory() // ENTRY_BYTES
        if wanted is None and self._capacity > most:
            wrong = "its table of %d entries is more than memory holds, %d at most; a --capacity"
            wrong += " below that takes the entries with the most work"
            raise CheckpointError(self.path, wrong % (self._capacity, most))
        return wanted or self._capacity

    def restore(self, table: Table, facts: Facts) -> None:
        """Add its entries and facts; raises CheckpointError, Contradiction, OSError."""
        try:
            with open(self.path, "rb") as stream:
                stream.seek(self._start)
                found = self._read_blocks(stream, table, facts)
            for land, number in found:
                facts.add(land, number)
        except (CheckpointError, Contradiction):
            raise
        except (*MALFORMED, zlib.error, struct.error) as error:
            raise CheckpointError(self.path, "a damaged checkpoint: %s" % error) from error

    def _read_blocks(self, stream: BinaryIO, table: Table, facts: Facts) -> List[Fact]:
        """Insert the entries of all blocks up to END; their facts, checked but not yet added.

        What is held in memory is bounded, whatever the blocks claim.
        """
        found: List[Fact] = []
        left = os.fstat(stream.fileno()).st_size - stream.tell() - DIGEST_BYTES
        entries, held, most_held = 0, 0, total_memory()
        kind = -1
        while kind != END:
            kind, count, size = _block.unpack(stream.read(_block.size))
            left -= _block.size + size
            if left < 0:
                raise ValueError("a block is cut off")
            if kind == ENTRIES:
                entries += count
                if count > MOST_ENTRIES or entries > self._capacity + BUCKET_ENTRIES:
                    raise ValueError("more entries than its table can have")
                _insert(table, _columns(stream.read(size), count))
            elif kind == FACTS:
                held += size + FACT_BYTES * count
                if held > most_held:
                    raise ValueError("its facts are more than memory holds")
                found += _facts(stream.read(size), count)
            elif kind != END:
                raise ValueError("a block of the kind %d" % kind)
        if left:
            raise ValueError("%d bytes after the last block" % left)
        for land, number in found:
            check_fact(self._game, facts, land, number)
        return found


def _facts(data: bytes, count: int) -> List[Fact]:
    """The facts of a block."""
    lengths = _array("I", data[count : 5 * count])
    start = 5 * count
    if len(lengths) != count or start + sum(lengths) != len(data):
        raise ValueError("a block of facts has another size")
    found: List[Fact] = []
    for number, length in zip(data[:count], lengths):
        found.append((data[start : start + length], number))
        start += length
    return found


def _columns(data: bytes, count: int) -> Columns:
    """The columns of a block of entries."""
    unpacker = zlib.decompressobj()
    numbers = unpacker.decompress(data[8 * count :], NUMBER_BYTES * count + 1)
    if len(numbers) != NUMBER_BYTES * count or not unpacker.eof or unpacker.unused_data:
        raise ValueError("a block of entries unpacks to another size")
    pns, dns, works = [
        _array("I", numbers[i : i + 4 * count]) for i in range(0, 12 * count, 4 * count)
    ]
    return _array("q", data[: 8 * count]), pns, dns, works


def _insert(table: Table, columns: Columns) -> None:
    """Store entries in a table; those that no search writes are left out."""
    keys, pns, dns, works = columns
    for i in range(len(keys)):
        if keys[i] >= 0 and works[i] and are_of_table(pns[i], dns[i]):
            table.insert(keys[i], pns[i], dns[i], works[i])


def _little_endian(data: "array[int]") -> bytes:
    if sys.byteorder == "big":
        data.byteswap()
    return data.tobytes()


def _array(typecode: str, data: bytes) -> "array[int]":
    """Little-endian integers as an array."""
    found = array(typecode, data)
    if sys.byteorder == "big":
        found.byteswap()
    return found
