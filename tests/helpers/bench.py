"""scripts/bench.py and figures.py, run from outside."""

from __future__ import annotations

import subprocess
import sys
from typing import List, Sequence, Union

from helpers.paths import ROOT

SCRIPTS = ROOT / "scripts"


def bench(*arguments: object, status: int = 0) -> List[str]:
    """The lines of standard output, or with another status than 0 of standard error."""
    return lines_of("bench.py", arguments, status)


def figures(*arguments: object, status: int = 0) -> List[str]:
    """The same of figures.py."""
    return lines_of("figures.py", arguments, status)


def lines_of(script: str, arguments: Sequence[object], status: int) -> List[str]:
    command: List[Union[bytes, str]] = [sys.executable, str(SCRIPTS / script)]
    command += [value if isinstance(value, bytes) else str(value) for value in arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == status, done.stderr
    return (done.stderr if status else done.stdout).splitlines()
