"""The single-file checker is made from the modules of pns/checker/."""

from __future__ import annotations

import pytest
from make_checker import MODULES, SOURCE, TARGET, combined, make


def test_the_single_file_is_up_to_date() -> None:
    assert make() == TARGET.read_text("utf-8"), "run scripts/make_checker.py"


def test_every_module_is_a_part() -> None:
    found = {path.stem for path in SOURCE.glob("*.py")} - {"__init__"}
    assert sorted(MODULES) == sorted(found)


def test_parts_become_one_program() -> None:
    first = '"""How to add."""\n\nimport re\n\n\ndef add(a, b):\n    return a + b\n'
    second = '"""Adds."""\n\nfrom pns.checker.first import add\n\nprint(add(1, 2))\n'
    text = combined({"first": first, "second": second})
    assert text.startswith('"""Adds.\n"""\n')
    assert "# How to add.\n" in text and "import re\n" in text and "pns.checker.first" not in text
    assert text.index("def add(a, b):") < text.index("print(add(1, 2))")


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ("X = 2", "defined twice: X"),
        ("X: int = 2", "defined twice: X"),
        ("def X():\n    pass", "defined twice: X"),
        ("from re import X", "defined twice: X"),
        ("import re as X", "under another name"),
        ("from pns.game import Game", "not a module above"),
        ("from pns.checker.third import y", "not a module above"),
        ("import pns.game", "not a module above"),
    ],
)
def test_parts_that_cannot_stand_in_one_file(second: str, message: str) -> None:
    parts = {"first": '"""A."""\n\nX = 1\n', "second": '"""B."""\n\n%s\n' % second}
    with pytest.raises(ValueError, match=message):
        combined(parts)
