"""Files of facts, opened to be read: look up positions, go through all facts, count them."""

from __future__ import annotations

import weakref
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Dict, Iterator, List, Optional, Tuple

from pns.facts import BadEntry
from pns.finding import find_game
from pns.game import read_position
from pns.proofs.audit import AuditReport, audit
from pns.proofs.check import UNKNOWN, known, without_pairs
from pns.proofs.explain import Why
from pns.proofs.sources import RootClaim, make_store, open_source
from pns.system import scratch


@dataclass(frozen=True)
class FactsStatistics:
    """How many facts there are, and how many of each kind."""

    facts: int
    by_number: Dict[int, int]
    """Facts by Grundy number, ascending."""
    by_size: Dict[int, int]
    """Facts by the size of the land, the most moves that may be left; in Sprouts its lives."""


class FactsReader:
    """The facts of a database, a `.spr` file or a certificate, which is not changed.

    `read_facts` opens one. It is closed by `close`, at the end of a `with`, or when nothing
    refers to it any more. Positions are texts in any notation of the game.

    >>> facts = read_facts("data/certificates/sprouts-5.cert.gz")
    >>> facts.kind, facts.claim, len(facts)
    ('certificate', ('0*5', 'win'), 15)
    >>> facts.outcome("0*5"), facts.grundy_number("0*5")
    ('win', None)
    >>> facts.close()
    """

    def __init__(self, path: str, game: Optional[str] = None) -> None:
        self.path = path
        source = open_source(path, game)
        self.game = source.game
        """The name of the game."""
        self.kind = source.kind
        """ "database", ".spr file" or "certificate"."""
        self.claim: Optional[Tuple[str, str]] = None
        """(position, "win" or "loss") of a certificate."""
        if source.claim:
            self.claim = source.claim[0], "win" if source.claim[1] else "loss"
        self.bad: List[BadEntry] = []
        """The records of a database met so far that are not facts; they count as unknown."""
        self._rules = find_game(source.game)
        with ExitStack() as stack:
            store = make_store(source, stack.enter_context(scratch.directory()))
            self._entries = stack.enter_context(store.open(self.bad.append))
            self._finalizer = weakref.finalize(self, stack.pop_all().close)

    def get(self, land: bytes) -> int:
        """The Grundy number of a land, given by its canonical text; -1 when it is unknown."""
        return self._entries.get(land)

    def grundy_number(self, position: str) -> Optional[int]:
        """The Grundy number of a position, from those of its lands; None when one is unknown."""
        number = known(without_pairs(read_position(self._rules, position)), self.get)
        return None if number == UNKNOWN else number

    def outcome(self, position: str) -> Optional[str]:
        """ "win" or "loss" for the player to move; None where the facts do not show it."""
        return self.why(position).outcome

    def why(self, position: str) -> Why:
        """Why a position is won or lost."""
        return Why(self._rules, self.get, read_position(self._rules, position))

    def statistics(self) -> FactsStatistics:
        """Counts of all facts; reads the file once."""
        numbers: Counter[int] = Counter()
        sizes: Counter[int] = Counter()
        for land, number in self._entries.items():
            numbers[number] += 1
            sizes[self._rules.estimate(land)[0]] += 1
        total = sum(numbers.values())
        return FactsStatistics(total, dict(sorted(numbers.items())), dict(sorted(sizes.items())))

    def __iter__(self) -> Iterator[Tuple[str, int]]:
        """(text of a land, its Grundy number) of every fact, sorted by text."""
        return ((land.decode("ascii"), number) for land, number in self._entries.items())

    def __len__(self) -> int:
        """The number of facts, with the bad records of a database."""
        return len(self._entries)

    def close(self) -> None:
        """Release the file; it may be called again."""
        self._finalizer()

    def __enter__(self) -> "FactsReader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_facts(path: str, game: Optional[str] = None) -> FactsReader:
    """Open a database, a `.spr` file or a certificate to read it.

    The kind is recognised by the content. `game` is that of the facts, by default the one that a
    certificate names, and Sprouts for other files. Raises FactsError for a file that is missing,
    cannot be used or is of another game, ValueError for a bad line or a game that is not known,
    and OSError.
    """
    return FactsReader(path, game)


def audit_facts(
    path: str, game: Optional[str] = None, claim: Optional[RootClaim] = None, processes: int = 1
) -> AuditReport:
    """Check each fact of a file against the others, and a claim; nothing is searched.

    `claim` is (position, whether it is won), by default that of a certificate. The file is right
    if the report has no `faults` and an empty `why_unproved`. Raises what `read_facts` raises,
    TooExpensive, a ValueError, for a fact that takes too much work, and TypeError for another
    claim, such as one that says "win" or "loss" in words.
    """
    is_claim = isinstance(claim, tuple) and [type(part) for part in claim] == [str, bool]
    if claim is not None and not is_claim:
        raise TypeError("invalid claim %a; expected one such as ('0*5', True)" % (claim,))
    return audit(open_source(path, game), claim=claim, processes=processes)
