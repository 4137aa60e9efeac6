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


def price(costs: Costs, expansions: int, children: int) -> float:
    """The duration of a search in seconds."""
    return 1e-6 * (costs.expansion * expansions + costs.child * children)


def travel(costs: Costs, facts: Collection[Fact], children: int) -> float:
    """The duration in seconds of a message one way, whose size is estimated."""
    size = 100 + sum([len(land) + 4 for land, _ in facts]) + 8 * children
    return 1e-6 * (costs.latency + costs.byte * size)
