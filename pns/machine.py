"""What the machine has, what this process uses of it, and how PyPy compiles it."""

from __future__ import annotations

import os
import resource
import sys
from typing import Iterator, List

try:
    import psutil
except Exception:  # optional, and a build for another interpreter may raise anything
    psutil = None


CGROUPS = "/sys/fs/cgroup"


def total_memory() -> int:
    """Bytes of memory of the machine, or of the container or batch job in which we are."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min([machine, *_limits_of_linux()])


def _limits_of_linux(own: str = "/proc/self/cgroup", root: str = CGROUPS) -> Iterator[int]:
    """The limits of memory, in bytes, of our control groups (cgroups, versions 1 and 2)."""
    try:
        with open(own, encoding="ascii", errors="replace") as file:
            groups = [line.rstrip("\n").split(":", 2) for line in file if line.count(":") > 1]
    except OSError:
        return
    for number, controllers, path in groups:
        if number == "0":
            base, name = root, "memory.max"
        elif "memory" in controllers.split(","):
            base, name = os.path.join(root, "memory"), "memory.limit_in_bytes"
        else:
            continue
        names = [part for part in path.split("/") if part]
        for depth in range(len(names) + 1):
            try:
                with open(os.path.join(base, *names[:depth], name), "rb") as limit:
                    yield int(limit.read())
            except (OSError, ValueError):  # another's namespace, or "max"
                pass


def shared_memory(*names: str) -> List[int]:
    """Descriptors of memory that programs share, for each name; none where there is no such memory.

    It takes no room of a file system, so that whoever writes to it cannot find that full.
    """
    return [os.memfd_create(name) for name in names] if hasattr(os, "memfd_create") else []


def used_memory() -> int:
    """Bytes of memory that the process holds now; where only the peak is known, the peak."""
    if psutil is not None:
        return int(psutil.Process().memory_info().rss)
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return peak_memory()


def memory_of(pid: int) -> int:
    """Bytes of memory that a process holds, with its part of what it shares with others.

    0 when it has ended. Where the system does not tell (Linux does): as much as this one.
    """
    try:
        with open("/proc/%d/smaps_rollup" % pid, "rb") as file:
            return sum([int(line.split()[1]) << 10 for line in file if line.startswith(b"Pss:")])
    except ProcessLookupError:
        return 0
    except OSError:
        return used_memory()


def physical_cores() -> int:
    """Cores that this process may use, two threads of one counted once where that is known."""
    try:
        usable = len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS
        usable = os.cpu_count() or 1
    try:
        cores = psutil.cpu_count(logical=False) if psutil is not None else None
    except Exception:  # as above
        cores = None
    return min(usable, cores or _cores_of_linux() or usable)


def _cores_of_linux() -> int:
    """Distinct cores in /proc/cpuinfo, 0 where it does not tell."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return 0
    values = [line.partition(":")[2] for line in lines if line.startswith("physical id")]
    ids = [line.partition(":")[2] for line in lines if line.startswith("core id")]
    return len(set(zip(values, ids)))


def peak_memory() -> int:
    """Bytes of memory that the process held at most."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


JIT_PARAMETERS = (
    "trace_limit=700,threshold=400,function_threshold=500,trace_eagerness=50,"
    "enable_opts=intbounds:rewrite:virtualize:string:pure:earlyforce:heap"
)
"""PyPy's compiler for this kind of program, measured in docs/lab/search-guidance.md.

Most time goes into short calls on bytes, so long traces and unrolled loops cost
more to compile than they save.
"""


def tune_jit() -> None:
    """Set the parameters of PyPy's compiler for this process and those it forks."""
    if sys.implementation.name == "pypy":
        import pypyjit

        pypyjit.set_param(JIT_PARAMETERS)
