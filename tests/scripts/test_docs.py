"""What the documentation names exists: files, the definitions on the walks and beside the paper."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Dict, Iterator, List, Set, Tuple

import pytest
from helpers.paths import ROOT

pytestmark = pytest.mark.search

PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md")])
PATH = re.compile(r"`((?:pns|scripts|tests|docs|data)/[\w./-]*\w/?)`")
PLACE = re.compile(r"`(pns/[\w/]+\.py)`, `(\w+(?:\.\w+)?)(?:\(\)|\[[^\]]*\])?`")
"""A module with a name that it defines, as the walks give them."""
NAMES = re.compile(r"((?:`\w+(?:\.\w+)?`(?:, | and )?)+) in `(pns/[\w/]+\.py)`")
"""Names and the module that defines them, as docs/paper.md gives them."""


def definitions(path: Path) -> Set[str]:
    """The classes, functions, variables, methods and fields of a module: `name`, `Class.name`."""

    def names(body: List[ast.stmt], prefix: str) -> Iterator[str]:
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                yield prefix + node.name
            if isinstance(node, ast.ClassDef):
                yield from names(node.body, prefix + node.name + ".")
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                yield prefix + node.target.id
            if isinstance(node, ast.Assign):
                yield from [prefix + t.id for t in node.targets if isinstance(t, ast.Name)]

    return set(names(ast.parse(path.read_text()).body, ""))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_files_that_a_page_names_are_there(page: Path) -> None:
    for name in PATH.findall(page.read_text()):
        assert "NAME" in name or (ROOT / name).exists(), name


def test_the_walks_name_what_the_code_defines() -> None:
    places: List[Tuple[str, str]] = PLACE.findall((ROOT / "docs" / "architecture.md").read_text())
    assert len(places) > 10
    found: Dict[str, Set[str]] = {}
    for module, name in places:
        if module not in found:
            found[module] = definitions(ROOT / module)
        assert name in found[module], (module, name)


def test_the_page_on_the_paper_names_what_the_code_defines() -> None:
    places: List[Tuple[str, str]] = NAMES.findall((ROOT / "docs" / "paper.md").read_text())
    assert len(places) > 15
    for names, module in places:
        found = definitions(ROOT / module)
        short = {name.split(".")[-1] for name in found}
        for name in re.findall(r"[\w.]+", names.replace(" and ", " ")):
            assert name in (found if "." in name else short), (module, name)
