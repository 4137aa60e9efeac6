"""Run tests, on all cores; all other arguments go to pytest.

The chosen suite covers every room in three minutes on two cores. `--all` runs all tests but the
slow ones, as CI does on PyPy and on CPython: what is the same on both, one of them leaves to the
other (`ELSEWHERE`). `--slow` leaves out nothing. Where files or folders are named, they are run.

There is one process more than cores, since tests often wait for programs. Each of them collects
all tests for itself, so on one core there is only one. Lines on standard error say how far the
collection is. Bytecode is kept in build/bytecode, since each program that a test starts would
compile the package again.

usage: pypy3 scripts/test.py [--all] [--slow] [PYTEST-ARGUMENT...]
"""

from __future__ import annotations

import bootstrap

import os
import sys
from importlib.util import find_spec
from typing import List

PLUGIN = ("-p", "helpers.collecting")
WHOLE = ("--all", "--slow")
ELSEWHERE = {"pypy": "programs", "cpython": "search"}
"""The mark of the tests that `--all` leaves to the other interpreter, by the name of this one."""

CHOSEN = """
test_rooms.py test_doctests.py test_worker.py misere/test_trees.py
test_dfpn.py::test_kayles test_dfpn.py::test_nim_sums
test_dfpn.py::test_lands_below_four_spots_have_their_brute_force_numbers
games/test_games.py games/test_finding.py games/test_parsers.py
sprouts/test_perft.py sprouts/test_small_lands.py sprouts/test_plain_sprouts.py
positions/test_columns.py positions/test_couple.py positions/test_exchange.py
search/test_table.py search/test_theorem2.py search/test_errata.py
facts/test_facts.py facts/test_formats.py facts/test_spr.py facts/test_liblmdb.py
front/test_arguments.py
front/test_presets.py::test_every_algorithm_as_published_decides_the_small_positions
parallel/test_child_store.py parallel/test_process_pool.py
distributed/test_messages.py distributed/test_keys.py distributed/test_factlog.py
proofs/test_checker_games.py proofs/test_certificates.py::test_no_entry_can_be_removed
simulation/test_diary.py
saving/test_table_checkpoint.py::test_a_checkpoint_is_written_in_steps strong/test_stones.py
play/test_play.py tools/test_estimate.py system/test_machine.py system/test_lifeline.py
cli/test_solve_refusals.py cli/test_refusals.py cli/test_games_cli.py cli/test_draw.py
cli/test_reference.py cli/test_options_checked.py cli/test_database_queries.py
web/test_questions.py web/test_guard.py
scripts/test_docs.py scripts/test_references.py
""".split()
"""The chosen suite: files and tests of tests/."""


def pytest_arguments(arguments: List[str]) -> List[str]:
    """Arguments for pytest; where they conflict, the caller's come later and win."""
    from pns.system.machine import logical_cores

    cores = logical_cores()
    parallel = ["-n", "%d" % (cores + 1), "--dist", "worksteal"]
    if cores == 1 or not find_spec("xdist"):
        parallel = []
    marks = []
    if "--slow" in arguments:
        marks = ["-m", ""]
    elif "--all" in arguments:
        marks = ["-m", "not slow and not " + ELSEWHERE[sys.implementation.name]]
    whole = {*WHOLE} & {*arguments} or any(map(names_tests, arguments))
    chosen = [] if whole else ["tests/" + name for name in CHOSEN]
    return [*PLUGIN, *parallel, *marks] + [
        argument for argument in [*arguments, *chosen] if argument not in WHOLE
    ]


def names_tests(argument: str) -> bool:
    """Whether an argument is a file or a folder, perhaps with the name of a test."""
    return os.path.exists(argument.partition("::")[0])


def keep_bytecode() -> None:
    """Let this process and all that it starts keep bytecode, out of the source tree."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    place = os.path.join(bootstrap.ROOT, "build", "bytecode")
    sys.pycache_prefix = os.environ.setdefault("PYTHONPYCACHEPREFIX", place)


def main(arguments: List[str]) -> int:
    """Run pytest in the project's root; returns its exit status."""
    if arguments in (["-h"], ["--help"]):
        print((__doc__ or "").rstrip())
        return 0
    if not find_spec("pytest"):
        print("test.py: pytest is missing: run sh scripts/setup.sh", file=sys.stderr)
        return 1
    print("test.py: starting pytest", file=sys.stderr, flush=True)
    keep_bytecode()
    import pytest

    sys.path.append(os.path.join(bootstrap.ROOT, "tests"))  # for the plugin, in each process
    os.chdir(bootstrap.ROOT)
    return int(pytest.main(pytest_arguments(arguments)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
