"""Runs of solve.py, each in a process of its own, with nothing known but a named database."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, Iterator, List, Sequence, Tuple

from pns.cli.common import die
from pns.system import lifeline
from pns.system.start import ROOT

Run = Dict[str, Any]
"""What solve.py --json prints of a position; or the position, solved = False and an error."""


class Refused(Exception):
    """solve.py refuses a position or an option; the message says why."""


def solved(position: str, options: Sequence[str], running: List[subprocess.Popen[str]]) -> Run:
    """The run of a process of its own; its seconds are those of the whole process.

    Raises Refused.
    """
    script = os.path.join(ROOT, "scripts", "solve.py")
    alone = ("--no-known",) if "--db" in options else ("--no-db", "--no-known")
    command = [sys.executable, script, "--json", "--quiet", *alone, *options, "--", position]
    pipe = subprocess.PIPE
    start = time.monotonic()
    process, line = lifeline.start(command, stdout=pipe, stderr=pipe, text=True)
    running.append(process)
    output, errors = process.communicate()
    os.close(line)
    seconds = time.monotonic() - start
    lines = errors.strip().splitlines() or ["exit status %d" % process.returncode]
    if process.returncode == 2:
        why = lines[0].removeprefix("solve.py: ")
        raise Refused("%s: %s" % (position, why.replace("--help", "solve.py --help")))
    try:
        return {**json.loads(output), "seconds": seconds}
    except ValueError:
        return {"position": position, "solved": False, "error": lines[-1]}


def measure(positions: Sequence[str], options: Sequence[str], jobs: int) -> Iterator[Run]:
    """The run of each position, in order, with `jobs` processes at once."""
    return run_all([(position, options) for position in positions], jobs)


def run_all(tasks: Sequence[Tuple[str, Sequence[str]]], jobs: int) -> Iterator[Run]:
    """The run of each (position, options), in order, with `jobs` processes at once."""
    running: List[subprocess.Popen[str]] = []
    with ThreadPoolExecutor(jobs) as pool:
        try:
            yield from pool.map(lambda task: solved(task[0], task[1], running), tasks)
        except Refused as error:  # here, since several threads may meet one
            die(str(error))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in running:
                process.kill()
