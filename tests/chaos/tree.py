"""The descendants of a process: their roles, their shared memory, and their end."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from pathlib import Path
from typing import Callable, List, Set

PR_SET_CHILD_SUBREAPER = 36


def become_reaper() -> None:
    """Make this process the parent of all orphans among its descendants."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children(pid: int) -> List[int]:
    """The children of all threads of a process."""
    found: List[int] = []
    try:
        for task in Path("/proc/%d/task" % pid).iterdir():
            found += [int(word) for word in (task / "children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        pass
    return found


def descendants(pid: int) -> List[int]:
    """All processes below one, parents first."""
    found = children(pid)
    for child in found:  # the list grows meanwhile
        found += children(child)
    return found


def command_line(pid: int) -> List[str]:
    """The command line of a process, [] if it has ended."""
    try:
        data = Path("/proc/%d/cmdline" % pid).read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return []
    return data.decode("utf-8", "replace").split("\0")[:-1]


def parent_of(pid: int) -> int:
    """The parent of a process, 0 if it has ended."""
    try:
        return int(Path("/proc/%d/stat" % pid).read_text().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0


def role(pid: int) -> str:
    """The role of a process, such as "pdfpn parent", "process in worker" or "grundy"."""
    words = command_line(pid)
    scripts = [os.path.basename(word)[:-3] for word in words[:4] if word.endswith(".py")]
    if not scripts or scripts[0] == "stress":
        return "process that starts"
    name = scripts[0]
    forked = command_line(parent_of(pid)) == words
    if name == "solve":
        given = "--algorithm" in words
        algorithm = words[words.index("--algorithm") + 1] if given else "dfpn"
        if algorithm == "pns-pdfpn":
            return "master"
        return algorithm + (" process" if forked else " parent")
    if name == "worker":
        return "process in worker" if forked else "worker"
    if name == "audit":
        return "audit process" if forked else "audit"
    return name


def named_memory(pid: int) -> Set[str]:
    """The segments of shared memory of a process that still have a name."""
    try:
        lines = Path("/proc/%d/maps" % pid).read_text(errors="replace").splitlines()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return set()
    return {
        line.split(None, 5)[-1]
        for line in lines
        if ("/dev/shm/" in line or "/SYSV" in line) and not line.endswith("(deleted)")
    }


def kill(pid: int, number: int = signal.SIGKILL) -> bool:
    """Send a signal; whether the process exists."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


def reap() -> None:
    """Reap the children of this process that have ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def kill_all(parent: int) -> None:
    """Kill all descendants of a process, and those that they start meanwhile."""
    for _ in range(50):
        found = [pid for pid in descendants(parent) if kill(pid)]
        if parent == os.getpid():
            reap()
        if not found:
            return
        time.sleep(0.02)


def wait_until(happened: Callable[[], bool], seconds: float, pause: float = 0.02) -> bool:
    """Wait until `happened` is true; whether that was within a time."""
    limit = time.monotonic() + seconds
    while not happened():
        if time.monotonic() >= limit:
            return False
        time.sleep(pause)
    return True
