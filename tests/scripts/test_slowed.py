"""scripts/slowed.py: real workers that wait after each expansion."""

from __future__ import annotations

import pytest
from helpers.tools import call

pytest.importorskip("zmq", reason="pyzmq is missing")
pytestmark = pytest.mark.programs


def test_it_measures_each_number_of_workers() -> None:
    done = call("slowed.py", "0*8", "--workers", "1,3", "--wait", 50, "--", "--seed", 1)
    assert done.status == 0, done.errors
    first, *rows = [line.split() for line in done.output.splitlines()]
    assert first == ["workers", "seconds", "expansions", "outcome", "speedup"]
    assert [(row[0], row[3]) for row in rows] == [("1", "loss"), ("3", "loss")]
    assert rows[0][4] == "1.00"


def test_what_the_master_refuses_ends_it() -> None:
    done = call("slowed.py", "0*x")
    assert done.status == 2 and "found 'x'" in done.errors
