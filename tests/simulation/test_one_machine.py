"""PDFPN and SPDFPN of one machine on a virtual clock: right, reproducible, DFPN by one process."""

from __future__ import annotations

from typing import Any

import pytest

from pns.choices import PARALLEL, PDFPN
from pns.finding import find_game
from pns.jobs.policy import JobPolicy
from pns.simulation.cached import Cached
from pns.simulation.costs import Costs, Work, price
from pns.simulation.machine import Machine
from pns.simulation.simulation import Setting, sequential

pytestmark = pytest.mark.search

SPROUTS = Cached(find_game("sprouts"))
COSTS = Costs()


def machine(
    position: str,
    processes: int,
    restart: int = 0,
    costs: Costs = COSTS,
    algorithm: str = PDFPN,
    **options: Any,
) -> Machine:
    jobs = JobPolicy(restart=restart)
    setting = Setting(processes=processes, jobs=jobs, algorithm=algorithm, work_limit=20)
    lands = SPROUTS.parse(position)
    return Machine(SPROUTS, lands, setting, costs, capacity=1 << 14, **options)


def test_one_process_is_dfpn() -> None:
    alone, _ = sequential(SPROUTS, SPROUTS.parse("0*7"), COSTS, 0, None, 1 << 14)
    run = machine("0*7", 1).run()
    assert (run.expansions, run.facts) == (alone.expansions, alone.facts)
    assert 0.9 * alone.children < run.children <= alone.children  # none is generated again
    assert run.seconds <= alone.seconds


@pytest.mark.parametrize("algorithm", PARALLEL)
@pytest.mark.parametrize("position, wins", [("0*6", False), ("0*8", False), ("0*9", True)])
def test_processes_find_the_outcome_sooner_and_again_in_the_same_way(
    algorithm: str, position: str, wins: bool
) -> None:
    first, second, single = [
        machine(position, processes, restart=200, algorithm=algorithm) for processes in (4, 4, 1)
    ]
    one, again = first.run(), second.run()
    assert first.wins is second.wins is wins
    assert one.expansions == again.expansions and one.seconds == again.seconds
    assert one.seconds < single.run().seconds


def test_what_processes_read_of_each_other_takes_time() -> None:
    slow = COSTS._replace(taken=1000.0)
    alone, run = machine("0*7", 1, costs=slow).run(), machine("0*9", 4, costs=slow).run()
    assert not alone.taken and run.taken > 0
    spent = price(slow, Work(run.expansions, run.children, run.taken))
    assert 0.9 < spent / (4 * run.seconds) <= 1.0
    assert price(COSTS, Work(run.expansions, run.children)) < spent / 2


def test_limits_end_a_run() -> None:
    by_work = machine("0*9", 4, most_expansions=100).run()
    assert not by_work.solved and 100 <= by_work.expansions < 200
    limit = by_work.seconds / 2
    by_time = machine("0*9", 4, most_seconds=limit).run()
    assert not by_time.solved and limit <= by_time.seconds < by_work.seconds


def test_processes_with_little_memory_forget_positions_and_find_the_outcome() -> None:
    free, limited = machine("0*17", 4), machine("0*17", 4, memory=6 << 20)
    assert free.run().solved and limited.run().solved and limited.wins is free.wins
    assert limited.held_bytes < free.held_bytes
