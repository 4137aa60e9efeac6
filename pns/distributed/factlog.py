"""The log of facts of a master: what was found, in which order, and who reported it.

All facts stay in memory, for workers that come late: 13 bytes for each beside its text, and
what arrays keep free to grow. Ten million with texts of 25 letters took 611 MB, 646 MB at
most. A master without a database has them a second time, in a dictionary of 128 bytes each.
"""

from __future__ import annotations

from array import array
from collections import deque
from typing import Any, Deque, Dict, Iterator, List, Optional, Set, Tuple

from pns.facts import Fact
from pns.game import Land

DATABASE, MASTER = 0, 1
"""Who reported a fact, when it was no worker."""


FACTS_IN_REPLY = 2000
"""Facts that travel with one reply; a group that lacks more gets them with the next ones."""
STORE_SECONDS = 5.0
"""By then a group has stored what it was told, and told what it has stored."""


class Group:
    """Workers that share their facts, and how far in the log these have got.

    What a member was told or found last may be lost with it, so when one dies the group is
    told all of the last seconds once more.
    """

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.next = 0
        self._again = 0
        self._marks: Deque[Tuple[float, int]] = deque()

    def mark(self, now: float) -> None:
        """Remember how far the group is."""
        marks = self._marks
        if not marks or now - marks[-1][0] >= 1.0:
            marks.append((now, self.next))
        while len(marks) > 1 and marks[1][0] <= now - STORE_SECONDS:
            marks.popleft()

    def go_back(self) -> None:
        """A member died."""
        if self._marks:
            self._again = max(self._again, self.next)
            self.next = self._marks[0][1]

    def knows(self, i: int, origin_group: Optional[Group]) -> bool:
        """Whether the group itself found the i-th fact, and holds it."""
        return origin_group is self and i >= self._again


class FactLog:
    """All facts in the order of their arrival, with the number of who reported each.

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
        """Who reports, by number."""
        self._groups: List[Optional[Group]] = [None, None]
        self._reporters: Set[int] = set()
        self._free: List[int] = []
        """The numbers of those who left and had reported nothing."""

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
        """Who reported a land first, -1 if nobody did; reads all of the log."""
        for i in range(len(self)):
            if self[i][0] == land:
                return self.origins[i]
        return -1

    def of_database(self) -> "FactLog":
        """A log of those facts only that no worker and no master found; the names stay."""
        log = FactLog()
        log.names, log._groups = self.names, self._groups
        for i in range(len(self)):
            if self.origins[i] == DATABASE:
                log.append(*self[i], DATABASE)
        return log

    def enter(self, name: str, group: Group) -> int:
        """The number of somebody who will report facts."""
        if self._free:
            number = self._free.pop()
            self.names[number], self._groups[number] = name, group
            return number
        self.names.append(name)
        self._groups.append(group)
        return len(self.names) - 1

    def leave(self, number: int) -> None:
        """Somebody will report no more facts."""
        if number not in self._reporters:
            self._free.append(number)

    def news(self, group: Group, now: float, waiting: int = 0) -> List[Fact]:
        """Facts that a group has neither found nor been told, not all at once.

        The last ones are kept back while they are `waiting` to be stored: what is proved
        from a fact outlives it otherwise, when master and finder are killed.
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
    """The facts that were dumped, if there are any."""
    if "fact_numbers" in arrays:
        texts, ends = arrays["fact_texts"], arrays["fact_ends"]
        for i, number in enumerate(arrays["fact_numbers"]):
            yield texts[ends[i] : ends[i + 1]].tobytes(), number
