"""Shows a long text on a terminal by a pager, as git does."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from itertools import islice
from typing import Iterable, Iterator, Optional

DEFAULT = "less"
LESS = "FRX"
"""Options of less, unless LESS is set: quit if it fits, show colours, leave the screen as it is."""


def page(lines: Iterable[str], wanted: bool = True) -> None:
    """Print lines; those that do not fit on the terminal go through $PAGER, or less.

    Nothing is paged where standard output is not a terminal, where PAGER is empty or `cat`, or
    where that program is not found.
    """
    lines = iter(lines)
    pager = find_pager() if wanted and sys.stdout.isatty() else None
    if pager:
        height = shutil.get_terminal_size().lines
        first = list(islice(lines, height - 1))
        if len(first) == height - 1:
            show(pager, first, lines)
            return
        lines = iter(first)
    for line in lines:
        print(line)


def find_pager() -> Optional[str]:
    """The command of the pager, None if there is none."""
    command = os.environ.get("PAGER", DEFAULT)
    words = command.split()
    return command if words and words[0] != "cat" and shutil.which(words[0]) else None


def show(pager: str, first: Iterable[str], rest: Iterator[str]) -> None:
    """Send lines to a pager, and wait until it is left; Ctrl-C is for the pager meanwhile."""
    sys.stdout.flush()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        child = subprocess.Popen(
            pager,
            shell=True,
            stdin=subprocess.PIPE,
            text=True,
            errors="backslashreplace",
            env={"LESS": LESS, **os.environ},
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        assert child.stdin is not None
        try:
            for lines in (first, rest):
                for line in lines:
                    child.stdin.write(line + "\n")
            child.stdin.close()
        except BrokenPipeError:  # the reader has seen enough
            pass
        child.wait()
    finally:
        signal.signal(signal.SIGINT, before)
