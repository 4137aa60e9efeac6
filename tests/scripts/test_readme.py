"""Every command of the README runs, and its examples are right."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Dict, List

import pytest
from helpers.paths import CERTIFICATES, ROOT

README = (ROOT / "README.md").read_text()
COMMANDS = re.findall(r"^    (?:\$ )?(pypy3 scripts/.*)$", README, re.MULTILINE)
QUICK_START = re.findall(r"^    (sh scripts/setup\.sh && pypy3 scripts/.*)$", README, re.MULTILINE)


def run(command: str, place: Path) -> "subprocess.CompletedProcess[str]":
    words = shlex.split(command)
    assert words[0] == "pypy3"
    words[:2] = [sys.executable, str(ROOT / words[1])]
    env: Dict[str, str] = {**os.environ, "XDG_DATA_HOME": str(place / "data")}
    return subprocess.run(words, cwd=place, env=env, capture_output=True, text=True, timeout=250)


def test_the_quick_start_is_two_commands() -> None:
    assert [line.split("&& pypy3 ")[1] for line in QUICK_START] == [
        "scripts/solve.py '0*17'",
        "scripts/test.py",
    ]


def run_all(commands: List[str], place: Path) -> None:
    pytest.importorskip("cffi")
    (place / "data").mkdir()
    (place / "data" / "certificates").symlink_to(CERTIFICATES)
    other = "pypy3 scripts/solve.py --quiet --db other.lmdb '0*4'"
    for command in [other, *commands]:
        done = run(command, place)
        budget = "--max-seconds" in command and done.returncode == 3
        assert done.returncode == 0 or budget, (command, done.stderr)
        assert done.stdout, command


def test_all_commands(tmp_path: Path) -> None:
    commands = [command for command in COMMANDS if not is_benchmark(command)]
    assert len(commands) > 10
    run_all(commands, tmp_path)


def is_benchmark(command: str) -> bool:
    return "bench.py" in command or "figures.py" in command


@pytest.mark.skipif(sys.implementation.name != "pypy", reason="what is measured is PyPy")
def test_all_benchmarks(tmp_path: Path) -> None:
    commands = [command for command in COMMANDS if is_benchmark(command)]
    assert len(commands) > 3
    run_all(commands, tmp_path)


def test_the_output_shown(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "certificates").symlink_to(CERTIFICATES)
    found = re.findall(r"^    \$ (pypy3 .*)\n((?:    .*\n)+)", README, re.MULTILINE)
    assert len(found) == 2
    for command, text in found:
        lines: List[str] = [line[4:] for line in text.splitlines()]
        shown = run(command, tmp_path).stdout.splitlines()
        if lines[-1] == "…":
            del lines[-1], shown[len(lines) :]
        assert shown == lines


def test_python_examples() -> None:
    results = doctest.testfile(str(ROOT / "README.md"), module_relative=False, encoding="utf-8")
    assert results.attempted >= 4 and not results.failed
