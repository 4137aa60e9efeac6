"""Run the tests, on all cores; arguments go to pytest, and --slow adds the slow tests.

There is one process more than cores, since tests often wait for programs. Each of them collects
all tests for itself, so on one core there is only one. Lines on standard error say how far the
collection is.

usage: pypy3 scripts/test.py [--slow] [PYTEST-ARGUMENT...]
"""

from __future__ import annotations

import bootstrap

import os
import sys
from importlib.util import find_spec
from typing import List

PLUGIN = ("-p", "helpers.collecting")


def pytest_arguments(arguments: List[str]) -> List[str]:
    """Arguments for pytest; where they conflict, the caller's come later and win."""
    from pns.system.machine import logical_cores

    cores = logical_cores()
    parallel = ["-n", "%d" % (cores + 1), "--dist", "worksteal"]
    if cores == 1 or not find_spec("xdist"):
        parallel = []
    slow = ["-m", ""] if "--slow" in arguments else []
    return [*PLUGIN, *parallel, *slow] + [
        argument for argument in arguments if argument != "--slow"
    ]


def main(arguments: List[str]) -> int:
    """Run pytest in the project's root; returns its exit status."""
    if arguments in (["-h"], ["--help"]):
        print((__doc__ or "").rstrip())
        return 0
    if not find_spec("pytest"):
        print("test.py: pytest is missing: run sh scripts/setup.sh", file=sys.stderr)
        return 1
    print("test.py: starting pytest", file=sys.stderr, flush=True)
    import pytest

    sys.path.append(os.path.join(bootstrap.ROOT, "tests"))  # for the plugin, in each process
    os.chdir(bootstrap.ROOT)
    return int(pytest.main(pytest_arguments(arguments)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
