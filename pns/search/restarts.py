"""When a search begins again from its facts alone.

Facts never age, but the numbers of a table or a tree do: they were computed before newer facts,
and where lands are reached in several ways they count the same work several times. So now and
then a search drops them all and starts again at the root, with the facts that it has proved and
the children that it has generated. Each start is `RESTART_GROWTH` times as long as the one before,
so that the last one has a fixed share of all expansions. `docs/lab/restarts.md` has the figures.
"""

from __future__ import annotations

import sys

from pns.choices import RESTART_GROWTH


class Schedule:
    """When a search begins again: `first` is the length of its first start, 0 if it never does.

    Expansions are those of the whole search. It restarts when it has made `due` of them.

    >>> schedule = Schedule(1000)
    >>> schedule.due, schedule.is_over(999), schedule.is_over(1000), schedule.due
    (1000, False, True, 2500)
    >>> schedule.go_on_from(2500)
    >>> schedule.due
    4750
    """

    def __init__(self, first: int) -> None:
        self._first = first
        self.go_on_from(0)

    def go_on_from(self, expansions: int) -> None:
        """Find the first restart after that many expansions."""
        self.due = self._first or sys.maxsize
        while self.due <= expansions:
            self.due = self._first + int(RESTART_GROWTH * self.due)

    def is_over(self, expansions: int) -> bool:
        """Whether a start is over after that many expansions; if so, the next one begins."""
        if expansions < self.due:
            return False
        self.go_on_from(expansions)
        return True
