"""How a worker is set up, and where it works: plain values, which one process sends to another."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Optional, Tuple

from pns.choices import BRANCHING, DEFAULT_CAPACITY, GENERATED
from pns.jobs.policy import DEFAULT_SEARCH, WorkerPolicy


@dataclass(frozen=True)
class WorkerSetup:
    """How a worker searches."""

    game: str
    """A game's name, or the place of its module, as `pns.finding.find_game` takes them."""
    capacity: int = DEFAULT_CAPACITY
    """Table entries, or nodes for `pns.ppn2`."""
    seed: int = 0
    processes: int = 1
    """Processes that search each job together."""
    memory: Optional[int] = None
    """Bytes that the worker may hold with its processes; None for no limit."""
    policy: WorkerPolicy = DEFAULT_SEARCH
    order: str = GENERATED
    """The order of the children of a leaf, one of `pns.game.ORDERS`."""
    start_numbers: str = BRANCHING
    """The initial numbers of new leaves, a kind of `pns.positions.prior`."""
    has_prior: bool = True
    """Whether it expects of new positions what the game's prior says."""


@dataclass(frozen=True)
class WorkerPlace:
    """Where a worker works, and with whom."""

    address: str
    """Where its master listens."""
    name: str
    keys: Optional[str] = None
    """Its key file."""
    database: Optional[str] = None
    """The database that its group shares."""
    memory: Optional[Tuple[int, int, int]] = None
    """The descriptors of the child store and of the logs that the workers of its machine share,
    and its index among these workers."""


def to_text(setup: WorkerSetup, place: WorkerPlace) -> str:
    """Both as one text, for `from_text`."""
    return json.dumps([asdict(setup), asdict(place)])


def from_text(text: str) -> Tuple[WorkerSetup, WorkerPlace]:
    """What `to_text` has written.

    >>> sent = WorkerSetup("kayles", 1 << 10), WorkerPlace("127.0.0.1:5555", "a", memory=(3, 4, 0))
    >>> from_text(to_text(*sent)) == sent
    True
    """
    setup, place = json.loads(text)
    setup["policy"] = WorkerPolicy(*setup["policy"])
    place["memory"] = place["memory"] and tuple(place["memory"])
    return WorkerSetup(**setup), WorkerPlace(**place)
