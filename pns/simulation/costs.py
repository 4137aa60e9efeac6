"""What takes how long in a simulation."""

from __future__ import annotations

from typing import Collection, NamedTuple

from pns.facts import Fact


class Costs(NamedTuple):
    """Durations in microseconds; the defaults are those of docs/lab/scaling.md."""

    expansion: float = 26.0
    """Without the generation of children."""
    child: float = 8.0
    """The generation of a child."""
    taken: float = 0.3
    """A child that another process of the same search has generated, taken over by its id."""
    read: float = 1.2
    """A child that another worker of the machine has generated, read as a text."""
    record: float = 0.3
    """A fact of another worker of the machine, read from its log."""
    latency: float = 150.0
    """A message one way."""
    byte: float = 0.001
    """Each byte of a message."""
    message: float = 230.0
    """The master's work to receive a request and to send its reply."""
    get: float = 150.0
    """The master's work to find a job, without the message."""
    update: float = 60.0
    submit: float = 160.0
    fact_in: float = 4.0
    """The master's work for each new fact that it receives."""
    fact_again: float = 0.5
    """The same for a fact that it has, from another worker."""
    fact_out: float = 0.7
    """The master's work for each fact that it sends."""
    leaf_child: float = 5.7
    """The master's work for each child of a submitted leaf, without its generation."""


class Work(NamedTuple):
    """What a search has done so far that takes time; the numbers are those of `Costs`."""

    expansions: int = 0
    children: int = 0
    taken: int = 0
    read: int = 0
    records: int = 0

    def since(self, before: "Work") -> "Work":
        """What was done after an earlier moment."""
        return Work(*[now - then for now, then in zip(self, before)])


def price(costs: Costs, work: Work) -> float:
    """The duration of work in seconds."""
    spent = costs.expansion * work.expansions + costs.child * work.children
    spent += costs.taken * work.taken + costs.read * work.read + costs.record * work.records
    return 1e-6 * spent


def travel(costs: Costs, facts: Collection[Fact], children: int) -> float:
    """The duration in seconds of a message one way, whose size is estimated."""
    size = 100 + sum([len(land) + 4 for land, _ in facts]) + 8 * children
    return 1e-6 * (costs.latency + costs.byte * size)
