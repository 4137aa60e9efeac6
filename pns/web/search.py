"""The search of the page: one at a time, in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from typing import Any, Dict, List, Optional

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
"""The directory that has the package; the searcher is found there."""
SEARCHER = ("-m", "pns.web.searcher")
PATIENCE = 10.0
"""Seconds that a search has to end by itself before it is killed."""


class Busy(ValueError):
    """A search runs already."""


class Search:
    """Starts a search, stops it, and says how far it is.

    `serial` grows with every change of `state`.
    """

    def __init__(self) -> None:
        self.serial = 0
        self.state: Dict[str, Any] = {"running": False}
        self.thread: Optional[threading.Thread] = None
        """What follows the search; it ends after it."""
        self._process: Optional[subprocess.Popen[bytes]] = None

    def start(self, specification: Dict[str, Any]) -> None:
        """Start a search (`pns.web.searcher`); raises Busy while another one runs."""
        if self.state["running"]:
            raise Busy("a search runs already; stop it first")
        command: List[str] = [sys.executable, *SEARCHER, json.dumps(specification)]
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, cwd=ROOT, start_new_session=True
        )
        self._process = process
        options = specification["options"]
        self._publish(
            {
                "running": True,
                "position": specification["position"],
                "algorithm": options["algorithm"],
                "budget": options["max_seconds"],
            }
        )
        self.thread = threading.Thread(target=self._follow, args=(process,), daemon=True)
        self.thread.start()

    def stop(self) -> None:
        """Ask the search to end; what it proved is kept."""
        process = self._process
        if process is not None and process.poll() is None:
            process.send_signal(signal.SIGINT)
            killer = threading.Timer(PATIENCE, process.kill)
            killer.daemon = True
            killer.start()

    def close(self) -> None:
        """End the search for good."""
        process = self._process
        if process is not None and process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()

    def _publish(self, state: Dict[str, Any]) -> None:
        self.state = state
        self.serial += 1

    def _follow(self, process: subprocess.Popen[bytes]) -> None:
        """Read what the process prints, to its end."""
        assert process.stdout is not None and process.stdin is not None
        for line in process.stdout:
            self._publish({**self.state, **json.loads(line)})
        status = process.wait()
        process.stdin.close()
        process.stdout.close()
        ended: Dict[str, Any] = {"running": False}
        if status and "error" not in self.state:
            ended["error"] = "the search ended with status %d" % status
        self._publish({**self.state, **ended})
