"""pns.pyz: one file that runs without anything beside it, and searches as the checkout does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from urllib.request import urlopen

import pytest
from helpers.explore import Explore
from helpers.paths import ROOT
from helpers.tools import call

import pns

pytestmark = pytest.mark.programs


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("zipapp")
    done = call("make_zipapp.py", "-o", place / "pns.pyz")
    assert (done.status, done.errors) == (0, "") and "pns.pyz: " in done.output
    return place / "pns.pyz"


def run(app: Path, *words: object) -> "subprocess.CompletedProcess[str]":
    """Run the file from its own directory; -I keeps every other place of packages away."""
    command = [sys.executable, "-I", app.name, *map(str, words)]
    return subprocess.run(command, cwd=app.parent, capture_output=True, text=True, timeout=200)


def test_it_has_every_file_of_the_package(app: Path) -> None:
    with zipfile.ZipFile(app) as archive:
        names = set(archive.namelist())
    here = {path.relative_to(ROOT) for path in (ROOT / "pns").rglob("*") if path.is_file()}
    wanted = {str(path) for path in here if path.suffix not in (".pyc", ".typed")}
    assert wanted <= names
    assert {name + "c" for name in wanted if name.endswith(".py")} <= names


def test_it_searches_as_the_checkout(app: Path) -> None:
    done = run(app, "solve", "--no-db", "--no-known", "--json", "--quiet", "0*6")
    assert done.returncode == 0, done.stderr
    found, here = json.loads(done.stdout), pns.solve("0*6")
    assert found["outcome"] == here.outcome
    assert found["expansions"] == here.usage.expansions


def test_two_processes(app: Path) -> None:
    words = ["--algorithm", "pdfpn", "--processes", 2, "--no-db", "--no-known", "--quiet", "0*4"]
    done = run(app, "solve", *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("0*4 is a win")


def test_its_help(app: Path) -> None:
    done = run(app, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: pns COMMAND")


def test_its_data(app: Path, tmp_path: Path) -> None:
    """They are unpacked for certificates, and nothing of them is left."""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, app.name, "check", "sprouts-3"]
    done = subprocess.run(command, cwd=app.parent, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "") and "0*3 is a win: proved." in done.stdout
    assert not list(tmp_path.iterdir())


def test_its_page(app: Path, tmp_path: Path) -> None:
    """With nothing but the file."""
    pytest.importorskip("starlette")
    server = Explore(tmp_path, program=["-I", app.name], cwd=app.parent)
    try:
        with urlopen(server.origin) as answer:
            assert b"<!doctype html>" in answer.read()
    finally:
        status, errors = server.close()
    assert status in (0, 130) and errors == ""  # as `pns explore --help` says
