"""Look at this machine before a long search, and say what to do about what is missing."""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import socket
import sys
import time
from collections import Counter
from contextlib import closing
from importlib import import_module
from typing import Callable, Iterator, List, NamedTuple, Optional, Tuple

from pns.cli.common import how_to_install, program
from pns.cli.options.doctor import doctor_parser
from pns.facts import default_path, open_facts
from pns.facts.database import LMDB, locate, require_directory
from pns.system import scratch
from pns.system.machine import logical_cores, physical_cores, process_limits, reserve, total_memory
from pns.version import VERSION

OK, OPTIONAL, WARNING, PROBLEM = "ok", "optional", "warning", "problem"
"""What a finding means. Optional is what only some commands need, or what makes a search faster."""
LEAST_MEMORY, GOOD_MEMORY = 200_000_000, 2_000_000_000
"""Bytes that a small search needs, and that a long one fills at once."""
LEAST_DISK, GOOD_DISK = 20_000_000, 1_000_000_000
LEAST_FILES, GOOD_FILES = 32, 256
"""Files that may be open at once: for one search, and for one by many workers."""
SHARED_BYTES = 64_000_000
EARLIEST = 1_735_689_600
"""1 January 2025, in seconds; a clock before it is wrong."""
PACKAGES = (
    ("msgpack", "wire", "workers", "pns-pdfpn and ppn2 cannot run"),
    ("zmq", "wire", "workers", "pns-pdfpn and ppn2 cannot run"),
    ("starlette", "web", "pns explore", "it serves no page"),
    ("uvicorn", "web", "pns explore", "it serves no page"),
)
"""Optional packages: the name, its extra, what it is for, what happens without it."""

FASTER = "Install PyPy (Debian: apt install pypy3) and run pns with it: 0*14 takes half the time."
"""Measured by `pns solve --no-db --no-known '0*14'`: 15 s of a processor by PyPy 7.3.11, 29 s by
CPython 3.11."""


class Finding(NamedTuple):
    """What one check found."""

    name: str
    state: str
    found: str
    advice: str = ""
    """A sentence; "" where there is nothing to do."""


def interpreter() -> Finding:
    """Which interpreter this is."""
    words = [platform.python_implementation()]
    if sys.implementation.name == "pypy":
        words.append("%d.%d.%d" % sys.implementation.version[:3])
    found = "%s, Python %s, %s" % (" ".join(words), platform.python_version(), platform.machine())
    if sys.implementation.name != "pypy":
        return Finding("interpreter", OPTIONAL, found, FASTER)
    return Finding("interpreter", OK, found)


def jit() -> Finding:
    """Whether code is compiled while it runs."""
    if sys.implementation.name != "pypy":
        return Finding("JIT", OPTIONAL, "none in this interpreter", FASTER)
    information = getattr(sys, "pypy_translation_info", {})
    if not information.get("translation.jit"):
        return Finding("JIT", PROBLEM, "left out of this PyPy", "Install a PyPy with its JIT.")
    return Finding("JIT", OK, "on")


def lmdb() -> Finding:
    """What databases are read and written by."""
    if LMDB is None:
        pip = "%s -m pip install lmdb" % sys.executable
        how = "apt install liblmdb0" if sys.implementation.name == "pypy" else pip
        advice = "Install LMDB (%s), or nothing proved is kept." % how
        return Finding("LMDB", PROBLEM, "neither py-lmdb nor liblmdb", advice)
    name = "liblmdb by cffi" if LMDB.__name__ == "pns.facts.liblmdb" else "py-lmdb"
    return Finding("LMDB", OK, name)


def packages() -> Iterator[Finding]:
    """Optional packages."""
    for name, extra, purpose, without in PACKAGES:
        try:
            import_module(name)
        except Exception as error:  # a build for another interpreter may raise anything
            wrong = "missing" if isinstance(error, ImportError) else "unusable: %s" % error
            found = "%s, for %s: %s" % (wrong, purpose, without)
            yield Finding(name, OPTIONAL, found, "To have it, %s." % how_to_install(extra))
        else:
            yield Finding(name, OK, "here, for %s" % purpose)


def memory() -> Finding:
    """Memory: that of the machine, what is free, and what this process may hold."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    usable = total_memory()
    parts = ["%s" % size(machine)]
    free = min(usable, available(machine))
    parts.append("%s available" % size(free))
    if usable < machine:
        parts.append("%s allowed to this process" % size(usable))
    parts += ["%s is %s" % (limit.name, size(limit.bytes)) for limit in process_limits()]
    found = ", ".join(parts)
    if free < LEAST_MEMORY:
        return Finding("memory", PROBLEM, found, "Free some memory, or raise the limit.")
    if free < GOOD_MEMORY:
        advice = "Search with a limit, as pns solve --max-memory %dM." % (free // 2_000_000)
        return Finding("memory", WARNING, found, advice)
    return Finding("memory", OK, found)


def available(otherwise: int) -> int:
    """Bytes that programs can have without swapping, as Linux estimates them."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return otherwise


def shared_memory() -> Finding:
    """Memory that processes share: anonymous, and /dev/shm, which only Ray uses."""
    with closing(reserve(SHARED_BYTES, "the check", "nothing")) as block:
        block[0] = block[-1] = 1
    found = "%s reserved" % size(SHARED_BYTES)
    try:
        space = os.statvfs("/dev/shm")
        found += ", /dev/shm has %s free" % size(space.f_bavail * space.f_frsize)
    except OSError:
        found += ", no /dev/shm"
    return Finding("shared memory", OK, found)


