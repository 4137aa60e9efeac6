"""The examples in docstrings are right.

One test for each module that has any: only these are imported, and only when their test runs.
"""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path
from typing import Iterator

import pytest
from helpers.paths import ROOT

FOLDERS = {"pns": ROOT, "scripts": ROOT / "scripts", "tests": ROOT / "tests"}
"""Folders with the directory from which their modules are imported."""


def modules_with_examples() -> Iterator[str]:
    """Names of modules, as tests import them; those of tests have no package."""
    for folder, base in FOLDERS.items():
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "\n>>> " in path.read_text("utf-8").replace("    ", ""):
                yield name_of(path, base)


def name_of(path: Path, base: Path) -> str:
    """The name of a module.

    >>> name_of(ROOT / "pns" / "sprouts" / "__init__.py", ROOT)
    'pns.sprouts'
    >>> name_of(ROOT / "tests" / "cli" / "test_doctor.py", ROOT / "tests")
    'test_doctor'
    """
    parts = path.relative_to(base).with_suffix("").parts
    if parts[-1].startswith("test_"):
        return parts[-1]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples(name: str) -> None:
    done = doctest.testmod(import_module(name))
    assert done.attempted > 0
    assert done.failed == 0, "the report is above"


def test_a_wrong_example_is_found() -> None:
    wrong = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "sum", None, None)
    assert doctest.DocTestRunner(verbose=False).run(wrong, out=lambda text: None) == (1, 1)
