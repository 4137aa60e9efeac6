"""The facts that a worker has to report to its master."""

from __future__ import annotations

from itertools import islice
from typing import Dict, Iterable, Iterator, List, Optional

from pns.facts import Fact

FACTS_IN_REPORT = 2000
"""Upper bound on the facts in one report; the rest goes with the next ones."""


class Outbox:
    """Facts in the order in which they are reported, until the master acknowledges them."""

    def __init__(self) -> None:
        self.added: Dict[bytes, int] = {}
        """All facts that were ever added, for a master that does not know this worker."""
        self._unacknowledged: List[Fact] = []
        self._backlog: Iterator[Fact] = iter(())
        """Facts of the worker's group, for such a master."""

    def add(self, facts: Iterable[Fact]) -> None:
        """Append facts that were proved here, or received from others of this machine."""
        new = list(facts)
        self.added.update(new)
        self._unacknowledged += new

    def append(self, fact: Fact) -> None:
        """Append a fact without adding it to those that are reported again."""
        self._unacknowledged.append(fact)

    def prepend(self, fact: Fact) -> None:
        """Put a fact before all others, without adding it to those that are reported again."""
        self._unacknowledged.insert(0, fact)

    def is_full(self) -> bool:
        """Whether the next report has no room for another fact."""
        return len(self._unacknowledged) >= FACTS_IN_REPORT

    def restart(self, group_facts: Optional[Iterable[Fact]]) -> None:
        """Report all added facts again, and those of the group, which are read when needed."""
        self._unacknowledged = list(self.added.items())
        if group_facts is not None:
            self._backlog = iter(group_facts)

    def clear(self) -> None:
        """Leave the facts added so far out of the reports after a restart."""
        self.added.clear()

    def batch(self) -> List[Fact]:
        """The facts for the next report."""
        missing = FACTS_IN_REPORT - len(self._unacknowledged)
        if missing > 0:
            self._unacknowledged += islice(self._backlog, missing)
        return self._unacknowledged[:FACTS_IN_REPORT]

    def acknowledge(self, facts: List[Fact]) -> None:
        """Remove the facts of a report that the master has received."""
        del self._unacknowledged[: len(facts)]
