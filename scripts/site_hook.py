"""A hook of mkdocs: pages that are made when the site is built, and links between pages.

The page of commands is what the commands print for --help, so it cannot differ from them.

With PNS_PLAY the site has the page of `pns explore` at play/, and its home page leads there. It is
"npm", or the path of npm's archive of Pyodide or of a directory with its files.
"""

from __future__ import annotations

import bootstrap

import os
import re
from pathlib import Path
from posixpath import dirname, relpath
from typing import Any, Dict, Iterator, List

from api_page import api_page

from pns.cli.main import HELP
from pns.cli.reference import Command, commands
from pns.web.export import all_files

ROOT = Path(bootstrap.ROOT)
DOCS = ROOT / "docs"
PAGE = re.compile(r"`docs/([\w/-]+\.md)`")
"""How a text names a page."""
CODE = re.compile(r"(^```.*?^```$|^(?: {4}[^\n]*\n)+)", re.MULTILINE | re.DOTALL)
KEY = re.compile(r"\[([a-z]+(?:(?:19|20)\d\d[a-z]*|-web))\](?!\()")
"""How a text cites a work."""
REFERENCES, ENTRY = "references.md", re.compile(r"^- \*\*(\S+)\*\*", re.MULTILINE)
BARRED = re.compile(r"`[^`\n]*`")
"""Code in a line. In a table a bar there is written \\|, which only GitHub's Markdown asks for."""
FIGURES = "data/figures"
"""The data and pictures of the lab notes."""
PLAY = "play/"
"""Where the page of `pns explore` lies."""
INVITATION = "[Play Sprouts in your browser](%sindex.html); nothing is installed." % PLAY
WIDTHS = (60, 80, 140)
"""Columns of the terminals on the page of the panel."""
PANEL = """\
# The panel and the help

What a terminal shows during a search, and what `pns why --help` prints, at several widths. The
panel is in colour unless NO_COLOR is set. In a pipe there is a line now and then instead, and with
`--quiet` nothing.
"""


def commands_page() -> str:
    """The page of all commands and their verbs."""
    return "\n".join(commands_lines())


def commands_lines() -> Iterator[str]:
    yield "# Commands\n"
    yield "What each command prints for `--help`. In a checkout, without an installation,"
    yield "`pypy3 -m pns` does the same as `pns`.\n"
    yield from block(HELP)
    for command in commands()[1:]:
        yield "%s pns %s\n" % ("#" * (len(command.words) + 1), command.name)
        yield from block(help_of(command))


def help_of(command: Command, width: int = 80) -> str:
    """What a command prints for `--help`, on a terminal of `width` columns."""
    columns, os.environ["COLUMNS"] = os.environ.get("COLUMNS"), str(width)
    try:
        return command.parser.format_help()
    finally:
        del os.environ["COLUMNS"]
        if columns is not None:
            os.environ["COLUMNS"] = columns


def panel_page() -> str:
    """The page that shows the live panel, and a help, on terminals of several widths."""
    (why,) = [command for command in commands() if command.name == "why"]
    lines = [PANEL]
    for width in WIDTHS:
        panel = (DOCS / "captures" / ("panel-%d.txt" % width)).read_text("utf-8")
        lines += ["## %d columns\n" % width, *block(panel), *block(help_of(why, width))]
    return "\n".join(lines)


def block(text: str) -> List[str]:
    """A text as it is printed."""
    return ["```text", text.rstrip(), "```\n"]


def made_pages() -> Dict[str, str]:
    """The pages that are no files of docs: path and text."""
    return {
        "reference/commands.md": commands_page(),
        "reference/api.md": api_page(),
        "reference/panel.md": panel_page(),
        "changelog.md": (ROOT / "CHANGELOG.md").read_text("utf-8"),
        "contributing.md": (ROOT / "CONTRIBUTING.md").read_text("utf-8"),
    }


def pictures() -> Dict[str, bytes]:
    """The pictures beside the data of figures, where the pages of the site have them."""
    found = sorted((ROOT / FIGURES).glob("*.svg"))
    return {"%s/%s" % (FIGURES, path.name): path.read_bytes() for path in found}


def played() -> Dict[str, bytes]:
    """The files of the page of `pns explore`, none unless they are asked for."""
    pyodide = os.environ.get("PNS_PLAY", "")
    if not pyodide:
        return {}
    files = all_files("sprouts", "0*5", None if pyodide == "npm" else pyodide)
    return {PLAY + path: content for path, content in files}


def inviting(text: str) -> str:
    """The home page with a link to the page of `pns explore`, before its first section."""
    return text.replace("\n## ", "\n%s\n\n## " % INVITATION, 1)


def linked(text: str, here: str) -> str:
    """The text with links where it names a page as `docs/NAME.md` or cites a work by its key."""

    def link(match: Any) -> str:
        target = match.group(1)
        if target == here or not (DOCS / target).exists():
            return str(match.group())
        return "[%s](%s)" % (title(target), relpath(target, dirname(here) or "."))

    def cite(match: Any) -> str:
        return r"[\[%s\]](%s#%s)" % (match[1], relpath(REFERENCES, dirname(here) or "."), match[1])

    def bars(match: Any) -> str:
        return str(match.group()).replace("\\|", "|")

    if here == REFERENCES:
        text = ENTRY.sub(r'- <a id="\1"></a>**\1**', text)
    up = "../" * (here.count("/") + 1)
    text = text.replace("](%s%s/" % (up, FIGURES), "](%s%s/" % (up[3:], FIGURES))
    parts = CODE.split(text)
    parts[::2] = [KEY.sub(cite, PAGE.sub(link, BARRED.sub(bars, part))) for part in parts[::2]]
    return "".join(parts)


def title(page: str) -> str:
    """The heading of a page."""
    first = (DOCS / page).read_text("utf-8").partition("\n")[0]
    return first.replace("# ", "")


def on_files(files: Any, config: Any) -> None:
    """Called by mkdocs: add the pages and files that are made."""
    from mkdocs.structure.files import File

    for path, content in {**made_pages(), **pictures(), **played()}.items():
        files.append(File.generated(config, path, content=content))


def on_page_markdown(text: str, page: Any, **_: Any) -> str:
    """Called by mkdocs for each page: make its links."""
    here = page.file.src_uri
    is_played = here == "index.md" and os.environ.get("PNS_PLAY")
    return linked(inviting(text) if is_played else text, here)
