"""A bounded list of values over time."""

from __future__ import annotations

from typing import Generic, List, TypeVar

Value = TypeVar("Value")


class Thinned(Generic[Value]):
    """At most `most` values, at least 3, always with the first and the newest.

    Where there are too many, every second one between the ends is dropped, and `step` doubles:
    what adds a value at every step from then on has values at even distances.

    >>> numbers = Thinned(4)
    >>> for i in range(9):
    ...     if i % numbers.step == 0:
    ...         numbers.add(i)
    >>> numbers.values, numbers.step
    ([0, 4, 8], 4)
    """

    def __init__(self, most: int) -> None:
        self.values: List[Value] = []
        self.step = 1
        self._most = most

    def add(self, value: Value) -> None:
        """Add the newest value."""
        self.values.append(value)
        if len(self.values) > self._most:
            self.values = [*self.values[:-1:2], value]
            self.step *= 2
