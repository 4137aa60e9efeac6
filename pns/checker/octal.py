"""Octal games."""

from __future__ import annotations

import re
from typing import Iterator, List, NamedTuple, Tuple

from pns.checker.sums import SumGame


class Heaps(NamedTuple):
    """Heaps of one octal game, and the digits of its code, without the point."""

    digits: str
    sizes: Tuple[int, ...]


class Octal(SumGame[Heaps]):
    """Take objects from a heap by the rules of a code; who cannot move loses.

    Digit k of a code like 0.137, counted from 0, is the sum of what is allowed when k objects are
    taken: 1 to leave no heap, 2 one heap, 4 two heaps. No heap may be empty. The first digit is 0
    or 4. Heaps follow the code, as in 0.137:4+10.
    """

    def positions(self, text: str) -> List[Heaps]:
        found: List[Heaps] = []
        for word in text.split("+"):
            match = re.fullmatch(r"(?:([04])\.([0-7]{1,40}):)?([0-9]{1,5})", word, re.ASCII)
            if not match or not (match[1] or found):
                raise ValueError("invalid heap %r; expected one such as 0.137:4" % word[:60])
            digits = match[1] + match[2].rstrip("0") if match[1] else found[-1].digits
            found.append(Heaps(digits, (int(match[3]),)))
        return found

    def parts(self, position: Heaps) -> List[Heaps]:
        """The heaps that have a move."""
        heaps = [Heaps(position.digits, (size,)) for size in position.sizes]
        return [heap for heap in heaps if any(True for _ in self.moves(heap))]

    def moves(self, part: Heaps) -> Iterator[Heaps]:
        (size,) = part.sizes
        for taken, digit in enumerate(map(int, part.digits[: size + 1])):
            left = size - taken
            if digit & 1 and left == 0:
                yield Heaps(part.digits, ())
            if digit & 2 and left > 0:
                yield Heaps(part.digits, (left,))
            if digit & 4:
                for first in range(1, left // 2 + 1):
                    yield Heaps(part.digits, (first, left - first))

    def part_text(self, part: Heaps) -> str:
        return "%s.%s:%d" % (part.digits[0], part.digits[1:] or "0", part.sizes[0])

    def part_profile(self, part: Heaps) -> int:
        return hash(part)
