"""The picture of a tree in docs/theory.md shows the numbers that the page computes."""

from __future__ import annotations

import re
from pathlib import Path

import make_tree_picture
import pytest
from helpers.paths import ROOT

pytestmark = pytest.mark.search

PICTURE = ROOT / "docs" / "pictures" / make_tree_picture.FILE


def test_the_picture_is_made_by_the_script(tmp_path: Path) -> None:
    make_tree_picture.main(str(tmp_path))
    assert (tmp_path / make_tree_picture.FILE).read_text() == PICTURE.read_text()


def test_it_shows_the_numbers_of_the_page() -> None:
    shown = re.findall(r">([\d∞]+), ([\d∞]+)</text>", PICTURE.read_text())
    page = (ROOT / "docs" / "theory.md").read_text()
    found = re.search(
        r"numbers\(%s\)\n    \((\d+), (\d+)\)" % re.escape(str(make_tree_picture.TREE)), page
    )
    assert found and shown[-1] == found.groups()  # the root is drawn last
    assert sorted(shown[:-1]) == [("1", "1")] * 8 + [("1", "2"), ("1", "3")]


def test_solved_nodes_show_infinity() -> None:
    picture = make_tree_picture.picture([[], None])
    assert re.findall(r">(\S+), (\S+)</text>", picture) == [("∞", "0"), ("1", "1"), ("0", "∞")]
