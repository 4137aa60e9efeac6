"""Notices of facts that processes have proved: where each is in a log, and whose land it is about.

Most facts of a search with many processes are about lands that a process has never met. So it
reads a few words about each fact of the others, and the exact text, from the log, only of
a land that seems to have an id here. Nothing rests on a notice: the hash and the key in it are
hints, and one that is missed, overtaken or torn costs at most a second proof. The processes are
forked from one program, so that the same text has the same hash in all of them.
"""

from __future__ import annotations

from typing import Callable, List, Tuple

from pns.search.table import LOW, shared_words

NOTICES = 1 << 14
"""Notices in the ring of a process; a reader that falls behind by more misses the oldest."""
NOTICE_WORDS = 4
"""The hash of the text, the key of the land in two words, and the position in the log."""
TO_ALL = 1 << 31
"""In the high word of a key, which has 31 bits: every process has to hold the fact."""


class Notices:
    """The rings of a number of processes; no other process writes to the ring of one.

    The words at the beginning count the notices of each, modulo 2**32.
    """

    def __init__(self, processes: int) -> None:
        self._processes = processes
        size = 4 * processes * (1 + NOTICES * NOTICE_WORDS)
        what = "the notices of %d processes" % processes, "a smaller number of processes"
        self._words, self._memory = shared_words(size, *what)

    def add(self, process: int, text_hash: int, key: int, position: int, to_all: bool) -> None:
        """Add a notice of the fact whose record is at a position of the process's log."""
        words = self._words
        count = words[process]
        i = self._processes + (process * NOTICES + count % NOTICES) * NOTICE_WORDS
        words[i] = text_hash & LOW
        words[i + 1] = key & LOW
        words[i + 2] = key >> 32 | (TO_ALL if to_all else 0)
        words[i + 3] = position
        words[process] = count + 1 & LOW

    def read(
        self, process: int, counts: List[int], knows: Callable[[int, int], bool]
    ) -> Tuple[int, List[Tuple[int, int]]]:
        """(the number of new notices, what to read of them) of all processes but one.

        What to read are (process, position in its log): records to all, and those whose hash and
        key the reader `knows`. `counts` says how many were read of each process, and is updated.
        """
        words, first = self._words, self._processes
        new = 0
        found: List[Tuple[int, int]] = []
        for other in range(first):
            head, i = int(words[other]), counts[other]
            if head == i or other == process:
                continue
            counts[other] = head
            if head - i & LOW > NOTICES:
                i = head - NOTICES & LOW
            new += head - i & LOW
            ring = first + other * NOTICES * NOTICE_WORDS
            while i != head:
                at = ring + i % NOTICES * NOTICE_WORDS
                high = int(words[at + 2])
                if high & TO_ALL or knows(words[at], words[at + 1] | high << 32):
                    found.append((other, int(words[at + 3])))
                i = i + 1 & LOW
        return new, found
