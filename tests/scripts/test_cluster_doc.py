"""The commands of docs/cluster.md name programs and options that exist."""

from __future__ import annotations

import re
from typing import Dict, Set

import pytest
from helpers.paths import ROOT
from site_hook import help_of

from pns.cli.reference import commands

pytestmark = pytest.mark.search

pytest.importorskip("zmq", reason="pyzmq is missing")
TEXT = (ROOT / "docs" / "cluster.md").read_text()


def option_names(name: str) -> Set[str]:
    """The options that the help of a script lists."""
    (command,) = [one for one in commands() if one.name == name.partition(".")[0]]
    return set(re.findall(r"--[a-z][a-z-]*", help_of(command)))


def test_commands_use_options_that_exist() -> None:
    known: Dict[str, Set[str]] = {}
    for line in re.findall(r"^    .*", TEXT, re.MULTILINE):
        for name, words in re.findall(r"scripts/(\w+\.py)([^>&|]*)", line):
            used = set(re.findall(r" (--[a-z][a-z-]*)", words.partition(" -- ")[0]))
            known[name] = known.get(name) or option_names(name)
            assert used <= known[name], (line, used - known[name])
    assert sorted(known) == ["cluster.py", "solve.py", "worker.py"]


def test_all_programs_named_exist() -> None:
    names = re.findall(r"scripts/[\w.]+\w", TEXT)
    assert len(names) > 8
    for name in names:
        assert (ROOT / name).exists(), name
