"""Run the tests, on all cores; arguments go to pytest, and --slow adds the slow tests.

There is one process more than cores, since tests often wait for programs.

usage: pypy3 scripts/test.py [--slow] [PYTEST-ARGUMENT...]
"""

from __future__ import annotations

import bootstrap

import os
import sys
from importlib.util import find_spec
from typing import List


def pytest_arguments(arguments: List[str]) -> List[str]:
    """Arguments for pytest; where they conflict, the caller's come later and win."""
    processes = "%d" % ((os.cpu_count() or 1) + 1)
    parallel = ["-n", processes, "--dist", "worksteal"] if find_spec("xdist") else []
    slow = ["-m", ""] if "--slow" in arguments else []
    return parallel + slow + [argument for argument in arguments if argument != "--slow"]


def main(arguments: List[str]) -> int:
    """Run pytest in the project's root; returns its exit status."""
    if arguments in (["-h"], ["--help"]):
        print((__doc__ or "").rstrip())
        return 0
    if not find_spec("pytest"):
        print("test.py: pytest is missing: run sh scripts/setup.sh", file=sys.stderr)
        return 1
    import pytest

    os.chdir(bootstrap.ROOT)
    return int(pytest.main(pytest_arguments(arguments)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
