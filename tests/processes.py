"""Processes that use facts by the same LMDB module as the test that starts them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from pns import database

ROOT = Path(__file__).resolve().parent.parent

PRELUDE = """
import sys
sys.path.insert(0, sys.argv[1])
from importlib import import_module
from pns import database
database.LMDB = import_module(sys.argv[2])
from pns.facts import Contradiction, FactsError, open_facts
path, *arguments = sys.argv[3:]
"""


def start_child(code: str, path: object, *arguments: object) -> subprocess.Popen[str]:
    """A process that runs ``code`` after PRELUDE, with the LMDB module of the test."""
    command = [sys.executable, "-u", "-c", PRELUDE + code]
    command += [str(ROOT), database.LMDB.__name__, str(path), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def run_child(code: str, path: object, *arguments: object) -> str:
    """What ``code`` printed in a process of its own, which must end well."""
    child = start_child(code, path, *arguments)
    output, _ = child.communicate(timeout=120)
    assert child.returncode == 0
    return output
