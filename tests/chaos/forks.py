"""Forked searches of `pdfpn` and `spdfpn` with many killed processes.

A search begins with an empty database, in a process of its own (the parent) that forks 2
to 4 others. Some of these are killed by SIGKILL at random moments, sometimes the parent
too; then the same search starts again with the same database. All inherit the compiled code
of the run, so that there are many more kills in a given time than in `chaos.kills`.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any, Dict, NamedTuple

from benchmarks.logical import LogicalSearch

import pns
from chaos import tree
from chaos.run import PROGRAM_SECONDS, Run
from chaos.truth import POSITIONS, QUICK, SPROUTS, check_database, check_kept, contents, outcome_of
from pns.facts import Facts, open_facts
from pns.positions.prior import Prior

CAPACITIES = {"pdfpn": (4, 64, 1000, 100_000), "spdfpn": (1000, 100_000)}
"""Table capacities by algorithm; SPDFPN forgets its jobs in tables that are too small for them."""


class Task(NamedTuple):
    """The position and options of a search."""

    position: str
    algorithm: str
    processes: int
    capacity: int
    seed: int
    epsilon: float


def run(run: Run) -> None:
    """Make some searches, one after another."""
    # Forked processes inherit the code that PyPy has compiled by then.
    LogicalSearch(2, SPROUTS, Facts("sprouts"), 1000).outcome(SPROUTS.parse("0*6"))
    for number in range(run.amount(4)):
        search_with_kills(run, run.work / ("%d.lmdb" % number))


def search_with_kills(run: Run, path: Path) -> None:
    """Search with kills until the search ends, and check its result and database."""
    rng = run.rng
    algorithm = rng.choice(list(CAPACITIES))
    task = Task(
        rng.choice(POSITIONS + QUICK),
        algorithm,
        rng.randint(2, 4),
        rng.choice(CAPACITIES[algorithm]),
        rng.randrange(3),
        rng.choice((0.0, 0.25)),
    )
    name = "%s, %s" % (path.name, " ".join(map(str, task)))
    result: Dict[str, Any] = {}
    kill_parent = rng.random() < 0.4
    while not result:
        reader, writer = os.pipe()
        run.counts["starts"] += 1
        pid = os.fork()
        if not pid:
            os.close(reader)
            search(writer, path, task)
        os.close(writer)
        killed = kill_at_random(run, pid, kill_parent, path)
        with open(reader, "rb") as pipe:
            data = pipe.read()
        run.wait_for_orphans()
        if data:
            result = json.loads(data)
        elif not killed:
            run.fail("status", "%s: no result" % name)
            return
        kill_parent = False
    run.counts["replaced"] += result["replaced"]
    if result["outcome"] != outcome_of(task.position):
        run.fail("wrong", "%s: found a %s" % (name, result["outcome"]))
    check_database(run, path, task.position)


def kill_at_random(run: Run, parent: int, kill_parent: bool, path: Path) -> bool:
    """Kill processes until the parent ends; whether it was killed."""
    rng = run.rng
    left = rng.choice((0, 1, 2, 4, 8))
    now = time.monotonic()
    limit = now + PROGRAM_SECONDS
    next_kill = now + rng.expovariate(20.0)
    end_parent = now + rng.expovariate(4.0) if kill_parent else limit
    while not os.waitpid(parent, os.WNOHANG)[0]:
        children = [pid for pid in tree.children(parent) if tree.command_line(pid)]
        now = time.monotonic()
        if now >= end_parent:
            if now >= limit:
                run.fail("hang", "%s: a search of %.0f s" % (path.name, PROGRAM_SECONDS))
            before = contents(path)
            run.note_memory([parent, *children])
            tree.kill(parent)
            os.waitpid(parent, 0)
            run.counts["kills of forked parent"] += 1
            check_kept(run, before, contents(path), path.name)
            return True
        if left and children and now >= next_kill:
            left -= 1
            next_kill = now + rng.expovariate(20.0)
            victim = rng.choice(children)
            run.note_memory([victim])
            run.counts["kills of forked process"] += tree.kill(victim)
        time.sleep(0.002)
    return False


def search(writer: int, path: Path, task: Task) -> None:
    """The parent of a search: writes its result as JSON; does not return."""
    try:
        with open_facts(str(path), "sprouts") as facts:
            result = pns.solve(
                task.position,
                algorithm=task.algorithm,
                facts=facts,
                processes=task.processes,
                capacity=task.capacity,
                seed=task.seed,
                epsilon=task.epsilon,
                prior=Prior(),
            )
        answer = {"outcome": result.outcome, "replaced": result.usage.replaced}
        os.write(writer, json.dumps(answer).encode())
    finally:
        os._exit(0)
