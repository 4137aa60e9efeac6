"""The optional parts of the contract of a game for its misère play (`pns.game` has the others)."""

from __future__ import annotations

from typing import List, Optional, Protocol, Sequence, Tuple, runtime_checkable

from pns.game import Land
from pns.misere.trees import Trees


@runtime_checkable
class SupportsMisere(Protocol):
    """Optional: an impartial game that says which lands are small in misère play."""

    misere_size: int
    """The largest size, by `estimate`, of lands that `pns.misere` replaces by reduced trees: all
    positions that can follow one are visited."""


@runtime_checkable
class SupportsMisereWork(Protocol):
    """Optional: an impartial game that estimates the work for a position in misère play."""

    def misere_work(self, size: int, branching: int) -> int:
        """What stands for `branching` in the initial numbers of a leaf.

        Both are those of a whole position, by `estimate` for its large lands and by their trees for
        the others.
        """


@runtime_checkable
class SupportsMisereTable(Protocol):
    """Optional: an impartial game that comes with the trees of some small lands."""

    misere_table: str
    """The file of the package in which they are (`pns.misere.kept`)."""


@runtime_checkable
class SupportsMisereSimplify(Protocol):
    """Optional: an impartial game that knows simpler lands that are equal in misère play."""

    def misere_simplifier(
        self, trees: Trees, exchanges: Optional[Sequence[Tuple[bytes, bytes]]] = None
    ) -> LandSimplifier:
        """What finds simpler lands: by all exchanges of the game, or by those given.

        `trees`, for this use alone, are those of lands that must be reduced. Raises ValueError for
        an exchange that does not hold.
        """


class LandSimplifier(Protocol):
    """Finds simpler lands, each beside a Nim heap."""

    def simpler(self, land: Land) -> Tuple[Land, int]:
        """A land and the size of a heap, 0 or 1, that are equal to one together."""

    def exchanged(self, land: Land) -> List[Tuple[bytes, bytes]]:
        """What is exchanged in a land, in the texts of the game."""
