"""How a master and a worker are made: of parts that are used from outside by their public names."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Iterator, List

import pytest
from helpers.paths import ROOT

MADE_OF_PARTS = ("master.py", "worker.py", "jobs", "distributed", "simulation", "parallel")
"""The files and folders of pns/ that this is about."""
PUBLIC = ("_replace", "_asdict", "_fields", "_make", "_exit")
"""Public names of named tuples and of `os`."""


def sources() -> Iterator[Path]:
    for name in MADE_OF_PARTS:
        place = ROOT / "pns" / name
        yield from sorted(place.glob("*.py")) if place.is_dir() else [place]


def private_members_of_others(tree: ast.AST) -> List[str]:
    """Uses of a private attribute of anything but `self`, `super()` and system calls."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            owner = ast.unparse(node.value)
            is_public = node.attr.startswith("__") or node.attr in PUBLIC
            if owner not in ("self", "super()") and not is_public:
                found.append("%s.%s" % (owner, node.attr))
    return found


def command_words(tree: ast.AST) -> List[str]:
    """Texts that begin as an option of a command line, or name a module of the command."""
    texts = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    return [text for text in texts if text.startswith("--") or "pns.cli" in text.split("\n")[0]]


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_private_member_of_another_class_is_used(path: Path) -> None:
    assert private_members_of_others(ast.parse(path.read_text())) == []


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_the_library_has_no_words_of_a_command_line(path: Path) -> None:
    assert command_words(ast.parse(path.read_text())) == []


@pytest.mark.parametrize(
    "name", ["master.py", "worker.py", "jobs/knowledge.py", "jobs/dispatch.py"]
)
def test_master_worker_and_their_parts_inherit_nothing(name: str) -> None:
    tree = ast.parse((ROOT / "pns" / name).read_text())
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    bases = {node.name: [ast.unparse(base) for base in node.bases] for node in classes}
    assert {name: found for name, found in bases.items() if found not in ([], ["Exception"])} == {}


def test_what_breaks_these_rules_is_found() -> None:
    assert private_members_of_others(ast.parse("self._a; super()._b; other._c; self.x._d")) == [
        "other._c",
        "self.x._d",
    ]
    assert command_words(ast.parse("f('--db', 'pns.cli.commands.worker', 'a -- b')")) == [
        "--db",
        "pns.cli.commands.worker",
    ]
