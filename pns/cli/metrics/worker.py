"""What `pns worker --metrics` says about the workers of a machine.

Each worker counts in a row of shared memory what the master has acknowledged, so that counts
outlive its process and another process can serve them.
"""

from __future__ import annotations

import mmap
import time
from typing import Dict, List, MutableSequence, Optional, Sequence, cast

from pns.cli.metrics.exposition import COUNTER, GAUGE, Labels, Metric
from pns.facts import Fact
from pns.jobs.protocol import (
    FORGET,
    SWITCH,
    UNKNOWN,
    JobReport,
    JobResult,
    Link,
    Reply,
)

JOBS, EXPANSIONS, GENERATED, FACTS, SECONDS, ENTRIES, JOINS, REPLIED = range(8)
"""The words of a row, all floats; REPLIED is the time of the last reply in seconds since 1970."""
ROW = 8

METRICS = (
    (JOBS, "jobs_total", COUNTER, "Jobs handed in."),
    (EXPANSIONS, "expansions_total", COUNTER, "Expansions reported to the master."),
    (GENERATED, "generated_children_total", COUNTER, "Children generated, as far as reported."),
    (FACTS, "reported_facts_total", COUNTER, "Grundy numbers reported, own and those of peers."),
    (SECONDS, "busy_seconds_total", COUNTER, "Time spent on jobs, as far as reported."),
    (ENTRIES, "table_entries", GAUGE, "Entries of the transposition table in use."),
    (JOINS, "joins_total", COUNTER, "Times that it joined the master."),
    (REPLIED, "last_reply_timestamp_seconds", GAUGE, "When the master last replied."),
)


Row = MutableSequence[float]


class Counts:
    """A row of counts for each worker of a machine, in memory that forked processes share."""

    def __init__(self, count: int) -> None:
        self._memory = mmap.mmap(-1, 8 * ROW * count)
        self._words = memoryview(self._memory).cast("d")

    def row(self, place: int) -> Row:
        """The counts of one worker."""
        return cast(Row, self._words[place * ROW : (place + 1) * ROW])


class CountingLink:
    """A link that counts, in a row of `Counts`, what passes it and is acknowledged."""

    def __init__(self, link: Link, row: Row) -> None:
        self._link = link
        self._row = row
        self._submitted: Optional[JobReport] = None

    def _note(self, reply: Reply, report: Optional[JobReport] = None) -> Reply:
        """Count a reply, and the report that it acknowledges."""
        row = self._row
        row[REPLIED] = time.time()
        if report and reply.status != UNKNOWN:
            row[EXPANSIONS] += report.expansions
            row[GENERATED] += report.generated
            row[SECONDS] += report.seconds
            row[FACTS] += len(report.facts)
            row[ENTRIES] = report.table_entries
        return reply

    def join(self, game: str, forgotten: str = "", simplify: bool = False) -> Reply:
        reply = self._note(self._link.join(game, forgotten, simplify))
        self._row[JOINS] += reply.status not in (FORGET, SWITCH)
        return reply

    def get(self) -> Reply:
        return self._note(self._link.get())

    def update(self, report: JobReport) -> Reply:
        return self._note(self._link.update(report), report)

    def submit(self, report: JobReport, result: Optional[JobResult]) -> None:
        self._submitted = report
        self._link.submit(report, result)

    def answered(self) -> bool:
        return self._link.answered()

    def answer(self) -> Reply:
        reply = self._note(self._link.answer(), self._submitted)
        if reply.status != UNKNOWN:
            self._row[JOBS] += 1
        return reply

    def close(self, report: JobReport) -> Reply:
        return self._note(self._link.close(report), report)

    def add_facts(self, facts: List[Fact]) -> Reply:
        reply = self._note(self._link.add_facts(facts))
        if reply.status != UNKNOWN:
            self._row[FACTS] += len(facts)
        return reply

    def leave(self) -> None:
        self._link.leave()


def worker_metrics(
    names: Sequence[str], counts: Counts, starts: Sequence[int], memory: Sequence[int]
) -> List[Metric]:
    """The metrics of workers: their counts, how often each was started, and bytes they hold.

    `memory` is 0 for a worker that does not run.
    """
    labels: List[Labels] = [(("worker", name),) for name in names]

    def of_all(name: str, kind: str, help: str, values: Sequence[float]) -> Metric:
        found: Dict[Labels, float] = dict(zip(labels, values))
        return Metric("pns_worker_" + name, kind, help, found)

    rows = [counts.row(place) for place in range(len(names))]
    return [
        of_all("up", GAUGE, "1 while its process runs.", [int(size > 0) for size in memory]),
        of_all("starts_total", COUNTER, "Times that its process was started.", starts),
        of_all("memory_bytes", GAUGE, "Memory that its process holds, shared parts once.", memory),
        *[of_all(name, kind, help, [row[i] for row in rows]) for i, name, kind, help in METRICS],
    ]
