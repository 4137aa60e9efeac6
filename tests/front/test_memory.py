"""Limits of the shell: a search keeps within them, or one line says why it cannot."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, List

import pytest
from helpers.paths import ROOT
from helpers.processes import run_python
from helpers.solver import solve

import pns
from pns.choices import ALGORITHMS, DEFAULT_CAPACITY
from pns.front import memory
from pns.front.memory import MemoryWatch, TooLittleMemory
from pns.parallel.child_store import store_bytes
from pns.pn2 import LimitedSearch
from pns.search import nodes
from pns.search.table import ENTRY_BYTES, Table
from pns.system import machine, start
from pns.system.machine import Limit, NoMemory, reserve, total_memory, used_memory

MEGABYTE = 1_000_000
ALL = list(ALGORITHMS)


def limit_to(monkeypatch: pytest.MonkeyPatch, left: int, name: str = "ulimit -v") -> None:
    """Pretend that a limit leaves `left` bytes."""
    limits = [Limit(name, 300 * MEGABYTE, left)]
    monkeypatch.setattr(machine, "process_limits", lambda: limits)
    monkeypatch.setattr(memory, "process_limits", lambda: limits)


def limited(size: int) -> Any:
    """A function that sets `ulimit -v` in a child."""
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))


@pytest.mark.parametrize("algorithm", ALL)
def test_each_algorithm_solves_under_a_limit(algorithm: str) -> None:
    done = solve(
        "--no-db", "--quiet", "--algorithm", algorithm, "0*5", preexec_fn=limited(300 * MEGABYTE)
    )
    assert (done.status, done.output, done.errors) == (
        0,
        ["0*5 is a win: the player to move wins."],
        [],
    )


def test_a_table_that_does_not_fit_is_refused_in_one_line() -> None:
    done = solve("--no-db", "--capacity", "13M", "0*5", preexec_fn=limited(300 * MEGABYTE))
    assert (done.status, done.output, len(done.errors)) == (2, [], 1)
    wanted = "no memory for the transposition table: 260 MB asked for"
    for part in (wanted, "of the 300 MB that ulimit -v allows", "a smaller --capacity"):
        assert part in done.errors[0]


def test_shares_are_those_of_what_the_limit_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = total_memory()
    limit_to(monkeypatch, 100 * MEGABYTE)
    assert abs(total_memory() - min(whole, used_memory() + 100 * MEGABYTE)) < 5 * MEGABYTE
    for left in (1000, 300, 100, 50, 0):
        limit_to(monkeypatch, left * MEGABYTE)
        room = max(0, left * MEGABYTE - machine.PROGRAM_BYTES)
        assert memory.default_capacity() * ENTRY_BYTES <= max(ENTRY_BYTES, room // 4)
        assert store_bytes() <= room // 4 and memory.cache_bytes(2) <= room // 2
        assert sum(map(int, filter(None, memory.caches(None, None)))) <= room // 2
    monkeypatch.setattr(machine, "process_limits", lambda: [])
    assert memory.default_capacity() == DEFAULT_CAPACITY


def test_reserving(monkeypatch: pytest.MonkeyPatch) -> None:
    limit_to(monkeypatch, 100 * MEGABYTE)
    assert len(reserve(MEGABYTE, "a thing", "less of it")) == MEGABYTE
    message = "no memory for a thing: 61 MB asked for beside 40 MB for the program, 100 MB left of"
    with pytest.raises(NoMemory, match=message + ".*ulimit -v allows; less of it takes less"):
        reserve(61 * MEGABYTE, "a thing", "less of it")
    with pytest.raises(NoMemory, match="the nodes of the tree"):
        nodes.Nodes(10 * MEGABYTE)
    limit_to(monkeypatch, 100 * MEGABYTE, "ulimit -d")  # limits private memory only
    Table(5 * MEGABYTE)


def test_a_refusal_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))

    monkeypatch.setattr("pns.system.machine.mmap.mmap", fail)
    with pytest.raises(NoMemory, match="a thing: 5.0 MB asked for.* less takes less"):
        reserve(5 * MEGABYTE, "a thing", "less")


def test_a_tree_is_refused_where_there_is_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    limit_to(monkeypatch, 120 * MEGABYTE)
    with pytest.raises(NoMemory, match="a tree: it needs 130 MB, 120 MB left of the 300 MB"):
        pns.solve("0*3", algorithm="pns")
    with pytest.raises(TooLittleMemory):
        pns.solve("0*3", algorithm="pns", max_memory=MEGABYTE)


def test_a_search_ends_before_memory_does(monkeypatch: pytest.MonkeyPatch) -> None:
    limit_to(monkeypatch, 100 * MEGABYTE)
    watch = MemoryWatch(None)
    assert not watch.is_spent()
    assert MemoryWatch(1).is_spent() and not MemoryWatch(1).is_spent(lambda: 0)
    limit_to(monkeypatch, machine.LAST_BYTES - 1)
    assert watch.is_spent()


@pytest.mark.parametrize("algorithm", ["dfpn", "pns"])
def test_memory_that_runs_out_within_a_search_ends_it(algorithm: str, tmp_path: Path) -> None:
    def fail(_: Any) -> None:
        raise MemoryError

    path = str(tmp_path / "tree") if algorithm == "pns" else None
    result = pns.solve("0*9", algorithm=algorithm, observer=fail, checkpoint=path)
    assert (result.solved, result.stopped_by) == (False, "memory")
    if path:  # the checkpoint from before the search is kept
        assert result.unsaved == "%s: memory ran out; the previous one is kept" % path
        assert isinstance(pns.solve("0*3", algorithm="pns"), pns.Result)
        assert pns.solve("0*9", algorithm="pns", resume=path).outcome == "win"


def test_nested_calls_get_their_share(monkeypatch: pytest.MonkeyPatch) -> None:
    most = sys.getrecursionlimit()
    assert machine.recursion_limit(most + 1000) == most + 1000
    limit_to(monkeypatch, machine.PROGRAM_BYTES)
    assert machine.recursion_limit(most + 1000) == most


def test_limits_are_read() -> None:
    code = "from pns.system.machine import process_limits; print(*process_limits())"
    assert run_python(code).stdout == "\n"
    done = run_python(code, preexec_fn=limited(400 * MEGABYTE))
    assert done.stdout.startswith("Limit(name='ulimit -v', bytes=400000000, left=")
    assert 0 < int(done.stdout.split("left=")[1].split(")")[0]) < 395 * MEGABYTE


def test_programs_start_with_heaps_within_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    unlimited, limit = (lambda _: (-1, -1)), (lambda _: (10**9, -1))
    monkeypatch.setattr(sys, "implementation", SimpleNamespace(name="cpython"))
    monkeypatch.setattr("resource.getrlimit", unlimited)
    assert start.wanted_settings() == {}
    monkeypatch.setattr("resource.getrlimit", limit)
    assert start.wanted_settings() == {"MALLOC_ARENA_MAX": "1"}
    monkeypatch.setattr(sys, "implementation", SimpleNamespace(name="pypy"))
    settings = start.wanted_settings()
    assert settings["MALLOC_ARENA_MAX"] == "1" and settings["PYPY_GC_NURSERY"] == start.NURSERY
    assert 4 * 10**8 < int(settings["PYPY_GC_MAX"]) < 8 * 10**8
    monkeypatch.setattr("resource.getrlimit", unlimited)
    assert start.wanted_settings().keys() == {"PYPY_GC_NURSERY"}


@pytest.mark.parametrize("letter, most", [("v", 75), ("v", 239), ("d", 194)])
def test_a_limit_that_leaves_the_compiler_no_memory_is_refused_in_a_line(
    letter: str, most: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    number = {"v": resource.RLIMIT_AS, "d": resource.RLIMIT_DATA}[letter]
    limit = most * MEGABYTE
    monkeypatch.setattr("resource.getrlimit", lambda n: (limit if n == number else -1, -1))
    monkeypatch.setattr(sys, "implementation", SimpleNamespace(name="cpython"))
    start.need_memory()  # which raises MemoryError in time
    monkeypatch.setattr(sys, "implementation", SimpleNamespace(name="pypy"))
    with pytest.raises(SystemExit) as exit:
        start.need_memory()
    shown = capsys.readouterr().err
    assert exit.value.code == 2 and shown.count("\n") == 1
    assert "ulimit -%s allows %d MB" % (letter, most) in shown
    limit = 1024 * int(shown.split()[-3])  # what the line says to raise it to
    start.need_memory()


@pytest.mark.skipif(sys.implementation.name != "pypy", reason="CPython raises MemoryError")
def test_programs_do_not_abort_under_a_low_limit() -> None:
    for words in (("-m", "pns", "solve", "0*7"), ("scripts/solve.py", "0*7")):
        command = [sys.executable, *words, "--no-known", "--no-db"]
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, preexec_fn=limited(80 * MEGABYTE)
        )
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


RAISES = "from pns.cli import common; common.run(lambda: (_ for _ in ()).throw(%s))"


@pytest.mark.parametrize(
    "error, lines",
    [
        ("OSError(5, 'Input/output error')", ["-c: Input/output error"]),
        ("OSError(5, 'Input/output error', 'a file')", ["-c: a file: Input/output error"]),
        ("BrokenPipeError(32, 'Broken pipe')", ["-c: Broken pipe"]),
        ("__import__('pns').NoMemory('no memory for it')", ["-c: no memory for it"]),
    ],
)
def test_errors_are_not_blamed_on_standard_output(error: str, lines: List[str]) -> None:
    done = run_python(RAISES % error)
    assert (done.returncode, done.stderr.splitlines()) == (2, lines)


@pytest.mark.parametrize("error", ["MemoryError", "OSError(12, 'Cannot allocate memory')"])
def test_memory_that_runs_out_anywhere_is_reported_in_one_line(error: str) -> None:
    done = run_python(RAISES % error, preexec_fn=limited(900 * MEGABYTE))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "memory ran out" in done.stderr and "900 MB that ulimit -v allows" in done.stderr


def test_a_tree_is_searched_although_files_may_not_grow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: Any) -> None:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))

    monkeypatch.setattr("pns.search.nodes.os.ftruncate", fail)
    names: List[str] = []

    def note(solver: Any) -> None:
        assert isinstance(solver.search, LimitedSearch)
        names.append(solver.search.nodes.name)

    assert pns.solve("0*6", algorithm="pns", observer=note).solved
    assert set(names) == {""}
