"""Forked processes that do tasks one after the other: audits, and passes over slices."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple, cast

from pns.parallel.processes import ProcessesDied
from pns.system import lifeline

SIGNALS = (signal.SIGINT, signal.SIGTERM)
OBSERVE_SECONDS = 0.25


class TaskPool:
    """Processes forked here; each answers tasks by `work`, one at a time.

    With one process `work` is called in this one. Tasks and answers are pickled; what is large
    is better left in shared memory that was reserved before.
    """

    def __init__(self, processes: int, work: Callable[[Any], Any]) -> None:
        self._work = work
        self.processes: List[Tuple[int, int]] = []
        """(process id, lifeline) of each."""
        self._connections: List["Connection[Any, Any]"] = []
        # Signals are blocked until a process has set its own handlers.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            for _ in range(processes if processes > 1 else 0):
                self._start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _start(self) -> None:
        ours, theirs = Pipe()
        process, line = lifeline.fork()
        if not process:
            try:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
                signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
                while True:
                    theirs.send(self._answer(theirs.recv()))
            except BaseException:
                traceback.print_exc()
                sys.stderr.flush()
            finally:
                os._exit(1)
        self.processes.append((process, line))
        theirs.close()
        self._connections.append(ours)

    def _answer(self, task: Any) -> Any:
        """What a process sends: the answer, or what `work` raises for its caller to raise."""
        try:
            return self._work(task)
        except (OSError, ValueError) as error:
            return error

    def run(
        self, tasks: Iterable[Any], observe: Optional[Callable[[], None]] = None
    ) -> Iterator[Any]:
        """The answers to all tasks, in their order.

        `observe` is called several times a second while processes work, and may raise. Raises
        ProcessesDied, and what `work` raises of OSError and ValueError.
        """
        if not self._connections:
            yield from map(self._work, tasks)
            return
        left = enumerate(tasks)
        given: Dict["Connection[Any, Any]", int] = {}
        done: Dict[int, Any] = {}
        idle = list(self._connections)
        due = 0
        while True:
            try:
                for number, task in left if idle else ():
                    connection = idle.pop()
                    connection.send(task)
                    given[connection] = number
                    if not idle:
                        break
                if not given:
                    return
                ready_now = wait(list(given), OBSERVE_SECONDS if observe else None)
                if observe:
                    observe()
                for ready in ready_now:
                    connection = cast("Connection[Any, Any]", ready)
                    done[given.pop(connection)] = connection.recv()
                    idle.append(connection)
            except (EOFError, OSError):
                raise ProcessesDied("a process was ended from outside") from None
            while due in done:
                answer = done.pop(due)
                if isinstance(answer, Exception):
                    raise answer
                yield answer
                due += 1

    def __enter__(self) -> "TaskPool":
        return self

    def __exit__(self, *exception: object) -> None:
        for process, _ in self.processes:
            os.kill(process, signal.SIGKILL)
        for process, line in self.processes:
            os.waitpid(process, 0)
            os.close(line)
