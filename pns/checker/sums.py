"""Games whose positions fall into parts: what they have in common."""

from __future__ import annotations

from typing import Generic, Iterator, List, Optional, Set, Sized, TypeVar

from pns.checker.sprouts_tails import Proposals
from pns.checker.work import spend

Part = TypeVar("Part", bound=Sized)


class SumGame(Generic[Part]):
    """A game whose positions have parts: a move in one leaves a position, again of parts.

    It has no exchanges.
    """

    decides_small_lands = False

    def positions(self, text: str) -> List[Part]:
        """The positions that a text denotes, separated by +; raises ValueError for another text."""
        raise NotImplementedError

    def parts(self, position: Part) -> List[Part]:
        """The parts that do not influence each other, without what cannot matter."""
        raise NotImplementedError

    def moves(self, part: Part) -> Iterator[Part]:
        """Every position one move away."""
        raise NotImplementedError

    def part_text(self, part: Part) -> str:
        """A text of a part, the same for its images; equal only for parts of one Grundy number."""
        raise NotImplementedError

    def part_profile(self, part: Part) -> int:
        """A number that images of a part share, and other parts rarely: quick to compute."""
        raise NotImplementedError

    def read(self, text: str) -> List[Part]:
        """The parts of a position; raises ValueError for a text that denotes none."""
        found = self.positions(text) if text != "!" else []
        return [part for position in found for part in self.parts(position)]

    def canonical(self, text: str) -> str:
        """The text of a position's parts; equal only for positions of equal Grundy number."""
        return self.write(self.read(text))

    def write(self, parts: List[Part]) -> str:
        """The text of a position."""
        return "+".join(sorted(map(self.part_text, parts))) or "!"

    def child_texts(self, text: str, familiar: Optional[Set[int]] = None) -> Iterator[str]:
        """The texts of a position's children, some repeatedly.

        With `familiar`, children that have a part of another profile are left out.
        """
        parts = self.read(text)
        for i, part in enumerate(parts):
            for after in self.moves(part):
                spend(len(part))
                found = parts[:i] + self.parts(after) + parts[i + 1 :]
                if familiar is None or all(self.part_profile(p) in familiar for p in found):
                    yield self.write(found)

    def profile(self, text: str) -> int:
        """The profile of a position that is one part."""
        return self.part_profile(self.read(text)[0])

    def holds(self, text: str, other_text: str) -> bool:
        """Whether an exchange holds."""
        return False

    def simpler_texts(self, text: str, proposals: Proposals) -> List[str]:
        """The positions to which exchanges lead."""
        return []

    def familiar_texts(self, text: str, proposals: Proposals, familiar: Set[int]) -> Iterator[str]:
        """The children of a position, and simpler ones, that may be known."""
        return self.child_texts(text, familiar)
