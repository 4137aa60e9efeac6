"""A master and workers as processes of their own, which tests start, hurt and kill."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Sequence

from helpers.paths import ROOT

PATIENCE = 120.0
"""Seconds after which something that must happen is taken not to happen."""


def program(name: str, *arguments: object) -> List[str]:
    return [sys.executable, str(ROOT / "scripts" / name), *map(str, arguments)]


def wait_until(happened: Callable[[], Any], what: str) -> Any:
    """What `happened` returns, once that is true."""
    limit = time.monotonic() + PATIENCE
    while time.monotonic() < limit:
        found = happened()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError("it took too long: " + what)


class LiveMaster:
    """solve.py --algorithm pns-pdfpn that listens, its output in files below a directory.

    `before` goes before the command, as the command that enters a network namespace.
    """

    def __init__(
        self,
        place: Path,
        position: str,
        *arguments: object,
        listen: str = "127.0.0.1:0",
        before: Sequence[str] = (),
    ) -> None:
        self.out, self.errors = place / "master.out", place / "master.err"
        words = ("--algorithm", "pns-pdfpn", "--workers", 0, "--listen", listen, "--json")
        command = [*before, *program("solve.py", position, *words, *arguments)]
        with open(self.out, "wb") as out, open(self.errors, "wb") as errors:
            self.process = subprocess.Popen(command, stdout=out, stderr=errors)
        self.address = wait_until(self._listening, "the master listens")

    def _listening(self) -> str:
        for line in self.said().splitlines(keepends=True):
            if line.startswith("solve.py: listening at ") and line.endswith("\n"):
                return line.split()[-1]
        assert self.process.poll() is None, self.said()
        return ""

    def said(self) -> str:
        """What it has written to standard error."""
        return self.errors.read_text()

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    def memory(self) -> int:
        """Bytes that it holds now."""
        with open("/proc/%d/statm" % self.process.pid) as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def result(self) -> Dict[str, Any]:
        """What it found, when it has ended well."""
        self.process.wait(PATIENCE)
        assert self.process.returncode == 0, self.said()
        result = json.loads(self.out.read_text())
        assert isinstance(result, dict)
        return result

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


class LiveWorkers:
    """Worker processes for a master; all are killed when the block ends.

    `before` goes before the command of those that are started next.
    """

    def __init__(self, *arguments: object, before: Sequence[str] = ()) -> None:
        self.before = before
        self._command = program("worker.py", "--capacity", 100_000, *arguments)
        self.running: "List[subprocess.Popen[bytes]]" = []
        self._leaving: "List[subprocess.Popen[bytes]]" = []
        self.started = self.killed = 0

    def start(self, *arguments: object) -> "subprocess.Popen[bytes]":
        command = [*self.before, *self._command, *map(str, arguments)]
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        self.running.append(child)
        self.started += 1
        return child

    def kill(self, child: "subprocess.Popen[bytes]") -> None:
        """Kill one."""
        self.running.remove(child)
        self.killed += 1
        child.kill()
        child.communicate()

    def let_go(self, child: "subprocess.Popen[bytes]") -> None:
        """Let one hand in what it has."""
        self.running.remove(child)
        self._leaving.append(child)
        child.terminate()

    def bury(self) -> List[str]:
        """Forget those that ended; what went wrong with them.

        One that is told to go before it can take that in ends with 130 or by the signal.
        """
        said: List[str] = []
        for place in (self.running, self._leaving):
            for child in [child for child in place if child.poll() is not None]:
                place.remove(child)
                errors = child.communicate()[1].decode()
                if child.returncode not in (0, 130, -15) or "Traceback" in errors:
                    said.append("exit status %d: %s" % (child.returncode, errors))
        return said

    def __enter__(self) -> "LiveWorkers":
        return self

    def __exit__(self, *_: object) -> None:
        for child in self.running + self._leaving:
            child.kill()
            child.communicate()


def audit(database: Path, claim: str) -> None:
    """Every entry of a database holds, and a claim follows."""
    command = program("audit.py", database, "--claim", claim, "--quiet", "--processes", 1)
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done
