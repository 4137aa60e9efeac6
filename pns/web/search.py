"""The searches of the page: one at a time, each in a process of its own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Optional

from pns.system.start import environment

SEARCHER = ("-m", "pns.web.searcher")
MOST_WAITING = 20
MOST_PAST = 10
"""Searches that may wait, and searches that have ended and are still shown."""
PATIENCE = 10.0
"""Seconds that a search has to end by itself before it is killed."""


@contextmanager
def held_back(number: int) -> Iterator[None]:
    """Block a signal in this thread, and in processes started meanwhile until they unblock it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [number])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def without(waiting: List[Dict[str, Any]], game: str, position: str) -> List[Dict[str, Any]]:
    """The searches that wait, but for that of a position."""
    return [one for one in waiting if (one["game"], one["position"]) != (game, position)]


class QueueFull(ValueError):
    """Too many searches wait already."""


class SearchQueue:
    """Starts searches one after another, stops them, and says how far the present one is.

    `serial` grows with every change of `state`. A search that is asked for while another runs
    is the next one.
    """

    def __init__(self) -> None:
        self.serial = 0
        self.state: Dict[str, Any] = {"running": False, "waiting": [], "past": []}
        self.thread: Optional[threading.Thread] = None
        """What follows the searches; it ends after the last one."""
        self._process: Optional[subprocess.Popen[bytes]] = None
        self._killer: Optional[threading.Timer] = None
        self._waiting: List[Dict[str, Any]] = []
        self._past: List[Dict[str, Any]] = []
        self._lock = threading.Lock()
        self._closed = False

    def start(self, specification: Dict[str, Any]) -> None:
        """Start a search (`pns.web.searcher`), or make it the next; raises QueueFull."""
        with self._lock:
            if self.state["running"]:
                self._make_next(specification)
                return
            self._begin(specification)
            self.thread = threading.Thread(target=self._follow, daemon=True)
            self.thread.start()

    def _make_next(self, specification: Dict[str, Any]) -> None:
        others = without(self._waiting, specification["game"], specification["position"])
        if len(others) >= MOST_WAITING:
            raise QueueFull("%d searches wait already" % len(others))
        self._waiting = [specification, *others]
        self._publish(self.state)

    def _begin(self, specification: Dict[str, Any]) -> None:
        """Start the process of a search."""
        command: List[str] = [sys.executable, *SEARCHER, json.dumps(specification)]
        pipe = subprocess.PIPE
        with held_back(signal.SIGINT):  # it lets the signal in when it has a handler
            self._process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, env=environment(), start_new_session=True
            )
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

    def forget(self, game: str, position: str) -> None:
        """Take a position of a game from those that wait."""
        with self._lock:
            self._waiting = without(self._waiting, game, position)
            self._publish(self.state)

    def stop(self) -> None:
        """Ask the search to end; what it proved is kept."""
        with self._lock:  # one search may just be following another
            process = self._process
            if process is not None and process.poll() is None:
                process.send_signal(signal.SIGINT)
                if self._killer is None:
                    self._killer = threading.Timer(PATIENCE, process.kill)
                    self._killer.daemon = True
                    self._killer.start()

    def close(self) -> None:
        """End the search for good, and begin no other."""
        with self._lock:
            self._closed = True
        process = self._process
        if process is not None and process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()

    def _publish(self, state: Dict[str, Any]) -> None:
        waiting = [one["position"] for one in self._waiting]
        self.state = {**state, "waiting": waiting, "past": self._past}
        self.serial += 1

    def _follow(self) -> None:
        """Follow the search to its end, then those that wait."""
        while self._process is not None:
            ended = self._read(self._process)
            with self._lock:
                self._process = None
                if self._killer is not None:
                    self._killer.cancel()
                    self._killer = None
                if "result" in self.state:
                    result = self.state["result"]
                    past = {"position": self.state["position"], "outcome": result["outcome"]}
                    self._past = [past, *self._past][:MOST_PAST]
                if self._waiting and not self._closed:
                    self._begin(self._waiting.pop(0))
                else:
                    self._publish({**self.state, **ended, "running": False})

    def _read(self, process: subprocess.Popen[bytes]) -> Dict[str, Any]:
        """Publish what the process prints; returns what is to be said of its end."""
        assert process.stdout is not None and process.stdin is not None
        for line in process.stdout:
            with self._lock:
                self._publish({**self.state, **json.loads(line)})
        status = process.wait()
        process.stdin.close()
        process.stdout.close()
        if status and "error" not in self.state and "result" not in self.state:
            return {"error": "the search ended with status %d" % status}
        return {}
