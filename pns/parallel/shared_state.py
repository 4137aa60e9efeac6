"""The shared state of the processes of one search, in shared memory and without locks.

Each process has a place that no other process writes to:

- words: its counters, the numbers of its root, and its state;
- its line of play, that is the keys of the couples from the root down, with virtual numbers if it
  has a job at the end of the line;
- a log of the facts that it has proved (`logs.py`), for the parent;
- a remark for people.

So a process that is killed at any moment can neither block nor mislead the others, and its place
can be given to another. All use the same positions (`position_store.py`). The memory is
anonymous: the system frees it however the processes end.
"""

from __future__ import annotations

from typing import Dict, List, Optional, Set, Tuple

from pns.parallel.child_store import ChildStore
from pns.parallel.logs import Logs
from pns.parallel.position_store import PositionStore
from pns.search.table import LOW, Table, shared_words
from pns.system.machine import reserve
from pns.system.views import signed_words_of, words_of

REMARK_BYTES = 256
MOST_DEPTH = 254
"""Upper bound on the couples of a line that others can read."""

EXPANSIONS, GENERATED, USED, ROOT_PN, ROOT_DN, STATE, NUMBER, DEPTH, CLOCK, ROOM = range(10)
PLACE_WORDS = 16  # a line of a cache
FEW, APART = 8, 8
"""The keys of at most FEW processes are APART keys apart, each in a line of a cache of its own.
Those of more processes are side by side, since each of them reads those of all."""
SEARCHING, SOLVED = range(2)
"""Values of STATE; when it is SOLVED, NUMBER is the result."""
ROOM_UNIT = 1 << 16
"""The bytes of a unit of ROOM, which the parent sets: what the interned positions of a process may
take. 0 leaves it as it was."""


class SharedState(Logs):
    """The places of a number of processes, and the positions that they share.

    The `positions` may be those of an earlier search. Children that the programs of a machine share
    are in `store`, if they share any.
    """

    def __init__(
        self,
        processes: int,
        positions: Optional[PositionStore] = None,
        store: Optional[ChildStore] = None,
    ) -> None:
        super().__init__(processes)
        self.positions = positions or PositionStore(processes)
        self.store = store
        what = "the places of %d processes" % processes, "a smaller number of processes"
        self.words, self._memory = shared_words(4 * (processes * PLACE_WORDS + 2), *what)
        self._remarks = reserve(processes * REMARK_BYTES, *what)
        self._step = APART if processes <= FEW else 1
        self._row = processes * self._step
        """Keys of a depth: those of all processes."""
        self._lines = [reserve(8 * self._row * MOST_DEPTH, *what) for _ in range(2)]
        self._keys, self._virtual = signed_words_of(self._lines[0]), words_of(self._lines[1])
        self._stop = processes * PLACE_WORDS
        self._restarts = self._stop + 1

    def stop(self) -> None:
        """Make all processes end."""
        self.words[self._stop] = 1

    def stopped(self) -> bool:
        """Whether all processes are to end."""
        return bool(self.words[self._stop])

    def restart(self, table: Table) -> None:
        """Clear the table of all processes, and make them begin again at the root.

        What they store before they notice stays in the table: a few numbers older than the rest.
        """
        table.clear()
        self.words[self._restarts] += 1

    def restarts(self) -> int:
        """Number of restarts."""
        return int(self.words[self._restarts])

    def get(self, process: int, word: int) -> int:
        """A word of a process's place."""
        return int(self.words[process * PLACE_WORDS + word])

    def set(self, process: int, word: int, value: int) -> None:
        """Set a word of a process's place; counters wrap at 2**32."""
        self.words[process * PLACE_WORDS + word] = value & LOW

    def enter(self, process: int, depth: int, key: int) -> None:
        """Publish that the couple with that key is at that depth of a process's line."""
        if depth < MOST_DEPTH:
            self._keys[depth * self._row + process * self._step] = key
            self.words[process * PLACE_WORDS + DEPTH] = depth + 1

    def leave(self, process: int, depth: int) -> None:
        """Publish that a process went back to a line of `depth` couples."""
        self.words[process * PLACE_WORDS + DEPTH] = min(depth, MOST_DEPTH)

    def next_of_others(self, process: int, depth: int, key: int) -> List[int]:
        """The keys of the couples that other processes have below a couple at that depth."""
        found: List[int] = []
        if depth + 1 < MOST_DEPTH:
            keys, words, row, step = self._keys, self.words, self._row, self._step
            i = depth * row
            for other in range(self.processes):
                if keys[i] == key and other != process:
                    if words[other * PLACE_WORDS + DEPTH] > depth + 1:
                        found.append(int(keys[i + row]))
                i += step
        return found

    def on_lines_of_others(self, process: int) -> Dict[int, int]:
        """How many other processes have a couple on their lines of play, by its key."""
        found: Dict[int, int] = {}
        for other in range(self.processes):
            if other != process:
                i = other * self._step
                for _ in range(self.get(other, DEPTH)):
                    key = int(self._keys[i])
                    found[key] = found.get(key, 0) + 1
                    i += self._row
        return found

    def publish_job(self, process: int, line: List[Tuple[int, int, int]]) -> None:
        """Publish a line of (key, virtual pn, virtual dn), whose last couple is the job."""
        words, virtual = self.words, self._virtual
        place = process * PLACE_WORDS
        words[place + DEPTH] = 0
        i = process * self._step
        for key, pn, dn in line[-MOST_DEPTH:]:
            self._keys[i] = key
            virtual[2 * i], virtual[2 * i + 1] = pn, dn
            i += self._row
        words[place + CLOCK] = max(self._clocks()) + 1 & LOW
        words[place + DEPTH] = min(len(line), MOST_DEPTH)

    def _clocks(self) -> List[int]:
        return [self.get(process, CLOCK) for process in range(self.processes)]

    def jobs(self, process: int, virtual: Dict[int, Tuple[int, int]], jobs: Set[int]) -> None:
        """Fill in the virtual numbers by key, and the keys of the jobs, of other processes.

        Where lines share a couple, the numbers of the latest job count, as they take the
        others into account.
        """
        keys, numbers = self._keys, self._virtual
        virtual.clear()
        jobs.clear()
        for _, other in sorted(zip(self._clocks(), range(self.processes))):
            depth = self.get(other, DEPTH)
            if other != process and depth:
                i = other * self._step
                key = 0
                for _ in range(depth):
                    key = int(keys[i])
                    virtual[key] = (numbers[2 * i], numbers[2 * i + 1])
                    i += self._row
                jobs.add(key)

    def set_remark(self, process: int, text: str) -> None:
        """Set the remark of a process, cut to REMARK_BYTES."""
        at = process * REMARK_BYTES
        remark = text.encode("utf-8", "replace")[: REMARK_BYTES - 1]
        self._remarks[at : at + REMARK_BYTES] = remark.ljust(REMARK_BYTES, b"\0")

    def remark(self, process: int) -> str:
        """The remark of a process."""
        at = process * REMARK_BYTES
        return self._remarks[at : at + REMARK_BYTES].rstrip(b"\0").decode("utf-8", "ignore")
