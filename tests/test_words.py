"""The library says nothing of command lines: its messages and docstrings name no flags."""

from __future__ import annotations

import ast
import re
from typing import Dict, Iterator, List

from helpers.paths import ROOT

FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
APART = ("pns/cli/", "pns/checker/")
"""The command line, and the single-file checker, a program of its own."""


def flags_in(source: str) -> Iterator[str]:
    """The flags in the texts of a module.

    >>> list(flags_in("raise ValueError('too large; --capacity sets it')"))
    ['--capacity']
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from FLAG.findall(node.value)


def test_the_library_names_no_flags() -> None:
    found: Dict[str, List[str]] = {}
    for path in ROOT.glob("pns/**/*.py"):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(APART):
            found[name] = list(flags_in(path.read_text()))
    assert len(found) > 200
    assert {name: flags for name, flags in found.items() if flags} == {}
