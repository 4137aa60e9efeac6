"""What is known, from several sources at once: the first one that has a number answers.

Everything that shows knowledge reads one `LayeredFacts`: a strong solution, then the source that
a command line names or the user's own database, then the facts that come with the package.
Nothing is copied from one into another. A search that stores facts copies those of the package
into its database (`Facts.supply`), so that the database proves by itself what it contains.
"""

from __future__ import annotations

import os
from functools import lru_cache
from heapq import merge
from typing import Iterable, Iterator, List, NamedTuple, Optional, Protocol, Sequence, Tuple

from pns.facts.database import FactsError, LmdbMissing
from pns.facts.known import known_facts
from pns.facts.lmdb_facts import LmdbFacts, open_facts
from pns.facts.store import BadEntry, BadEntryHandler, Fact, Facts, raise_bad_entry
from pns.game import Land
from pns.system import lifeline

PACKAGE, DATABASE, SOLUTION, SEARCH = "package", "database", "strong solution", "search"


class ReadableFacts(Protocol):
    """What a layer answers with."""

    def get(self, land: bytes) -> int:
        """The land's Grundy number, -1 when it is unknown."""

    def items(self) -> Iterator[Fact]:
        """All (land, Grundy number), sorted by land."""

    def __len__(self) -> int:
        """The number of facts."""


class Layer(NamedTuple):
    """A source of facts."""

    name: str
    """A path; for the facts of the package, words."""
    kind: str
    """"database", ".spr file", "certificate", "strong solution", "package" or "search"."""
    facts: ReadableFacts

    @property
    def title(self) -> str:
        """The layer as the end of a sentence."""
        return self.name if self.kind == PACKAGE else "the %s %s" % (self.kind, self.name)


class LayeredFacts(Facts):
    """Facts of one game in layers; the number of a land is that of the first layer that has one.

    The layers are only read. Each deals with its own bad entries.

    >>> first, second = Facts("nim"), Facts("nim")
    >>> first.add(b"1", 1)
    >>> second.supply([(b"1", 1), (b"2", 2)])
    >>> facts = LayeredFacts("nim", [Layer("a", "database", first), Layer("b", "database", second)])
    >>> facts.get(b"2"), facts.get(b"3"), facts.source_of(b"2").name
    (2, -1, 'b')
    >>> list(facts.items())
    [(b'1', 1), (b'2', 2)]
    """

    def __init__(self, game_name: str, layers: Sequence[Layer]) -> None:
        super().__init__(game_name)
        self.layers = tuple(layers)

    def _find(self, land: bytes) -> Tuple[int, Optional[Layer]]:
        """(Grundy number, layer that has it), or (-1, None)."""
        for layer in self.layers:
            number = layer.facts.get(land)
            if number >= 0:
                return number, layer
        return -1, None

    def get(self, land: bytes) -> int:
        """The land's Grundy number, -1 when it is unknown."""
        return self._find(land)[0]

    def source_of(self, land: bytes) -> Optional[Layer]:
        """The layer that answers for a land, None where the land is unknown."""
        return self._find(land)[1]

    def sources_of(self, lands: Iterable[Land]) -> List[Layer]:
        """The layers that answer for some lands, each once, in the order of the layers."""
        found = [self.source_of(land) for land in lands]
        return [layer for layer in self.layers if any([layer is one for one in found])]

    def listed(self) -> Iterator[Tuple[Land, int, Layer]]:
        """(land, Grundy number, layer that answers), each land once, sorted by land."""
        columns = [_numbered(place, layer) for place, layer in enumerate(self.layers)]
        last: Optional[Land] = None
        for land, place, number in merge(*columns):
            if land != last:
                last = land
                yield land, number, self.layers[place]

    def items(self, on_bad: BadEntryHandler = raise_bad_entry) -> Iterator[Fact]:
        """All (land, Grundy number), each land once, sorted by land; ``on_bad`` gets nothing."""
        return ((land, number) for land, number, _ in self.listed())

    def __len__(self) -> int:
        """The facts of all layers; a land that several have counts for each."""
        return sum([len(layer.facts) for layer in self.layers])

    def add(self, land: bytes, number: int) -> None:
        """Raises FactsError: layers are only read."""
        raise FactsError("facts in layers are only read")

    def flush(self) -> None:
        """Read from now on what other processes have stored."""
        for facts in self._files():
            facts.flush()

    def fork(self) -> Tuple[int, int]:
        """Fork as `lifeline.fork` does, past the file of a layer that is open."""
        for facts in self._files():
            return facts.fork()
        return lifeline.fork()

    def in_memory(self) -> List[Fact]:
        """The facts of databases that wait to be stored."""
        return [fact for facts in self._files() for fact in facts.in_memory()]

    def tick(self) -> None:
        """Tick the databases."""
        for facts in self._files():
            facts.tick()

    def close(self) -> None:
        """Close the files of the layers."""
        for facts in self._files():
            facts.close()

    def _files(self) -> Iterator[Facts]:
        """The layers that are databases, which other processes may write."""
        for layer in self.layers:
            if isinstance(layer.facts, Facts) and layer.kind == DATABASE:
                yield layer.facts


def _numbered(place: int, layer: Layer) -> Iterator[Tuple[Land, int, int]]:
    return ((land, place, number) for land, number in layer.facts.items())


class FutureDatabase(Facts):
    """A database that other processes write; it is only read, and may come into being later.

    `flush` opens it as soon as there is one. Its bad records count as unknown.
    """

    def __init__(self, path: str, game_name: str) -> None:
        super().__init__(game_name)
        self.path: str = path
        self._file = Facts(game_name)
        self.flush()

    def get(self, land: bytes) -> int:
        """The land's Grundy number, -1 when it is unknown or its record is bad."""
        try:
            return self._file.get(land)
        except BadEntry:
            return -1

    def items(self, on_bad: BadEntryHandler = lambda entry: None) -> Iterator[Fact]:
        """All (land, Grundy number), sorted by land; ``on_bad`` gets the bad entries."""
        return self._file.items(on_bad)

    def __len__(self) -> int:
        return len(self._file)

    def flush(self) -> None:
        """Read from now on what other processes have stored."""
        if isinstance(self._file, LmdbFacts):
            self._file.flush()
        elif os.path.exists(self.path):
            try:
                self._file = open_facts(self.path, self.game_name, readonly=True)
            except LmdbMissing:
                pass

    def fork(self) -> Tuple[int, int]:
        return self._file.fork()

    def close(self) -> None:
        self._file.close()


@lru_cache(maxsize=4)
def package_layer(game_name: str) -> Layer:
    """The facts of a game that come with the package, none for most games.

    Raises FactsError if their file is damaged.
    """
    return Layer("the facts that come with pns", PACKAGE, known_facts(game_name))


def kinds(layers: Iterable[Layer]) -> List[str]:
    """The kinds of layers, as JSON output has them."""
    return [layer.kind for layer in layers]


def titles(layers: Iterable[Layer]) -> str:
    """Layers as the end of a sentence.

    >>> titles([package_layer("nim")])
    'the facts that come with pns'
    """
    return " and ".join([layer.title for layer in layers])
