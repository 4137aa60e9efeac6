"""Where the page looks things up: the session's own facts, and the certificates of the package."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Iterable, Iterator, List, Optional, Tuple

from pns.facts import BadEntry, Fact, Facts, LmdbFacts, LmdbMissing, open_facts
from pns.facts.spr import read_spr
from pns.files import CERTIFICATE, data_path
from pns.game import find_game
from pns.proofs.sources import Claim, open_source
from pns.strong.solution import StrongSolution


class Source:
    """Facts that are read, and what is said about them."""

    def __init__(self, name: str, kind: str, facts: Facts, claim: Optional[Claim] = None) -> None:
        self.name = name
        self.kind = kind
        """"database", ".spr file" or "certificate"."""
        self.claim = claim
        self.facts = facts
        self.table: Optional[StrongSolution] = None
        """A strong solution that is asked, too."""

    def get(self, land: bytes) -> int:
        """The Grundy number of a land, -1 where it is unknown or its record is bad.

        Raises SolutionError where the strong solution is damaged.
        """
        try:
            number = self.facts.get(land)
        except BadEntry:
            number = -1
        return self.table.get(land) if number < 0 and self.table else number

    def items(self) -> Iterator[Fact]:
        """All facts, sorted by land; bad records are left out."""
        return self.facts.items(lambda entry: None)

    def renew(self) -> None:
        """Read from now on what other processes have stored."""
        self.facts.flush()


class Database(Source):
    """A database that others write; it may come into being later."""

    def __init__(self, path: str, game: str) -> None:
        super().__init__(path, "database", Facts(game))
        self._game = game
        self.renew()

    def renew(self) -> None:
        if isinstance(self.facts, LmdbFacts):
            self.facts.flush()
        elif os.path.exists(self.name):
            try:
                self.facts = open_facts(self.name, self._game, readonly=True)
            except LmdbMissing:
                pass


def open_own(path: str, game: str, must_exist: bool) -> Source:
    """The facts that a command line names; raises what `open_source` raises."""
    if not must_exist and not os.path.exists(path):
        return Database(path, game)
    source = open_source(path, game)
    if source.kind == "database":
        return Database(path, game)
    if source.kind == "certificate":
        return _in_memory(path, source.kind, game, sorted(source.entries.items()), source.claim)
    return _in_memory(path, source.kind, game, read_spr(path, find_game(game)), None)


def _in_memory(
    name: str, kind: str, game: str, entries: Iterable[Fact], claim: Optional[Claim]
) -> Source:
    facts = Facts(game)
    for land, number in entries:
        facts.add(land, number)
    return Source(name, kind, facts, claim)


def shipped_names() -> List[Tuple[str, int]]:
    """(name, bytes) of the certificates that come with the package, by number of spots."""
    place = data_path("certificates")
    found = [
        (name[: -len(CERTIFICATE)], os.path.getsize(os.path.join(place, name)))
        for name in os.listdir(place)
        if name.endswith(CERTIFICATE)
    ]
    return sorted(found, key=lambda one: (len(one[0]), one))


@lru_cache(maxsize=2)
def open_shipped(name: str) -> Source:
    """A certificate that comes with the package; raises KeyError for another name."""
    if name not in dict(shipped_names()):
        raise KeyError(name)
    path = os.path.join(data_path("certificates"), name + CERTIFICATE)
    source = open_source(path, None)
    return _in_memory(name, source.kind, source.game, sorted(source.entries.items()), source.claim)
