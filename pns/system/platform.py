"""What the system has for a program: limits, memory, processes; in a browser there is little of it.

All that differs between Unix and the browser (Pyodide, CPython as WebAssembly) is asked for here.
There a program is alone: no other process or thread can be started, and nothing limits it but the
memory of its page. This imports next to nothing, since programs start with it.
"""

from __future__ import annotations

import os
import sys

IN_BROWSER = sys.platform == "emscripten"
BROWSER_BYTES = 1_000_000_000
"""Memory that a program in a browser may take: pages can have 2 to 4 GB, phones less."""


def memory_limits() -> dict[str, int]:
    """The limits that `ulimit -v` and `ulimit -d` set, in bytes, by their letters."""
    if IN_BROWSER:
        return {}
    import resource

    limits = {"v": resource.RLIMIT_AS, "d": resource.RLIMIT_DATA}
    found = {letter: resource.getrlimit(number)[0] for letter, number in limits.items()}
    return {letter: most for letter, most in found.items() if most != resource.RLIM_INFINITY}


def machine_memory() -> int:
    """Bytes of memory of the machine; in a browser BROWSER_BYTES."""
    if IN_BROWSER:
        return BROWSER_BYTES
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def peak_memory() -> int:
    """The peak memory of this process, in bytes; 0 where it is not known, as in a browser."""
    if IN_BROWSER:
        return 0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def descriptor_limit() -> int:
    """How many files this process may have open at once."""
    if IN_BROWSER:
        return sys.maxsize
    import resource

    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def raise_descriptor_limit(most: int) -> None:
    """Raise the limit of open files to `most`, or as far as the system allows."""
    if IN_BROWSER:
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = most if hard == resource.RLIM_INFINITY else min(hard, most)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (OSError, ValueError):  # as macOS does, whose kernel has another limit
            pass
