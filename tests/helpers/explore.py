"""`pns explore` as a program that tests start, ask and end."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Optional, Sequence

from helpers.paths import ROOT

PATIENCE = 20.0
"""Seconds that the server has to end."""
SERVING = re.compile(r"serving (http://127\.0\.0\.1:\d+/)#token=([\w-]+) until Ctrl-C")


class Explore:
    """A running `pns explore` on a free port; the user's database is under `home`."""

    def __init__(
        self,
        home: Path,
        *words: object,
        python: str = sys.executable,
        program: Sequence[str] = ("-m", "pns"),
        cwd: Path = ROOT,
    ) -> None:
        command = [python, *program, "explore", "--port", "0", "--no-browser", *map(str, words)]
        environment = {**os.environ, "XDG_DATA_HOME": str(home)}
        self.process = subprocess.Popen(
            command, cwd=cwd, env=environment, stderr=subprocess.PIPE, text=True
        )
        found: Optional[re.Match[str]] = None
        assert self.process.stderr is not None
        for line in self.process.stderr:
            found = SERVING.search(line)
            if found:
                break
        if not found:
            raise AssertionError("%s ended with status %d" % (command, self.process.wait()))
        self.origin, self.token = found.groups()
        """The address of the page, and what comes after `#token=`."""

    def address(self, query: str = "") -> str:
        """The page with its token, and with a query that says what it shows."""
        return "%s%s#token=%s" % (self.origin, query and "?" + query, self.token)

    def close(self) -> "tuple[int, str]":
        """End it as Ctrl-C does; returns the exit status and what it complained of."""
        self.process.send_signal(signal.SIGINT)
        _, errors = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, errors
