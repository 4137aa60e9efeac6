"""Lets a script run from any directory without activating anything; import it first.

Importing this puts the project's root on ``sys.path``, and the packages of ``.venv`` after it. A
script that is the main program then starts as `pns/system/start.py` says.
"""

from __future__ import annotations

import os
import sys

SCRIPTS = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(SCRIPTS)
if ROOT not in sys.path:
    sys.path.insert(1, ROOT)

from pns.system import start  # noqa: E402


def is_script(main: str) -> bool:
    """Whether the main program is one of the scripts."""
    return os.path.dirname(os.path.abspath(main)) == SCRIPTS


def prepare(main: str) -> None:
    """Prepare the process for a main program, as far as it is one of the scripts."""
    start.need_posix()
    if is_script(main):
        start.expect_signals()
    start.need_descriptors()
    start.need_memory()
    if is_script(main):
        start.start_with_settings()


prepare(getattr(sys.modules["__main__"], "__file__", ""))
start.find_packages()
