"""Lets a script run from any directory without activating anything; import it first.

Importing this puts the project's root on ``sys.path``, and the packages of ``.venv`` if they
were installed for this interpreter. In another virtual environment its packages go before
those of ``.venv``. A script that is the main program then starts as `pns/start.py` says.
"""

from __future__ import annotations

import os
import sys

SCRIPTS = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(SCRIPTS)
if ROOT not in sys.path:
    sys.path.insert(1, ROOT)

from pns import start  # noqa: E402


def is_script(main: str) -> bool:
    """Whether the main program is one of the scripts."""
    return os.path.dirname(os.path.abspath(main)) == SCRIPTS


def packages() -> str:
    """The directory of .venv for packages of this interpreter; it need not exist."""
    name = "pypy" if sys.implementation.name == "pypy" else "python"
    version = "%s%d.%d" % (name, sys.version_info[0], sys.version_info[1])
    return os.path.join(ROOT, ".venv", "lib", version, "site-packages")


def prepare(main: str) -> None:
    """Prepare the process for a main program, as far as it is one of the scripts."""
    if is_script(main):
        start.expect_signals()
    start.need_descriptors(start.LEAST_DESCRIPTORS)
    start.need_memory()
    if is_script(main):
        start.start_with_settings()


prepare(getattr(sys.modules["__main__"], "__file__", ""))
if os.path.isdir(packages()) and packages() not in sys.path:
    sys.path.insert(2 if sys.prefix == sys.base_prefix else len(sys.path), packages())
