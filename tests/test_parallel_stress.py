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
    """At least so many runs, and more until over half as many processes were killed."""
    stress = Stress(seed, directory)
    totals = stress.totals
    while totals.runs < runs or (totals.kills <= runs // 2 and totals.runs < 20 * runs):
        stress.run()
    assert not totals.faults, totals.faults
    assert totals.entries > 10 * runs and totals.kills > runs // 2


def test_a_few_runs(tmp_path: Path) -> None:
    check(6, 4, tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(0)
def test_many_runs(tmp_path: Path) -> None:
    check(int(os.environ.get("PNS_STRESS_RUNS", "300")), 1, tmp_path)
