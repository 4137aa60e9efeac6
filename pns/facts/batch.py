"""Many facts as two byte strings, as a log holds them and a message carries them."""

from __future__ import annotations

from typing import Iterable, Iterator, List, Sequence, Tuple

from pns.facts.store import Fact

BETWEEN = b"\n"
"""The separator of lands, which no text of a land contains."""


class FactBatch:
    """Facts in their order: `texts` are the lands, BETWEEN them, `numbers` a byte for each.

    A batch of thousands of facts is packed, checked and passed on without an object for each.

    >>> batch = FactBatch.of([(b"1a1a", 0), (b"0*3", 1)])
    >>> batch.texts, batch.numbers, list(batch.part(1, 2))
    (b'1a1a\\n0*3', b'\\x00\\x01', [(b'0*3', 1)])
    """

    __slots__ = ("numbers", "texts")

    def __init__(self, texts: bytes = b"", numbers: bytes = b"") -> None:
        self.texts = texts
        self.numbers = numbers

    @staticmethod
    def of(facts: Iterable[Fact]) -> FactBatch:
        """A batch of facts, which may be one already."""
        if isinstance(facts, FactBatch):
            return facts
        pairs = list(facts)
        numbers = bytes([number for _, number in pairs])
        return FactBatch(BETWEEN.join([land for land, _ in pairs]), numbers)

    @staticmethod
    def joined(batches: Sequence[FactBatch]) -> FactBatch:
        """The facts of batches, of which none is empty, one after another."""
        if len(batches) == 1:
            return batches[0]
        texts = BETWEEN.join([batch.texts for batch in batches])
        return FactBatch(texts, b"".join([batch.numbers for batch in batches]))

    def part(self, start: int, end: int) -> FactBatch:
        """The facts from an index to another one; the indices are not negative."""
        if start == 0 and end >= len(self):
            return self
        return FactBatch(BETWEEN.join(self.lands()[start:end]), self.numbers[start:end])

    def lands(self) -> List[bytes]:
        return self.texts.split(BETWEEN) if self.numbers else []

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[Tuple[bytes, int]]:
        return zip(self.lands(), self.numbers)

    def __contains__(self, fact: object) -> bool:
        return fact in list(self)
