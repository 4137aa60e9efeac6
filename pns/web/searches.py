"""What the page is told of its searches: the one that runs, those that wait, those that have ended.

A transport begins and stops them: as processes (`search.py`), or in a worker of a browser
(`browser.py`).
"""

from __future__ import annotations

from typing import Any, Dict, List

MOST_WAITING = 20
MOST_PAST = 10
"""Searches that may wait, and searches that have ended and are still shown."""

Specification = Dict[str, Any]
"""A search: position, game, database, options."""


def without(waiting: List[Specification], game: str, position: str) -> List[Specification]:
    """The searches that wait, but for that of a position."""
    return [one for one in waiting if (one["game"], one["position"]) != (game, position)]


class QueueFull(ValueError):
    """Too many searches wait already."""


class Searches:
    """The searches of the page, one at a time.

    `serial` grows with every change of `state`. A search that is asked for while another runs
    is the next one.
    """

    unavailable: Dict[str, str] = {}
    """The algorithms that cannot run here, by name, and why."""

    def __init__(self) -> None:
        self.serial = 0
        self.state: Dict[str, Any] = {"running": False, "waiting": [], "past": []}
        self._waiting: List[Specification] = []
        self._past: List[Dict[str, Any]] = []

    def start(self, specification: Specification) -> None:
        """Start a search, or make it the next; raises QueueFull."""
        if self.state["running"]:
            self._make_next(specification)
        else:
            self._begin(specification)

    def stop(self) -> None:
        """End the search, and begin the next; what it proved is kept."""
        raise NotImplementedError

    def close(self) -> None:
        """End the search for good, and begin no other."""
        raise NotImplementedError

    def forget(self, game: str, position: str) -> None:
        """Take a position of a game from those that wait."""
        self._waiting = without(self._waiting, game, position)
        self._publish(self.state)

    def _begin(self, specification: Specification) -> None:
        """Begin a search now; extended by the transports."""
        options = specification["options"]
        self._publish(
            {
                "running": True,
                "game": specification["game"],
                "position": specification["position"],
                "algorithm": options["algorithm"],
                "budget": options["max_seconds"],
            }
        )

    def _make_next(self, specification: Specification) -> None:
        others = without(self._waiting, specification["game"], specification["position"])
        if len(others) >= MOST_WAITING:
            raise QueueFull("%d searches wait already" % len(others))
        self._waiting = [specification, *others]
        self._publish(self.state)

    def _go_on(self, ended: Dict[str, Any]) -> None:
        """The search has ended, as `ended` says: begin the next that waits."""
        if "result" in self.state:
            result = self.state["result"]
            past = {"position": self.state["position"], "outcome": result["outcome"]}
            self._past = [past, *self._past][:MOST_PAST]
        if self._waiting:
            self._begin(self._waiting.pop(0))
        else:
            self._publish({**self.state, **ended, "running": False})

    def _publish(self, state: Dict[str, Any]) -> None:
        waiting = [one["position"] for one in self._waiting]
        self.state = {**state, "waiting": waiting, "past": self._past}
        self.serial += 1
