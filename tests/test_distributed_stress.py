"""A search whose workers are killed and started all the time, and its master too."""

from __future__ import annotations

import random
import subprocess
import time
from pathlib import Path
from typing import Any, Dict

import pytest
from live import LiveMaster, LiveWorkers, program, wait_until
from masters import Clock, Hand, master_of
from solver import contents, needs_lmdb, solve_json

pytest.importorskip("zmq", reason="pyzmq is missing")
from pns.couple import Couples
from pns.facts import Facts


def audit(database: Path, claim: str) -> None:
    """Every entry of a database holds, and a claim follows."""
    command = program("audit.py", database, "--claim", claim, "--quiet", "--processes", 1)
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done


def torment(master: LiveMaster, workers: LiveWorkers, database: Path, seed: int) -> int:
    """Start and kill workers at random until the master ends; how many were killed.

    Each time when a worker has proved something that nobody had: often, but the search goes on.
    """
    rng, killed = random.Random(seed), 0
    while master.is_running:
        errors = workers.bury()
        assert not errors
        before = len(contents(database))
        while len(workers.running) < 2 or (rng.random() < 0.3 and len(workers.running) < 4):
            workers.start()
        wait_until(lambda: not master.is_running or len(contents(database)) > before, "a fact")
        time.sleep(rng.uniform(0.0, 0.5))
        if rng.random() < 0.7:
            rng.choice(workers.running).kill()
            killed += 1
        else:
            rng.choice(workers.running).terminate()  # hands in what it has
    return killed


def survive(place: Path, position: str, outcome: str, seed: int) -> Dict[str, Any]:
    """A search whose workers are killed all the time, audited; its statistics."""
    database = place / "facts"
    master = LiveMaster(place, position, "--db", database, "--iterations", 20)
    try:
        with LiveWorkers("--connect", master.address) as workers:
            killed = torment(master, workers, database, seed)
            result = master.result()
    finally:
        master.kill()
    print("%d workers, %d killed, %s" % (workers.started, killed, result["distribution"]))
    assert result["outcome"] == outcome
    audit(database, "%s=%s" % (position, outcome))
    again = solve_json(position, "--db", database)
    assert (again["expansions"], again["facts_new"]) == (0, 0)  # nothing that is stored is redone
    found = result["distribution"]
    assert isinstance(found, dict)
    return found


@needs_lmdb
def test_workers_killed_and_started_at_random(tmp_path: Path) -> None:
    assert survive(tmp_path, "0*7", "loss", 6)["joined"] > 1


@needs_lmdb
@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_workers_killed_and_started_at_random_for_minutes(tmp_path: Path) -> None:
    assert survive(tmp_path, "0*14", "loss", 7)["joined"] > 20


def test_nothing_that_is_stored_is_proved_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers die, and so does the master, whose facts alone are left; then others go on."""
    learn, proved = Couples.learn, 0

    def watched(couples: Couples, land: int, number: int) -> None:
        nonlocal proved
        proved += 1
        assert couples.facts.get(couples.texts[land]) < 0, couples.texts[land]
        learn(couples, land, number)

    monkeypatch.setattr(Couples, "learn", watched)
    for seed in range(2):
        rng, facts, clock = random.Random(seed), Facts("sprouts"), Clock()
        masters, deaths = 0, 0
        outcome = None
        while outcome is None:
            master = master_of("0*7", facts=facts, iterations=30, updates=10)
            masters += 1
            hands = [Hand(master, "w%d" % i, clock) for i in range(3)]
            for _ in range(rng.randrange(20, 60)):
                i = rng.randrange(len(hands))
                order = hands[i].take()
                if order and rng.random() < 0.9:
                    hands[i].do(order)
                elif order:
                    deaths += 1
                    hands[i] = Hand(master, "w%d of %d" % (i, deaths), clock)
                assert not master.failure
                if master.why_done:
                    break
            outcome = master.outcome
        assert outcome is False and masters > 1 and deaths > 1
    assert proved > 300
