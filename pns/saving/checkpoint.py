"""Checkpoints: when they are written, and those of a tree, with all nodes and positions.

Those of a transposition table are in `pns.saving.table_checkpoint`. The file of a tree has a first
line TITLE, a second line with a JSON object (version, game, position, counts, and the name, type
code and length of each array), the arrays one after another, and 32 bytes, the BLAKE2b digest of
everything before. The object names the byte order of the arrays. They include all Grundy numbers of
the positions that the search holds, and the facts that are in no database: what the tree knows may
rest on facts about positions that it has forgotten. The checkpoint of a master also has its state.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from array import array
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Callable, Dict, Generator, List, Optional, Union

from pns.facts import Facts
from pns.facts.log import FactLog, facts_in
from pns.game import Game, Land, check_land, shortened
from pns.system.files import Reporter, open_whole, parse_json, require_regular
from pns.system.machine import explain_shortage
from pns.version import VERSION

if TYPE_CHECKING:
    from pns.tree import TreeSearch

TITLE = b"[Proof-number tree 2]\n"
TABLE_TITLE = b"[Proof-number table 1]\n"
WRITERS = {TITLE: "pns, pn2 or pns-pdfpn", TABLE_TITLE: "dfpn, pdfpn or spdfpn"}
"""The algorithms that write and resume files with a title."""
DIGEST_BYTES = 32
LONGEST_HEADER = 1 << 24
BLOCK = 1 << 24
SLICE_SECONDS = 0.02
"""Upper bound on what `Checkpointer.tick` takes, but for one step and the end of the file."""

Steps = Generator[None, None, None]
"""What writes a file step by step; closed before its end, it leaves the file as it was."""

MALFORMED = (EOFError, LookupError, OverflowError, TypeError, ValueError)
"""The exceptions raised by data that has the right checksum but was not written by `save`."""


class CheckpointError(ValueError):
    """A file is not a checkpoint of this search; names the file and the fault."""

    def __init__(self, path: str, wrong: str) -> None:
        super().__init__("%s: %s" % (path, wrong))


class Checkpointer:
    """Saves a search to the file `path` every `every` seconds, and when `save` is called.

    `write` writes the file wholly, or raises OSError and leaves the previous one. It may return
    steps that do this, so that the search goes on between them. The error is reported to `warn`,
    at most once a minute, and the next checkpoint is tried as usual.
    `unsaved` says why the last one could not be written, "" if it was. The first one is written
    at once, and raises OSError. Raises CheckpointError if the file exists, unless it is the one
    that is `resumed`.
    """

    def __init__(
        self,
        path: str,
        write: Callable[[], Optional[Steps]],
        every: float,
        warn: Callable[[str], None],
        resumed: Optional[str] = None,
    ) -> None:
        if os.path.exists(path) and not (resumed and os.path.samefile(path, resumed)):
            raise CheckpointError(path, "exists already; resume it, or remove it")
        self.path = path
        self.unsaved = ""
        self._write = write
        self._every = every
        self._steps: Optional[Steps] = None
        self._reporter = Reporter(warn)
        for _ in write() or ():
            pass
        self._saved = time.monotonic()

    def tick(self) -> None:
        """Save, or take some steps, if a checkpoint is due; call it several times a second."""
        now = time.monotonic()
        if self._steps or now - self._saved >= self._every:
            self._advance(now + SLICE_SECONDS)

    def save(self) -> None:
        """Save the search now, from the first step."""
        self.abandon()
        self._advance(math.inf)

    def abandon(self) -> None:
        """End a checkpoint of which some steps are done; the one before is kept."""
        steps, self._steps = self._steps, None
        if steps:
            with suppress(OSError):  # what was buffered finds no room either
                steps.close()

    def _advance(self, until: float) -> None:
        """Take steps until that time at the least, or the end; begin if there are none."""
        trouble = ""
        try:
            if not self._steps:
                self._steps = self._write()
            for _ in self._steps or ():
                if time.monotonic() >= until:
                    return
        except OSError as error:
            trouble = "%s: %s" % (self.path, error.strerror)
        except MemoryError:
            trouble = "%s: %s" % (self.path, explain_shortage())
        self._steps = None
        self.unsaved = trouble
        if trouble:
            self._reporter.report("checkpoint not written: %s; the previous one is kept" % trouble)
        self._saved = time.monotonic()


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
            kind = "of --algorithm pns-pdfpn" if state else "of a single machine's search"
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


def check_fact(game: Game, facts: Facts, land: Land, number: int) -> None:
    """Raise ValueError unless the fact is known, or its land and number are possible."""
    if facts.get(land) != number:
        check_land(game, land)
        if game.estimate(land)[0] < number:
            raise ValueError("%s cannot have Grundy number %d" % (shortened(land), number))


def check_question(path: str, header: Dict[str, Any], game: Game, canonical: str) -> None:
    """Raise CheckpointError for a checkpoint of another game or position.

    Whether the Grundy number was asked for does not matter: that search begins with the outcome.
    """
    for name, wanted in (("game", game.name), ("position", canonical)):
        if header[name] != wanted:
            wrong = "a checkpoint for %s %s, not %s"
            raise CheckpointError(path, wrong % (name, header[name], wanted))


def read_header(path: str, stream: Any, title: bytes, **more: type) -> Dict[str, Any]:
    """The JSON object after the title, with the types of its items; raises CheckpointError."""
    first = stream.readline(max(map(len, WRITERS)))
    if first != title and first in WRITERS:
        raise CheckpointError(path, "a checkpoint of %s" % WRITERS[first])
    if first != title:
        raise CheckpointError(
            path, "not a checkpoint: the first line is not %s" % title.decode()[:-1]
        )
    try:
        header = parse_json(stream.readline(LONGEST_HEADER))
        kinds: Dict[str, type] = {"version": str, "game": str, "position": str}
        kinds.update(expansions=int, children_generated=int, **more)
        if all(isinstance(header[name], kind) for name, kind in kinds.items()):
            return dict(header)
    except (ValueError, TypeError, KeyError):
        pass
    raise CheckpointError(path, "a damaged checkpoint: its second line is not a header")


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


def check_digest(path: str, stream: Any) -> None:
    """Read the whole file and compare the digest at its end; raises CheckpointError."""
    left = stream.seek(0, os.SEEK_END) - DIGEST_BYTES
    stream.seek(0)
    from hashlib import blake2b  # it takes long

    digest = blake2b(digest_size=DIGEST_BYTES)
    while left > 0:
        block = stream.read(min(BLOCK, left))
        digest.update(block)
        left -= len(block)
    if stream.read() != digest.digest():
        raise CheckpointError(path, "a damaged checkpoint: the checksum is wrong")
