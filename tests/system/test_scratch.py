"""Leftovers of killed runs are removed by the next run; files in use never are."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import List

import pytest
from helpers.paths import ROOT
from helpers.processes import wait_for_children
from helpers.solver import LONG, solve, start

from pns.system import scratch
from pns.system.files import open_whole

HOLD = """
import sys, tempfile
sys.path.insert(0, sys.argv[1])
from pns.system import scratch
from pns.system.files import open_whole
with scratch.directory() as place, open_whole(sys.argv[2]) as stream:
    open(place + "/within", "w").close()
    print(place, flush=True)
    sys.stdin.read()
"""


def hold(place: Path, path: Path) -> "subprocess.Popen[str]":
    """Start a process that has a temporary directory and writes a file; wait until it has both."""
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(ROOT), str(path)],
        env={**os.environ, "TMPDIR": str(place)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout and child.stdout.readline().startswith(str(place))
    return child


def test_leftovers_of_killed_processes_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary, path = tmp_path / "tmp", tmp_path / "file"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    with hold(temporary, path) as live, hold(temporary, path) as dead:
        dead.kill()
        dead.wait()
        assert len(os.listdir(temporary)) == 4 and len(os.listdir(tmp_path)) == 3
        with scratch.directory() as place:
            assert len(os.listdir(temporary)) == 4 and os.listdir(place) == []
        with open_whole(str(path)) as stream:
            stream.write(b"whole")
        assert len(os.listdir(temporary)) == 2 and len(os.listdir(tmp_path)) == 3
        live.communicate("")
        assert live.returncode == 0
    assert os.listdir(temporary) == [] and sorted(os.listdir(tmp_path)) == ["file", "tmp"]


def test_other_files_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stem = str(tmp_path / "pns-")
    with scratch.create(stem) as stream:
        name = stream.name
        assert list(scratch.leftovers(stem)) == []
    assert list(scratch.leftovers(stem)) == [name]
    start, end = name[:-1], "1" if name[-1] == "0" else "0"
    for other in (name + "0", name[: len(stem)] + "f00.d", stem + "audit-x", start):
        Path(other).touch()
    os.symlink(name, start + end)
    assert list(scratch.leftovers(stem)) == [name]
    os.remove(start + end)
    os.mkfifo(start + end)
    assert list(scratch.leftovers(stem)) == [name]
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert list(scratch.leftovers(stem)) == []
    assert list(scratch.leftovers(str(tmp_path / "none" / "pns-"))) == []


def test_a_new_file_that_is_taken_for_a_leftover_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = scratch.lock
    seen: List[str] = []

    def late(file: int, path: str) -> bool:
        if not seen:  # another run sweeps before the file is locked
            seen.append(path)
            assert list(map(os.remove, scratch.leftovers(str(tmp_path / "f")))) == [None]
        return lock(file, path)

    monkeypatch.setattr(scratch, "lock", late)
    with scratch.create(str(tmp_path / "f")) as stream:
        assert os.listdir(tmp_path) == [os.path.basename(stream.name)]
        assert stream.name != seen[0]


def test_without_locks_nothing_is_a_leftover(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr("fcntl.flock", refuse)
    scratch.create(str(tmp_path / "f")).close()
    assert list(scratch.leftovers(str(tmp_path / "f"))) == []
    assert len(os.listdir(tmp_path)) == 1


@pytest.mark.parametrize(
    "number", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_masters(tmp_path: Path, number: signal.Signals) -> None:
    """A master that is stopped leaves nothing; the next run removes what a killed one leaves."""
    pytest.importorskip("zmq", reason="pyzmq is missing")
    words = ("--algorithm", "pns-pdfpn", "--workers", 1, "--no-db", "--quiet")
    environment = {**os.environ, "TMPDIR": str(tmp_path)}

    def start_master() -> "subprocess.Popen[str]":
        child = start(*words, LONG, env=environment)
        wait_for_children(child.pid, 1)
        return child

    live, ended = start_master(), start_master()
    ended.send_signal(number)
    errors = ended.communicate(timeout=60)[1]
    assert "Traceback" not in errors
    mine: List[str] = sorted(os.listdir(tmp_path))
    assert len(mine) == (4 if number == signal.SIGKILL else 2)
    done = solve(*words, "0*2", env=environment)
    assert done.status == 0 and len(os.listdir(tmp_path)) == 2, done
    live.kill()
    live.communicate()
    assert solve(*words, "0*2", env=environment).status == 0
    assert os.listdir(tmp_path) == []
