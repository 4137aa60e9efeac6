"""Memory, cores and descriptors: what this process has and may use."""

from __future__ import annotations

import gc
import mmap
import os
import sys
from errno import ENOMEM
from glob import glob
from typing import Any, Iterator, List, NamedTuple, Optional

from pns.system.platform import machine_memory, memory_limits, peak_memory
from pns.system.views import buffer_of

try:
    import psutil
except Exception:  # optional, and a build for another interpreter may raise anything
    psutil = None


CGROUPS = "/sys/fs/cgroup"
PROGRAM_BYTES = 40_000_000
"""Address space that a program needs for code and small objects, beside what it reserves."""
BYTES_PER_CALL, CALL_PART = 1311, 8
"""What PyPy reserves for each nested call; all together may take 1 / CALL_PART of what is left."""
LAST_BYTES = 16_000_000
"""Address space that a program needs to end cleanly."""
ADDRESS_SPACE = "ulimit -v"
WIPED_BYTES = 1 << 20
"""Bytes that are set to zero at a time."""


class NoMemory(MemoryError):
    """Memory is short; the message names its purpose, the bytes, what is left and a remedy."""


class Limit(NamedTuple):
    """A limit on the memory of one process: its name in the shell, its bytes, and bytes left."""

    name: str
    bytes: int
    left: int


def total_memory() -> int:
    """Bytes of memory that this process may hold.

    That is the machine's memory, or what a container, a batch job or a limit of the shell
    leaves of it.
    """
    ours = [used_memory() + limit.left for limit in process_limits()]
    return min([machine_memory(), *control_group_limits(), *ours])


def process_limits() -> List[Limit]:
    """The limits that `ulimit -v` and `ulimit -d` set, the one that leaves least first."""
    columns = {"v": 0, "d": 5}
    limits = [
        Limit("ulimit -" + letter, most, max(0, most - _pages(columns[letter])))
        for letter, most in memory_limits().items()
    ]
    return sorted(limits, key=lambda limit: limit.left)


