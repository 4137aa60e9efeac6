"""The sources of entries: databases, .spr files and certificates, recognized by content."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from os.path import exists, isdir, join
from typing import Callable, Dict, Iterable, Iterator, NamedTuple, Optional, Tuple

from pns.choices import DEFAULT_GAME
from pns.facts import (
    BadEntry,
    BadEntryHandler,
    Contradiction,
    Fact,
    Facts,
    FactsError,
    LmdbFacts,
    open_facts,
    raise_bad_entry,
)
from pns.facts.database import LMDB, locate
from pns.facts.spr import SprError, check_lines, has_title, read_spr
from pns.finding import find_game
from pns.game import Game, check_land
from pns.positions.simplify import LandExchange
from pns.proofs.certificate import is_certificate, read_certificate
from pns.system import scratch
from pns.system.package_data import find_certificate

RootClaim = Tuple[str, bool]
"""A position and whether it is won."""


class Source(NamedTuple):
    """A file to audit."""

    path: str
    kind: str
    """"database", ".spr file" or "certificate"."""
    game: str
    claim: Optional[RootClaim]
    entries: Dict[bytes, int]
    """The entries of a certificate; empty for other kinds."""
    exchanges: Tuple[LandExchange, ...] = ()
    """What the proof of a certificate exchanges."""


def open_source(path: str, game_name: Optional[str]) -> Source:
    """The source at a path, or the certificate of that name that comes with the package.

    Raises SprError, FactsError or OSError.
    """
    path = find_certificate(path)
    if isdir(path) or not exists(path):
        locate(path, True)
        return Source(path, "database", game_name or DEFAULT_GAME, None, {})
    if is_certificate(path):
        certificate, entries = read_certificate(path)
        if game_name not in (None, certificate.game):
            wrong = "%s: a certificate for %s; expected one for %s"
            raise FactsError(wrong % (path, certificate.game, game_name))
        claim = certificate.position, certificate.wins
        exchanges = certificate.exchanges
        return Source(path, "certificate", certificate.game, claim, entries, exchanges)
    with open(path, "rb") as stream:
        kind = ".spr file" if has_title(stream) else "database"
    if kind == "database":
        try:
            locate(path, True)
        except FactsError as error:
            raise SprError(
                path, 1, "invalid file; expected a certificate, a .spr file or a database"
            ) from error
    return Source(path, kind, game_name or DEFAULT_GAME, None, {})


class Entries:
    """The good entries of one source; a bad one is reported once, and its number is unknown.

    >>> facts = Facts("nim")
    >>> facts.add(b"3", 3)
    >>> facts.add(b"3+4", 7)
    >>> entries = Entries(facts, find_game("nim"), "some.lmdb", print)
    >>> list(entries.items())
    some.lmdb: entry '3+4' is not one land but 2
    [(b'3', 3)]
    >>> len(entries), len(entries.bad)
    (2, 1)
    """

    def __init__(
        self, facts: Facts, game: Optional[Game], path: str, report: BadEntryHandler
    ) -> None:
        """``game`` is None where all lands have been checked already."""
        self.game = game
        self.bad: Dict[bytes, BadEntry] = {}
        self._facts = facts
        self._path = path
        self._report = report

    def _note_bad(self, entry: BadEntry) -> None:
        if entry.land not in self.bad:
            self.bad[entry.land] = entry
            self._report(entry)

    def get(self, land: bytes) -> int:
        """The land's Grundy number, -1 when it is unknown."""
        try:
            return self._facts.get(land)
        except BadEntry as error:
            self._note_bad(error)
            return -1

    def items(self) -> Iterator[Fact]:
        """All (land, Grundy number) that are good, sorted by land."""
        game = self.game
        for land, number in self._facts.items(self._note_bad):
            if land in self.bad:
                continue
            if game is not None:
                try:
                    check_land(game, land)
                except ValueError as error:
                    self._note_bad(BadEntry(self._path, land, number, str(error)))
                    continue
            yield land, number
        self.game = None

    def __len__(self) -> int:
        """The number of entries, bad ones included."""
        return len(self._facts)


class Store:
    """Entries by key, in an LMDB file, or in memory where LMDB is missing.

    Each process opens the store for itself, while its parent does not have it open.
    ``bad`` are the bad entries of a database found so far, by key.
    """

    def __init__(self, game_name: str, path: str, is_checked: bool = True) -> None:
        """``is_checked`` says that pages and lands have been found sound before."""
        self.bad: Dict[bytes, BadEntry] = {}
        self.game_name = game_name
        self._game = None if is_checked else find_game(game_name)
        self._path = path
        self._facts = Facts(game_name)
        self._is_checked = is_checked

    def fill(self, read: Callable[[], Iterable[Fact]]) -> None:
        """Store what ``read()`` gives; raises Contradiction for two numbers of one land."""
        if LMDB is None:
            for land, number in read():
                self._facts.add(land, number)
        else:
            with open_facts(self._path, self.game_name) as facts:
                facts.add_all(read)

    @contextmanager
    def open(self, report: BadEntryHandler = lambda entry: None) -> Iterator[Entries]:
        """Open the store to read it; what one use has checked, the next does not check again."""
        with ExitStack() as stack:
            facts = self._facts
            if LMDB is not None:
                file = open_facts(self._path, self.game_name, True, self._is_checked)
                facts = stack.enter_context(file)
            entries = Entries(facts, self._game, self._path, report)
            entries.bad = self.bad
            yield entries
            self._game = entries.game
            if isinstance(facts, LmdbFacts):
                self._is_checked = facts.is_checked


def make_store(source: Source, directory: str) -> Store:
    """A store of the entries of a source, under the texts that the source has.

    Raises FactsError, which names the source, for two numbers of one land.
    """
    if source.kind == "database":
        return Store(source.game, source.path, is_checked=False)
    store = Store(source.game, join(directory, "entries.lmdb"))
    try:
        if source.kind == "certificate":
            store.fill(lambda: sorted(source.entries.items()))
        else:
            check_lines(source.path, find_game(source.game))
            store.fill(lambda: read_spr(source.path, None))
    except Contradiction as error:
        raise FactsError("%s: %s" % (source.path, error)) from error
    return store


@contextmanager
def open_entries(
    path: str, game_name: Optional[str], report: BadEntryHandler = raise_bad_entry
) -> Iterator[Entries]:
    """Open any source to read its entries; raises what ``open_source`` raises.

    Bad entries of a database go to ``report``; the default raises the first.
    """
    with scratch.directory() as directory:
        with make_store(open_source(path, game_name), directory).open(report) as entries:
            yield entries
