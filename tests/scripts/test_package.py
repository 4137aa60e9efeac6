"""The package as it is installed: it has the command and all data, and searches as the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Dict, List, Set

import pytest
from helpers.paths import ROOT

from pns.version import VERSION

pytestmark = pytest.mark.programs

TOOLS = """
import setuptools
if tuple(map(int, setuptools.__version__.split(".")[:2])) < (70, 1):
    import wheel  # newer ones do without
import pip
"""
"""What builds and installs a wheel without a network."""
BUILD = """
import sys
from setuptools import build_meta
print(getattr(build_meta, "build_" + sys.argv[1])(sys.argv[2]))
"""


def python(place: Path, *words: object, **more: str) -> "subprocess.CompletedProcess[str]":
    """Run the interpreter in a directory; only `more` names other places of packages."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, *map(str, words)]
    env.update(more)
    return subprocess.run(command, cwd=place, env=env, capture_output=True, text=True, timeout=250)


def checked_in() -> List[str]:
    """The files of the project, as git lists them."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no clone")
    command = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return [name for name in done.stdout.splitlines() if (ROOT / name).is_file()]


def build(kind: str, source: Path, out: Path) -> Path:
    """Build an sdist or a wheel of a source tree by its backend."""
    done = python(source, "-W", "ignore", "-c", BUILD, kind, out)
    assert done.returncode == 0, done.stderr
    return out / done.stdout.splitlines()[-1]


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Dict[str, Path]:
    """An sdist of a copy of the project, and a wheel that is built from it."""
    place = tmp_path_factory.mktemp("package")
    if python(place, "-W", "ignore", "-c", TOOLS).returncode:
        pytest.skip("setuptools, wheel and pip are not all here")
    for name in checked_in():
        (place / "copy" / name).parent.mkdir(parents=True, exist_ok=True)
        (place / "copy" / name).write_bytes((ROOT / name).read_bytes())
    sdist = build("sdist", place / "copy", place)
    with tarfile.open(sdist) as archive:
        archive.extractall(place / "source")
    (source,) = (place / "source").iterdir()
    return {"sdist": sdist, "wheel": build("wheel", source, place)}


@pytest.fixture(scope="module")
def installed(dist: Dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory into which the wheel is installed, without a network."""
    place = tmp_path_factory.mktemp("installed")
    words = ["--disable-pip-version-check", "--no-deps", "--no-index", "--target", place / "lib"]
    done = python(place, "-W", "ignore", "-m", "pip", "install", "-q", *words, dist["wheel"])
    assert done.returncode == 0, done.stderr
    return place / "lib"


def test_the_sdist_is_complete(dist: Dict[str, Path]) -> None:
    with tarfile.open(dist["sdist"]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert set(checked_in()) <= names


def test_the_wheel_has_the_package_and_nothing_else(dist: Dict[str, Path]) -> None:
    with zipfile.ZipFile(dist["wheel"]) as archive:
        names: Set[str] = set(archive.namelist())
        (info,) = [name for name in names if name.endswith("/entry_points.txt")]
        assert "pns = pns.cli.main:main" in archive.read(info).decode()
    package = {name for name in names if ".dist-info/" not in name}
    assert package == {name for name in checked_in() if name.startswith("pns/")}
    assert {"pns/data/sprouts.prior", "pns/data/certificates/sprouts-9.cert.gz"} <= package


def figures(text: str) -> Dict[str, Any]:
    """The figures of a search that are the same in every run."""
    found = json.loads(text)
    return {key: found[key] for key in ("outcome", "expansions", "facts_known", "version")}


def test_it_searches_as_the_checkout(installed: Path, tmp_path: Path) -> None:
    words = ["--no-db", "--no-known", "--json", "--quiet", "0*9"]
    there = python(tmp_path, "-m", "pns", "solve", *words, PYTHONPATH=str(installed))
    assert there.returncode == 0, there.stderr
    here = python(tmp_path, ROOT / "scripts" / "solve.py", *words)
    assert figures(there.stdout) == figures(here.stdout)
    without = python(tmp_path, ROOT / "scripts" / "solve.py", "--no-prior", *words)
    assert figures(without.stdout) != figures(here.stdout)


def test_the_command_runs(installed: Path, tmp_path: Path) -> None:
    done = python(tmp_path, installed / "bin" / "pns", "--version", PYTHONPATH=str(installed))
    assert (done.returncode, done.stdout) == (0, "pns %s\n" % VERSION)
    code = "import pns, pns.cli.common as c; print(pns.__file__, c.IS_CHECKOUT)"
    done = python(tmp_path, "-c", code, PYTHONPATH=str(installed))
    assert done.stdout.split() == [str(installed / "pns" / "__init__.py"), "False"]


def test_certificates_are_checked(installed: Path, tmp_path: Path) -> None:
    done = python(tmp_path, "-m", "pns", "check", "sprouts-3", PYTHONPATH=str(installed))
    assert (done.returncode, done.stderr) == (0, "") and ": proved. " in done.stdout
    words = ["why", "0*3", "--db", "sprouts-3"]
    done = python(tmp_path, "-m", "pns", *words, PYTHONPATH=str(installed))
    assert (done.returncode, done.stderr) == (0, "") and "win" in done.stdout


def test_cpython_gets_lmdb_with_the_package(dist: Dict[str, Path]) -> None:
    """By wheels: from version 3 there is one for each CPython; others install the library."""
    with zipfile.ZipFile(dist["wheel"]) as archive:
        (info,) = [name for name in archive.namelist() if name.endswith("/METADATA")]
        lines = archive.read(info).decode().splitlines()
    (line,) = [
        line for line in lines if line.startswith("Requires-Dist: lmdb") and "extra" not in line
    ]
    requirement = pytest.importorskip("packaging.requirements").Requirement(line.split(": ")[1])
    assert "1.7.5" not in requirement.specifier and "3.0.0" in requirement.specifier
    assert requirement.marker.evaluate({"implementation_name": "cpython"})
    assert not requirement.marker.evaluate({"implementation_name": "pypy"})
