"""Parallel searches under random kills: right outcomes, right databases, nothing left behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from solver import needs_lmdb
from stress import Stress

pytestmark = [
    needs_lmdb,
    pytest.mark.skipif(
        not Path("/proc/self/task/%d/children" % os.getpid()).exists(),
        reason="no list of children here",
    ),
]


def check(runs: int, seed: int, directory: Path) -> None:
    stress = Stress(seed, directory)
    for _ in range(runs):
        stress.run()
    totals = stress.totals
    assert not totals.faults, totals.faults
    assert totals.runs == runs and totals.entries > 10 * runs and totals.kills > runs // 2


def test_a_few_runs(tmp_path: Path) -> None:
    check(6, 4, tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(0)
def test_many_runs(tmp_path: Path) -> None:
    check(int(os.environ.get("PNS_STRESS_RUNS", "300")), 1, tmp_path)
