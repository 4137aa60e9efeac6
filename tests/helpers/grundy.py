"""scripts/grundy.py, run from outside, on a small database."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import List

from helpers.paths import ROOT
from pns.facts import open_facts

KNOWN = {b"0*2": 0, b"0*3": 1, b"0*4": 1, b"0.2": 1, b"0*7.A|0*3.1aAa": 0, b"0*10": 0}
LINES = ["%s %d" % (land.decode(), number) for land, number in sorted(KNOWN.items())]


def command(*arguments: object) -> List[bytes]:
    """The command as bytes: in the POSIX locale text arguments must be ASCII."""
    words = [sys.executable, ROOT / "scripts" / "grundy.py", *arguments]
    return [str(word).encode() for word in words]


def make_database(path: Path) -> Path:
    """Make a database that holds KNOWN."""
    with open_facts(str(path), "sprouts") as facts:
        facts.add_all(lambda: KNOWN.items())
    return path


def contents(path: Path) -> List[str]:
    """The facts of a database, as the lines of a .spr file."""
    with open_facts(str(path), "sprouts", readonly=True) as facts:
        return ["%s %d" % (land.decode(), number) for land, number in facts.items()]
