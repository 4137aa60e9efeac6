"""Sprouts: join two spots by a line that crosses none, and put a new spot on it [gardner1967].

This is the contract of the game: notation, canonical form, moves, estimate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Iterable, List, Optional, Sequence, Tuple

from pns.choices import DIALECTS
from pns.game import Game, Land, Sum
from pns.sprouts import canonical, estimate, moves, notation, tails, texts

if TYPE_CHECKING:
    from pns.misere.trees import Trees
    from pns.positions.analogy import Analogy
    from pns.positions.simplify import LandExchange
    from pns.proofs.rules import SecondRules

BYTES_PER_ENTRY = 600
"""About the memory on PyPy for one entry in every cache together with one cached move."""


class Sprouts:
    """The game contract for Sprouts; lands under the text shared with earlier solvers."""

    name = "sprouts"
    decomposes = True
    misere_size = 10
    misere_table = "sprouts.trees"
    dialects = DIALECTS
    examples = ("0*5", "0*7", "0*2.AB|0.AB", "1a1a.2+0*3", "0.A|22B|2C|BCD|AD", "12.ABC|ADE|BC|DE")

    def parse(self, text: str) -> Sum:
        return notation.parse(text)

    def format(self, lands: Sum) -> str:
        return notation.format_position(lands)

    def is_land(self, land: Land) -> bool:
        return texts.is_canonical(land)

    def children(self, land: Land) -> Iterable[Sum]:
        return moves.children(land)

    def more_children(self, land: Land, known: Sequence[Sum]) -> Iterable[Sum]:
        return moves.more_children(land, known)

    def small_lands(self, lives: int) -> List[Land]:
        from pns.sprouts.small_lands import small_lands

        found = sorted(small_lands(lives))
        spots = self.parse("0*%d" % (lives // 3))
        return [*spots, *[land for land in found if land not in spots]]

    def isolated_spots(self, land: Land) -> int:
        return notation.isolated_spots(land)

    def analogies(self, land: Land) -> Iterable[Analogy]:
        from pns.sprouts.analogies import analogies

        return analogies(land)

    def simplify(self, lands: Sum) -> Sum:
        return tails.PACKAGE.simplify(lands)

    def simplified_children(self, land: Land) -> Iterable[Sum]:
        return tails.PACKAGE.children(land)

    def more_simplified_children(self, land: Land, known: Sequence[Sum]) -> Iterable[Sum]:
        return tails.PACKAGE.more_children(land, known)

    def exchanges(self, lands: Sum) -> List[LandExchange]:
        return [exchange for land in lands for exchange in tails.PACKAGE.exchanged(land)]

    def simplifier(self, exchanges: Sequence[LandExchange]) -> Callable[[Sum], Sum]:
        from pns.sprouts.tail_play import table_of

        table = table_of(exchanges)
        return tails.Simplifier(lambda: table).simplify

    def misere_simplifier(
        self, trees: Trees, exchanges: Optional[Sequence[LandExchange]] = None
    ) -> tails.Simplifier:
        if exchanges is None:
            return tails.MISERE
        from pns.sprouts.misere_tails import tails_with
        from pns.sprouts.tail_play import table_of

        table = table_of(exchanges, tails_with(trees).heap_beside)
        return tails.Simplifier(lambda: table)

    def second_rules(
        self, simplify: bool = False, exchanges: Optional[Sequence[LandExchange]] = None
    ) -> SecondRules:
        from pns.sprouts.plain_rules import PlainRules

        return PlainRules(simplify, exchanges)

    def limit_caches(self, most_bytes: Optional[int]) -> None:
        entries, cached_moves = canonical.CACHE_ENTRIES, moves.CACHED_MOVES
        if most_bytes is not None:
            entries = min(entries, most_bytes // BYTES_PER_ENTRY)
            cached_moves = min(cached_moves, most_bytes // BYTES_PER_ENTRY)
        canonical.limit_caches(entries)
        moves.limit_caches(cached_moves)

    def misere_work(self, size: int, branching: int) -> int:
        return estimate.misere_work(size, branching)

    def estimate(self, land: Land) -> Tuple[int, int]:
        return estimate.estimate(land)


GAME: Game = Sprouts()
