"""Fixtures that several tests share."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from importlib import import_module
from pathlib import Path
from typing import Any, Iterator, Set

import pytest
from helpers.processes import is_alive
from helpers.signals import kept_handlers

from pns.facts import database
from pns.system.jit import tune_jit
from pns.system.machine import family

# A shell lets its background processes ignore Ctrl-C, and children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

SECONDS_TO_END = 20.0
"""The time that what a test has started has to end after it."""

SEED = "PNS_CHAOS_SEED"
"""The variable with the seed of the short run of the chaos suite; a new one for each session."""


def pytest_configure() -> None:
    """Draw the seed of the chaos suite, which processes of pytest-xdist inherit."""
    os.environ.setdefault(SEED, "%d" % random.SystemRandom().randrange(1, 10**6))


def pytest_itemcollected(item: pytest.Item) -> None:
    """Refuse a test that CI would run on neither interpreter."""
    marks = {mark.name for mark in item.iter_markers()}
    assert not {"search", "programs"} <= marks, "%s has two marks" % item.nodeid


def seed_line() -> str:
    """The line that says how to repeat the run."""
    return "chaos seed: %s (repeat it with %s)" % (os.environ[SEED], SEED)


def pytest_report_header() -> str:
    """Print the seed first, for a run that hangs."""
    return seed_line()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the seed at the end, too: with -q pytest prints no header."""
    terminalreporter.write_line(seed_line())


# Tests run the same code as the programs, so with the same parameters of PyPy's compiler.
tune_jit()


@pytest.fixture(params=["lmdb", "pns.facts.liblmdb"])
def lmdb(request: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The module that binds LMDB; each test that asks for it runs with both."""
    try:
        module = import_module(request.param)
    except Exception as error:
        pytest.skip("%s cannot be imported here: %s" % (request.param, error))
    monkeypatch.setattr(database, "LMDB", module)
    yield module


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's data directory, which does not exist yet."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture(autouse=True)
def handlers_stay() -> Iterator[None]:
    """Restore the handlers of signals, which programs set that a test calls in its own process."""
    with kept_handlers():
        yield


def running() -> Set[object]:
    """The threads of this process, and the processes that it has started and theirs."""
    processes = [pid for pid in family(os.getpid())[1:] if is_alive(pid)]
    return {*threading.enumerate(), *processes}


@pytest.fixture(autouse=True)
def nothing_runs_on() -> Iterator[None]:
    """Fail a test that leaves a thread or a process, which would run beside all tests after it."""
    before = running()
    yield
    until = time.monotonic() + SECONDS_TO_END
    while running() - before and time.monotonic() < until:
        time.sleep(0.01)
    left = running() - before
    assert not left, "still running: %s" % ", ".join(sorted(map(str, left)))
