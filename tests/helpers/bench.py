"""scripts/bench.py and figures.py, run from outside."""

from __future__ import annotations

from typing import List, Sequence

from helpers.paths import ROOT
from helpers.solver import run

SCRIPTS = ROOT / "scripts"


def bench(*arguments: object, status: int = 0) -> List[str]:
    """The lines of standard output, or with another status than 0 of standard error."""
    return lines_of("bench.py", arguments, status)


def figures(*arguments: object, status: int = 0) -> List[str]:
    """The same of figures.py."""
    return lines_of("figures.py", arguments, status)


def lines_of(script: str, arguments: Sequence[object], status: int) -> List[str]:
    done = run(script, *arguments)
    assert done.status == status, done.errors
    return done.errors if status else done.output
