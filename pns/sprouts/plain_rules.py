"""The second implementation of Sprouts as the rules of an audit, and the table of tails by it."""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import chain
from typing import ContextManager, Iterable, Iterator, Optional, Sequence, Set

from pns.checker import sprouts as plain
from pns.checker import sprouts_tails as plain_tails
from pns.checker import work
from pns.checker.work import limited
from pns.game import Land, Sum, shown
from pns.positions.simplify import LandExchange
from pns.system.package_data import read_data

TABLE = "sprouts.tails"
"""The table: a line for each tail, with A for its joint, and a smaller one with its own A."""


@lru_cache(maxsize=None)
def package_proposals() -> plain_tails.Proposals:
    """What the table of the package says may take the place of a tail."""
    lines = (read_data(TABLE) or b"").decode("ascii").splitlines()
    return plain_tails.proposals([(line.split()[0], line.split()[1]) for line in lines])


class PlainRules:
    """Sprouts by `pns.checker.sprouts`, which shares nothing with the search.

    Isomorphic lands have one key. `pns.proofs.rules.SecondRules` says what the members do.
    """

    chunk = 1

    def __init__(
        self, simplify: bool = False, exchanges: Optional[Sequence[LandExchange]] = None
    ) -> None:
        self._simplify = simplify
        self._listed = exchanges
        self._profiles: Set[int] = set()
        """The profiles of all entries."""

    def limited(self) -> ContextManager[None]:
        return limited(work.MOST_WORK)

    def key(self, land: Land) -> Land:
        key = plain.canonical(plain.read(land.decode("ascii")))
        if "+" in key or key == "!":
            raise ValueError("%s is not one land but %s" % (shown((land,)), key))
        return key.encode()

    def note(self, key: Land) -> None:
        self._profiles.add(plain.profile(plain.lands(plain.read(key.decode()))[0]))

    def holds(self, exchange: LandExchange) -> bool:
        one, other = exchange
        return plain_tails.holds(one.decode("ascii"), other.decode("ascii"))

    def children(self, key: Land) -> Iterator[Sum]:
        return map(plain_sum, plain.child_texts(key.decode()))

    def candidate_children(self, key: Land) -> Iterator[Sum]:
        text = key.decode()
        if not self._simplify or not self._profiles:
            return map(plain_sum, plain.child_texts(text, familiar=self._profiles or None))
        familiar = plain_tails.familiar_texts(text, self._proposals, self._profiles)
        if self._listed is not None:
            return map(plain_sum, familiar)
        return map(plain_sum, chain(familiar, plain.child_texts(text)))  # lands may cancel

    def simpler(self, lands: Sum) -> Iterable[Sum]:
        if not self._simplify:
            return ()
        text = b"+".join(lands).decode()
        return map(plain_sum, plain_tails.simpler_texts(text, self._proposals))

    @cached_property
    def _proposals(self) -> plain_tails.Proposals:
        if self._listed is None:
            return package_proposals()
        texts = [(one.decode("ascii"), other.decode("ascii")) for one, other in self._listed]
        return plain_tails.proposals(texts)


def plain_sum(text: str) -> Sum:
    """The lands of a position's text as keys."""
    return tuple(text.encode().split(b"+")) if text != "!" else ()
