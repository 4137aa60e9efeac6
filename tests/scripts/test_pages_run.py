"""The commands of the pages for users run as they are written, in order, from an empty home.

Each page is followed as its reader would: in an empty directory beside the folders of a clone,
without a database. `test_pages.py` follows the tutorial and the guide that adds a game,
`test_readme.py` the README. Pages with searches of minutes are followed by --slow. The
commands of records of measurements (docs/lab, docs/speed.md and others) are only parsed.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import Dict, List, Optional, Tuple

import pytest
from helpers.commands import matches, shown, transcript
from helpers.paths import ROOT
from helpers.tools import Done, call

DOCS = ROOT / "docs"
FOLDERS = ("data", "docs", "examples", "pns", "scripts", "tests")
QUICK = "drawing json theory guides/web".split()
SLOW = "certificates cluster first-results paper pentago robustness".split()
SLOW += ["guides/%s" % name for name in "audit explore games solve strong".split()]
PAGES = [*QUICK, *[pytest.param(name, marks=pytest.mark.slow) for name in SLOW]]
NOT_RUN = {
    r"0\.0\.0\.0|--listen|--connect|--ray|ray/": "needs several machines, or waits for workers",
    r"setup\.sh|make_zipapp|pns\.pyz": "test_package.py and test_zipapp.py run it",
    r"pns play": "a dialogue; tests/cli/test_play_cli.py",
    r"pns explore": "serves until it is stopped; tests/cli/test_explore.py",
    r"tests/tools/(stress|drawn_games)\.py": "runs for minutes; tests of its own",
    r"scripts/(figures|simulate|make_known)\.py": "makes a record of the documentation",
    r"4[5-9]|5\d\.|s47|chain\.lmdb|all\.lmdb|39b": "took minutes to hours on two cores",
    r"2x10|4v:|0\*29|0\*18|--preset paper|OXOXOX|estimate '0\*17'": "takes a minute or more",
    r"data/results": "takes minutes; tests/proofs audits these files",
    r"^pns certificate \d": "the first line of a file, not a command",
    r"--cycles 100|all\.spr": "takes minutes",
    r"STRIP": "a form to fill in",
    r"published\.": "a file of others; tests/cli/test_published_database.py",
    r"36\.spr": "needs what the command above it took minutes for",
}
"""Patterns of commands that are not run here, each with the reason."""


def reason(command: str) -> Optional[str]:
    """Why a command is not run, None if it is."""
    return next((why for found, why in NOT_RUN.items() if re.search(found, command)), None)


def words_of(command: str) -> List[str]:
    """The program of a command and its arguments, without the interpreter."""
    words = shlex.split(command)
    if words[0] not in ("pypy3", "python3"):
        return words
    return words[3:] if words[1] == "-m" else [os.path.basename(words[1]), *words[2:]]


def run(command: str, place: Path, env: Dict[str, str]) -> Done:
    """Run a command of a page, and write its output where the command sends it."""
    words = words_of(command)
    target = place / words[words.index(">") + 1] if ">" in words else None
    done = call(*words[: words.index(">") if target else None], env=env, cwd=place)
    if target:
        target.write_text(done.output)
    return done


def new_home(tmp_path: Path) -> Tuple[Path, Dict[str, str]]:
    """(a directory beside the folders of a clone, the environment of a user without a database)."""
    home, place = tmp_path / "home", tmp_path / "place"
    home.mkdir()
    place.mkdir()
    for folder in FOLDERS:
        (place / folder).symlink_to(ROOT / folder)
    return place, {**os.environ, "HOME": str(home), "XDG_DATA_HOME": str(home / "data")}


@pytest.mark.search
@pytest.mark.timeout(0)
@pytest.mark.parametrize("name", PAGES)
def test_every_command_runs(name: str, tmp_path: Path) -> None:
    pytest.importorskip("cffi")
    place, env = new_home(tmp_path)
    outputs = dict(transcript(DOCS / (name + ".md")))
    for command in shown(DOCS / (name + ".md")):
        if reason(command):
            continue
        done = run(command, place, env)
        assert done.status == 0, (command, done.status, done.output, done.errors)
        if command in outputs:
            assert matches(done.output, outputs[command]), (command, done.output)
