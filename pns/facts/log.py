"""A master's log of facts: all facts in the order of arrival, each with its reporter.

All facts stay in memory for workers that join late: 13 bytes for each beside its text, and
the spare room of growing arrays. Ten million facts with texts of 25 letters took 611 MB, with
a peak of 646 MB. A master without a database also holds them in a dictionary, 128 bytes each.
"""

from __future__ import annotations

from array import array
from collections import deque
from typing import Any, Deque, Dict, Iterator, List, Optional, Set, Tuple

from pns.facts import Fact
from pns.game import Land

DATABASE, MASTER = 0, 1
"""The reporters of facts that no worker has reported."""

FACTS_IN_REPLY = 2000
"""Upper bound on the facts in one reply; a group gets the rest with later ones."""
STORE_SECONDS = 5.0
"""Upper bound on the delay between receiving, storing and reporting a fact in a group."""


class Group:
    """Workers that share their facts, and the index `next` of the first fact not sent to them.

    The last facts that a worker received or proved may be lost with it. So when one dies, the
    group gets all facts of the last seconds again.
    """

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.next = 0
        self._again = 0
        self._marks: Deque[Tuple[float, int]] = deque()

    def mark(self, now: float) -> None:
        """Record the time at which the group has reached its index."""
        marks = self._marks
        if not marks or now - marks[-1][0] >= 1.0:
            marks.append((now, self.next))
        while len(marks) > 1 and marks[1][0] <= now - STORE_SECONDS:
            marks.popleft()

    def rewind(self) -> None:
        """Go back to the index of STORE_SECONDS ago, since a worker of the group has died."""
        if self._marks:
            self._again = max(self._again, self.next)
            self.next = self._marks[0][1]

    def knows(self, i: int, origin_group: Optional[Group]) -> bool:
        """Whether the group itself has reported the i-th fact, and surely still holds it."""
        return origin_group is self and i >= self._again


class FactLog:
    """All facts in the order of arrival, each with the number of its reporter.

    >>> log = FactLog()
    >>> log.append(b"1a1a", 0, 7); log[0], len(log), log.origin_of(b"1a1a")
    ((b'1a1a', 0), 1, 7)
    """

    def __init__(self) -> None:
        self._text = bytearray()
        self._ends = array("Q", [0])
        self._numbers = bytearray()
        self.origins = array("I")
        self.names = ["the database", "the master"]
        """The names of the reporters by number."""
        self._groups: List[Optional[Group]] = [None, None]
        self._reporters: Set[int] = set()
        self._free: List[int] = []
        """The numbers of reporters that have left without having reported anything."""

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, i: int) -> Fact:
        return bytes(self._text[self._ends[i] : self._ends[i + 1]]), self._numbers[i]

    def append(self, land: Land, number: int, origin: int) -> None:
        self._text += land
        self._ends.append(len(self._text))
        self._numbers.append(number)
        self.origins.append(origin)
        self._reporters.add(origin)

    def dump(self) -> Dict[str, "array[int]"]:
        """The facts, for `facts_in`."""
        texts, numbers = array("B", self._text), array("B", self._numbers)
        return {"fact_texts": texts, "fact_ends": self._ends, "fact_numbers": numbers}

    def origin_of(self, land: Land) -> int:
        """The number of the first reporter of a land, -1 if there is none; a linear search."""
        for i in range(len(self)):
            if self[i][0] == land:
                return self.origins[i]
        return -1

    def of_database(self) -> "FactLog":
        """A log of the facts from the database alone; the names of all reporters stay."""
        log = FactLog()
        log.names, log._groups = self.names, self._groups
        for i in range(len(self)):
            if self.origins[i] == DATABASE:
                log.append(*self[i], DATABASE)
        return log

    def enter(self, name: str, group: Group) -> int:
        """Register a reporter; its number."""
        if self._free:
            number = self._free.pop()
            self.names[number], self._groups[number] = name, group
            return number
        self.names.append(name)
        self._groups.append(group)
        return len(self.names) - 1

    def leave(self, number: int) -> None:
        """Unregister a reporter; its number is used again if it has reported nothing."""
        if number not in self._reporters:
            self._free.append(number)

    def next_facts(self, group: Group, now: float, waiting: int = 0) -> List[Fact]:
        """The next facts, up to FACTS_IN_REPLY, that a group has neither reported nor received.

        The last `waiting` facts of the log are held back, as they are not stored yet: if the
        master and the reporter were killed, they would be lost, and what follows from them kept.
        """
        group.mark(now)
        facts: List[Fact] = []
        i = group.next
        end = len(self) - waiting
        while i < end and len(facts) < FACTS_IN_REPLY:
            if not group.knows(i, self._groups[self.origins[i]]):
                facts.append(self[i])
            i += 1
        group.next = i
        return facts


def facts_in(arrays: Dict[str, Any]) -> Iterator[Fact]:
    """The facts in the arrays of `FactLog.dump`, if there are any."""
    if "fact_numbers" in arrays:
        texts, ends = arrays["fact_texts"], arrays["fact_ends"]
        for i, number in enumerate(arrays["fact_numbers"]):
            yield texts[ends[i] : ends[i + 1]].tobytes(), number
