"""Checkpoints of transposition tables: searches that leave one, its content, files by hand."""

from __future__ import annotations

import struct
import zlib
from array import array
from hashlib import blake2b
from pathlib import Path
from typing import Any, Dict, List, Optional, Set, Tuple

import pns
from helpers.searches import SPROUTS
from pns.choices import PARALLEL
from pns.facts import Facts
from pns.positions.couple import Couples
from pns.saving.checkpoint import DIGEST_BYTES, TABLE_TITLE
from pns.saving.table_checkpoint import ENTRIES, FACTS, SavedTable
from pns.search.table import Table

SPOTS = "0*10"
TABLES = ["dfpn", *PARALLEL]
CAPACITY = 50_000
Blocks = List[Tuple[int, int, bytes]]


def options_of(algorithm: str, processes: int = 1) -> Dict[str, Any]:
    more = {} if algorithm == "dfpn" else {"processes": processes}
    return {"algorithm": algorithm, "capacity": CAPACITY, **more}


def stopped(path: Path, expansions: int = 1687, **options: Any) -> pns.Result:
    """A search that a budget stopped, with its checkpoint."""
    options = {"capacity": CAPACITY, **options}
    result = pns.solve(SPOTS, max_expansions=expansions, checkpoint=str(path), every=1e6, **options)
    assert (result.solved, result.unsaved) == (False, None)
    return result


def empty(facts: Optional[Facts] = None) -> Couples:
    return Couples(SPROUTS, facts or Facts("sprouts"))


def restored(path: Path, capacity: int = CAPACITY) -> Tuple[Table, Facts]:
    table, couples = Table(capacity), empty()
    SavedTable(str(path), SPROUTS, SPOTS).restore(table, couples)
    return table, couples.facts


def wins_of(path: Path, facts: Optional[Facts] = None) -> Set[Tuple[bytes, int]]:
    couples = empty(facts)
    SavedTable(str(path), SPROUTS, SPOTS).restore(Table(CAPACITY), couples)
    return set(couples.wins())


def entries_of(table: Table) -> Dict[int, Tuple[int, int, int]]:
    keys, *numbers = table.entries(0, table.buckets)
    return dict(zip(keys, zip(*numbers)))


def blocks_of(content: bytes) -> Tuple[bytes, Blocks]:
    """The header and the blocks of a file, END left out."""
    start = content.index(b"\n", len(TABLE_TITLE)) + 1
    blocks: Blocks = []
    i = start
    while True:
        kind, count, size = struct.unpack_from("<BII", content, i)
        if not kind:
            return content[:start], blocks
        blocks.append((kind, count, content[i + 9 : i + 9 + size]))
        i += 9 + size


def with_digest(content: bytes) -> bytes:
    return content + blake2b(content, digest_size=DIGEST_BYTES).digest()


def file_of(header: bytes, blocks: Blocks) -> bytes:
    parts = [struct.pack("<BII", kind, count, len(data)) + data for kind, count, data in blocks]
    return with_digest(b"".join([header, *parts, bytes(9)]))


def entries(*found: Tuple[int, int, int, int]) -> Tuple[int, int, bytes]:
    """A block of (key, pn, dn, work)."""
    numbers = b"".join([array("I", [e[i] for e in found]).tobytes() for i in (1, 2, 3)])
    data = array("q", [e[0] for e in found]).tobytes() + zlib.compress(numbers)
    return ENTRIES, len(found), data


def packed(kind: int, count: int, data: bytes) -> Tuple[int, int, bytes]:
    return kind, count, zlib.compress(data, 1)


def facts_block(*found: Tuple[bytes, int], kind: int = FACTS) -> Tuple[int, int, bytes]:
    lengths = array("I", [len(land) for land, _ in found]).tobytes()
    texts = b"".join([land for land, _ in found])
    return packed(kind, len(found), bytes([n for _, n in found]) + lengths + texts)
