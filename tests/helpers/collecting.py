"""A plugin of pytest: lines on standard error while tests are collected, which takes long.

Where several processes collect, each for itself, the first one speaks for all.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

STANDARD_ERROR = os.dup(2)
"""pytest has not replaced it yet when this is imported."""
FILES = 10
"""Files between two lines."""
SPEAKS = os.environ.get("PYTEST_XDIST_WORKER", "gw0") == "gw0"


class Collecting:
    """Counts the files."""

    def __init__(self) -> None:
        self._files = 0

    def pytest_collectstart(self, collector: Any) -> None:
        """Say where the collection is, once in a while."""
        if isinstance(collector, pytest.File):
            if self._files % FILES == 0:
                say("collecting: %d files, now %s" % (self._files, collector.nodeid))
            self._files += 1

    def pytest_collection_finish(self, session: Any) -> None:
        """Say that the tests begin."""
        say("collected: %d files with %d tests" % (self._files, len(session.items)))


def say(text: str) -> None:
    """Print a line."""
    os.write(STANDARD_ERROR, ("test.py: %s\n" % text).encode())


def pytest_configure(config: Any) -> None:
    """Register the counter in the process that speaks."""
    if SPEAKS:
        config.pluginmanager.register(Collecting())
