"""The passes over a game whose positions are counted off: two slices in memory, two bits an entry.

A forward pass marks the positions that are reached, where the ranking needs it. The backward pass
takes the slices from the last to the first. Slices lie in memory that all processes share, each
fills parts of 65536 entries, and compresses them, too: a part is a block of the file.
"""

from __future__ import annotations

from typing import Any, Dict, Iterable, Iterator, List, Protocol, Tuple

from pns.front.memory import BYTES_PER_PROCESS
from pns.parallel.tasks import TaskPool
from pns.positions.ranking import NONE, Codes, Ranking, packed_bytes
from pns.strong.blocks import compressed, decompressed
from pns.strong.codes import OUTCOME, by_value
from pns.strong.folder import MARKS, SLICE, BuildObserver, Folder
from pns.system.jit import reset_jit
from pns.system.machine import reserve
from pns.system.views import bytes_of

PART = 1 << 16
"""Entries of a part of a slice, and of a block."""
BYTES_PER_ENTRY = 40
"""About what an entry of a part takes while it is worked on."""
PassPart = Tuple[str, int, int, int]
"""MARKS or SLICE, the slice, and the entries: from, below."""
PassAnswer = Tuple[int, List[int], bytes]
"""The entries of a part, the counts by code, and the compressed block."""


class PassRunner(Protocol):
    """Who does the parts of a slice, and leaves their codes in the memory of the passes."""

    def run(self, tasks: Iterable[PassPart]) -> Iterator[PassAnswer]:
        """The answers to the parts of a slice, in their order."""

    def __enter__(self) -> "PassRunner": ...

    def __exit__(self, *exception: object) -> None: ...


def compute(ranking: Ranking, task: PassPart, other: Codes, out: Codes) -> List[int]:
    """Do a part by the codes of the slice before it, or after it; returns the counts by code."""
    kind, number, start, stop = task
    if kind == MARKS:
        ranking.mark(number, start, stop, other, out)
        return []
    return ranking.fill(number, start, stop, other, out)


