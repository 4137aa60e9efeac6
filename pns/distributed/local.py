"""The worker processes on the master's machine: started, replaced when they die, and killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import Callable, Dict, List, Sequence, Tuple

from pns.choices import DFPN, PNS, PPN2
from pns.front.memory import default_capacity
from pns.front.options import Options
from pns.game import place_of
from pns.master import Master
from pns.system import lifeline
from pns.system.machine import family, total_memory
from pns.system.start import environment

LEAST_LIFE, MOST_FAILURES = 5.0, 5
"""Seconds: MOST_FAILURES workers in a row that live shorter end the search."""

REFUSED, REFUSAL_COUNT = 2, 2
"""The exit status of a worker that has no memory or no room to begin, and the number of failures
that it counts as, however long it lived: the next one has hardly a better chance."""

MODULE = "pns.cli.commands.worker"
WORKERS_SHARE = 0.9
"""The share of a memory limit that the workers may hold; the rest is the master's."""
WORKER_CHOICES = ("start_numbers", "order", "counting", "process_weight", "job_end")
"""The options that every worker must have as the master has them."""


class LocalWorkers:
    """The worker processes of this machine, which end with this process.

    `count` of them connect to `address`; those of a group share a database in `directory`.
    `shared` has the descriptors of their child store and their logs, or none. The master loses
    a worker at once when its process dies.
    """

    def __init__(
        self,
        master: Master,
        options: Options,
        count: int,
        address: str,
        directory: str,
        shared: Sequence[int],
        warn: Callable[[str], None],
    ) -> None:
        words = ["--quiet", "--connect", address, *worker_arguments(master, options, count)]
        self._command = [sys.executable, "-m", MODULE, *words]
        self._master = master
        self._count = count
        self._has_processes = options.processes is not None and options.processes > 1
        self._grouping = options.grouping
        self._directory = directory
        self._shared = shared
        self._warn = warn
        self._started = self._failures = 0
        self._not_before = 0.0
        self._running: Dict[str, Tuple["subprocess.Popen[bytes]", int, float, int]] = {}

    def tend(self) -> bool:
        """Start missing workers; False if they die again and again."""
        self.any_left()
        places = set(range(self._count)) - {place for *_, place in self._running.values()}
        for place in sorted(places):
            if self._failures >= MOST_FAILURES or time.monotonic() < self._not_before:
                break
            self._start(place)
        return self._failures < MOST_FAILURES

    def _start(self, place: int) -> None:
        self._started += 1
        name = "local-%d" % self._started
        # In a session of its own: Ctrl-C stops the master, which then ends its workers.
        try:
            process, line = lifeline.start(
                [*self._command, "--name", name, *self._sharing(place)],
                stdout=2,
                pass_fds=self._shared,
                start_new_session=True,
                env=environment(),
            )
        except OSError as error:  # a limit on processes or descriptors
            self._warn("cannot start a worker: %s" % error.strerror)
            self._failures += 1
            self._not_before = time.monotonic() + LEAST_LIFE
            return
        self._running[name] = process, line, time.monotonic(), place

    def _sharing(self, place: int) -> List[str]:
        """The arguments that name the group and the shared memory of a worker."""
        words: List[str] = []
        if self._grouping > 1:
            name = "group-%d" % (place // self._grouping)
            words += ["--db", os.path.join(self._directory, name)]
        if self._shared:
            words += ["--shared", ",".join(["%d" % i for i in (*self._shared, place)])]
        return words

    def start_over(self, name: str) -> None:
        """Kill all workers that share memory with one, or with "" all; `tend` starts others."""
        if self._shared and (not name or name in self._running):
            names = list(self._running)
            self.end()
            for other in names:
                self._master.lose(other, time.monotonic())

    def pids(self) -> Dict[int, str]:
        """The processes of the workers, each with the worker's name."""
        found: Dict[int, str] = {}
        for name, (process, *_) in self._running.items():
            pids = family(process.pid) if self._has_processes else [process.pid]
            found.update(dict.fromkeys(pids, name))
        return found

    def evict(self, name: str) -> None:
        """Kill a worker for its memory, which is no failure of it; `tend` replaces it."""
        process, *_ = self._running[name]
        process.kill()
        process.wait()
        self._drop(name, time.monotonic())

    def any_left(self) -> bool:
        """Whether any worker is running."""
        now = time.monotonic()
        for name, (process, _, started, _) in list(self._running.items()):
            status = process.poll()
            if status is not None:
                if status < 0:
                    self._warn("worker %s died: %s" % (name, signal.strsignal(-status)))
                if status == REFUSED:
                    self._failures += REFUSAL_COUNT
                else:
                    self._failures = self._failures + 1 if now - started < LEAST_LIFE else 0
                self._drop(name, now)
        return bool(self._running)

    def _drop(self, name: str, now: float) -> None:
        """Forget a worker whose process has ended."""
        _, line, *_ = self._running.pop(name)
        os.close(line)
        self._master.lose(name, now)

    def end(self) -> None:
        """Kill all workers that are still running."""
        for process, line, *_ in self._running.values():
            process.kill()
            process.wait()
            os.close(line)
        self._running.clear()


def worker_arguments(master: Master, options: Options, count: int) -> List[str]:
    """The command-line arguments of each worker of this machine about its search."""
    limit = options.max_memory
    memory = total_memory() // 2 if limit is None else int(WORKERS_SHARE * limit)
    figures = {
        "--capacity": options.capacity or default_capacity(),
        "--seed": options.seed,
        "--memory": memory // max(count, 1),
    }
    search = PNS if options.algorithm == PPN2 else DFPN
    words = ["--game", place_of(master.game.name), "--search", search]
    for name, value in figures.items():
        words += [name, "%d" % value]
    if options.processes is not None:
        words += ["--processes", "%d" % options.processes]
    if options.epsilon is not None:
        words += ["--epsilon", repr(options.epsilon)]
    if options.batch is not None:
        words += ["--batch", "%d" % options.batch]
    for name in WORKER_CHOICES:
        words += ["--" + name.replace("_", "-"), str(getattr(options, name))]
    return words + (["--no-prior"] if options.prior is not None else [])
