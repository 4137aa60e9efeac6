"""One run of the chaos suite: its random numbers, directory, counters and failures."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from helpers.paths import CERTIFICATES, ROOT

from chaos import tree

PROGRAM_SECONDS = 300.0
"""A program that takes longer is taken to hang; on a free core it takes seconds."""
ORPHAN_SECONDS = 60.0
"""Upper bound on the life of a process whose parent was killed."""
SORTS = ("lost", "wrong", "leftover", "hang", "traceback", "crash", "status", "message", "broken")
"""The sorts of failures; "broken" is an exception of the suite itself."""
TRACEBACK = re.compile("traceback|exception ignored|fatal python|fatal rpython|segmentation", re.I)
CRASHES = (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE)


class Program:
    """A program of the project started by a run; its output goes to files."""

    def __init__(
        self,
        run: "Run",
        words: Sequence[str],
        environment: Mapping[str, str],
        prepare: Optional[Callable[[], None]],
    ) -> None:
        self.run = run
        self.words = words
        self.signalled = False
        """Whether the run has killed it, or sent it a signal that may end it."""
        stem = run.place / ("%03d-%s" % (run.counts["programs"], Path(words[1]).stem))
        run.counts["programs"] += 1
        self._out, self._err = stem.with_suffix(".out"), stem.with_suffix(".err")
        stem.with_suffix(".cmd").write_text(" ".join(words) + "\n")
        with open(self._out, "wb") as out, open(self._err, "wb") as err:
            self.process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=dict(environment),
                cwd=str(run.work),
                preexec_fn=prepare,
                start_new_session=True,
            )
        self.pid = self.process.pid

    @property
    def name(self) -> str:
        return "%s (%s)" % (self._out.stem, " ".join(self.words[2:])[:120])

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    def output(self) -> str:
        return self._out.read_text(errors="replace")

    def errors(self) -> str:
        return self._err.read_text(errors="replace")

    def processes(self) -> List[int]:
        """The ids of the program and its descendants."""
        return [self.pid, *tree.descendants(self.pid)]

    def send(self, number: int) -> None:
        """Send it a signal."""
        self.signalled = True
        if self.is_running:
            self.process.send_signal(number)

    def wait(self, seconds: float = PROGRAM_SECONDS) -> int:
        """Wait for its exit status; a hang, a crash or a traceback is a failure."""
        status = self.wait_quietly(seconds)
        self.check(status)
        return status

    def wait_quietly(self, seconds: float) -> int:
        """Wait for its exit status; a hang is a failure."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.run.fail("hang", "%s: %.0f s" % (self.name, seconds))
            for pid in self.processes():
                tree.kill(pid)
            self.signalled = True
            return self.process.wait()

    def check(self, status: int) -> None:
        """Note a crash or a traceback as a failure."""
        errors, run = self.errors(), self.run
        if TRACEBACK.search(errors):
            run.fail("traceback", "%s: %s" % (self.name, _excerpt(errors)))
        if -status in CRASHES:
            run.fail("crash", "%s: signal %d: %s" % (self.name, -status, _excerpt(errors)))
        elif status < 0 and not self.signalled:
            run.fail("crash", "%s: killed by signal %d" % (self.name, -status))

    def expect(self, *statuses: int, seconds: float = PROGRAM_SECONDS) -> int:
        """Wait for its exit status; another than these is a failure."""
        status = self.wait(seconds)
        if status not in statuses and -status not in CRASHES:
            text = "%s: exit status %d: %s" % (self.name, status, _excerpt(self.errors()))
            self.run.fail("status", text)
        return status

    def result(self) -> Dict[str, Any]:
        """Wait for its end with status 0; the object that --json printed, {} on a failure."""
        if self.expect(0):
            return {}
        try:
            found = json.loads(self.output())
        except ValueError:
            found = None
        if not isinstance(found, dict):
            self.run.fail("wrong", "%s: no JSON: %s" % (self.name, _excerpt(self.output())))
            return {}
        return found


class Run:
    """A run of a kind; the seed determines everything but the timing.

    `place` is the directory of the run, `work` that of its programs, `temporary` their TMPDIR.
    `scale` multiplies the volume of the run.
    """

    def __init__(self, kind: str, seed: int, place: Path, scale: float = 1.0) -> None:
        self.kind, self.seed, self.scale = kind, seed, scale
        self.rng = Random("%s:%d" % (kind, seed))
        self.counts: "Counter[str]" = Counter()
        self.failures: List[Tuple[str, str]] = []
        self.place, self.work, self.temporary = place, place / "work", place / "tmp"
        for directory in (place, self.work, self.temporary):
            directory.mkdir(exist_ok=True)
        self.memory: "set[str]" = set()
        """Named segments of shared memory seen in processes of the run."""
        self.environment = dict(os.environ, TMPDIR=str(self.temporary), XDG_DATA_HOME=str(place))
        self.environment.pop("PYPY_GC_NURSERY", None)

    def fail(self, sort: str, text: str) -> None:
        """Note a failure."""
        assert sort in SORTS, sort
        self.failures.append((sort, text))

    def amount(self, volume: int) -> int:
        """A volume multiplied by the scale, at least 1."""
        return max(1, round(volume * self.scale))

    def start(
        self,
        script: str,
        *words: object,
        prepare: Optional[Callable[[], None]] = None,
        environment: Optional[Mapping[str, str]] = None,
    ) -> Program:
        """Start a program of scripts/; `prepare` is called in its process beforehand."""
        if script == "solve.py":  # which is to search
            words = ("--no-known", *words)
        command = [sys.executable, str(ROOT / "scripts" / script), *map(str, words)]
        return Program(self, command, {**self.environment, **(environment or {})}, prepare)

    def note_memory(self, pids: Sequence[int]) -> None:
        """Note the named segments of shared memory of processes."""
        for pid in pids:
            self.memory |= tree.named_memory(pid)

    def wait_for_orphans(self) -> None:
        """Wait until this process has no descendants; those that stay are a failure."""

        def is_alone() -> bool:
            tree.reap()
            return not tree.children(os.getpid())

        if not tree.wait_until(is_alone, ORPHAN_SECONDS, 0.05):
            left = tree.descendants(os.getpid())
            roles = Counter([tree.role(pid) for pid in left])
            self.fail("leftover", "processes: %s" % dict(roles))
            tree.kill_all(os.getpid())

    def check_leftovers(self) -> None:
        """Check that no process, file in TMPDIR or named shared memory is left."""
        self.wait_for_orphans()
        if list(self.temporary.iterdir()):  # the next program removes what killed ones left
            self.start("audit.py", CERTIFICATES / "sprouts-2.cert.gz").wait()
        left = sorted([str(path.relative_to(self.temporary)) for path in self.temporary.iterdir()])
        if left:
            self.fail("leftover", "in TMPDIR: %s" % ", ".join(left))
        if self.memory:
            self.fail("leftover", "named shared memory: %s" % ", ".join(sorted(self.memory)))

    def clear(self) -> None:
        """Remove the directory of the run."""
        shutil.rmtree(str(self.place), ignore_errors=True)


def file_limit(size: int) -> Callable[[], None]:
    """A `prepare` that limits the size of written files in bytes; larger writes fail."""

    def prepare() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return prepare


def limit_of(which: int, most: int) -> Callable[[], None]:
    """A `prepare` that limits a resource."""
    return lambda: resource.setrlimit(which, (most, most))


def lines_of(text: str) -> List[str]:
    return [line for line in text.splitlines() if line.strip()]


def _excerpt(text: str) -> str:
    """The last lines of a text, joined to one."""
    return " / ".join(lines_of(text)[-4:])[-400:]
