"""Several workers of one machine that share memory: forked, started again when they die, ended.

They share what the workers share that a master starts on its own machine: facts and wins by
logs, children by a store (`pns.jobs.peers`). The memory is anonymous and inherited. The
parent searches nothing and has no connection. It prints each line of its workers' standard error
once, since most of what they have to say, such as that nobody listens, is the same for all.

A worker that is killed is started again under its name, so its job is given out again at once.
A worker that ends by itself ends all: the search is over, the input is bad, or the master has
dropped the worker, and with it those that share its memory. Workers end with the parent,
however that ends (`pns.system.lifeline`). A leader of the workers (`pns.distributed.leader`) is
one more process, for which all of this holds, too.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
import traceback
from typing import Callable, Dict, List, Optional

from pns.distributed.worker import START_OVER
from pns.jobs.peers import LocalPeers
from pns.parallel.child_store import ChildStore
from pns.parallel.logs import Logs
from pns.system import lifeline
from pns.system.backoff import Backoff
from pns.system.program import STOPPED, run

POLL_SECONDS = 0.1
PAUSE_SECONDS = 1.0
"""The pause of `Backoff` after the second death in a row."""
LEAVE_SECONDS = 30.0
"""How long workers have for their last reports before they are killed."""
REPEAT_SECONDS = 60.0
"""A line that a worker prints again within this time is not printed again."""
FAILURES = (1, 2)
"""Exit statuses of a worker that failed: facts contradict each other, or the input was bad."""

Body = Callable[[int, LocalPeers], int]
"""What a worker does, given its place and its shared memory; returns its exit status."""


class WorkerGroup:
    """`count` workers, each with `rings` processes; `store_bytes` are for the children they share.

    `leader` is the body of their leader, if they have one; its place is the last one. After
    SIGTERM or Ctrl-C they hand in their jobs.
    """

    def __init__(
        self,
        count: int,
        rings: int,
        store_bytes: int,
        body: Body,
        warn: Callable[[str], None],
        leader: Optional[Callable[[], int]] = None,
    ) -> None:
        self._count, self._rings, self._store_bytes = count, rings, store_bytes
        self._leader = leader
        count += leader is not None
        self._body = body
        self._warn = warn
        self.poll: Callable[[], None] = lambda: None
        """Called every POLL_SECONDS."""
        self.pids: List[int] = count * [0]
        """The process of each worker, 0 while it has none."""
        self.starts: List[int] = count * [0]
        self._lines: Dict[int, int] = {}
        """The lifeline of each process."""
        self._started: List[float] = count * [0.0]
        self._backoff = Backoff(PAUSE_SECONDS)
        self._status = 0
        self._leave_by = float("inf")
        """When workers that are leaving are killed."""
        self._signals: List[int] = []
        self._reader, self._writer = os.pipe()
        self._text = b""
        self._printed: Dict[bytes, float] = {}
        self._share_memory()

    def _share_memory(self) -> None:
        """Memory for workers to share that nobody has written to."""
        self._store = ChildStore(self._count * self._rings, self._store_bytes)
        self._logs = Logs(self._count)

    def run(self) -> int:
        """Keep the workers running until one of them ends by itself; returns the exit status."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, _: self._signals.append(number))
        try:
            while self._leave_by == float("inf") or any(self.pids):
                self._tend()
                self._print_errors(POLL_SECONDS)
                self.poll()
        finally:
            self._kill()
            self._print_errors(0.0)
            os.close(self._reader)
            os.close(self._writer)
        return self._status

    def _tend(self) -> None:
        """Start missing workers, or help all to leave; note which have ended."""
        if self._signals:
            self._leave(0)
        if time.monotonic() >= self._leave_by:
            self._kill()
        for place, pid in enumerate(self.pids):
            if pid:
                self._reap(place, pid)
        if self._leave_by == float("inf") and self._backoff.may_start(time.monotonic()):
            for place, pid in enumerate(self.pids):
                if not pid:
                    self._start(place)

    def _start(self, place: int) -> None:
        """Fork the worker of a place."""
        sys.stdout.flush()
        try:
            pid, line = lifeline.fork()
        except OSError as error:  # a limit on processes or descriptors
            self._fail("cannot start %s: %s" % (self._name(place), error.strerror))
            return
        if not pid:
            self._work(place)
        self.pids[place], self._lines[pid] = pid, line
        self.starts[place] += 1
        self._started[place] = time.monotonic()

    def _work(self, place: int) -> None:
        """The body of a forked worker, in a session of its own; does not return."""
        status = 1
        try:
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)
            if self._signals:
                os._exit(STOPPED)
            os.setsid()  # Ctrl-C is for the parent
            for other in self._lines.values():
                os.close(other)
            os.close(self._reader)
            os.dup2(self._writer, 2)
            os.close(self._writer)
            run(lambda: self._do(place))
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 1
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)

    def _do(self, place: int) -> int:
        """The body of a worker or of the leader."""
        if self._leader and place == self._count:
            return self._leader()
        machine = LocalPeers(self._store.part(place * self._rings), self._logs, place)
        return self._body(place, machine)

    def _name(self, place: int) -> str:
        """How a message names the process of a place."""
        return "worker %d" % (place + 1) if place < self._count else "the leader"

    def _reap(self, place: int, pid: int) -> None:
        """React to the end of a worker, if it has ended."""
        ended, status = os.waitpid(pid, os.WNOHANG)
        if not ended:
            return
        self.pids[place] = 0
        os.close(self._lines.pop(pid))
        status = os.waitstatus_to_exitcode(status)
        if self._leave_by < float("inf"):
            self._status = max(self._status, status if status in FAILURES else 0)
        elif status == START_OVER:
            self._kill()
            self._share_memory()
        elif status >= 0:
            self._leave(status)
        else:
            lived = time.monotonic() - self._started[place]
            self._fail("%s was killed by signal %d" % (self._name(place), -status), lived)

    def _fail(self, why: str, lived: float = 0.0) -> None:
        """A worker was lost: wait before the next start, or give up."""
        self._warn(why)
        self._backoff.fail(time.monotonic(), lived)
        if self._backoff.gives_up:
            self._warn("giving up: too many workers died in a row")
            self._leave(1)

    def _leave(self, status: int) -> None:
        """Let all workers hand in their jobs and leave; the group will end with that status."""
        if self._leave_by == float("inf"):
            self._status = status
            self._leave_by = time.monotonic() + LEAVE_SECONDS
            for pid in filter(None, self.pids):
                os.kill(pid, signal.SIGTERM)

    def _kill(self) -> None:
        """Kill all workers."""
        for place, pid in enumerate(self.pids):
            if pid:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                os.close(self._lines.pop(pid))
                self.pids[place] = 0

    def _print_errors(self, seconds: float) -> None:
        """Wait up to `seconds` for lines of workers, and print those that are new."""
        while select.select([self._reader], [], [], seconds)[0]:
            seconds = 0.0
            *lines, self._text = (self._text + os.read(self._reader, 1 << 16)).split(b"\n")
            now = time.monotonic()
            for line in lines:
                if now - self._printed.get(line, -REPEAT_SECONDS) >= REPEAT_SECONDS:
                    print(line.decode("utf-8", "replace"), file=sys.stderr, flush=True)
                    self._printed[line] = now
            if len(self._printed) > 1000:
                self._printed.clear()
