"""scripts/solve.py without the facts that come with the package, for tests of its search."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Tuple

import pytest

from helpers.paths import ROOT
from helpers.tools import call
from pns.facts import FactsError, database, open_facts

LONG = "0*60"
"""A position that no test solves."""

needs_lmdb = pytest.mark.skipif(database.LMDB is None, reason="no LMDB here")


class Done(NamedTuple):
    """The exit status, and the lines of standard output and of standard error."""

    status: int
    output: List[str]
    errors: List[str]


def command(*arguments: object) -> List[bytes]:
    """The command as bytes: in the POSIX locale text arguments must be ASCII."""
    words = [sys.executable, ROOT / "scripts" / "solve.py", "--no-known", *arguments]
    return [str(word).encode() for word in words]


def run(program: str, *arguments: object, **options: Any) -> Done:
    """Run a program to its end, in a fork."""
    done = call(program, *arguments, **options)
    return Done(done.status, done.output.splitlines(), done.errors.splitlines())


def solve(*arguments: object, **options: Any) -> Done:
    """Run the program to its end, in a fork; in a new interpreter if it needs `preexec_fn`."""
    if "preexec_fn" not in options:
        return run("solve.py", "--no-known", *arguments, **options)
    done = subprocess.run(
        command(*arguments), capture_output=True, text=True, timeout=200, **options
    )
    return Done(done.returncode, done.stdout.splitlines(), done.stderr.splitlines())


def start(*arguments: object, **options: Any) -> "subprocess.Popen[str]":
    pipe = subprocess.PIPE
    return subprocess.Popen(command(*arguments), stdout=pipe, stderr=pipe, text=True, **options)


def solve_json(*arguments: object, status: int = 0) -> Dict[str, Any]:
    """The one object that --json prints."""
    done = solve("--json", *arguments)
    assert done.status == status, done
    (line,) = done.output
    result = json.loads(line)
    assert isinstance(result, dict)
    return result


def contents(path: Path) -> Dict[bytes, int]:
    with open_facts(str(path), "sprouts", readonly=True) as facts:
        return dict(facts.items())


def wait_for_facts(path: Path, child: "subprocess.Popen[str]") -> int:
    """Wait until a solver has stored facts; returns their number."""
    while child.poll() is None:
        try:
            with open_facts(str(path), "sprouts", readonly=True) as facts:
                if len(facts):
                    return len(facts)
        except FactsError:
            pass  # there is no header yet
        time.sleep(0.02)
    raise AssertionError(child.communicate())


def on_terminal(arguments: List[bytes]) -> Tuple["subprocess.Popen[bytes]", int]:
    """Start a program whose standard error is a terminal; returns it and the other end."""
    try:
        master, slave = pty.openpty()
    except OSError as error:
        pytest.skip("no pseudo-terminal here: %s" % error)
    environment = dict(os.environ, TERM="xterm", COLUMNS="100", LINES="30")
    child = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=slave, env=environment)
    os.close(slave)
    return child, master


def read_terminal(child: "subprocess.Popen[bytes]", terminal: int) -> str:
    """Everything that a program writes to its terminal until it ends."""
    drawn = b""
    limit = time.monotonic() + 200
    while time.monotonic() < limit:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            part = os.read(terminal, 65536)
        except OSError:  # EIO: the program has closed it
            part = b""
        if not part:
            break
        drawn += part
    os.close(terminal)
    return drawn.decode()
