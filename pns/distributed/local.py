"""The worker processes on the master's machine: started, replaced when they die, and killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import Callable, Dict, Sequence, Tuple

from pns.finding import place_of
from pns.front.memory import default_capacity
from pns.front.options import Options
from pns.jobs.setup import WorkerPlace, WorkerSetup, to_text
from pns.master import Master
from pns.system import lifeline
from pns.system.backoff import MOST_FAILURES, Backoff
from pns.system.machine import family, total_memory
from pns.system.start import environment

RETRY_SECONDS = 5.0
"""The pause after a worker could not be started."""
REFUSED, REFUSAL_COUNT = 2, 2
"""The exit status of a worker that has no memory or no room to begin, and the number of failures
that it counts as, however long it lived: the next one has hardly a better chance."""

MODULE = "pns.distributed.worker"
"""The program of a worker."""
WORKERS_SHARE = 0.9
"""The share of a memory limit that the workers may hold; the rest is the master's."""


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
        self._setup = setup_of(master, options, count)
        self._address = address
        self._master = master
        self._count = count
        self._has_processes = options.processes is not None and options.processes > 1
        self._grouping = options.grouping
        self._directory = directory
        self._shared = shared
        self._warn = warn
        self._started = 0
        self._backoff = Backoff(most=MOST_FAILURES)
        self._running: Dict[str, Tuple["subprocess.Popen[bytes]", int, float, int]] = {}

    def tend(self) -> bool:
        """Start missing workers; False if they die again and again."""
        self.any_left()
        places = set(range(self._count)) - {place for *_, place in self._running.values()}
        for place in sorted(places):
            if not self._backoff.may_start(time.monotonic()):
                break
            self._start(place)
        return not self._backoff.gives_up

    def _start(self, place: int) -> None:
        self._started += 1
        name = "local-%d" % self._started
        # In a session of its own: Ctrl-C stops the master, which then ends its workers.
        try:
            process, line = lifeline.start(
                [sys.executable, "-m", MODULE, to_text(self._setup, self._place(name, place))],
                stdout=2,
                pass_fds=self._shared,
                start_new_session=True,
                env=environment(),
            )
        except OSError as error:  # a limit on processes or descriptors
            self._warn("cannot start a worker: %s" % error.strerror)
            self._backoff.fail(time.monotonic(), at_least=RETRY_SECONDS)
            return
        self._running[name] = process, line, time.monotonic(), place

    def _place(self, name: str, index: int) -> WorkerPlace:
        """Where a worker works, and with whom."""
        database = None
        if self._grouping > 1:
            database = os.path.join(self._directory, "group-%d" % (index // self._grouping))
        memory = (self._shared[0], self._shared[1], index) if self._shared else None
        return WorkerPlace(self._address, name, database=database, memory=memory)

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
        """Kill a worker for its memory, which does not count as a failure; `tend` replaces it."""
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
                    self._backoff.fail(now, weight=REFUSAL_COUNT)
                else:
                    self._backoff.fail(now, now - started)
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


def setup_of(master: Master, options: Options, count: int) -> WorkerSetup:
    """How each of `count` workers of this machine is set up."""
    limit = options.max_memory
    memory = total_memory() // 2 if limit is None else int(WORKERS_SHARE * limit)
    return WorkerSetup(
        place_of(master.game.name),
        options.capacity or default_capacity(),
        options.seed,
        options.processes or 1,
        memory // max(count, 1),
        options.worker_policy(master.game.name),
        options.order,
        options.start_numbers,
        options.prior is None,
    )
