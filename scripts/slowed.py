"""Real workers that wait after each expansion, so that more of them than cores can be measured.

    pypy3 scripts/slowed.py '0*29' --workers 1,8,16 --wait 2000

A master on this machine is joined by a group of workers, each of which sleeps WAIT microseconds
for each of its expansions. Sleeping workers need no core, so that their speedup over one of them
is that of a machine with as many slower cores. `pns simulate` with WAIT more for an expansion
predicts it. What stands after `--` is given to the master, such as `--seed 1`.
"""

from __future__ import annotations

import bootstrap

import json
import os
import re
import signal
import subprocess
import sys
import time
from typing import Any, Dict, List

from pns.cli.common import run
from pns.cli.options.simulate import numbers
from pns.cli.parser import Parser, above_zero
from pns.jobs.jobsearch import JobSearch
from pns.jobs.searcher import JobSearcher

JOINED = re.compile(r"workers now: (\d+)$")
LISTENING = re.compile(r"listening at (\S+)$")


class Sleeper:
    """Lets a worker sleep for the expansions since it last observed its search."""

    def __init__(self, wait: float) -> None:
        self._wait = wait
        self._seen: Dict[int, int] = {}
        self._observe = JobSearcher.observe

    def __call__(self, searcher: JobSearcher, search: JobSearch) -> None:
        before = self._seen.get(id(search), 0)
        self._seen = {id(search): search.expansions}
        time.sleep(max(0, search.expansions - before) * self._wait)
        self._observe(searcher, search)


def work(address: str, count: int, wait: float) -> None:
    """Be a group of slowed workers until the search is done; what they say goes to stderr."""
    os.dup2(2, 1)
    sleeper = Sleeper(wait)
    JobSearcher.observe = lambda self, search: sleeper(self, search)  # type: ignore[method-assign]
    from pns.cli.commands.worker import main

    sys.argv = ["worker.py", "--connect", address, "--workers", str(count), "--no-leader"]
    sys.exit(main())


def measure(position: str, count: int, wait: float, more: List[str]) -> Dict[str, Any]:
    """Seconds from the time when all workers have joined, and what the master reports."""
    words = ["--algorithm", "pns-pdfpn", "--workers", "0", "--listen", "127.0.0.1:0"]
    words += ["--no-known", "--no-db", "--json", *more, position]
    command = [sys.executable, os.path.join(bootstrap.ROOT, "scripts", "solve.py"), *words]
    master = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert master.stdout and master.stderr
    joined = 0
    found = None
    while found is None:
        line = master.stderr.readline()
        if not line:
            sys.exit(master.wait())  # it has said why
        found = LISTENING.search(line.strip())
        if found is None:
            sys.stderr.write(line)
    address = found[1]
    child = os.fork()
    if not child:
        work(address, count, wait)
    while joined < count and line:  # a short search may end before all have joined
        line = master.stderr.readline()
        found = JOINED.search(line.strip())
        joined = max(joined, int(found[1]) if found else 0)
    began = time.monotonic()
    output, _ = master.communicate()
    seconds = time.monotonic() - began
    os.kill(child, signal.SIGTERM)  # those that came too late wait for a master
    os.waitpid(child, 0)
    return {**json.loads(output), "seconds": seconds}


def main() -> int:
    """Measure each number of workers and print a line for it."""
    parser = Parser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("position")
    parser.add_argument("--workers", type=numbers, default="1,8,16", help="default: 1,8,16")
    parser.add_argument("--wait", type=above_zero, default=2000, help="microseconds")
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    args = parser.parse_args(words[:end])
    alone = 0.0
    print("workers  seconds  expansions  outcome  speedup", flush=True)
    for count in args.workers:
        found = measure(args.position, count, args.wait * 1e-6, words[end + 1 :])
        alone = alone or found["seconds"]
        row = count, found["seconds"], found["expansions"], found["outcome"]
        print("%7d %8.1f %11d %8s %8.2f" % (*row, alone / found["seconds"]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(run(main))