class RankedPasses:
    """The forward and the backward pass of a ranking."""

    def __init__(self, ranking: Ranking, processes: int) -> None:
        self.ranking = ranking
        self.processes = processes
        self.slices = len(ranking.sizes)
        self.entries = sum(ranking.sizes) * (2 if ranking.needs_marks else 1)
        """Entries of all passes."""

    def memory(self) -> int:
        """Upper bound on the bytes that the passes take."""
        children = self.processes if self.processes > 1 else 0
        return sum(self.slice_bytes()) + (1 + children) * self.process_bytes()

    def process_bytes(self) -> int:
        """What each process takes beside the slices."""
        return BYTES_PER_PROCESS + self.ranking.bytes + PART * BYTES_PER_ENTRY

    def slice_bytes(self) -> List[int]:
        """The largest slice of even and of odd number."""
        sizes = [packed_bytes(size) for size in self.ranking.sizes]
        return [max(sizes[parity::2], default=1) for parity in (0, 1)]

    def run(self, folder: Folder, observe: BuildObserver) -> None:
        """Do what is left of both passes; raises ProcessesDied, NoMemory and OSError."""
        self._reserve()
        marked = []
        if self.ranking.needs_marks:
            marked = folder.finished(MARKS, range(self.slices))
        filled = folder.finished(SLICE, range(self.slices - 1, -1, -1))
        done = sum([self.ranking.sizes[number] for number in [*marked, *filled]])
        self._folder, self._observe = folder, observe
        self._done = self._before = done
        with self.pool() as pool:
            if self.ranking.needs_marks:
                self._mark(pool, len(marked))
            self._fill(pool, self.slices - len(filled))

    def differences(self, folder: Folder, marks: Folder, observe: BuildObserver) -> Iterator[str]:
        """The parts of a complete solution that do not follow from the slice after them.

        The forward pass is done again, in `marks`.
        """
        self._reserve()
        self._folder, self._observe = marks, observe
        self._done = self._before = 0
        with self.pool() as pool:
            if self.ranking.needs_marks:
                self._mark(pool, 0)
            for number in range(self.slices - 1, -1, -1):
                if number + 1 < self.slices:
                    self.load(folder, SLICE, number + 1)
                if self.ranking.needs_marks:
                    self.load(marks, MARKS, number)
                yield from self._differences(pool, folder, number)

    def _differences(self, pool: PassRunner, folder: Folder, number: int) -> Iterator[str]:
        about: Dict[str, Any] = {}
        file = folder.open(SLICE, number)
        try:
            blocks = self._with_counts(pool, number, [0] * 4, about)
            for i, block in enumerate(blocks):
                if decompressed(block) != file.read(i):
                    start = i * PART
                    stop = min(start + PART, self.ranking.sizes[number]) - 1
                    wrong = "slice %d: the values of the entries %d to %d do not follow"
                    yield wrong % (number, start, stop)
            if about["positions"] != file.about["positions"]:
                yield "slice %d: its counts are wrong" % number
        finally:
            file.close()

    def _reserve(self) -> None:
        """Reserve memory for two slices, before processes are forked."""
        reset_jit()
        less = "a smaller position"
        self._memory = [reserve(size, "a slice", less) for size in self.slice_bytes()]
        self._codes = [bytes_of(memory) for memory in self._memory]

    def _mark(self, pool: PassRunner, first: int) -> None:
        if first:
            self.load(self._folder, MARKS, first - 1)
        for number in range(first, self.slices):
            about = {"slice": number, "entries": self.ranking.sizes[number]}
            blocks = self._blocks(pool, MARKS, number, [0] * 4)
            self._folder.write(MARKS, number, blocks, about)

    def _fill(self, pool: PassRunner, end: int) -> None:
        """Fill the slices below `end`."""
        if end < self.slices:
            self.load(self._folder, SLICE, end)
        for number in range(end - 1, -1, -1):
            if self.ranking.needs_marks:
                self.load(self._folder, MARKS, number)
            about = {"slice": number, "entries": self.ranking.sizes[number]}
            counts = [0] * 4
            blocks = self._with_counts(pool, number, counts, about)
            self._folder.write(SLICE, number, blocks, about)

    def _with_counts(
        self, pool: PassRunner, number: int, counts: List[int], about: Any
    ) -> Iterator[bytes]:
        yield from self._blocks(pool, SLICE, number, counts)
        counts[NONE] = 0
        about["positions"] = by_value(counts, OUTCOME)

    def _blocks(
        self, pool: PassRunner, kind: str, number: int, counts: List[int]
    ) -> Iterator[bytes]:
        """The compressed blocks of a slice; adds up the counts by code."""
        for entries, found, block in pool.run(self.tasks(kind, number)):
            for code, times in enumerate(found):
                counts[code] += times
            self._done += entries
            remark = "%s %d of %d" % (kind, number + 1, self.slices)
            self._observe(self._done, self.entries, self._before, remark)
            yield block

    def tasks(self, kind: str, number: int) -> Iterator[PassPart]:
        """The parts of a slice."""
        size = self.ranking.sizes[number]
        for start in range(0, size, PART):
            yield kind, number, start, min(size, start + PART)

    def pool(self) -> PassRunner:
        """The processes, forked after memory was reserved."""
        return TaskPool(self.processes, self._work)

    def _work(self, task: PassPart) -> PassAnswer:
        """Do a part in memory."""
        _, number, start, stop = task
        counts = compute(self.ranking, task, self._codes[1 - number % 2], self._codes[number % 2])
        return stop - start, counts, compressed(self.codes_of(task))

    def codes_of(self, task: PassPart) -> bytes:
        """The packed codes of a part, as they are in memory."""
        _, number, start, stop = task
        return self._memory[number % 2][start >> 2 : packed_bytes(stop)]

    def view(self, number: int) -> memoryview:
        """The packed codes of a slice, as they are in memory; none for a number without a slice."""
        sizes = self.ranking.sizes
        size = sizes[number] if 0 <= number < len(sizes) else 0
        return memoryview(self._memory[number % 2])[: packed_bytes(size)]

    def set_codes(self, task: PassPart, codes: bytes) -> None:
        """Set the packed codes of a part."""
        _, number, start, stop = task
        self._memory[number % 2][start >> 2 : packed_bytes(stop)] = codes

    def load(self, folder: Folder, kind: str, number: int) -> None:
        """Read a slice into memory; raises SolutionError."""
        memory = self._memory[number % 2]
        at = 0
        file = folder.open(kind, number)
        try:
            for block in file:
                memory[at : at + len(block)] = block
                at += len(block)
        finally:
            file.close()
