"""Where the page looks things up: the session's own facts, and the certificates of the package."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING, Iterable, Iterator, List, Optional, Sequence, Tuple

from pns.facts import Fact, Facts
from pns.facts.layers import (
    DATABASE,
    SEARCH,
    SOLUTION,
    FutureDatabase,
    Layer,
    LayeredFacts,
    package_layer,
)
from pns.facts.spr import read_spr
from pns.facts.staged import StagedFacts
from pns.finding import find_game
from pns.game import Land
from pns.proofs.sources import RootClaim, open_source
from pns.system.package_data import CERTIFICATE, data_path

if TYPE_CHECKING:
    from pns.strong.solution import StrongSolution


class PageFacts:
    """What is known, in layers, and what the solver's searches on the page add to it."""

    def __init__(
        self, layers: LayeredFacts, claim: Optional[RootClaim] = None, path: Optional[str] = None
    ) -> None:
        """`path` is that of the database to which searches may add, None where there is none."""
        self.layers = layers
        self.claim = claim
        self.path = path
        self.facts = StagedFacts(layers)
        """The layers, below what the solver has proved since the server began."""
        self.get = self.facts.get
        """Gives the Grundy number of a land, -1 where it is unknown."""

    def items(self) -> Iterator[Fact]:
        """All facts, each land once, sorted by land; bad records are left out."""
        return self.layers.items()

    def titles_of(self, lands: Sequence[Land]) -> List[str]:
        """Where the numbers of some lands come from, as ends of sentences."""
        found = [layer.title for layer in self.layers.sources_of(lands)]
        is_searched = any([self.layers.get(land) < 0 <= self.get(land) for land in lands])
        return [*found, "a %s on this page" % SEARCH] if is_searched else found

    def keep(self, facts: Iterable[Fact]) -> None:
        """Know facts that a search has proved; what contradicts others is left out."""
        for land, number in facts:
            if self.get(land) < 0:
                self.facts.add(land, number)

    def renew(self) -> None:
        """Read from now on what other processes have stored."""
        self.layers.flush()


def open_own(
    path: str,
    game: str,
    must_exist: bool,
    solution: Optional[StrongSolution] = None,
    has_known: bool = True,
) -> PageFacts:
    """A strong solution, the facts at a path, and with `has_known` those of the package.

    A database need not exist yet, unless it must. Raises what `open_source` raises.
    """
    claim = database = None
    if not must_exist and not os.path.exists(path):
        own = Layer(path, DATABASE, FutureDatabase(path, game))
    else:
        source = open_source(path, game)
        claim = source.claim
        if source.kind == DATABASE:
            own = Layer(path, DATABASE, FutureDatabase(path, game))
        elif claim is not None:
            own = _in_memory(path, source.kind, game, source.entries.items())
        else:
            own = _in_memory(path, source.kind, game, read_spr(path, find_game(game)))
    if own.kind == DATABASE:
        database = path
    first = []
    if solution:
        from pns.strong.probe import SolutionLayer  # it takes long

        first = [Layer(solution.path, SOLUTION, SolutionLayer(solution))]
    last = [package_layer(game)] if has_known else []
    return PageFacts(LayeredFacts(game, [*first, own, *last]), claim, database)


def _in_memory(name: str, kind: str, game: str, entries: Iterable[Fact]) -> Layer:
    facts = Facts(game)
    facts.supply(entries)
    return Layer(name, kind, facts)


def shipped_names() -> List[Tuple[str, int]]:
    """(name, bytes) of the certificates that come with the package, by game and size."""
    place = data_path("certificates")
    found = [
        (name[: -len(CERTIFICATE)], os.path.getsize(os.path.join(place, name)))
        for name in os.listdir(place)
        if name.endswith(CERTIFICATE)
    ]
    return sorted(found, key=lambda one: (one[0].partition("-")[0], len(one[0]), one))


@lru_cache(maxsize=2)
def open_shipped(name: str) -> PageFacts:
    """A certificate that comes with the package, alone; raises KeyError for another name."""
    if name not in dict(shipped_names()):
        raise KeyError(name)
    path = os.path.join(data_path("certificates"), name + CERTIFICATE)
    source = open_source(path, None)
    layer = _in_memory(name, source.kind, source.game, source.entries.items())
    return PageFacts(LayeredFacts(source.game, [layer]), source.claim)
