"""The memory of the machine, in a container the part that it may use; PyPy's compiler."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import List

import pytest
from helpers.paths import ROOT

from pns.front.memory import cache_bytes
from pns.system import jit
from pns.system.jit import JIT_OF_SEARCHES, JIT_PARAMETERS, SMALL_LIMIT, tune_jit
from pns.system.machine import control_group_limits, total_memory


@pytest.mark.parametrize(
    "groups, files, limits",
    [
        ("0::/a/b\n", {"a/b/memory.max": "700\n", "a/memory.max": "max\n"}, [700]),
        ("0::/a/b\n", {"memory.max": "900\n", "a/memory.max": "800\n"}, [900, 800]),
        ("4:memory:/j\n1:cpu:/j\n", {"memory/j/memory.limit_in_bytes": "600\n"}, [600]),
        ("3:cpu,memory:/\n", {"memory/memory.limit_in_bytes": "500\n"}, [500]),
        ("0::/of/another/namespace\nno group\n", {}, []),
    ],
)
def test_limits_of_control_groups(
    groups: str, files: "dict[str, str]", limits: "list[int]", tmp_path: Path
) -> None:
    own, root = tmp_path / "cgroup", tmp_path / "fs"
    own.write_text(groups)
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    assert list(control_group_limits(str(own), str(root))) == limits


def test_without_control_groups(tmp_path: Path) -> None:
    assert list(control_group_limits(str(tmp_path / "none"), str(tmp_path))) == []
    assert total_memory() > 1 << 20


def test_the_positions_of_all_processes_have_half_of_the_memory() -> None:
    for processes in (1, 2, 3, 64):
        assert processes * cache_bytes(processes) <= total_memory() // 2
    assert cache_bytes(1) == cache_bytes(2)


@pytest.mark.parametrize("searches", [False, True])
def test_searches_are_compiled_sooner(searches: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    given: List[str] = []
    monkeypatch.setitem(sys.modules, "pypyjit", SimpleNamespace(set_param=given.append))
    monkeypatch.setattr(sys.implementation, "name", "pypy")
    tune_jit(searches)
    assert given == [JIT_PARAMETERS, JIT_OF_SEARCHES][: 1 + searches]


@pytest.mark.parametrize("searches", [False, True])
@pytest.mark.parametrize("letter", ["v", "d"])
def test_under_a_small_limit_only_searches_are_compiled(
    searches: bool, letter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: List[str] = []
    monkeypatch.setitem(sys.modules, "pypyjit", SimpleNamespace(set_param=given.append))
    monkeypatch.setattr(sys.implementation, "name", "pypy")
    monkeypatch.setattr(jit, "memory_limits", lambda: {letter: SMALL_LIMIT - 1})
    tune_jit(searches)
    assert given == ([JIT_PARAMETERS, JIT_OF_SEARCHES] if searches else ["off"])
    monkeypatch.setattr(jit, "memory_limits", lambda: {letter: SMALL_LIMIT})
    tune_jit(searches)
    assert given[-1] == (JIT_OF_SEARCHES if searches else JIT_PARAMETERS)


def test_cores_of_a_process_that_is_bound() -> None:
    """Under every interpreter, also one without os.sched_getaffinity."""
    if shutil.which("taskset") is None:
        pytest.skip("there is no taskset")
    code = "from pns.system.machine import logical_cores, physical_cores\n"
    code += "print(logical_cores(), physical_cores())"
    command = ["taskset", "-c", "0", sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout == "1 1\n"
