"""Children end with their parent, whatever they do and however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import List, Tuple

import pytest
from chaos.tree import command_line
from helpers.live import program, wait_until
from helpers.paths import CERTIFICATES, ROOT
from helpers.processes import children_of, wait_for_children, wait_for_ends
from helpers.solver import LONG, start

from pns.system import lifeline

FAMILY = r"""
import os, sys, time
sys.path.insert(0, sys.argv[1])
from pns.system import lifeline
def wait():
    os.write(1, b"%d\n" % os.getpid())
    time.sleep(600)
if not lifeline.fork()[0]:
    if not lifeline.fork()[0]:
        wait()
    wait()
program = r"import os, time; os.write(1, b'%d\n' % os.getpid()); time.sleep(600)"
lifeline.start([sys.executable, "-c", program])
time.sleep(600)
"""
"""A process with a child, a grandchild and a program, which print their process ids."""


def test_stopped_processes_end_with_their_parent() -> None:
    """A stopped process stands for one in a call that nothing can interrupt."""
    command = [sys.executable, "-c", FAMILY, str(ROOT)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        pids = [int(parent.stdout.readline()) for _ in range(3)]
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        parent.kill()
        try:
            wait_for_ends(pids)
        finally:
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def forked(line: int, other: int) -> int:
    """The exit status of a process that closes one end of a pipe and follows the other."""
    pid = os.fork()
    if not pid:
        try:
            os.close(other)
            lifeline.follow(line)
            time.sleep(600)
        finally:
            os._exit(7)
    os.close(other)
    os.close(line)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_a_parent_that_has_ended_and_systems_without_signals(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert forked(*os.pipe()) in (1, -signal.SIGKILL)
    line, other = os.pipe()
    os.close(other)
    other = os.open(os.devnull, os.O_RDONLY)
    assert forked(line, other) == 1
    monkeypatch.setattr(lifeline, "SET_SIGNAL", 0)
    assert forked(*os.pipe()) == 1


def test_a_command() -> None:
    command = [sys.executable, "-I", str(ROOT / "pns" / "system" / "lifeline.py"), "sleep", "600"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as child:
        assert child.stdin
        child.stdin.close()
        assert child.wait(60) in (1, -signal.SIGKILL)


SEARCHES: List[Tuple[object, ...]] = [
    ("solve.py", "--algorithm", "pdfpn", "--processes", 2, "--no-db", LONG),
    ("bench.py", LONG, "--algorithm", "dfpn"),
    (
        "audit.py",
        CERTIFICATES / "sprouts-12.cert.gz",
        "--independent",
        "--processes",
        2,
    ),
]


@pytest.mark.parametrize("words", SEARCHES, ids=lambda words: str(words[0]))
def test_programs(words: Tuple[object, ...], tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    child = subprocess.Popen(
        program(str(words[0]), *words[1:]), env=environment, stdout=subprocess.DEVNULL
    )
    pids = wait_until(lambda: searching(child.pid, words[0] == "bench.py"), "children")
    child.kill()
    child.wait()
    wait_for_ends(pids)


def searching(pid: int, by_program: bool) -> List[int]:
    """The children of a process that search; git, a child of bench.py, ends by itself."""
    pids = children_of(pid)
    if by_program:
        return [pid for pid in pids if any("solve.py" in word for word in command_line(pid))]
    return pids if len(pids) == 2 else []


@pytest.mark.parametrize("begun", [False, True])
def test_workers_and_their_processes(begun: bool, tmp_path: Path) -> None:
    """A master is killed when its workers have just been started, or when they work."""
    pytest.importorskip("zmq", reason="pyzmq is missing")
    words = ("--algorithm", "pns-pdfpn", "--workers", 2, "--processes", 2, "--no-db", LONG)
    master = start(*words, env={**os.environ, "TMPDIR": str(tmp_path)})
    pids = wait_for_children(master.pid, 2)
    if begun:
        pids = [*pids, *[pid for worker in pids for pid in wait_for_children(worker, 2)]]
    master.kill()
    wait_for_ends(pids)
    master.communicate()
