"""What the master of a search and its workers tell each other, whatever carries it.

A worker joins, gets a job, reports on it while it works, submits it and gets the next; it
closes a job that it cannot finish. The job is a leaf of the master's tree, an atomic
couple land + *heap, which every report names again: so an answer that comes late, or to
a master that was started anew, can still be used.
"""

from __future__ import annotations

from array import array
from typing import List, NamedTuple, Optional, Protocol

from pns.bounds import Thresholds
from pns.facts import Fact
from pns.game import Game, Land, Sum

KEEP_NOTHING, KEEP_FACTS, KEEP_ALL = range(3)
"""What workers keep from job to job: nothing, Grundy numbers, their transposition table too."""

EPSILON = 0.25
"""Of the 1+ε rule, for the thresholds of jobs and in the workers' searches: what is searched is
left for what is better by this part."""

JOB, WAIT, GO_ON, SUBMIT_NOW, DONE, UNKNOWN, FORGET, LATER = range(8)
"""What a reply says: here is a job; there is none now; go on with yours; submit it as it is;
the search has ended; I do not know you, so join, and send me all facts that you proved; facts
were withdrawn, so forget all that you know, and join again; you cannot join now, so ask again
(from the transport, and no `Link` returns it)."""


class ProtocolError(ValueError):
    """A worker or a master says what none can mean."""


class JobSpec(NamedTuple):
    """A job: search land + *heap until it is solved or `iterations` expansions are spent.

    Then its children are wanted. It also ends, without them, once `least` are spent and its
    numbers have passed the thresholds `limits`.
    """

    job: int
    land: Land
    heap: int
    iterations: int
    updates: int
    """Expansions between two reports."""
    keep: int
    least: int
    limits: Thresholds


class JobReport(NamedTuple):
    """What a worker found on its job so far; pn 0 or dn 0 only if facts show it.

    `expansions`, `generated` (children) and `seconds` are those since its last report,
    `facts` are new ones.
    """

    job: int
    land: Land
    heap: int
    pn: int
    dn: int
    expansions: int
    generated: int
    seconds: float
    table_entries: int
    facts: List[Fact]


class JobResult(NamedTuple):
    """What becomes of a leaf that is not solved: pn and dn of each of its children, in turn.

    No numbers where the leaf is to stay one.

    The children are those by a move in the land, in the order of `children_in_order`, then those by
    a move in the heap, to *0, *1 and so on. The master generates them itself, so that no
    worker can tell it of others. (0, INF) only if facts show that a child is won.
    """

    numbers: "array[int]"


def children_in_order(game: Game, land: Land) -> List[Sum]:
    """The options of a land in the order that all agree on: that of their texts."""
    return sorted(game.children(land))


class Reply(NamedTuple):
    """The master's answer to whatever it is told."""

    says: int
    order: Optional[JobSpec]
    facts: List[Fact]
    """Grundy numbers that others found; with FORGET those that may be wrong."""
    reason: str
    """Why the search has ended, or this worker's part in it; why a worker cannot join now; with
    FORGET how much of what was withdrawn the worker knows by now, to be sent when it joins."""


class Link(Protocol):
    """A worker's way to the master; every call is answered, however long that takes.

    UNKNOWN may be the answer to all but the first call.
    """

    def join(self, game: str, forgotten: str = "") -> Reply:
        """Begin, or begin again; the reply is WAIT, FORGET, or DONE where it cannot be.

        `forgotten` is what the last FORGET said.
        """

    def get(self) -> Reply:
        """JOB, WAIT or DONE."""

    def update(self, report: JobReport) -> Reply:
        """GO_ON, SUBMIT_NOW or DONE."""

    def submit(self, report: JobReport, result: Optional[JobResult]) -> None:
        """Hand in a job, solved or with its children's numbers; see `answer`."""

    def answered(self) -> bool:
        """Whether `answer` and the next `get` need not wait."""

    def answer(self) -> Reply:
        """What the master says to the job that was handed in: WAIT or DONE."""

    def close(self, report: JobReport) -> Reply:
        """Give a job back unfinished; WAIT or DONE."""

    def add_facts(self, facts: List[Fact]) -> Reply:
        """Tell Grundy numbers outside a job; WAIT or DONE."""

    def leave(self) -> None:
        """Say goodbye."""
