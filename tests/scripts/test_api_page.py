"""The reference of the Python API has every public name; the guide's examples are right."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest
from api_page import GROUPS, api_page
from helpers.paths import ROOT

import pns

pytestmark = pytest.mark.programs

FENCE = re.compile(r"^```.*$", re.MULTILINE)


def test_the_page_has_every_public_name_once() -> None:
    names = [name for group in GROUPS.values() for name in group]
    assert sorted([*names, "__version__"]) == sorted(pns.__all__)
    page = api_page()
    assert [line[4:] for line in page.splitlines() if line.startswith("### ")] == names
    for part in page.split("\n### ")[1:]:
        name, _, text = part.partition("\n")
        prose = FENCE.split(text)[2]
        assert prose.strip(), "%s has no docstring" % name


def test_the_page_has_signatures_members_and_examples() -> None:
    page = api_page()
    assert "\ngrundy_number(text: str, game: str='sprouts') -> int\n" in page
    assert "**`order: str = 'generated'`**\n\nThe order of the children" in page
    assert "**`as_dict() -> Dict[str, Any]`**" in page and "**`kind`**" in page
    assert "**`_" not in page
    outside = "".join(FENCE.split(page)[::2])
    assert ">>>" not in outside and ">>> solve(" in page


def test_the_examples_of_the_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = ROOT / "docs" / "guides" / "python.md"
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    examples = doctest.DocTestParser().get_doctest(text, {}, path.name, str(path), 0)
    assert len(examples.examples) > 20
    found: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(examples, out=found.append)
    assert result.failed == 0, "".join(found)
