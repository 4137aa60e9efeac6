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
WINS    packed by zlib: Grundy number of a child of the land, 1 byte each;
        length of the land's text, 4 bytes each; the texts
FACTS   packed by zlib: Grundy number of the land; the rest as above
END     none; the last block
======= ====================================================================

The blocks are written one by one while the search goes on, so they show the table at slightly
different times. That does no harm: an entry stands for itself, wins come before facts, and the
facts are all of one moment, so that no win or fact is without those that it rests on. The table
may mislead the search but proves nothing. Facts and wins are checked as the facts of a tree's
checkpoint are. The facts in a database are not in the file; so the wins count only where this
database, named in the header with the number of its facts, is used again.
"""

from __future__ import annotations

import json
import os
import struct
import sys
import zlib
from array import array
from typing import BinaryIO, Dict, Iterable, Iterator, List, Optional, Tuple

from pns.facts import Contradiction, Fact, Facts
from pns.game import Game, Land, check_land, shortened
from pns.positions.couple import Couples, bits_of
from pns.positions.exchange import WIN
from pns.saving.checkpoint import (
    DIGEST_BYTES,
    MALFORMED,
    TABLE_TITLE,
    CheckpointError,
    check_digest,
    check_fact,
    check_question,
    read_header,
)
from pns.saving.checkpointer import Steps
from pns.search.bounds import are_of_table
from pns.search.table import BUCKET_ENTRIES, ENTRY_BYTES, Columns, Table
from pns.system.files import open_whole, require_regular
from pns.system.machine import total_memory
from pns.version import VERSION

END, ENTRIES, FACTS, WINS = range(4)
_block = struct.Struct("<BII")
BUCKETS_IN_BLOCK, RECORDS_IN_BLOCK, TEXTS_IN_BLOCK = 4096, 4096, 1 << 20
"""What one step writes, some milliseconds; the last one is in bytes."""
MOST_BLOCK_BYTES = 1 << 24
"""Upper bound on the columns of a block of facts or wins."""
MOST_ENTRIES = BUCKETS_IN_BLOCK * BUCKET_ENTRIES
NUMBER_BYTES = 12
"""Bytes of the pn, dn and work of an entry."""
SYNC_BYTES = 1 << 25
"""Bytes between two waits for the disk, so that none of them is long."""
FACT_BYTES = 128
"""Bytes of a fact or win in memory beside its text."""
MOST_COUNT = 1 << 62


def save(
    path: str,
    table: Table,
    couples: Couples,
    canonical: str,
    expansions: int,
) -> Steps:
    """The steps that write the table of a search for a position, what is known to be a win, and
    facts that are in no file.

    The file stays as it was until everything is on the disk. Raises Contradiction, OSError.
    """
    facts = couples.facts
    header = {
        "version": VERSION,
        "game": couples.game.name,
        "position": canonical,
        "expansions": expansions,
        "children_generated": couples.children_generated,
        "capacity": table.capacity,
        "database": _database(facts),
        "facts": len(facts),
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
        for some in _grouped(couples.wins()):
            out.write_block(WINS, len(some), _packed(some))
            yield
        facts.try_flush()
        for some in _grouped(facts.in_memory()):
            out.write_block(FACTS, len(some), _packed(some))
            yield
        out.write_block(END, 0, b"")
        stream.write(out.digest.digest())


class _Output:
    """A stream whose bytes count for a digest, and reach the disk as they are written."""

    def __init__(self, stream: BinaryIO) -> None:
        from hashlib import blake2b  # it takes long

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
            header = read_header(path, stream, TABLE_TITLE, capacity=int, database=str, facts=int)
            self._start = stream.tell()
            check_digest(path, stream)
        check_question(path, header, game, canonical)
        for name in ("expansions", "children_generated", "capacity"):
            if not 0 <= header[name] <= MOST_COUNT:
                raise CheckpointError(path, "a damaged checkpoint: its %s is impossible" % name)
        self.expansions = int(header["expansions"])
        self.children_generated = int(header["children_generated"])
        self._capacity = max(1, int(header["capacity"]))
        self._database = str(header["database"])
        self._facts = int(header["facts"])

    def capacity(self, wanted: Optional[int]) -> int:
        """The entries of the table to make: as wanted, or as many as it had.

        Raises CheckpointError if they are more than memory holds.
        """
        most = total_memory() // ENTRY_BYTES
        if wanted is None and self._capacity > most:
            wrong = "its table of %d entries does not fit into memory, which holds %d; a capacity"
            wrong += " below that keeps the entries with the most work"
            raise CheckpointError(self.path, wrong % (self._capacity, most))
        return wanted or self._capacity

    def restore(self, table: Table, couples: Couples) -> None:
        """Add its entries, facts and wins; raises CheckpointError, Contradiction, OSError."""
        facts = couples.facts
        try:
            with open(self.path, "rb") as stream:
                stream.seek(self._start)
                found, wins = self._read_blocks(stream, table, facts)
            for land, number in found.items():
                facts.add(land, number)
            if self._database in ("", _database(facts)) and len(facts) >= self._facts:
                for land, bits in wins.items():
                    for number in bits_of(bits):
                        couples.apply(WIN, number, land)
        except (CheckpointError, Contradiction):
            raise
        except (*MALFORMED, zlib.error, struct.error) as error:
            raise CheckpointError(self.path, "a damaged checkpoint: %s" % error) from error

    def _read_blocks(
        self, stream: BinaryIO, table: Table, facts: Facts
    ) -> Tuple[Dict[Land, int], Dict[Land, int]]:
        """Insert the entries of all blocks up to END; their facts, and their wins as
        `option_numbers`, checked but not yet added.

        What is held in memory is bounded, whatever the blocks claim.
        """
        found: Dict[Land, int] = {}
        wins: Dict[Land, int] = {}
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
            elif kind in (FACTS, WINS):
                for land, number in _unpacked(stream.read(size), count):
                    self._check(facts, kind, land, number)
                    held += (
                        _add_win(wins, land, number) if kind == WINS else _add(found, land, number)
                    )
                    if held > most_held:
                        raise ValueError("its facts do not fit into memory")
            elif kind != END:
                raise ValueError("a block of the kind %d" % kind)
        if left:
            raise ValueError("%d bytes after the last block" % left)
        return found, wins

    def _check(self, facts: Facts, kind: int, land: Land, number: int) -> None:
        """Raise ValueError for a fact or a win that cannot be."""
        if kind == FACTS:
            check_fact(self._game, facts, land, number)
            return
        check_land(self._game, land)
        if self._game.estimate(land)[0] <= number:
            raise ValueError("no child of %s has Grundy number %d" % (shortened(land), number))


def _add(found: Dict[Land, int], land: Land, number: int) -> int:
    """Add a fact; returns the bytes that it takes. Raises Contradiction."""
    size = 0 if land in found else len(land) + FACT_BYTES
    if found.setdefault(land, number) != number:
        raise Contradiction(land, found[land], number)
    return size


def _add_win(wins: Dict[Land, int], land: Land, number: int) -> int:
    """Add the win land + *number; returns the bytes that it takes."""
    size = 0 if land in wins else len(land) + FACT_BYTES
    wins[land] = wins.get(land, 0) | 1 << number
    return size


def _database(facts: Facts) -> str:
    """The file of the facts, "" if they are in memory."""
    return os.path.realpath(facts.path) if facts.path else ""


def _grouped(records: Iterable[Fact]) -> Iterator[List[Fact]]:
    """Facts or wins in groups for a block each."""
    some: List[Fact] = []
    size = 0
    for record in records:
        some.append(record)
        size += len(record[0])
        if len(some) == RECORDS_IN_BLOCK or size >= TEXTS_IN_BLOCK:
            yield some
            some, size = [], 0
    if some:
        yield some


def _packed(records: List[Fact]) -> bytes:
    """The columns of a block of facts or wins."""
    lengths = _little_endian(array("I", [len(land) for land, _ in records]))
    texts = b"".join([land for land, _ in records])
    return zlib.compress(bytes([n for _, n in records]) + lengths + texts, 1)


def _unpacked(packed: bytes, count: int) -> List[Fact]:
    """The facts or wins of a block."""
    unpacker = zlib.decompressobj()
    data = unpacker.decompress(packed, MOST_BLOCK_BYTES)
    if not unpacker.eof or unpacker.unused_data:
        raise ValueError("a block of facts unpacks to another size")
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
