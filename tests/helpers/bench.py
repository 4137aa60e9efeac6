"""scripts/bench.py, run from outside."""

from __future__ import annotations

import subprocess
import sys
from typing import List, Union

from helpers.paths import ROOT

BENCH = ROOT / "scripts" / "bench.py"


def bench(*arguments: object, status: int = 0) -> List[str]:
    """The lines of standard output, or with another status than 0 of standard error."""
    command: List[Union[bytes, str]] = [sys.executable, str(BENCH)]
    command += [value if isinstance(value, bytes) else str(value) for value in arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == status, done.stderr
    return (done.stderr if status else done.stdout).splitlines()
