"""The costs of sharing: lookups and stores of the table, and the latency of facts."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from bisect import bisect
from contextlib import contextmanager
from random import Random
from statistics import median
from typing import Any, Callable, Dict, Iterable, Iterator, List, Sequence, Tuple

from pns.facts import Facts
from pns.finding import find_game
from pns.game import Land
from pns.parallel.processes import ParallelSearch
from pns.pdfpn import PdfpnProcess
from pns.positions.exchange import Record
from pns.positions.prior import load
from pns.search.table import LOW, Table, shared_words
from pns.system import lifeline

CAPACITY = 2_000_000
FILLED = 1_000_000
KEYS = 100_000
"""Keys of a measurement, whose time is divided by this number."""
HOT = 64
"""Keys that two processes store and look up concurrently."""
PART, WARM = 1000, 200
"""Keys between two counts of the other process, and counts until it is warm."""

LOOKS, PROVES = b"looks", b"proves"

Keys = Sequence[int]
Work = Callable[[Table, Keys], int]


def look_up(table: Table, keys: Keys) -> int:
    """Look up all keys; returns how many are in the table."""
    found = 0
    for key in keys:
        if table.get(key):
            found += 1
    return found


def store(table: Table, keys: Keys) -> int:
    """Store numbers under all keys; returns the number of keys."""
    for key in keys:
        table.store(key, 5, 7, 1)
    return len(keys)


def keys(seed: int, count: int = KEYS) -> List[int]:
    """Random keys."""
    random = Random(seed)
    return [random.getrandbits(63) for _ in range(count)]


@contextmanager
def hammered(table: Table, known: Keys) -> Iterator[Callable[[], int]]:
    """Run another process that stores and looks up these keys without a pause.

    Yields a function that returns how many of these calls it has made so far.
    """
    counts, memory = shared_words(4, "a measurement", "nothing")
    size = min(PART, len(known))
    pid, line = lifeline.fork()
    if not pid:
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            while True:
                for start in range(0, len(known), size):
                    part = known[start : start + size]
                    store(table, part)
                    look_up(table, part)
                    counts[0] = counts[0] + 1 & LOW
        finally:
            os._exit(0)
    try:
        while counts[0] < WARM:
            if os.waitpid(pid, os.WNOHANG)[0]:
                pid = 0
                raise RuntimeError("the other process ended")
            time.sleep(0.001)
        yield lambda: 2 * size * int(counts[0])
    finally:
        if pid:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        os.close(line)
        del memory


def nanoseconds(work: Work, table: Table, sets: Sequence[Keys]) -> float:
    """Processor time of one call: the median over sets of keys, the first of which warms up."""
    times = []
    for keys in sets:
        start = time.process_time_ns()
        work(table, keys)
        times.append((time.process_time_ns() - start) / len(keys))
    return median(times[1:])


def table_figures(repeat: int, count: int = KEYS, filled: int = FILLED) -> Iterator[str]:
    """Nanoseconds alone and with a second process, as the lines of a table.

    The second process works all over the table. In the last two lines it uses the same few
    keys as the first, as if both were at the same nodes, so that each entry moves between the
    caches of two cores. The last column has the calls of the second process for each call of
    the first; far below 1 it had no core of its own, and the figure means little.
    """
    yield "%-22s %8s %10s %8s" % ("nanoseconds", "alone", "contended", "others")
    table = Table(CAPACITY)
    known = keys(1, filled)
    store(table, known)
    hot = known[:HOT]
    olds = [known[i * count :][:count] for i in range(repeat + 1)]
    hots = [hot * (count // HOT)] * (repeat + 1)

    def news(seed: int) -> List[Keys]:
        return [keys(seed + i, count) for i in range(repeat + 1)]

    operations: List[Tuple[str, Work, Callable[[int], List[Keys]], Keys]] = [
        ("lookups of old keys", look_up, lambda _: list(olds), known),
        ("lookups of others", look_up, news, known),
        ("stores of old keys", store, lambda _: list(olds), known),
        ("stores of new keys", store, news, known),
        ("lookups of the same %d" % HOT, look_up, lambda _: list(hots), hot),
        ("stores of the same %d" % HOT, store, lambda _: list(hots), hot),
    ]
    for i, (name, work, sets_of, others) in enumerate(operations):
        alone = nanoseconds(work, table, sets_of(1000 * (i + 1)))
        sets = sets_of(1000 * (i + 1) + 500)
        with hammered(table, others) as calls:
            before = calls()
            contended = nanoseconds(work, table, sets)
            beside = (calls() - before) / sum(map(len, sets))
        yield "%-22s %8.0f %10.0f %8.2f" % (name, alone, contended, beside)


class Watched(PdfpnProcess):
    """A process that records when it proves a fact, and when it looks for facts of others."""

    journal = -1
    """The descriptor of the file for records."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.couples.exchange = Journal(self)

    def note(self, what: bytes) -> None:
        """Record that something happens now."""
        os.write(self.journal, b"%d %s %d\n" % (self.process, what, time.monotonic_ns()))

    def _exchange(self) -> None:
        self.note(LOOKS)
        super()._exchange()


class Journal:
    """A process's exchange that also records each fact that passes through it."""

    def __init__(self, process: Watched) -> None:
        self._process = process

    def publish(self, kind: int, number: int, land: Land) -> None:
        self._process.exchange.publish(kind, number, land)
        self._process.note(PROVES)

    def poll(self) -> Iterable[Record]:
        return self._process.exchange.poll()


def latencies(position: str, processes: int) -> List[float]:
    """Milliseconds from each proof of a fact to the next look of each other process, ascending.

    Raises NotationError.
    """
    game = find_game("sprouts")
    with tempfile.TemporaryFile() as file:
        searcher: Any = type("Watched", (Watched,), {"journal": file.fileno()})
        facts, prior = Facts(game.name), load(game.name)
        search = ParallelSearch(processes, game, facts, CAPACITY, prior=prior, searcher=searcher)
        search.outcome(game.parse(position))
        file.seek(0)
        lines = [line.split() for line in file]
    looks: Dict[bytes, List[int]] = {}
    for process, what, moment in lines:
        if what == LOOKS:
            looks.setdefault(process, []).append(int(moment))
    found: List[float] = []
    for process, what, moment in lines:
        for other, moments in looks.items():
            i = bisect(moments, int(moment))
            if what == PROVES and other != process and i < len(moments):
                found.append((moments[i] - int(moment)) / 1e6)
    return sorted(found)


def latency_line(position: str, processes: int) -> str:
    """The median, 95th percentile and maximum of the latencies of a search."""
    found = latencies(position, processes)
    if not found:
        return "%s: no process looked for a fact of another" % position
    figures = "%d facts seen after %.1f ms (median), %.1f ms (95 %%), %.1f ms at most"
    return ("%s, %d processes: " + figures) % (
        position,
        processes,
        len(found),
        median(found),
        found[int(0.95 * (len(found) - 1))],
        found[-1],
    )
