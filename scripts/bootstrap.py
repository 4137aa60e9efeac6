"""Lets a script run from any directory without activating anything: import it first of all.

A signal that comes before a program can take it in ends that at once, without a traceback.
Importing this puts the project's root on ``sys.path``, and the packages of ``.venv``
where they were installed for the interpreter that runs. Inside another virtual
environment, that one's packages go before those of ``.venv``. A program under PyPy
starts anew with a larger nursery, unless PYPY_GC_NURSERY says which: it is faster so
(docs/search-guidance.md).
"""

from __future__ import annotations

import os
import sys

signal = __import__("_signal")  # importing signal takes long enough to be interrupted

SCRIPTS = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(SCRIPTS)
NURSERY = "4M"
"""Memory for new objects between two minor collections, which PyPy reads when it starts."""

SIGNALS = (signal.SIGINT, signal.SIGTERM)
STOPPED = 130
"""The exit status of a program that a signal stopped."""


def is_script(main: str) -> bool:
    """Whether the main program is one of the scripts."""
    return os.path.dirname(os.path.abspath(main)) == SCRIPTS


def leave(*_: object) -> None:
    """End at once: there is nothing yet to clean."""
    os._exit(STOPPED)


def expect_signals() -> None:
    """Leave when a signal comes, until the program says what it shall do."""
    for number in SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, leave)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def packages() -> str:
    """The directory of .venv, there or not, with packages for this interpreter."""
    name = "pypy" if sys.implementation.name == "pypy" else "python"
    version = "%s%d.%d" % (name, sys.version_info[0], sys.version_info[1])
    return os.path.join(ROOT, ".venv", "lib", version, "site-packages")


def enlarge_nursery(main: str) -> None:
    """Start anew with NURSERY, if the main program is one of the scripts and PyPy runs it."""
    if sys.implementation.name != "pypy" or "PYPY_GC_NURSERY" in os.environ:
        return
    if not is_script(main):
        return
    try:
        with open("/proc/self/cmdline", "rb") as file:
            command = file.read().split(b"\0")[:-1]
    except OSError:  # not on macOS
        return
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # until expect_signals, or a failure
    try:
        os.execve(sys.executable, command, {**os.environ, "PYPY_GC_NURSERY": NURSERY})
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


_main = getattr(sys.modules["__main__"], "__file__", "")
if is_script(_main):
    expect_signals()
enlarge_nursery(_main)
if ROOT not in sys.path:
    sys.path.insert(1, ROOT)
if os.path.isdir(packages()) and packages() not in sys.path:
    sys.path.insert(2 if sys.prefix == sys.base_prefix else len(sys.path), packages())
