"""A program that a signal stops ends at once, without a traceback, even while it starts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, Dict

import pytest
from helpers.live import program
from helpers.signals import NUMBERS, kept_handlers

pytestmark = pytest.mark.programs

SITE = """
import builtins, os
find = builtins.__import__
def look(name, *rest, **more):
    if name == os.environ["AT_MODULE"] and os.environ.pop("SIGNAL", ""):
        os.kill(os.getpid(), {number})
    return find(name, *rest, **more)
builtins.__import__ = look
if os.environ["AT_MODULE"] == "site" and "PYPY_GC_NURSERY" in os.environ:
    os.kill(os.getpid(), {number})
"""
"""Sends a signal when a module is imported, or at the second start that `pns.system.start`
makes."""

SCRIPTS = "audit bench cluster grundy simulate solve train_prior worker".split()


def stopped(place: Path, name: str, module: str, number: signal.Signals) -> None:
    """Send a script a signal when it imports a module; it must end cleanly."""
    (place / "sitecustomize.py").write_text(SITE.format(number=int(number)))
    environment: Dict[str, str] = {**os.environ, "AT_MODULE": module, "SIGNAL": "1"}
    environment.update(PYTHONPATH=str(place), TMPDIR=str(place))
    environment.pop("PYPY_GC_NURSERY", "")
    done = subprocess.run(
        program(name + ".py", "--help"),
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        timeout=100,
    )
    assert (done.returncode, done.stderr) == (130, "")


@pytest.mark.parametrize("name", SCRIPTS)
def test_at_the_first_import(name: str, tmp_path: Path) -> None:
    stopped(tmp_path, name, "argparse", signal.SIGINT)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("name", ["solve", "worker"])
def test_at_a_later_import(name: str, number: signal.Signals, tmp_path: Path) -> None:
    stopped(tmp_path, name, "pns.positions.couple", number)


@pytest.mark.skipif(sys.implementation.name != "pypy", reason="only PyPy starts twice")
def test_at_the_second_start(tmp_path: Path) -> None:
    stopped(tmp_path, "solve", "site", signal.SIGINT)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr("pns.system.jit.tune_jit", lambda searches: None)
    return import_module("pns.cli.common").run


def test_handlers_stay_in_their_block() -> None:
    before = [signal.getsignal(number) for number in NUMBERS]
    with pytest.raises(SystemExit), kept_handlers():
        for number in NUMBERS:
            signal.signal(number, signal.SIG_IGN)
        sys.exit(2)
    assert [signal.getsignal(number) for number in NUMBERS] == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_in_the_middle(run: Any, number: signal.Signals) -> None:
    def main() -> int:
        try:
            os.kill(os.getpid(), number)
        finally:
            os.kill(os.getpid(), number)
        return 0

    with pytest.raises(SystemExit) as caught:
        run(main)
    assert caught.value.code == 130
    os.kill(os.getpid(), number)  # too late to change anything
