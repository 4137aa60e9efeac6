"""Where entries come from: databases, .spr files and certificates, told apart by content."""

from __future__ import annotations

from contextlib import contextmanager
from os.path import isdir, join
from typing import Callable, Dict, Iterable, Iterator, NamedTuple, Optional, Tuple

from pns import scratch
from pns.database import LMDB, locate
from pns.facts import Fact, Facts, FactsError, open_facts
from pns.game import find_game
from pns.proofs.certificate import is_certificate, read_certificate
from pns.spr import TITLE, SprError, read_spr

Claim = Tuple[str, bool]
"""A position and whether it is won."""


class Source(NamedTuple):
    """What is audited: a database, a .spr file or a certificate, told apart by content."""

    path: str
    kind: str
    game: str
    claim: Optional[Claim]
    entries: Dict[bytes, int]
    """Those of a certificate; else empty."""


def open_source(path: str, game_name: Optional[str]) -> Source:
    """The source at a path; raises SprError, FactsError, OSError or ValueError."""
    if isdir(path):
        locate(path, True)
        return Source(path, "database", game_name or "sprouts", None, {})
    if is_certificate(path):
        certificate, entries = read_certificate(path)
        if game_name not in (None, certificate.game):
            raise ValueError("%s: a certificate for %s" % (path, certificate.game))
        claim = certificate.position, certificate.wins
        return Source(path, "certificate", certificate.game, claim, entries)
    with open(path, "rb") as stream:
        kind = ".spr file" if stream.read(len(TITLE)) == TITLE else "database"
    if kind == "database":
        try:
            locate(path, True)
        except FactsError as error:
            raise SprError(path, 1, "neither the title of a .spr file nor a database") from error
    return Source(path, kind, game_name or "sprouts", None, {})


class Store:
    """Entries by key: where an LMDB file holds them, or in memory where LMDB is missing.

    A process must open its store itself, and not after its parent had it open.
    """

    def __init__(self, game_name: str, path: str) -> None:
        self._game_name = game_name
        self._path = path
        self._facts = Facts(game_name)

    def fill(self, read: Callable[[], Iterable[Fact]]) -> None:
        """Make the store; raises FactsError for two numbers of one land."""
        if LMDB is None:
            for land, number in read():
                self._facts.add(land, number)
        else:
            with open_facts(self._path, self._game_name) as facts:
                facts.add_all(read)

    @contextmanager
    def open(self) -> Iterator[Facts]:
        """The entries, to be read."""
        if LMDB is None:
            yield self._facts
        else:
            with open_facts(self._path, self._game_name, readonly=True) as facts:
                yield facts


def make_store(source: Source, directory: str) -> Store:
    """A store of what is audited, under its own texts."""
    if source.kind == "database":
        return Store(source.game, source.path)
    store = Store(source.game, join(directory, "entries.lmdb"))
    if source.kind == "certificate":
        store.fill(lambda: sorted(source.entries.items()))
    else:
        store.fill(lambda: read_spr(source.path, find_game(source.game)))
    return store


@contextmanager
def open_entries(path: str, game_name: Optional[str]) -> Iterator[Facts]:
    """The entries of any source, to be read; raises what ``open_source`` raises."""
    with scratch.directory() as directory:
        with make_store(open_source(path, game_name), directory).open() as facts:
            yield facts
