"""Checkpoints of a tree, with all nodes and positions.

The file has a first line TITLE, a second line with a JSON object (version, game, position, counts,
and the name, type code and length of each array), the arrays one after another, and 32 bytes, the
BLAKE2b digest of everything before. The object names the byte order of the arrays. They include all
Grundy numbers of the positions that the search holds, and the facts that are in no database: what
the tree knows may rest on facts about positions that it has forgotten. The checkpoint of a master
also has its state.
"""

from __future__ import annotations

import json
import os
import sys
from array import array
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Union

from pns.facts.log import FactLog, facts_in
from pns.saving.checkpoint import (
    DIGEST_BYTES,
    LONGEST_HEADER,
    MALFORMED,
    TITLE,
    CheckpointError,
    check_digest,
    check_fact,
    check_question,
    read_header,
)
from pns.system.files import open_whole, require_regular
from pns.version import VERSION

if TYPE_CHECKING:
    from pns.tree import TreeSearch


def save(
    path: str,
    search: TreeSearch,
    canonical: str,
    master: Optional[Dict[str, Any]] = None,
    log: Optional[FactLog] = None,
) -> None:
    """Write the tree of a search for a position, a master's state, and facts, atomically.

    `log` has the facts that are in no database.

    The file stays as it was until everything is on the disk. Raises OSError.
    """
    facts = log.dump() if log else {}
    arrays = {**search.couples.dump(), **search.nodes.dump(), **facts}
    header = {
        "version": VERSION,
        "game": search.couples.game.name,
        "position": canonical,
        "expansions": search.expansions,
        "children_generated": search.couples.children_generated,
        "byteorder": sys.byteorder,
        "master": master,
        "high_bits": sorted(search.couples.option_numbers.high.items()),
        "arrays": [[name, data.typecode, len(data)] for name, data in arrays.items()],
    }
    from hashlib import blake2b  # it takes long

    digest = blake2b(digest_size=DIGEST_BYTES)
    with open_whole(path) as stream:
        head = TITLE + json.dumps(header).encode("ascii") + b"\n"
        pieces: List[Union[bytes, "array[int]"]] = [head, *arrays.values()]
        for piece in pieces:
            view = memoryview(piece).cast("B")
            digest.update(view)
            stream.write(view)
        stream.write(digest.digest())


def load(
    path: str, search: TreeSearch, canonical: str, distributed: bool = False
) -> Dict[str, Any]:
    """Fill a new search with the tree in a file; the state of the master if `distributed`.

    Raises CheckpointError, Contradiction, OSError.
    """
    require_regular(path)
    try:
        return _load(path, search, canonical, distributed)
    except CheckpointError:
        raise
    except MALFORMED as error:
        raise CheckpointError(path, "a damaged checkpoint: %s" % error) from error


def _load(path: str, search: TreeSearch, canonical: str, distributed: bool) -> Dict[str, Any]:
    with open(path, "rb") as stream:
        header = read_header(path, stream, TITLE, byteorder=str, high_bits=list, arrays=list)
        check_digest(path, stream)
        check_question(path, header, search.couples.game, canonical)
        state = header.get("master")
        if distributed != isinstance(state, dict):
            kind = "of algorithm pns-pdfpn" if state else "of a single machine's search"
            raise CheckpointError(path, "a checkpoint %s" % kind)
        stream.seek(len(TITLE))
        stream.readline(LONGEST_HEADER)
        try:
            arrays = _read_arrays(header, stream)
            fits = search.nodes.holds(arrays)
            if fits:
                search.couples.restore(arrays)
                search.couples.option_numbers.high.update(header["high_bits"])
                search.nodes.restore(arrays)
        except (EOFError, ValueError, TypeError, OverflowError, LookupError) as error:
            raise CheckpointError(path, "a damaged checkpoint: %a" % error) from error
    if not fits:
        raise CheckpointError(path, "its tree needs a larger capacity")
    search.resume(header["expansions"])
    search.couples.children_generated += header["children_generated"]
    couples = search.couples
    for land, number in facts_in(arrays):
        check_fact(couples.game, couples.facts, land, number)
        couples.facts.add(land, number)
    for i, number in enumerate(arrays["numbers"]):
        if i and number >= 0 and not couples.is_sum(i):
            check_fact(couples.game, couples.facts, couples.store[i], number)
    couples.exchange_facts()
    search.settle()
    return state or {}


def _read_arrays(header: Dict[str, Any], stream: Any) -> Dict[str, Any]:
    """The arrays that a header announces."""
    arrays: Dict[str, Any] = {}
    left = os.fstat(stream.fileno()).st_size - stream.tell() - DIGEST_BYTES
    for name, typecode, count in header["arrays"]:
        data = array(typecode)
        left -= count * data.itemsize
        if count < 0 or left < 0:
            raise ValueError("%a is cut off" % name)
        data.fromfile(stream, count)
        if header["byteorder"] != sys.byteorder:
            data.byteswap()
        arrays[name] = data
    return arrays
