"""Leaders, their workers and their master, killed by SIGKILL at random moments and started again.

The master resumes its search. No fact that was in its database before a kill may be missing, and
the search must end with the right outcome, which the database proves.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import List

from chaos import tree
from chaos.kills import (
    dismiss,
    finish,
    kill_master,
    listening,
    master_words,
    start_solver,
    wait_for_work,
)
from chaos.run import Program, Run

POSITIONS = "0*8 0*9 0*10 0*8+1a1a".split()
"""Positions whose search by two groups lasts longer than their start."""
MASTERS, GROUPS = 6, 2
"""Starts of the master, and groups of workers at a time."""
MOST_KILLED = 3
"""Of a group, which gives up after five early deaths."""


class Group:
    """The program of a leader and its workers."""

    def __init__(self, run: Run, address: str) -> None:
        self.run = run
        count = run.rng.choice((1, 2, 3))
        words = ("--connect", address, "--workers", count, "--leader", "--capacity", 100_000)
        self.program = run.start("worker.py", *words, "--quiet")
        self._killed = 0

    def strike(self) -> None:
        """Kill the leader, a worker, or if there were enough kills all by way of their parent."""
        rng, program = self.run.rng, self.program
        living = [pid for pid in tree.children(program.pid) if tree.command_line(pid)]
        leaders = [pid for pid in living if leads(pid)]
        workers = [pid for pid in living if pid not in leaders]
        self.run.note_memory(living)
        if self._killed >= MOST_KILLED or rng.random() < 0.1:
            program.signalled = True
            self.run.counts["kills of groups"] += tree.kill(program.pid)
            program.wait()
            return
        self._killed += 1
        if leaders and (not workers or rng.random() < 0.5):
            self.run.counts["kills of leaders"] += tree.kill(leaders[0])
        elif workers:
            self.run.counts["kills of workers of leaders"] += tree.kill(rng.choice(workers))


def leads(pid: int) -> bool:
    """Whether a process listens at the socket of a leader."""
    try:
        rows = [row.split() for row in Path("/proc/net/unix").read_text().splitlines()]
        named = {"socket:[%s]" % row[6] for row in rows if row[-1].endswith("/leader")}
        files = Path("/proc/%d/fd" % pid)
        return any([os.readlink(str(file)) in named for file in files.iterdir()])
    except (FileNotFoundError, ProcessLookupError):
        return False


def run(run: Run) -> None:
    """Run one search."""
    rng = run.rng
    position = rng.choice(POSITIONS)
    database, checkpoint = run.work / "facts.lmdb", run.work / "tree.pns"
    words = master_words(run, position, database)
    words += ["--check-facts", rng.choice(("all", "0.02")), "--listen"]
    address = "127.0.0.1:0"
    groups: List[Group] = []
    starts = max(2, run.amount(MASTERS))
    for i in range(starts):
        master = start_solver(run, [*words, address], checkpoint)
        address = listening(master) or address
        disturb(run, master, groups, address, database)
        if i == starts - 1 or not master.is_running:
            break
        kill_master(run, master, database)
    keep_up(run, groups, address, master)
    finish(run, master, position, database)
    dismiss(run, [group.program for group in groups])


def keep_up(run: Run, groups: List[Group], address: str, master: Program) -> None:
    """Start groups in place of those that were killed, while their master runs."""
    for group in list(groups):
        if not group.program.is_running:
            if not group.program.signalled:
                group.program.expect(0)
            groups.remove(group)
    while master.is_running and len(groups) < GROUPS:
        groups.append(Group(run, address))


def disturb(run: Run, master: Program, groups: List[Group], address: str, database: Path) -> None:
    """Kill leaders, workers and whole groups, as long as their master runs, some times."""
    for _ in range(run.amount(run.rng.randint(2, 5))):
        keep_up(run, groups, address, master)
        files = (database,) if run.rng.random() < 0.3 else ()
        wait_for_work(run, master, files)
        if not master.is_running:
            return
        for group in run.rng.sample(groups, run.rng.choice((1, 1, GROUPS))):
            group.strike()
