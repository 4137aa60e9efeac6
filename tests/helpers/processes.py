"""Processes that tests start, and whether processes are alive."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Iterable, List

import pytest

from helpers.paths import ROOT
from pns.facts import database

PRELUDE = """
import sys
sys.path.insert(0, sys.argv[1])
from importlib import import_module
from pns.facts import database
database.LMDB = import_module(sys.argv[2])
from pns.facts import Contradiction, FactsError, open_facts
path, *arguments = sys.argv[3:]
"""


PATIENCE = 30.0
"""Seconds to wait for something that must happen."""


def children_of(pid: int) -> List[int]:
    """The children of a process that have not been waited for."""
    if not os.path.exists("/proc/self/task/%d/children" % os.getpid()):
        pytest.skip("this system does not list children")
    try:
        threads = list(Path("/proc/%d/task" % pid).iterdir())
        return [int(word) for path in threads for word in (path / "children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def is_alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        with open("/proc/%d/stat" % pid) as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_for_children(pid: int, count: int) -> List[int]:
    """Wait until a process has `count` children; returns them."""
    limit = time.monotonic() + PATIENCE
    while len(children_of(pid)) < count:
        assert time.monotonic() < limit, "no children"
        time.sleep(0.01)
    return children_of(pid)


def wait_for_ends(pids: Iterable[int]) -> None:
    """Wait until these processes have ended."""
    limit = time.monotonic() + PATIENCE
    while any([is_alive(pid) for pid in pids]):
        assert time.monotonic() < limit, "a process outlives its parent"
        time.sleep(0.01)


def start_child(code: str, path: object, *arguments: object) -> subprocess.Popen[str]:
    """Start a process that runs ``code`` after PRELUDE, with the LMDB module of the test."""
    command = [sys.executable, "-u", "-c", PRELUDE + code]
    command += [str(ROOT), database.LMDB.__name__, str(path), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def run_child(code: str, path: object, *arguments: object) -> str:
    """What ``code`` prints in a process of its own, which must end with status 0."""
    child = start_child(code, path, *arguments)
    output, _ = child.communicate(timeout=120)
    assert child.returncode == 0
    return output


def run_python(code: str, *arguments: object, **options: Any) -> "subprocess.CompletedProcess[str]":
    """Run code in an interpreter of its own that finds the package and the scripts."""
    path = "import sys; sys.path[:0] = [%r, %r]; " % (str(ROOT), str(ROOT / "scripts"))
    command = [sys.executable, "-c", path + code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=200, **options)
