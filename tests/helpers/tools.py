"""Runs programs in forks of the test's process, which is faster than starting an interpreter.

The package is imported and compiled already. What a fork cannot show, such as the start of an
interpreter, limits of the shell and signals, is tested with processes of their own.
"""

from __future__ import annotations

import math
import os
import signal
import sys
import tempfile
import traceback
from importlib import import_module
from pathlib import Path
from typing import IO, Callable, Dict, NamedTuple, Optional

from helpers.paths import ROOT
from pns.cli.terminal import progress
from pns.system import start

LIMIT = 200
"""Seconds after which a program is killed."""


class Done(NamedTuple):
    status: int
    """The exit status, or minus the number of the signal that killed it."""
    output: str
    errors: str


def call(
    program: str,
    *arguments: object,
    env: Optional[Dict[str, str]] = None,
    cwd: Optional[Path] = None,
) -> Done:
    """Run a script, or the command `pns`, to its end.

    It shows no lines of progress, which would depend on how long it takes.
    """
    main = main_of(program)
    words = [a if isinstance(a, bytes) else str(a).encode() for a in arguments]
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if not child:
            sys.argv = [program, *map(os.fsdecode, words)]
            start.start_with_settings = lambda: None  # which would start the tests again
            progress.LINE_SECONDS = math.inf
            if env is not None:
                os.environ.clear()
                os.environ.update(env)
                tempfile.tempdir = None
            if cwd is not None:
                os.chdir(cwd)
            _run(main, output, errors)
        ended = os.waitpid(child, 0)[1]
        status = os.WEXITSTATUS(ended) if os.WIFEXITED(ended) else -os.WTERMSIG(ended)
        return Done(status, _text(output), _text(errors))


def main_of(program: str) -> Callable[[], object]:
    """The function that a program runs; it exits."""
    if program == "pns":
        return import_module("pns.cli.main").main  # type: ignore[no-any-return]
    scripts = str(ROOT / "scripts")
    if scripts not in sys.path:
        sys.path.append(scripts)
    main = import_module(program[: -len(".py")]).main
    run = import_module("pns.cli.common").run
    return lambda: run(main)


def _run(main: Callable[[], object], output: IO[bytes], errors: IO[bytes]) -> None:
    """Run a program in this process, which ends with it."""
    status = 99
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(LIMIT)
    try:
        os.dup2(output.fileno(), 1)
        os.dup2(errors.fileno(), 2)
        sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)
        main()
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else 99
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _text(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode(errors="replace")
