"""A search whose workers are killed and started all the time, and its master too."""

from __future__ import annotations

import random
import subprocess
import time
from pathlib import Path
from typing import Any, Dict, List, Set, Tuple

import pytest
from live import LiveMaster, LiveWorkers, program
from masters import Clock, Desk, Hand, master_of
from solver import contents, needs_lmdb, solve_json

pytest.importorskip("zmq", reason="pyzmq is missing")
from pns.facts import Facts
from pns.jobs import Order
from pns.master import Master


def audit(database: Path, claim: str) -> None:
    """Every entry of a database holds, and a claim follows."""
    command = program("audit.py", database, "--claim", claim, "--quiet", "--processes", 1)
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done


def torment(master: LiveMaster, workers: LiveWorkers, rng: random.Random, until: float) -> int:
    """Start and kill workers at random until the master ends, or for a time; how many died."""
    killed = 0
    while master.is_running and time.monotonic() < until:
        for error in workers.bury():
            raise AssertionError(error)
        fate = rng.random()
        if len(workers.running) < 2 or fate < 0.3 and len(workers.running) < 4:
            workers.start()
        elif fate < 0.7:
            rng.choice(workers.running).kill()
            killed += 1
        elif fate < 0.8:
            rng.choice(workers.running).terminate()  # hands in what it has
        time.sleep(rng.uniform(0.2, 1.8))
    return killed


@needs_lmdb
def test_workers_killed_and_started_at_random(tmp_path: Path) -> None:
    database, rng = tmp_path / "facts", random.Random(6)
    master = LiveMaster(tmp_path, "0*8", "--db", database, "--iterations", 20, "--updates", 10)
    try:
        with LiveWorkers("--connect", master.address) as workers:
            killed = torment(master, workers, rng, float("inf"))
        result = master.result()
    finally:
        master.kill()
    print("%d workers, %d killed, %s" % (workers.started, killed, result["distribution"]))
    assert result["outcome"] == "loss"
    audit(database, "0*8=loss")
    again = solve_json("0*8", "--db", database)
    assert (again["expansions"], again["facts_new"]) == (0, 0)
