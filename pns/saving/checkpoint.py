"""What files of checkpoints have in common: a title, a header, and a digest at the end.

`pns.saving.tree_checkpoint` has those of a tree, `pns.saving.table_checkpoint` those of a
transposition table.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict

from pns.facts import Facts
from pns.game import Game, Land, check_land, shortened
from pns.system.files import parse_json

if TYPE_CHECKING:
    pass

TITLE = b"[Proof-number tree 2]\n"
TABLE_TITLE = b"[Proof-number table 1]\n"
WRITERS = {TITLE: "pns, pn2 or pns-pdfpn", TABLE_TITLE: "dfpn, pdfpn or spdfpn"}
"""The algorithms that write and resume files with a title."""
DIGEST_BYTES = 32
LONGEST_HEADER = 1 << 24
BLOCK = 1 << 24
MALFORMED = (EOFError, LookupError, OverflowError, TypeError, ValueError)
"""The exceptions raised by data that has the right checksum but was not written by `save`."""


class CheckpointError(ValueError):
    """A file is not a checkpoint of this search; names the file and the fault."""

    def __init__(self, path: str, wrong: str) -> None:
        super().__init__("%s: %s" % (path, wrong))


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
            wrong = "a checkpoint for %s %s; expected one for %s"
            raise CheckpointError(path, wrong % (name, header[name], wanted))


def read_header(path: str, stream: Any, title: bytes, **more: type) -> Dict[str, Any]:
    """The JSON object after the title, with the types of its items; raises CheckpointError."""
    first = stream.readline(max(map(len, WRITERS)))
    if first != title and first in WRITERS:
        raise CheckpointError(path, "a checkpoint of %s" % WRITERS[first])
    if first != title:
        raise CheckpointError(
            path, "not a checkpoint: invalid first line; expected %s" % title.decode()[:-1]
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
