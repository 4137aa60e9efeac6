"""Processes that end when their parent does, at any moment and however it ends.

The child holds the reading end of a pipe, its lifeline; the parent holds the other end and
never writes to it. When the parent ends, the kernel closes that end and kills the child: while
it starts, in a call that blocks, or stopped. Nothing polls. The child's own children end in
the same way.

As a program it runs a command that is killed when its standard input is closed:

    python3 -I lifeline.py COMMAND [ARGUMENT ...]
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import sys
from typing import TYPE_CHECKING, Any, Sequence, Tuple

if TYPE_CHECKING:
    import subprocess

SET_SIGNAL = getattr(fcntl, "F_SETSIG", 0)
"""Linux has it; elsewhere a thread watches the lifeline, until the process runs a program."""


def follow(line: int = 0) -> None:
    """Have this process killed when the other end of a pipe is closed, or is closed already."""
    if SET_SIGNAL:
        fcntl.fcntl(line, SET_SIGNAL, signal.SIGKILL)
        fcntl.fcntl(line, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(line, fcntl.F_SETFL, os.O_ASYNC)
    else:
        import threading

        threading.Thread(target=_wait, args=(line,), daemon=True).start()
    poll = select.poll()
    poll.register(line, select.POLLIN)
    if poll.poll(0):  # it was closed before the signal was set
        os._exit(1)


def _wait(line: int) -> None:
    os.read(line, 1)
    os._exit(1)


def fork() -> Tuple[int, int]:
    """Fork a child that is killed when the parent ends.

    Returns (0, the lifeline) in the child, and (its process id, the other end) in the parent,
    which closes that end once the child has ended.
    """
    line, other = os.pipe()
    try:
        child = os.fork()
    except OSError:
        os.close(line)
        os.close(other)
        raise
    os.close(line if child else other)
    if not child:
        follow(line)
    return child, other if child else line


def start(command: Sequence[str], **options: Any) -> Tuple["subprocess.Popen[Any]", int]:
    """Start a program by `subprocess.Popen`; its standard input is the lifeline.

    Returns the process and the other end; close that once the process has ended.
    """
    import subprocess  # it takes long

    line, other = os.pipe()
    try:
        return subprocess.Popen(command, stdin=line, preexec_fn=follow, **options), other
    except BaseException:
        os.close(other)
        raise
    finally:
        os.close(line)


if __name__ == "__main__":
    follow()
    os.execvp(sys.argv[1], sys.argv[1:])
