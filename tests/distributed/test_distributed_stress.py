"""Searches whose workers, and whose master, are killed and started again and again."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path
from typing import Any, Dict, List

import pytest
from helpers.live import LiveMaster, LiveWorkers, audit, wait_until
from helpers.masters import Clock, ManualWorker, master_of
from helpers.solver import contents, needs_lmdb, solve_json

pytest.importorskip("zmq", reason="pyzmq is missing")
from pns.facts import Facts
from pns.positions.couple import Couples


class StressedSearch:
    """A search whose workers and master are killed at random and started again."""

    def __init__(self, place: Path, position: str, seed: int) -> None:
        self.place, self.position = place, position
        self.database, self.checkpoint = place / "facts", place / "checkpoint"
        self.rng = random.Random(seed)
        self.listen = "127.0.0.1:0"
        self.stored: Dict[bytes, int] = {}

    def master(self) -> LiveMaster:
        """Start a master, which resumes from the checkpoint if there is one."""
        words: List[object] = ["--checkpoint", self.checkpoint, "--every", 0.3]
        words += ["--resume", self.checkpoint] if self.checkpoint.exists() else []
        words += ["--db", self.database, "--iterations", 20]
        master = LiveMaster(self.place, self.position, *words, listen=self.listen)
        self.listen = master.address
        return master

    def step(self, master: LiveMaster, workers: LiveWorkers) -> None:
        """Wait for a new fact; then kill a worker, or let it leave."""
        faults = workers.reap()
        assert not faults
        while len(workers.running) < 2 or (self.rng.random() < 0.3 and len(workers.running) < 4):
            workers.start()
        wait_until(lambda: not master.is_running or self.has_more(), "a new fact")
        time.sleep(self.rng.uniform(0.0, 0.5))
        end = workers.kill if self.rng.random() < 0.7 else workers.terminate
        end(self.rng.choice(workers.running))

    def has_more(self) -> bool:
        """Whether facts were stored since the last call; none may be lost."""
        found = contents(self.database)
        assert self.stored.items() <= found.items()
        more = len(found) > len(self.stored)
        self.stored = found
        return more

    def run(self, deaths: int, steps: int, more: int) -> Dict[str, Any]:
        """Kill `deaths` masters after `steps` steps each; the result of the last one.

        That one runs for `more` steps, and then undisturbed.
        """
        master = self.master()
        try:
            with LiveWorkers("--connect", self.listen) as workers:
                for death in range(deaths + 1):
                    for _ in range(steps if death < deaths else more):
                        if master.is_running:
                            self.step(master, workers)
                    if death < deaths and master.is_running:
                        master.kill()
                        self.stored = contents(self.database)
                        master = self.master()
                if not workers.running:
                    workers.start()
                result = master.result()
                killed, started = workers.killed, workers.started
        finally:
            master.kill()
        print("%d of %d workers killed, %s" % (killed, started, result))
        return result


def survive(place: Path, position: str, outcome: str, *counts: int) -> None:
    """Run a stressed search; its outcome and database are right, and suffice without a search."""
    search = StressedSearch(place, position, int(os.environ["PNS_CHAOS_SEED"]))
    assert search.run(*counts)["outcome"] == outcome
    assert search.stored.items() <= contents(search.database).items()
    audit(search.database, "%s=%s" % (position, outcome))
    again = solve_json(position, "--db", search.database)
    assert (again["expansions"], again["facts_new"]) == (0, 0)


@needs_lmdb
@pytest.mark.slow
def test_killed_workers_and_a_killed_master(tmp_path: Path) -> None:
    survive(tmp_path, "0*12", "loss", 1, 2, 1)


@needs_lmdb
@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_killed_workers_and_killed_masters_for_minutes(tmp_path: Path) -> None:
    survive(tmp_path, "0*13", "loss", 5, 6, 100)


@pytest.mark.search
def test_no_stored_fact_is_proved_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers die, and so does the master, of whom only the facts stay; others go on."""
    prove, proved = Couples.prove, 0

    def watched(couples: Couples, land: int, number: int) -> None:
        nonlocal proved
        proved += 1
        assert couples.facts.get(couples.texts[land]) < 0, couples.texts[land]
        prove(couples, land, number)

    monkeypatch.setattr(Couples, "prove", watched)
    for seed in (1,):
        rng, facts, clock = random.Random(seed), Facts("sprouts"), Clock()
        masters, deaths = 0, 0
        outcome = None
        while outcome is None:
            master = master_of("0*7", facts=facts, iterations=30, updates=10)
            masters += 1
            workers = [ManualWorker(master, "w%d" % i, clock) for i in range(3)]
            for _ in range(rng.randrange(20, 60)):
                i = rng.randrange(len(workers))
                spec = workers[i].take()
                if spec and rng.random() < 0.9:
                    workers[i].do(spec)
                elif spec:
                    deaths += 1
                    workers[i] = ManualWorker(master, "w%d of %d" % (i, deaths), clock)
                assert not master.knowledge.failure
                if master.why_done:
                    break
            outcome = master.knowledge.outcome
        assert outcome is False and masters > 1 and deaths > 1
    assert proved > 150
