"""A master and workers as programs that tests start, disturb and kill."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Sequence, Tuple

from helpers.paths import ROOT
from helpers.tools import call

PATIENCE = 120.0
"""Seconds to wait for something that must happen."""


def program(name: str, *arguments: object) -> List[str]:
    return [sys.executable, str(ROOT / "scripts" / name), *map(str, arguments)]


def wait_until(happened: Callable[[], Any], what: str) -> Any:
    """Wait until `happened` returns a true value; returns it."""
    limit = time.monotonic() + PATIENCE
    while time.monotonic() < limit:
        found = happened()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError("not within %d s: %s" % (PATIENCE, what))


def errors_of(child: Any, seconds: float) -> str:
    """The standard error of a process that ends within some seconds."""
    text = child.communicate(timeout=seconds)[1]
    return str(text.decode())


def make_keys(directory: Path) -> Tuple[Path, Path]:
    """The keys of a master and of its workers, by the program."""
    assert call("worker.py", "keygen", directory).status == 0
    return directory / "master.key", directory / "worker.key"


class LiveMaster:
    """A running solve.py --algorithm pns-pdfpn that listens; its output goes to files in `place`.

    `before` is put before the command, such as the command that enters a network namespace.
    """

    def __init__(
        self,
        place: Path,
        position: str,
        *arguments: object,
        listen: str = "127.0.0.1:0",
        before: Sequence[str] = (),
    ) -> None:
        self._out, self._errors = place / "master.out", place / "master.err"
        words = ("--algorithm", "pns-pdfpn", "--workers", 0, "--listen", listen, "--json")
        command = [*before, *program("solve.py", "--no-known", position, *words, *arguments)]
        with open(self._out, "wb") as out, open(self._errors, "wb") as errors:
            self.process = subprocess.Popen(command, stdout=out, stderr=errors)
        self.address = wait_until(self._listening, "the master listens")

    def _listening(self) -> str:
        for line in self.errors().splitlines(keepends=True):
            if line.startswith("solve.py: listening at ") and line.endswith("\n"):
                return line.split()[-1]
        assert self.process.poll() is None, self.errors()
        return ""

    def errors(self) -> str:
        """Its standard error so far."""
        return self._errors.read_text()

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    def memory(self) -> int:
        """Its resident memory in bytes."""
        with open("/proc/%d/statm" % self.process.pid) as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def result(self) -> Dict[str, Any]:
        """Wait for its end with status 0; the object that --json printed."""
        self.process.wait(PATIENCE)
        assert self.process.returncode == 0, self.errors()
        result = json.loads(self._out.read_text())
        assert isinstance(result, dict)
        return result

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


class LiveWorkers:
    """Worker processes for a master; all are killed at the end of the `with` block.

    `before` is put before the command of workers that are started from then on.
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
        """Kill a worker."""
        self.running.remove(child)
        self.killed += 1
        child.kill()
        child.communicate()

    def terminate(self, child: "subprocess.Popen[bytes]") -> None:
        """Send SIGTERM to a worker, which then hands in its job."""
        self.running.remove(child)
        self._leaving.append(child)
        child.terminate()

    def reap(self) -> List[str]:
        """Remove workers that have ended; a text for each that failed.

        A worker that gets SIGTERM during its start ends with 130 or by the signal.
        """
        faults: List[str] = []
        for place in (self.running, self._leaving):
            for child in [child for child in place if child.poll() is not None]:
                place.remove(child)
                errors = child.communicate()[1].decode()
                if child.returncode not in (0, 130, -15) or "Traceback" in errors:
                    faults.append("exit status %d: %s" % (child.returncode, errors))
        return faults

    def __enter__(self) -> "LiveWorkers":
        return self

    def __exit__(self, *_: object) -> None:
        for child in self.running + self._leaving:
            child.kill()
            child.communicate()


def audit(database: Path, claim: str) -> None:
    """Check that every entry of a database holds and that a claim follows."""
    done = call("audit.py", database, "--claim", claim, "--quiet", "--processes", 1)
    assert done.status == 0, done