def database(place: str, db: str, game: str) -> Finding:
    """Whether LMDB can write, lock and read in a directory; what it writes is removed.

    A database that is there already is opened, too, and only read.
    """
    if LMDB is None:
        return Finding("database", WARNING, "not tried without LMDB", "Install liblmdb first.")
    data, is_there = locate(db, readonly=False)
    require_directory(db, data)
    if is_there:
        open_facts(db, game, readonly=True).close()
    with scratch.directory(place) as directory:
        path = os.path.join(directory, "doctor.lmdb")
        with open_facts(path, game) as facts:
            facts.add(b"0", 1)
        with open_facts(path, game, readonly=True) as facts:
            if facts.get(b"0") != 1:
                advice = "Use a local disk: what was written is not what is read."
                return Finding("database", PROBLEM, place, advice)
        with open(path, "rb") as file:
            if not scratch.lock(file.fileno(), path):
                advice = "Use a disk with file locks; network file systems may lack them."
                return Finding("database", PROBLEM, "no locks in %s" % place, advice)
    return Finding("database", OK, "written, locked and read in %s" % place)


def disk(place: str) -> Finding:
    """Free space where the database is."""
    space = os.statvfs(place)
    free = space.f_bavail * space.f_frsize
    found = "%s free in %s" % (size(free), place)
    advice = "Free some, or use another disk, as pns solve --db /DISK/sprouts.lmdb."
    if free < LEAST_DISK:
        return Finding("disk", PROBLEM, found, advice)
    if free < GOOD_DISK:
        return Finding("disk", WARNING, found, advice)
    return Finding("disk", OK, found)


def cores() -> Finding:
    """Cores, and how busy they are."""
    physical, logical = physical_cores(), logical_cores()
    load = os.getloadavg()[0]
    found = "%d for this process, %d logical, load %.1f" % (physical, logical, load)
    if load > logical:
        advice = "A search is faster once the programs that top shows have ended."
        return Finding("cores", OPTIONAL, found, advice)
    return Finding("cores", OK, found)


def open_files() -> Finding:
    """How many files may be open at once."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY or hard >= GOOD_FILES:
        return Finding("open files", OK, "up to %s" % ("any number" if hard < 0 else hard))
    state = PROBLEM if hard < LEAST_FILES else WARNING
    advice = "Raise the limit: ulimit -n %d, as root if it is refused." % GOOD_FILES
    return Finding("open files", state, "up to %d" % hard, advice)


def port() -> Finding:
    """Whether a program here can be reached from here, as workers reach their master."""
    with closing(socket.socket()) as server:
        server.bind(("127.0.0.1", 0))
        server.listen(1)
        number = server.getsockname()[1]
        socket.create_connection(("127.0.0.1", number), 5).close()
    return Finding("loopback", OK, "port %d was opened and reached" % number)


def clock() -> Finding:
    """The time, which records and checkpoints carry."""
    found = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime())
    if time.time() < EARLIEST:
        return Finding("clock", WARNING, found, "Set the clock, as root: timedatectl set-ntp true.")
    return Finding("clock", OK, found)


def size(count: int) -> str:
    """Bytes for people.

    >>> size(2_500_000_000), size(64_000_000)
    ('2.5 GB', '64 MB')
    """
    return "%.1f GB" % (count / 1e9) if count >= 10**9 else "%d MB" % (count // 10**6)


def existing(place: str) -> str:
    """The directory, or the nearest one above it that exists."""
    place = os.path.abspath(place)
    while not os.path.isdir(place):
        place = os.path.dirname(place)
    return place


def examine(db: str, game: str) -> List[Finding]:
    """Every check, in order; one that fails is a problem."""
    place = existing(os.path.dirname(os.path.abspath(db)))
    checks: List[Tuple[str, Callable[[], Finding]]] = [
        ("interpreter", interpreter),
        ("JIT", jit),
        ("LMDB", lmdb),
        ("memory", memory),
        ("shared memory", shared_memory),
        ("database", lambda: database(place, db, game)),
        ("disk", lambda: disk(place)),
        ("cores", cores),
        ("open files", open_files),
        ("loopback", port),
        ("clock", clock),
    ]
    return [*[attempt(name, check) for name, check in checks], *packages()]


def attempt(name: str, check: Callable[[], Finding]) -> Finding:
    """A finding, or the problem that kept the check from finding any."""
    try:
        return check()
    except Exception as error:  # whatever is wrong with this machine
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return Finding(name, PROBLEM, reason, "A search would fail like this check: mend it first.")


def main(args: Optional[argparse.Namespace] = None) -> int:
    """Print what was found; returns the exit status."""
    if args is None:
        args = doctor_parser(program()).parse_args()
    findings = examine(default_path(args.game) if args.db is None else args.db, args.game)
    counts = Counter([found.state for found in findings])
    if args.json:
        print(
            json.dumps(
                {
                    "findings": [found._asdict() for found in findings],
                    "optional": counts[OPTIONAL],
                    "warnings": counts[WARNING],
                    "problems": counts[PROBLEM],
                    "version": VERSION,
                }
            )
        )
    else:
        for found in findings:
            print("%-8s %-14s %s" % (found.state, found.name, found.found))
            if found.advice:
                print("%23s %s" % ("", found.advice))
        totals = (counts[PROBLEM], counts[WARNING], counts[OPTIONAL])
        print("Problems: %d, warnings: %d, optional: %d." % totals)
    return 1 if counts[PROBLEM] else 0
