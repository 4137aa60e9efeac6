"""solve.py --algorithm pns-pdfpn and worker.py as a person starts them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import List

import pytest
from processes import ROOT
from solver import LONG, Done, contents, needs_lmdb, solve, solve_json, start

pytest.importorskip("zmq", reason="pyzmq is missing")

DISTRIBUTED = ("--algorithm", "pns-pdfpn")


def worker_command(*arguments: object) -> List[str]:
    return [sys.executable, str(ROOT / "scripts" / "worker.py"), *map(str, arguments)]


def worker(*arguments: object) -> Done:
    done = subprocess.run(worker_command(*arguments), capture_output=True, text=True, timeout=100)
    return Done(done.returncode, done.stdout.splitlines(), done.stderr.splitlines())


def children_of(pid: int) -> List[int]:
    path = "/proc/%d/task/%d/children" % (pid, pid)
    if not os.path.exists(path):
        pytest.skip("this system does not list children")
    with open(path) as file:
        return [int(word) for word in file.read().split()]


def test_it_starts_its_workers_itself() -> None:
    arguments = ("--workers", 2, "--no-db", "--grundy", "--iterations", 100)
    result = solve_json("0*7", *DISTRIBUTED, *arguments)
    assert (result["outcome"], result["grundy_number"]) == ("loss", 0)
    found = result["distribution"]
    assert found["expansions"] == result["expansions"] > 500
    assert found["joined"] >= 1 and 0 < found["utilisation"] <= 1


@needs_lmdb
def test_the_facts_of_workers_are_stored(tmp_path: Path) -> None:
    path = tmp_path / "facts"
    done = solve("0*6", *DISTRIBUTED, "--workers", 1, "--db", path, "--quiet")
    assert (done.status, done.errors) == (0, []), done
    assert contents(path)[b"0*6"] == 0


def test_workers_that_are_killed_are_started_again_and_all_leave_at_the_end() -> None:
    child = start(LONG, *DISTRIBUTED, "--workers", 2, "--no-db", "--iterations", 50)
    limit = time.monotonic() + 60
    while len(children_of(child.pid)) < 2 and time.monotonic() < limit:
        time.sleep(0.05)
    time.sleep(3.0)
    killed = children_of(child.pid)[0]
    os.kill(killed, signal.SIGKILL)
    while killed in children_of(child.pid) or len(children_of(child.pid)) < 2:
        assert time.monotonic() < limit
        time.sleep(0.05)
    left = children_of(child.pid)
    child.send_signal(signal.SIGTERM)
    _, errors = child.communicate(timeout=60)
    assert child.returncode == 130, errors
    assert "stopped by SIGTERM" in errors
    for pid in left:
        assert not os.path.exists("/proc/%d" % pid)


def test_a_worker_from_elsewhere_with_keys(tmp_path: Path) -> None:
    assert worker("keygen", tmp_path).status == 0
    keys = tmp_path / "master.key"
    child = start("0*6", *DISTRIBUTED, "--listen", "0.0.0.0:0", "--keys", keys, "--no-db")
    assert child.stderr
    line = child.stderr.readline()
    assert line.startswith("solve.py: listening at 0.0.0.0:"), line
    address = "127.0.0.1:" + line.strip().rpartition(":")[2]
    done = worker("--connect", address, "--keys", tmp_path / "worker.key", "--name", "far")
    assert done.status == 0 and done.output[0].startswith("far: "), done
    assert done.output[0].endswith("jobs done, then: solved")
    output, _ = child.communicate(timeout=60)
    assert child.returncode == 0 and output.startswith("0*6 is a loss")


@pytest.mark.parametrize(
    "arguments, error",
    [
        (("--workers", 2), "the options of pns-pdfpn need --algorithm pns-pdfpn"),
        ((*DISTRIBUTED, "--workers", 0), "--workers 0 needs --listen"),
        ((*DISTRIBUTED, "--iterations", 0), "argument --iterations: it must be at least 1"),
        ((*DISTRIBUTED, "--epsilon", 0.5), "--epsilon cannot be used with"),
        ((*DISTRIBUTED, "--listen", "0.0.0.0:0"), "so it needs keys"),
        ((*DISTRIBUTED, "--listen", "nowhere"), "'nowhere' is no address; write HOST:PORT"),
        ((*DISTRIBUTED, "--keys", "/dev/null"), "/dev/null: no key file"),
        (("--grouping", 2), "the options of pns-pdfpn need --algorithm pns-pdfpn"),
        ((*DISTRIBUTED, "--processes", 0), "argument --processes: write 1 to"),
    ],
)
def test_refusals(arguments: List[str], error: str) -> None:
    done = solve("0*3", "--no-db", *arguments)
    assert done.status == 2 and len(done.errors) == 1 and error in done.errors[0], done


def test_refusals_of_the_worker(tmp_path: Path) -> None:
    for arguments, error in [
        (("--connect", "here"), "'here' is no address"),
        (("--connect", "127.0.0.1:1", "--keys", tmp_path / "none"), "No such file"),
        (("--connect", "127.0.0.1:1", "--capacity", "0"), "at least 1 entry"),
        ((), "required: --connect"),
        (("keygen", tmp_path / "none"), "No such file"),
    ]:
        done = worker(*arguments)
        assert done.status == 2 and len(done.errors) == 1 and error in done.errors[0], done
