"""Fixtures that several tests share."""

from __future__ import annotations

import signal
from importlib import import_module
from pathlib import Path
from typing import Any, Iterator

import pytest

from pns.facts import database
from pns.machine import tune_jit

# A shell lets its background processes ignore Ctrl-C, and children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

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
