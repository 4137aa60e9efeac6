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
from pns.web.searches import Searches, Specification

SEARCHER = ("-m", "pns.web.searcher")
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


class SearchQueue(Searches):
    """Starts searches one after another as processes, and stops them."""

    def __init__(self) -> None:
        super().__init__()
        self.thread: Optional[threading.Thread] = None
        """What follows the searches; it ends after the last one."""
        self._process: Optional[subprocess.Popen[bytes]] = None
        self._killer: Optional[threading.Timer] = None
        self._lock = threading.Lock()

    def start(self, specification: Specification) -> None:
        """Start a search (`pns.web.searcher`), or make it the next; raises QueueFull."""
        with self._lock:
            was_running = self.state["running"]
            super().start(specification)
            if not was_running:
                self.thread = threading.Thread(target=self._follow, daemon=True)
                self.thread.start()

    def _begin(self, specification: Specification) -> None:
        """Start the process of a search."""
        command: List[str] = [sys.executable, *SEARCHER, json.dumps(specification)]
        pipe = subprocess.PIPE
        with held_back(signal.SIGINT):  # it lets the signal in when it has a handler
            self._process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, env=environment(), start_new_session=True
            )
        super()._begin(specification)

    def forget(self, game: str, position: str) -> None:
        with self._lock:
            super().forget(game, position)

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
        with self._lock:
            self._waiting = []
        process = self._process
        if process is not None and process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()

    def _follow(self) -> None:
        """Follow the search to its end, then those that wait."""
        while self._process is not None:
            ended = self._read(self._process)
            with self._lock:
                self._process = None
                if self._killer is not None:
                    self._killer.cancel()
                    self._killer = None
                self._go_on(ended)

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
