"""The games whose certificates can be checked."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional, Set, Union

from pns.checker.boards import Clobber, Cram, Queens
from pns.checker.misere import MisereSprouts
from pns.checker.node_kayles import NodeKayles
from pns.checker.nogo import NoGo
from pns.checker.octal import Octal
from pns.checker.sprouts import canonical, child_texts, lands, profile, read, reduced
from pns.checker.sprouts_tails import Proposals, familiar_texts, holds, simpler_texts
from pns.checker.sums import SumGame


class Sprouts:
    """The rules of Sprouts, asked for as those of the other games."""

    decides_small_lands = False

    def read(self, text: str) -> object:
        return read(text)

    def canonical(self, text: str) -> str:
        return canonical(read(text))

    def child_texts(self, text: str, familiar: Optional[Set[int]] = None) -> Iterator[str]:
        return child_texts(text, familiar=familiar)

    def profile(self, text: str) -> int:
        return profile(lands(reduced(read(text)))[0])

    def holds(self, text: str, other_text: str) -> bool:
        return holds(text, other_text)

    def simpler_texts(self, text: str, proposals: Proposals) -> List[str]:
        return simpler_texts(text, proposals)

    def familiar_texts(self, text: str, proposals: Proposals, familiar: Set[int]) -> Iterator[str]:
        return familiar_texts(text, proposals, familiar)


Rules = Union[Sprouts, MisereSprouts, SumGame[Any]]
GAMES: Dict[str, Rules] = {
    "sprouts": Sprouts(),
    "sprouts-misere": MisereSprouts(),
    "cram": Cram(),
    "clobber": Clobber(),
    "nogo": NoGo(),
    "queens": Queens(),
    "node-kayles": NodeKayles(),
    "octal": Octal(),
}
