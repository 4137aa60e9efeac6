"""One word, one meaning: a class shares its name with no other class or type of the package."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Dict, Iterable, Iterator, List, Tuple

from helpers.paths import ROOT

APART = re.compile(r"pns/(cli/check\.py|checker/.*|sprouts/plain\w*\.py)")
"""The checker of a single file and its parts repeat the names of what they check."""


def names_in(source: str) -> Iterator[Tuple[str, bool]]:
    """The names of classes and of types of a module, and whether each is a class.

    >>> list(names_in("class A: pass\\nPair = Tuple[int, int]\\nSIZE = 3"))
    [('A', True), ('Pair', False)]
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef):
            yield node.name, True
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name) and re.fullmatch("[A-Z]+[a-z]+.*", target.id):
                    yield target.id, False


def sources() -> Dict[str, str]:
    """The texts of all modules, by their paths from the root."""
    paths = [path.relative_to(ROOT).as_posix() for path in ROOT.glob("pns/**/*.py")]
    return {path: (ROOT / path).read_text() for path in paths if not APART.fullmatch(path)}


def repeated(texts: Dict[str, str]) -> Dict[str, List[str]]:
    """The names of classes that occur again, and the modules where they do."""
    found: Dict[str, List[Tuple[str, bool]]] = defaultdict(list)
    for path, text in sorted(texts.items()):
        for name, is_class in names_in(text):
            found[name].append((path, is_class))
    return {
        name: [path for path, _ in places]
        for name, places in found.items()
        if len(places) > 1 and any(is_class for _, is_class in places)
    }


def test_no_class_shares_its_name() -> None:
    assert repeated(sources()) == {}


def test_a_name_that_occurs_again_is_found() -> None:
    twice = {"a.py": "class Move: pass", "b.py": "if 1:\n    class Move: pass"}
    assert repeated(twice) == {"Move": ["a.py", "b.py"]}
    assert repeated({"a.py": "class Move: pass", "b.py": "Move = int"}) == {
        "Move": ["a.py", "b.py"]
    }
    assert repeated({"a.py": "Pair = int", "b.py": "Pair = str"}) == {}


def test_all_modules_are_read() -> None:
    found = sources()
    assert {"pns/game.py", "pns/web/app.py"} <= set(found)
    assert "pns/cli/check.py" not in found


def repeated_files(tests: Iterable[Path]) -> List[str]:
    """The names of test files that occur again, those in packages (folders with __init__.py) apart.

    Outside packages pytest imports a file by its bare name, and refuses a second of that name.
    """
    names = Counter(path.name for path in tests if not (path.parent / "__init__.py").exists())
    return sorted(name for name, times in names.items() if times > 1)


def test_no_test_file_shares_its_name() -> None:
    assert repeated_files((ROOT / "tests").rglob("test_*.py")) == []


def test_a_test_file_whose_name_occurs_again_is_found(tmp_path: Path) -> None:
    paths = [tmp_path / room / "test_play.py" for room in ("play", "browser", "web")]
    for path in paths:
        path.parent.mkdir()
    (tmp_path / "browser" / "__init__.py").touch()
    assert repeated_files(paths[:2]) == []
    assert repeated_files(paths) == ["test_play.py"]
