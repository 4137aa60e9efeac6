"""Lets a script run from any directory without activating anything: import it first.

Importing it puts the project's root on ``sys.path``, and the packages of ``.venv``
where they were installed for the interpreter that runs. Inside another virtual
environment, that one's packages go before those of ``.venv``.
"""

from __future__ import annotations

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def packages() -> str:
    """The directory of .venv, there or not, with packages for this interpreter."""
    name = "pypy" if sys.implementation.name == "pypy" else "python"
    version = "%s%d.%d" % (name, sys.version_info[0], sys.version_info[1])
    return os.path.join(ROOT, ".venv", "lib", version, "site-packages")


if ROOT not in sys.path:
    sys.path.insert(1, ROOT)
if os.path.isdir(packages()) and packages() not in sys.path:
    sys.path.insert(2 if sys.prefix == sys.base_prefix else len(sys.path), packages())