def _pages(column: int, pid: str = "self") -> int:
    """Bytes in a column of /proc/PID/statm, 0 where there is no such file."""
    try:
        with open("/proc/%s/statm" % pid, "rb") as file:
            return int(file.read().split()[column]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def reservable() -> int:
    """Bytes of address space that this process can reserve beside PROGRAM_BYTES."""
    left = [limit.left for limit in process_limits() if limit.name == ADDRESS_SPACE]
    return max(0, left[0] - PROGRAM_BYTES) if left else sys.maxsize


def spare_memory() -> int:
    """Bytes that limits of the shell leave to this process beside PROGRAM_BYTES."""
    limits = process_limits()
    return max(0, limits[0].left - PROGRAM_BYTES) if limits else sys.maxsize


def recursion_limit(wanted: int) -> int:
    """The recursion limit to set: at least the present one, and `wanted` if memory allows it.

    PyPy reserves address space for calls as soon as the limit is set.
    """
    return max(sys.getrecursionlimit(), min(wanted, reservable() // CALL_PART // BYTES_PER_CALL))


def is_short() -> bool:
    """Whether limits of the shell leave this process only what it needs to end cleanly."""
    limits = process_limits()
    return bool(limits) and limits[0].left < LAST_BYTES


def reserve(size: int, what: str, less: str, file: int = -1) -> mmap.mmap:
    """Zeroed memory that forked processes share; the system provides pages as they are used.

    It is anonymous, so that nothing of it outlives the processes, or that of a descriptor.
    Raises NoMemory, which names `what` the memory is for and what takes `less`.
    """
    require(size, what, less)
    try:
        return mmap.mmap(file, size)
    except OSError as error:
        if error.errno != ENOMEM:
            raise
        raise NoMemory(_refusal(size, what, less)) from error


def wipe(memory: mmap.mmap, used: Optional[int] = None) -> None:
    """Set shared memory to zero for all processes; where the system can, it has its pages back.

    Only the first `used` bytes were written, by default all of them may have been.
    """
    try:
        memory.madvise(mmap.MADV_REMOVE)
    except (AttributeError, OSError):  # not Linux, or a kernel without it
        most = len(memory) if used is None else min(used, len(memory))
        for start in range(0, most, WIPED_BYTES):
            end = min(start + WIPED_BYTES, most)
            memory[start:end] = bytes(end - start)


def private_bytes(size: int) -> Any:
    """Zeroed memory as a sequence of bytes whose slices are bytes; forked processes copy it.

    It is outside the heap of Python, and the system has it back at once. Raises MemoryError.
    """
    try:
        memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:
        raise MemoryError("no memory for %s" % _megabytes(size)) from error
    return buffer_of(memory)


def require(size: int, what: str, less: str) -> None:
    """Raise NoMemory, as `reserve` does, unless `size` bytes of address space are left."""
    if size > reservable():
        gc.collect()  # only then does PyPy unmap unused memory
    if size > reservable():
        raise NoMemory(_refusal(size, what, less))


def _refusal(size: int, what: str, less: str) -> str:
    asked = "%s asked for" % _megabytes(size)
    if process_limits():
        asked += " beside %s for the program" % _megabytes(PROGRAM_BYTES)
    return "no memory for %s: %s, %s; %s takes less" % (what, asked, explain_limit(), less)


def explain_shortage() -> str:
    """A message for memory that ran out: bytes in use, and what a limit leaves."""
    return "memory ran out: %s in use, %s" % (_megabytes(used_memory()), explain_limit())


def explain_limit() -> str:
    """The limit that leaves this process the least memory, and what it leaves."""
    for limit in process_limits():
        left, most = _megabytes(limit.left), _megabytes(limit.bytes)
        return "%s left of the %s that %s allows" % (left, most, limit.name)
    return "and the system gives no more"


def _megabytes(size: int) -> str:
    return "%.1f MB" % (size / 1e6) if size < 10_000_000 else "%d MB" % (size // 1_000_000)


def control_group_limits(own: str = "/proc/self/cgroup", root: str = CGROUPS) -> Iterator[int]:
    """The memory limits, in bytes, of this process's control groups (versions 1 and 2)."""
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
            except (OSError, ValueError):  # not in this namespace, or "max"
                pass


def shared_memory(*names: str) -> List[int]:
    """Descriptors of memory that programs can share, one for each name; none without memfd.

    It takes no room in a file system, so that a full disk does not matter.
    """
    return [os.memfd_create(name) for name in names] if hasattr(os, "memfd_create") else []


def used_memory() -> int:
    """Bytes of memory that this process holds; where only the peak is known, the peak."""
    if psutil is not None:
        return int(psutil.Process().memory_info().rss)
    return _pages(1) or peak_memory()


def memory_of(pid: int) -> int:
    """Bytes of memory that a process holds, with its share of memory shared with others.

    0 if it has ended. Where the system does not show it (other than Linux), the bytes that
    this process holds.
    """
    try:
        with open("/proc/%d/smaps_rollup" % pid, "rb") as file:
            return sum([int(line.split()[1]) << 10 for line in file if line.startswith(b"Pss:")])
    except ProcessLookupError:
        return 0
    except OSError:
        return 0 if os.path.exists("/proc/self/smaps_rollup") else used_memory()


def resident_memory_of(pid: int) -> int:
    """Bytes that a process has in memory, those shared with others included.

    It costs nothing. 0 if the process has ended or the system does not show it.
    """
    return _pages(1, "%d" % pid)


def family(pid: int) -> List[int]:
    """A process and all processes that it started, as far as the system shows them."""
    found = [pid]
    for parent in found:  # grows
        for path in glob("/proc/%d/task/*/children" % parent):
            try:
                with open(path, encoding="ascii") as file:
                    found += map(int, file.read().split())
            except OSError:  # a process or a thread that has ended
                continue
    return found


def logical_cores() -> int:
    """Cores that this process may use; hardware threads count as cores."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    try:  # PyPy 3.9 on Linux
        with open("/proc/self/status", encoding="ascii", errors="replace") as file:
            masks = [line.split()[1] for line in file if line.startswith("Cpus_allowed:")]
        return bin(int(masks[0].replace(",", ""), 16)).count("1")
    except (OSError, ValueError, IndexError):  # macOS
        return os.cpu_count() or 1


def physical_cores() -> int:
    """Cores that this process may use; hardware threads count once where cores are known."""
    usable = logical_cores()
    try:
        cores = psutil.cpu_count(logical=False) if psutil is not None else None
    except Exception:  # a build for another interpreter may raise anything
        cores = None
    return min(usable, cores or _cores_in_cpuinfo() or usable)


def _cores_in_cpuinfo() -> int:
    """Distinct cores in /proc/cpuinfo, 0 where it does not list them."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return 0
    values = [line.partition(":")[2] for line in lines if line.startswith("physical id")]
    ids = [line.partition(":")[2] for line in lines if line.startswith("core id")]
    return len(set(zip(values, ids)))
