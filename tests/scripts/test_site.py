"""What the site adds to the pages: the page of commands, and links."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import List, Set

import pytest
from helpers.paths import ROOT
from helpers.static_page import make_pyodide
from site_hook import PLAY, WIDTHS, commands_page, inviting, linked, panel_page, played

from pns.cli.main import COMMANDS

DOCS = ROOT / "docs"
MADE = {
    "reference/api.md",
    "reference/commands.md",
    "reference/panel.md",
    "changelog.md",
    "contributing.md",
}
LINK = re.compile(r"(?:\]\(|src=\")(?!https?:)([^)#\s\"]+)")
"""A link or a picture of a page, in Markdown or HTML."""


def test_the_page_of_commands_has_every_command_and_verb() -> None:
    pytest.importorskip("zmq")
    page = commands_page()
    heads = re.findall(r"^##+ pns (.*)$", page, re.MULTILINE)
    assert [head for head in heads if " " not in head] == [
        name for name in COMMANDS if " " not in name
    ]
    assert {"db get", "db reduce", "db merge"} <= set(heads)
    assert set(COMMANDS) <= set(heads)
    for head in heads:
        assert "usage: pns %s " % head in page
    assert "--cycles N" in page and "--max-seconds S" in page


def test_the_page_of_the_panel_has_all_widths() -> None:
    blocks = panel_page().split("```text\n")[1:]
    assert len(blocks) == 2 * len(WIDTHS)
    for panel, width in zip(blocks[::2], WIDTHS):
        lines = panel.partition("```")[0].splitlines()
        assert "expansions" in panel and max(map(len, lines)) <= width


def test_names_of_pages_become_links() -> None:
    text = "see `docs/cluster.md`.\n\n    cat `docs/cluster.md`\n\n`docs/none.md`, `docs/faq.md`\n"
    assert linked(text, "guides/solve.md") == (
        "see [From one machine to many](../cluster.md).\n\n    cat `docs/cluster.md`\n\n"
        "`docs/none.md`, [Questions and answers](../faq.md)\n"
    )
    assert "`docs/faq.md`" in linked(text, "faq.md")


def test_keys_become_links_to_the_references() -> None:
    assert linked("see [allis1994].\n", "faq.md") == (
        "see [\\[allis1994\\]](references.md#allis1994).\n"
    )
    assert linked("- **allis1994** — L.\n", "references.md") == (
        '- <a id="allis1994"></a>**allis1994** — L.\n'
    )


def test_the_site_has_the_page_to_play_on_where_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PNS_PLAY", raising=False)
    assert not played()
    monkeypatch.setenv("PNS_PLAY", make_pyodide(tmp_path / "pyodide"))
    files = played()
    assert all(path.startswith(PLAY) for path in files)
    (target,) = LINK.findall(inviting("# pns\n\nText.\n\n## One\n\n## Two\n"))
    assert target in files and PLAY + "pns.zip" in files
    assert inviting("# pns\n\n## One\n").index(target) < inviting("# pns\n\n## One\n").index(
        "## One"
    )


def test_every_page_is_in_the_navigation() -> None:
    nav = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
    named: List[str] = re.findall(r"([\w/-]+\.md)$", nav, re.MULTILINE)
    pages: Set[str] = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    assert len(named) == len(set(named)) and set(named) == pages | MADE


@pytest.mark.parametrize("page", [ROOT / "README.md", *DOCS.rglob("*.md")], ids=lambda p: p.name)
def test_links_lead_to_files(page: Path) -> None:
    for target in LINK.findall(page.read_text("utf-8")):
        path = os.path.normpath(page.parent / target)
        assert os.path.exists(path) or os.path.relpath(path, DOCS) in MADE, target


def test_the_site_needs_no_network() -> None:
    text = (ROOT / "mkdocs.yml").read_text("utf-8")
    assert "font: false" in text and "http" not in text
    for path in (DOCS / "site").iterdir():
        assert "http" not in path.read_text("utf-8"), path
