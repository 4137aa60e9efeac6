"""Lets a script run from any directory without activating anything: import it first.

Importing it puts the project's root on ``sys.path``, and the packages of ``.venv``
where they were installed for the interpreter that runs. Inside another virtual
environment, that one's packages go before those of ``.venv``. A program under PyPy
starts anew with a larger nursery, unless PYPY_GC_NURSERY says which: it is faster so
(docs/lab/search-guidance.md).
"""

from __future__ import annotations

import os
import sys

SCRIPTS = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(SCRIPTS)
NURSERY = "4M"
"""Memory for new objects between two minor collections, which PyPy reads when it starts."""


def packages() -> str:
    """The directory of .venv, there or not, with packages for this interpreter."""
    name = "pypy" if sys.implementation.name == "pypy" else "python"
    version = "%s%d.%d" % (name, sys.version_info[0], sys.version_info[1])
    return os.path.join(ROOT, ".venv", "lib", version, "site-packages")


def enlarge_nursery(main: str) -> None:
    """Start anew with NURSERY, if the main program is one of the scripts and PyPy runs it."""
    if sys.implementation.name != "pypy" or "PYPY_GC_NURSERY" in os.environ:
        return
    if os.path.dirname(os.path.abspath(main)) != SCRIPTS:
        return
    try:
        with open("/proc/self/cmdline", "rb") as file:
            command = file.read().split(b"\0")[:-1]
    except OSError:  # not on macOS
        return
    os.execve(sys.executable, command, {**os.environ, "PYPY_GC_NURSERY": NURSERY})


enlarge_nursery(getattr(sys.modules["__main__"], "__file__", ""))
if ROOT not in sys.path:
    sys.path.insert(1, ROOT)
if os.path.isdir(packages()) and packages() not in sys.path:
    sys.path.insert(2 if sys.prefix == sys.base_prefix else len(sys.path), packages())
