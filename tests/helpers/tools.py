"""Runs scripts in forks of the test's process, which is faster than starting an interpreter."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from importlib import import_module
from pathlib import Path
from typing import Callable, NamedTuple

from helpers.paths import ROOT

LIMIT = 100
"""Seconds after which a script is killed."""


class Done(NamedTuple):
    status: int
    """The exit status, or minus the number of the signal that killed it."""
    output: str
    errors: str


def call(place: Path, script: str, *arguments: object) -> Done:
    """Run a script to its end; it prints to files in the directory ``place``."""
    scripts = str(ROOT / "scripts")
    if scripts not in sys.path:
        sys.path.append(scripts)
    main = import_module(script[: -len(".py")]).main
    run = import_module("pns.cli.common").run
    return in_fork(place, lambda: run(main), script, *arguments)


def call_pns(place: Path, *arguments: object) -> Done:
    """Run the command `pns` to its end, as `call` runs a script."""
    return in_fork(place, import_module("pns.cli.main").main, "pns", *arguments)


def in_fork(place: Path, run: Callable[[], object], *words: object) -> Done:
    """Run a program that exits; `words` are its command line."""
    paths = place / "stdout.txt", place / "stderr.txt"
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if not child:
        status = 99
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(LIMIT)
        try:
            for number, path in enumerate(paths, 1):
                os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
            sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)
            sys.argv = [*map(str, words)]
            os.environ["PYPY_GC_NURSERY"] = "4M"  # as if it had started again
            run()
        except SystemExit as error:
            status = error.code if isinstance(error.code, int) else 99
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    ended = os.waitpid(child, 0)[1]
    status = os.WEXITSTATUS(ended) if os.WIFEXITED(ended) else -os.WTERMSIG(ended)
    output, errors = [path.read_text(errors="replace") for path in paths]
    return Done(status, output, errors)
