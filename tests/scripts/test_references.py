"""docs/references.md has what is cited, and nothing else; CITATION.cff has the version."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Dict, Iterator, List, Set

import pytest
from helpers.paths import ROOT

from pns.version import VERSION

pytestmark = pytest.mark.search

REFERENCES = ROOT / "docs" / "references.md"
KEY = r"[a-z]+(?:(?:19|20)\d\d[a-z]*|-web)"
ENTRY = re.compile(r"^- \*\*(\S+)\*\* — (.+(?:\n  .+)*)$", re.MULTILINE)
CITED = re.compile(r"\[(%s)\]" % KEY)
BY_NAME = re.compile(r"[A-Z]\w+(?: et al\.)?,? \(?(?:19|20)\d\d\)")
"""A citation by name and year, as in "Kaneko 2010)": references.md is to have it."""


def entries() -> Dict[str, str]:
    found = ENTRY.findall(REFERENCES.read_text("utf-8"))
    assert len(found) == len(dict(found)) > 10
    return dict(found)


def texts() -> Iterator[Path]:
    """What cites: code and pages, without references.md."""
    for folder in ("pns", "scripts", "docs"):
        for pattern in ("*.py", "*.md"):
            yield from [path for path in (ROOT / folder).rglob(pattern) if path != REFERENCES]
    yield from ROOT.glob("*.md")


def cited() -> Set[str]:
    return {key for path in texts() for key in CITED.findall(path.read_text("utf-8"))}


def test_keys_are_well_formed_and_sorted() -> None:
    keys = list(entries())
    assert keys == sorted(keys)
    assert [key for key in keys if not re.fullmatch(KEY, key)] == []


def test_what_is_cited_is_listed_and_what_is_listed_is_cited() -> None:
    assert cited() == set(entries())


def test_an_entry_has_the_year_of_its_key() -> None:
    for key, entry in entries().items():
        year = re.search(r"\d{4}", key)
        assert (year.group() in entry) if year else "undated" in entry, key


def test_nothing_is_cited_by_name_and_year() -> None:
    found: List[str] = []
    for path in texts():
        if path.name != "CHANGELOG.md":
            found += BY_NAME.findall(path.read_text("utf-8"))
    assert found == []


def test_the_version_to_cite_is_that_of_the_package() -> None:
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert re.findall(r"^version: (\S+)$", citation, re.MULTILINE) == [VERSION]
    assert "arXiv:2511.10339" in citation and "arXiv:2511.10339" in entries()["cizek2025"]
