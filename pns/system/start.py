"""How a program starts: signals, file descriptors, and the settings of the interpreter.

Scripts and the command `pns` load this before anything else of the package, so that it imports
next to nothing.

A signal that comes before the program handles it ends the program at once, without a
traceback. Where too few files may be open at once (`ulimit -n`), the program ends with a line
that says so: otherwise imports fail, and libraries abort. A system without the calls of Unix is
refused with a line, too.

In a clone, `find_packages` finds what scripts/setup.sh installed, without activating anything.

Under PyPy the program starts again with a larger nursery, unless PYPY_GC_NURSERY is set: it
is faster (docs/lab/search-guidance.md). Under `ulimit -v` or `-d` it also gets a limit of PyPy's
heap, so that it raises MemoryError instead of aborting. PyPy's compiler aborts where it finds no
memory, so a program ends with a line under a limit that leaves the compiler too little. Under
every interpreter, `ulimit -v` makes it start again with a single heap of the C library, which
otherwise reserves 64 MB for each thread, and twice that for a moment.
"""

from __future__ import annotations

import errno
import os
import sys

from pns.system.platform import descriptor_limit, memory_limits, raise_descriptor_limit

signal = __import__("_signal")  # importing signal takes long enough to be interrupted

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
"""The directory that contains pns; in a clone also scripts/, and .venv after set-up."""
NURSERY = "4M"
"""Memory for new objects between two minor collections; PyPy reads it when it starts."""
START_BYTES = {"v": 125_000_000, "d": 80_000_000}
"""Address space and data of PyPy as it starts: what `ulimit -v` and `ulimit -d` count."""
LEAST_HEAP_BYTES, MARGIN_BYTES = 50_000_000, 65_000_000
"""The least heap for a program, and room for PyPy's compiler and for a clean end."""
HEAP_SHARE = 0.6
"""The share of what a limit leaves after the start that the heap may take."""
LEAST_DESCRIPTORS = 16
"""File descriptors that any program here may need."""
MOST_DESCRIPTORS = 1 << 16
SIGNALS = (signal.SIGINT, signal.SIGTERM)
STOPPED = 130
"""The exit status of a program that a signal stopped."""


def leave(*_: object) -> None:
    """End at once: there is nothing to clean up yet."""
    os._exit(STOPPED)


def need_posix() -> None:
    """Exit on a system without the calls of Unix that the programs make, such as Windows."""
    if os.name != "posix":
        print(
            "pns: this system is %s; expected Linux or another Unix: on Windows, run pns in WSL"
            % sys.platform,
            file=sys.stderr,
        )
        sys.exit(2)


def packages() -> str:
    """The directory of .venv for packages of this interpreter; it need not exist."""
    name = "pypy" if sys.implementation.name == "pypy" else "python"
    version = "%s%d.%d" % (name, sys.version_info[0], sys.version_info[1])
    return os.path.join(ROOT, ".venv", "lib", version, "site-packages")


def find_packages() -> None:
    """Put the packages of a clone's .venv on the path, if they are for this interpreter.

    They come after the clone itself and before those of the system, but after all others in
    another virtual environment.
    """
    place = packages()
    if os.path.isdir(place) and place not in sys.path:
        after_clone = sys.path.index(ROOT) + 1 if ROOT in sys.path else 1
        sys.path.insert(after_clone if sys.prefix == sys.base_prefix else len(sys.path), place)


def environment() -> dict[str, str]:
    """Environment variables for another process of this interpreter, which then has our modules."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def expect_signals() -> None:
    """Leave on a signal, until the program sets its own handlers."""
    for number in SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, leave)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def require_descriptors(count: int) -> None:
    """Raise OSError unless `count` more files can be open at once; raises the limit if need be.

    Without descriptors libraries fail in obscure ways, or abort.
    """
    free = free_descriptors(count)
    if free < count:
        raise_descriptor_limit(MOST_DESCRIPTORS)
        free = free_descriptors(count)
    if free < count:
        limit = descriptor_limit()
        wrong = "%d more file descriptors are needed and %d are free; raise ulimit -n from %d to %d"
        raise OSError(errno.EMFILE, wrong % (count, free, limit, limit + count - free))


def need_descriptors() -> None:
    """Exit unless there are the file descriptors that any program may need."""
    try:
        require_descriptors(LEAST_DESCRIPTORS)
    except OSError as error:
        print("%s: %s" % (os.path.basename(sys.argv[0]), error.strerror), file=sys.stderr)
        sys.exit(2)


def need_memory() -> None:
    """Exit under a limit that leaves PyPy so little memory that it may abort at any time."""
    if sys.implementation.name != "pypy":
        return
    for letter, most in memory_limits().items():
        least = START_BYTES[letter] + LEAST_HEAP_BYTES + MARGIN_BYTES
        if most < least:
            print(
                "%s: ulimit -%s allows %d MB of memory and PyPy needs %d MB; raise it to %d or more"
                % (
                    os.path.basename(sys.argv[0]),
                    letter,
                    most // 10**6,
                    least // 10**6,
                    -(-least // 1024),
                ),
                file=sys.stderr,
            )
            sys.exit(2)


def free_descriptors(most: int) -> int:
    """How many more files can be open at once, up to `most`."""
    held: list[int] = []
    try:
        while len(held) < most:
            held.append(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        pass
    for descriptor in held:
        os.close(descriptor)
    return len(held)


def start_with_settings() -> None:
    """Start the program again with the interpreter's settings, unless it has them.

    A program started by one without a limit has the nursery already, not the settings for a limit.
    """
    settings = wanted_settings()
    if settings.keys() <= os.environ.keys():
        return
    try:
        with open("/proc/self/cmdline", "rb") as file:
            command = file.read().split(b"\0")[:-1]
    except OSError:  # not on macOS
        return
    settings.update(os.environ)
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # until expect_signals, or a failure
    try:
        os.execve(sys.executable, command, settings)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def wanted_settings() -> dict[str, str]:
    """Environment variables for the interpreter and, under `ulimit -v`, the C library."""
    pypy = sys.implementation.name == "pypy"
    settings = {"PYPY_GC_NURSERY": NURSERY} if pypy else {}
    limits = memory_limits()
    if "v" in limits:
        settings["MALLOC_ARENA_MAX"] = "1"
    if pypy and limits:
        room = min([most - START_BYTES[letter] for letter, most in limits.items()])
        heap = max(LEAST_HEAP_BYTES, min(int(room * HEAP_SHARE), room - MARGIN_BYTES))
        settings["PYPY_GC_MAX"] = "%d" % heap
    return settings
