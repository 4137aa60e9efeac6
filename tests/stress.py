"""Parallel searches whose processes are killed by chance, and a check of all they leave.

    python tests/stress.py RUNS [SEED]

Each run searches a small position with an empty database, in a process of its own (the
parent) that forks 2 to 4 others. Some of these are killed by SIGKILL at moments of chance,
sometimes the parent too; then the same search is started again on what the database holds.
Afterwards the outcome, every entry of the database, and that nothing is left are checked.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import List, Optional, Set

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import pns
from pns.couple import Couples
from pns.dfpn import Search
from pns.facts import Facts, open_facts
from pns.game import find_game
from pns.parallel.logical import LogicalSearch
from pns.prior import Prior
from pns.proofs.audit import Checker, FastRules
from pns.table import Table

SPROUTS = find_game("sprouts")
POSITIONS = "0*2 0*3 0*4 0*5 0*6 0*7 0*8 0*3+0*4 0*5+0*3 0*4+0*5+1a1a 0*6+0*3".split()
CAPACITIES = {"pdfpn": (4, 64, 1000, 100_000), "spdfpn": (1000, 100_000)}
"""By algorithm: SPDFPN forgets its jobs where the table is smaller than they are."""
MOST_SECONDS = 120.0
"""A run that takes longer is a fault."""


@dataclass
class Totals:
    """What all runs came to."""

    runs: int = 0
    starts: int = 0
    """Runs, and runs again after the parent was killed."""
    kills: int = 0
    parents_killed: int = 0
    replaced: int = 0
    entries: int = 0
    expansions: int = 0
    faults: List[str] = field(default_factory=list)


class Stress:
    """Runs with a seed; the truth is what sequential searches without any kills say."""

    def __init__(self, seed: int, directory: Path) -> None:
        self.totals = Totals()
        self._chance = Random(seed)
        self._directory = directory
        self._truth = Search(Couples(SPROUTS, Facts("sprouts")), Table(1 << 18))
        # Forked processes begin with what PyPy has compiled by then.
        LogicalSearch(2, SPROUTS, Facts("sprouts"), 1000).outcome(SPROUTS.parse("0*6"))

    def run(self) -> None:
        """Search, kill, search again, check."""
        chance, totals = self._chance, self.totals
        position, seed = chance.choice(POSITIONS), chance.randrange(3)
        algorithm, processes = chance.choice(list(CAPACITIES)), chance.randint(2, 4)
        capacity, epsilon = chance.choice(CAPACITIES[algorithm]), chance.choice((0.0, 0.25))
        path = self._directory / ("%d.lmdb" % totals.runs)
        name = "run %d, %s by %d processes of %s" % (totals.runs, position, processes, algorithm)
        totals.runs += 1
        result = None
        kill_parent = chance.random() < 0.3
        while result is None:
            totals.starts += 1
            reader, writer = os.pipe()
            pid = os.fork()
            if not pid:
                _search(writer, path, position, algorithm, processes, capacity, seed, epsilon)
            os.close(writer)
            seen = self._kill(pid, kill_parent)
            with open(reader, "rb") as pipe:
                said = pipe.read()
            if self._waits_in_vain(seen):
                totals.faults.append("%s: a process outlived its parent" % name)
            if said:
                result = json.loads(said)
            elif not kill_parent:
                totals.faults.append("%s: no result" % name)
                return
            kill_parent = False
        self._check(name, position, path, result)

    def _kill(self, parent: int, kill_parent: bool) -> Set[int]:
        """Kill until the parent ends; the processes that were seen."""
        chance, totals = self._chance, self.totals
        left = chance.choice((0, 1, 2, 4, 8))
        limit = time.monotonic() + MOST_SECONDS
        next_kill = time.monotonic() + chance.expovariate(20.0)
        end_parent = time.monotonic() + chance.expovariate(4.0) if kill_parent else limit
        seen: Set[int] = set()
        while not os.waitpid(parent, os.WNOHANG)[0]:
            children = _children(parent)
            seen.update(children)
            now = time.monotonic()
            if now >= end_parent:
                os.kill(parent, signal.SIGKILL)
                if now >= limit:
                    totals.faults.append("a run of %.0f s" % MOST_SECONDS)
                totals.parents_killed += 1
                os.waitpid(parent, 0)
                break
            if left and children and now >= next_kill:
                left -= 1
                totals.kills += 1
                next_kill = now + chance.expovariate(20.0)
                try:
                    os.kill(chance.choice(children), signal.SIGKILL)
                except ProcessLookupError:
                    totals.kills -= 1  # it has ended meanwhile
            time.sleep(0.002)
        return seen

    def _waits_in_vain(self, pids: Set[int]) -> bool:
        limit = time.monotonic() + 60.0
        while any([os.path.exists("/proc/%d" % pid) for pid in pids]):
            if time.monotonic() >= limit:
                return True
            time.sleep(0.005)
        return False

    def _check(self, name: str, position: str, path: Path, result: dict) -> None:
        totals, truth = self.totals, self._truth
        faults = totals.faults
        totals.replaced += result["replaced"]
        totals.expansions += result["expansions"]
        wins = truth.outcome(SPROUTS.parse(position))
        if result["outcome"] != ("win" if wins else "loss"):
            faults.append("%s: found a %s" % (name, result["outcome"]))
        if result["named_memory"]:
            faults.append("%s: named shared memory %s" % (name, result["named_memory"]))
        with open_facts(str(path), "sprouts", readonly=True) as facts:
            checker = Checker(FastRules(SPROUTS), facts.get, cancel=True)
            for land, number in facts.items():
                totals.entries += 1
                if truth.grundy_number(land) != number:
                    faults.append("%s: %r is not %d" % (name, land, number))
                why = checker.why_bad(land, number)
                if why:
                    faults.append(
                        "%s: %r, %d does not stand by itself: %s" % (name, land, number, why)
                    )
            claim = checker.why_unproved(SPROUTS.parse(position), wins)
            if claim:
                faults.append("%s: the outcome is not proved: %s" % (name, claim))


def _search(
    writer: int,
    path: Path,
    position: str,
    algorithm: str,
    processes: int,
    capacity: int,
    seed: int,
    epsilon: float,
) -> None:
    """The parent of a run: writes what it found as JSON; does not return."""
    try:
        with open_facts(str(path), "sprouts") as facts:
            result = pns.solve(
                position,
                algorithm=algorithm,
                facts=facts,
                processes=processes,
                capacity=capacity,
                seed=seed,
                epsilon=epsilon,
                prior=Prior(),
            )
        said = {
            "outcome": result.outcome,
            "replaced": result.replaced,
            "expansions": result.expansions,
            "named_memory": _named_memory(),
        }
        os.write(writer, json.dumps(said).encode())
    finally:
        os._exit(0)


def _named_memory() -> Optional[str]:
    """A segment of shared memory of this process that has a name, if there is one."""
    with open("/proc/self/maps", encoding="ascii", errors="replace") as file:
        names = [line.split()[-1] for line in file if "/dev/shm/" in line or "/SYSV" in line]
    return names[0] if names else None


def _children(pid: int) -> List[int]:
    try:
        return [
            int(word) for word in Path("/proc/%d/task/%d/children" % (pid, pid)).read_text().split()
        ]
    except (FileNotFoundError, ProcessLookupError):
        return []


def main() -> int:
    """Run as often as the command line says; 1 when there were faults."""
    runs = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as directory:
        stress = Stress(int(sys.argv[2]) if len(sys.argv) > 2 else 1, Path(directory))
        for i in range(1, runs + 1):
            stress.run()
            if i % 20 == 0 or i == runs:
                print(stress.totals, flush=True)
    return 1 if stress.totals.faults else 0


if __name__ == "__main__":
    sys.exit(main())
