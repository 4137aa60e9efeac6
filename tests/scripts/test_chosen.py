"""The program that runs the tests: what it chooses."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.paths import ROOT
from test_rooms import ROOMS

PATH = ROOT / "scripts" / "test.py"


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The program as a module; the name `test` is that of a package of Python."""
    monkeypatch.chdir(ROOT)
    spec = importlib.util.spec_from_file_location("test_program", PATH)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_chosen_suite_runs_unless_tests_are_named(program: Any) -> None:
    chosen = ["tests/" + name for name in program.CHOSEN]
    assert program.pytest_arguments(["-x"])[-len(chosen) - 1 :] == ["-x", *chosen]
    common = program.pytest_arguments(["tests/facts"])[:-1]
    assert not {*common} & {*chosen}
    for name in ("tests/facts", "tests/test_tree.py::test_kayles"):
        assert program.pytest_arguments([name]) == [*common, name]
    assert program.pytest_arguments(["--slow"]) == [*common, "-m", ""]


def test_all_leaves_to_the_other_interpreter_what_it_runs_too(
    program: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = {}
    for name in ("pypy", "cpython"):
        monkeypatch.setattr(sys, "implementation", SimpleNamespace(name=name))
        *_, flag, left[name] = program.pytest_arguments(["--all"])
        assert flag == "-m"
    assert left == {"pypy": "not slow and not programs", "cpython": "not slow and not search"}


def test_no_test_is_left_to_the_other_interpreter_by_both() -> None:
    for path in (ROOT / "tests").rglob("test_*.py"):
        text = path.read_text("utf-8")
        whole = re.search(r"^pytestmark = .*\bmark\.(search|programs)\b", text, re.MULTILINE)
        other = {"search": "programs", "programs": "search"}
        assert not whole or "mark.%s\n" % other[whole.group(1)] not in text, path


def test_the_chosen_tests_exist(program: Any) -> None:
    for name in program.CHOSEN:
        path, _, test = name.partition("::")
        text = (ROOT / "tests" / path).read_text("utf-8")
        assert re.search(r"^def %s\(" % (test or "test_"), text, re.MULTILINE) or not test, name


def test_the_chosen_suite_covers_every_folder_of_tests(program: Any) -> None:
    folders = {path.parent.name for path in (ROOT / "tests").glob("*/test_*.py")}
    assert {Path(name).parent.name for name in program.CHOSEN} - {""} == folders - {"browser"}


ABOUT_ALL = ("doctests", "names", "parts", "rooms", "words")
"""Tests of the whole package."""


def test_folders_mirror_the_rooms() -> None:
    rooms = {room.split(".")[0] for room in ROOMS}
    folders = {path.parent.name for path in (ROOT / "tests").glob("*/test_*.py")}
    assert folders - rooms == {"browser", "scripts"}
    own = {"test_%s.py" % room for room in rooms} | {"test_%s.py" % kind for kind in ABOUT_ALL}
    assert {path.name for path in (ROOT / "tests").glob("*.py")} - {"conftest.py"} <= own
