"""Processes that end when their parent does: at any moment, and however it ends.

The child holds the reading end of a pipe, its lifeline; the parent holds the other end and
never writes. The kernel closes that end with the parent, and then kills the child wherever it
is: in its start, in a call that blocks, or stopped. Nobody polls. A child's own children go
the same way.

As a program it runs a command that ends when its standard input does:

    python3 -I lifeline.py COMMAND [ARGUMENT ...]
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import subprocess
import sys
import threading
from typing import Any, Sequence, Tuple

SET_SIGNAL = getattr(fcntl, "F_SETSIG", 0)
"""Of Linux; elsewhere a thread looks after the lifeline, until the process runs a program."""


def follow(line: int = 0) -> None:
    """Have this process killed when the other end of a pipe is closed, or if it is already."""
    if SET_SIGNAL:
        fcntl.fcntl(line, SET_SIGNAL, signal.SIGKILL)
        fcntl.fcntl(line, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(line, fcntl.F_SETFL, os.O_ASYNC)
    else:
        threading.Thread(target=_wait, args=(line,), daemon=True).start()
    look = select.poll()
    look.register(line, select.POLLIN)
    if look.poll(0):  # it was closed before that
        os._exit(1)


def _wait(line: int) -> None:
    os.read(line, 1)
    os._exit(1)


def fork() -> Tuple[int, int]:
    """Fork; the child is killed when the parent ends.

    The child gets (0, its lifeline), the parent the process and the other end, to be closed
    when that process has ended.
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

    The process, and the other end, to be closed when that has ended.
    """
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
