"""A master's log of facts: all facts in the order of arrival, each with its reporter.

All facts stay in memory for workers that join late, in batches as they arrive: two bytes for each
beside its text, and some hundred for a batch. A master without a database also holds them in a
dictionary, 128 bytes each.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_right
from collections import deque
from itertools import islice
from typing import Any, Deque, Dict, Iterable, Iterator, List, Optional, Set, Tuple

from pns.facts import Fact
from pns.facts.batch import FactBatch
from pns.game import Land

DATABASE, MASTER = 0, 1
"""The reporters of facts that no worker has reported."""

FACTS_IN_REPLY = 2000
"""Upper bound on the facts in one reply; a group gets the rest with later ones."""
LARGE_BATCH = 64
"""Batches of one reporter are joined up to this number of facts."""
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

    def known_from(self, origin_group: Optional[Group]) -> int:
        """The index from which on the group surely holds the facts of a group: its own ones."""
        return self._again if origin_group is self else sys.maxsize


class FactLog:
    """All facts in the order of arrival, in batches that each have one reporter, by number.

    >>> log = FactLog()
    >>> log.extend([(b"1a1a", 0), (b"0*3", 1)], 7); log[1], len(log), log.origin(1)
    ((b'0*3', 1), 2, 7)
    """

    def __init__(self) -> None:
        self._batches: List[FactBatch] = []
        self._starts = array("Q")
        """The index of the first fact of each batch."""
        self._origins = array("I")
        self._length = 0
        self.names = ["the database", "the master"]
        """The names of the reporters by number."""
        self._groups: List[Optional[Group]] = [None, None]
        self._reporters: Set[int] = set()
        self._free: List[int] = []
        """The numbers of reporters that have left without having reported anything."""

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Fact]:
        for batch in self._batches:
            yield from batch

    def __getitem__(self, i: int) -> Fact:
        place = self._place(i)
        batch, i = self._batches[place], i - self._starts[place]
        return batch.lands()[i], batch.numbers[i]

    def _place(self, i: int) -> int:
        """The place of the batch with the i-th fact, or of the last batch."""
        return bisect_right(self._starts, i) - 1

    def origin(self, i: int) -> int:
        """The number of the reporter of the i-th fact."""
        return self._origins[self._place(i)]

    def append(self, land: Land, number: int, origin: int) -> None:
        self.extend([(land, number)], origin)

    def extend(self, facts: Iterable[Fact], origin: int) -> None:
        """Append facts of a reporter, which are read step by step.

        No batch has more than a reply: a part of one is found by splitting all of it.
        """
        left = iter(facts)
        while True:
            batch = FactBatch.of(islice(left, FACTS_IN_REPLY))
            if not batch:
                return
            self._append(batch, origin)

    def _append(self, batch: FactBatch, origin: int) -> None:
        self._length += len(batch)
        self._reporters.add(origin)
        if self._batches and self._origins[-1] == origin:
            last = self._batches[-1]
            if len(last) + len(batch) <= LARGE_BATCH:
                self._batches[-1] = FactBatch.joined([last, batch])
                return
        self._batches.append(batch)
        self._starts.append(self._length - len(batch))
        self._origins.append(origin)

    def dump(self) -> Dict[str, "array[int]"]:
        """The facts, for `facts_in`."""
        texts, ends, numbers = array("B"), array("Q", [0]), array("B")
        for batch in self._batches:
            for land in batch.lands():
                texts.frombytes(land)
                ends.append(len(texts))
            numbers.frombytes(batch.numbers)
        return {"fact_texts": texts, "fact_ends": ends, "fact_numbers": numbers}

    def origin_of(self, land: Land) -> int:
        """The number of the first reporter of a land, -1 if there is none; a linear search."""
        for batch, origin in zip(self._batches, self._origins):
            if land in batch.texts and land in batch.lands():
                return origin
        return -1

    def reported(self, start: int = 0) -> List[Fact]:
        """The facts from an index on, without those of the database."""
        found: List[Fact] = []
        for place in range(max(0, self._place(start)), len(self._batches)):
            if self._origins[place] != DATABASE:
                batch = self._batches[place]
                found += batch.part(max(0, start - self._starts[place]), len(batch))
        return found

    def of_database(self) -> FactLog:
        """A log of the facts from the database alone; the names of all reporters stay."""
        log = FactLog()
        log.names, log._groups = self.names, self._groups
        for batch, origin in zip(self._batches, self._origins):
            if origin == DATABASE:
                log.extend(batch, DATABASE)
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

    def next_facts(self, group: Group, now: float, waiting: int = 0) -> FactBatch:
        """The next facts, up to FACTS_IN_REPLY, that a group has neither reported nor received.

        The last `waiting` facts of the log are held back, as they are not stored yet: if the
        master and the reporter were killed, they would be lost, and what follows from them kept.
        """
        group.mark(now)
        parts: List[FactBatch] = []
        i, end, room = group.next, len(self) - waiting, FACTS_IN_REPLY
        place = self._place(i)
        while i < end and room:
            batch, start = self._batches[place], self._starts[place]
            stop = min(start + len(batch), end, i + room)
            known = group.known_from(self._groups[self._origins[place]])
            part = batch.part(i - start, max(i, min(stop, known)) - start)
            if part:
                parts.append(part)
            room -= len(part)
            place += stop == start + len(batch)
            i = stop
        group.next = i
        return FactBatch.joined(parts)


def facts_in(arrays: Dict[str, Any]) -> Iterator[Fact]:
    """The facts in the arrays of `FactLog.dump`, if there are any."""
    if "fact_numbers" in arrays:
        texts, ends = arrays["fact_texts"], arrays["fact_ends"]
        for i, number in enumerate(arrays["fact_numbers"]):
            yield texts[ends[i] : ends[i + 1]].tobytes(), number
