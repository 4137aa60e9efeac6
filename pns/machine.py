"""What the machine has and what this process uses of it: memory."""

from __future__ import annotations

import os
import resource
import sys

try:
    import psutil
except Exception:  # optional, and a build for another interpreter may raise anything
    psutil = None


def total_memory() -> int:
    """Bytes of memory of the machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def used_memory() -> int:
    """Bytes of memory that the process holds now; where only the peak is known, the peak."""
    if psutil is not None:
        return int(psutil.Process().memory_info().rss)
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return peak_memory()


def peak_memory() -> int:
    """Bytes of memory that the process held at most."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
