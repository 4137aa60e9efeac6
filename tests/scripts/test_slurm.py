"""scripts/slurm.sbatch, with stand-ins for SLURM's programs and for worker.py."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Dict, Iterator, List

import pytest
from helpers.live import wait_until
from helpers.paths import ROOT
from helpers.stand_in import STAND_IN

SCRIPT = ROOT / "scripts" / "slurm.sbatch"

SRUN = """\
import os, signal, subprocess, sys
words = sys.argv[1:]
while words[0].startswith("--"):
    del words[0]
tasks = []
def forward(number, _):
    for task in tasks:
        os.killpg(task.pid, number)
signal.signal(signal.SIGUSR1, forward)
for node in "01":
    environment = dict(os.environ, SLURM_NODEID=node)
    tasks.append(subprocess.Popen(words, env=environment, start_new_session=True))
sys.exit(max([task.wait() for task in tasks]))
"""
"""Runs two nodes, and like SLURM's srun sends signals to all processes of a task."""

SCONTROL = """\
import sys
open("scontrol", "a").write(" ".join(sys.argv[1:]) + "\\n")
"""

pytestmark = pytest.mark.skipif(not shutil.which("bash"), reason="bash is missing")


@contextmanager
def job(place: Path, *arguments: str) -> "Iterator[subprocess.Popen[bytes]]":
    """Run the script as SLURM does, in the directory it was submitted from."""
    (place / "scripts").mkdir()
    (place / "scripts" / "worker.py").write_text(STAND_IN)
    (place / "bin").mkdir()
    for name, text in (("srun", SRUN), ("scontrol", SCONTROL)):
        path = place / "bin" / name
        path.write_text("#!%s\n%s" % (sys.executable, text))
        path.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": "%s:%s" % (place / "bin", os.environ["PATH"]),
        "PYTHON": sys.executable,
        "SLURM_JOB_ID": "7",
        "SLURM_CPUS_ON_NODE": "3",
        "SLURM_MEM_PER_NODE": "4096",
    }
    with open(place / "out", "wb") as out:
        child = subprocess.Popen(
            ["bash", str(SCRIPT), *arguments],
            cwd=place,
            env=environment,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    try:
        yield child
    finally:
        (place / "done").touch()  # ends all stand-ins
        child.wait(100)


def starts(place: Path) -> Dict[str, List[List[str]]]:
    """The starts of each group: process, parent, arguments."""
    return {
        path.name: [line.split() for line in path.read_text().splitlines()]
        for path in sorted(place.glob("log-*"))
    }


def test_groups_are_started_again_and_end_with_the_search(tmp_path: Path) -> None:
    with job(tmp_path, "h:1", "k", "--game", "nim") as child:
        wait_until(lambda: len(starts(tmp_path)) == 2, "a group on each node")
        assert sorted(starts(tmp_path)) == ["log-slurm-7-0", "log-slurm-7-1"]
        found = wait_until(lambda: starts(tmp_path)["log-slurm-7-1"], "the log of a start")
        process, _, *words = found[0]
        assert words[:4] == ["--connect", "h:1", "--keys", "k"]
        assert words[4:8] == ["--name", "slurm-7-1", "--workers", "3"]
        assert words[8:12] == ["--memory", "4294967296", "--capacity", "17895697"]
        assert words[12:] == ["--game", "nim"]
        os.kill(int(process), signal.SIGKILL)
        wait_until(lambda: len(starts(tmp_path)["log-slurm-7-1"]) == 2, "it is started again")
        output = (tmp_path / "out").read_text()
        assert "workers ended with exit status 137; again in 1 s" in output
        (tmp_path / "done").touch()
        assert child.wait(100) == 0
    assert len(starts(tmp_path)["log-slurm-7-0"]) == 1
    assert not (tmp_path / "scontrol").exists()


def test_before_its_time_is_up_a_job_hands_in_and_is_queued_again(tmp_path: Path) -> None:
    with job(tmp_path, "h:1", "k") as child:
        wait_until(lambda: len(starts(tmp_path)) == 2, "a group on each node")
        wait_until(lambda: all(starts(tmp_path).values()), "the logs of both starts")
        child.send_signal(signal.SIGUSR1)
        assert child.wait(100) == 0
    output = (tmp_path / "out").read_text()
    for name in ("slurm-7-0", "slurm-7-1"):
        assert (tmp_path / ("left-" + name)).exists(), output
    assert (tmp_path / "scontrol").read_text() == "requeue 7\n"
    assert "again in" not in output


def test_usage(tmp_path: Path) -> None:
    done = subprocess.run(["bash", str(SCRIPT), "h:1"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and done.stderr.startswith("usage: sbatch [OPTION ...] slurm.sbat")
