"""The protocol between the master of a search and its workers, without its transport.

A worker joins, gets a job, reports on it while it works, submits it and gets the next; it
closes a job that it cannot finish. A job is a leaf of the master's tree, an atomic couple
land + *heap. Every report names the couple again, so that a late report, or one to a master
that was restarted, can still be used.
"""

from __future__ import annotations

from array import array
from typing import Collection, List, NamedTuple, Optional, Protocol

from pns.facts import Fact
from pns.game import Game, Land, Sum
from pns.search.bounds import Thresholds

KEEP_NOTHING, KEEP_FACTS, KEEP_ALL = range(3)
"""What workers keep from job to job: nothing, facts, or facts and the transposition table."""

JOB, WAIT, GO_ON, SUBMIT_NOW, DONE, UNKNOWN, FORGET, SWITCH, LATER = range(9)
"""The status of a reply. JOB: here is a job. WAIT: there is none now. GO_ON with the job.
SUBMIT_NOW: submit the job as it is. DONE: the search has ended. UNKNOWN: the worker is unknown
and has to join, and to send all facts that it proved. FORGET: facts were withdrawn, so the
worker has to forget everything and join again. SWITCH: the same, but because master and worker
differ in whether they search simpler positions in place of children (`pns.positions.simplify`); the
worker changes that first. LATER: it cannot join now and has to ask again (sent by the transport; no
`Link` returns it)."""


class ProtocolError(ValueError):
    """A worker or a master received a message that makes no sense."""


class JobSpec(NamedTuple):
    """A job: search land + *heap until it is solved or `iterations` expansions are spent.

    In the latter case the result has the numbers of its children. A job also ends, without
    them, once `least` expansions are spent and the root's numbers exceed the thresholds `limits`.
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
    """The state of a worker's job; pn or dn is 0 only if facts show it.

    `expansions`, `generated` (children) and `seconds` count from its last report, `facts` are
    the new ones. `table_entries` is the number in its transposition table.
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
    facts: Collection[Fact]


class JobResult(NamedTuple):
    """The result of a job whose leaf is not solved: pn and dn of each child, alternating.

    There are no numbers if the leaf stays a leaf. The children by a move in the land come
    first, in the order of `children_in_order`, then those by a move in the heap, to *0, *1 and
    so on. The master generates the children itself, so that no worker can invent one.
    (0, INF) only if facts show that the child is a win.
    """

    numbers: "array[int]"


def children_in_order(game: Game, land: Land) -> List[Sum]:
    """The children of a land in the order that master and workers share: that of their texts."""
    return sorted(game.children(land))


class Reply(NamedTuple):
    """The master's answer to a request."""

    status: int
    spec: Optional[JobSpec]
    facts: Collection[Fact]
    """Grundy numbers proved by others; with FORGET those that may be wrong."""
    reason: str
    """With DONE, why the search or this worker's part in it has ended; with LATER, why it cannot
    join now; with FORGET, the cursor to send as `forgotten` when it joins again."""


def after_submit(reply: Reply) -> Optional[Reply]:
    """The reply to the next `get` that came with the one to a `submit` that asked for it.

    Its facts are left to the reply to `submit`. None if `get` has to ask itself.
    """
    return reply._replace(facts=[]) if reply.status in (JOB, WAIT) else None


class Link(Protocol):
    """A worker's connection with the master; every call waits for its reply without limit.

    The status of any reply but that to `join` may be UNKNOWN.
    """

    def join(self, game: str, forgotten: str = "", simplify: bool = False) -> Reply:
        """Join, or join again; the reply is WAIT, FORGET, SWITCH, or DONE if that is impossible.

        `forgotten` is the reason of the last FORGET, `simplify` whether the worker searches
        simpler positions in place of children.
        """

    def get(self) -> Reply:
        """Ask for a job; the reply is JOB, WAIT or DONE."""

    def update(self, report: JobReport) -> Reply:
        """Report on a job; the reply is GO_ON, SUBMIT_NOW or DONE."""

    def submit(self, report: JobReport, result: Optional[JobResult]) -> None:
        """Hand in a job, solved if `result` is None; `answer` waits for the reply."""

    def answered(self) -> bool:
        """Whether the replies for `answer` and the next `get` have arrived."""

    def answer(self) -> Reply:
        """The reply to the job that was handed in: WAIT or DONE."""

    def close(self, report: JobReport) -> Reply:
        """Give a job back unfinished; the reply is WAIT or DONE."""

    def add_facts(self, facts: List[Fact]) -> Reply:
        """Report Grundy numbers outside a job; the reply is WAIT or DONE."""

    def leave(self) -> None:
        """Leave the search."""
