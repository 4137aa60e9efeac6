"""setup.sh, where all is installed and where it cannot install, and bootstrap.py."""

from __future__ import annotations

import configparser
import os
import re
import resource
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Dict, List, Optional, Tuple

import pytest
from helpers.paths import ROOT

from pns.cli import common
from pns.system import start

pytestmark = pytest.mark.programs

SETUP = ROOT / "scripts" / "setup.sh"


def setup(
    *arguments: str, script: Path = SETUP, cwd: Path = ROOT, env: Optional[Dict[str, str]] = None
) -> "subprocess.CompletedProcess[str]":
    """Run setup.sh."""
    command = ["/bin/sh", str(script), *arguments]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=250)


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A directory for PATH with a few tools that every system has."""
    directory = tmp_path / "bin"
    directory.mkdir()
    for name in ("awk", "cat", "dirname", "env", "ln", "rm"):
        (directory / name).symlink_to(str(shutil.which(name)))
    return directory


START = (
    *("pns/__init__.py", "pns/version.py"),
    *("pns/system/platform.py", "pns/system/start.py"),
)
"""What a script imports before the packages of .venv are found."""


def fake(directory: Path, name: str, script: str) -> None:
    """Make a program of this name."""
    path = directory / name
    path.write_text("#!/bin/sh\n%s\n" % script)
    path.chmod(0o755)


INSTALL = "apt-get update && apt-get install -y --no-install-recommends"


def test_is_posix_shell() -> None:
    subprocess.run(["sh", "-n", str(SETUP)], check=True)


def test_explains_itself() -> None:
    assert setup("--help").stdout.startswith("usage: sh scripts/setup.sh")
    refused = setup("--natvie")
    assert refused.returncode == 2
    assert "--natvie" in refused.stderr and refused.stdout == ""


@pytest.mark.parametrize("tools", [[], ["sudo"], ["apt-get"]])
def test_says_what_to_install_where_it_cannot(bare: Path, tools: List[str]) -> None:
    fake(bare, "id", "echo 1000")
    for name in tools:
        fake(bare, name, "exit 9")
    done = setup(env={"PATH": str(bare)})
    assert done.returncode == 1
    packages = "pypy3 pypy3-venv liblmdb0"
    message = "setup: cannot install %s; as root, run: %s %s" % (packages, INSTALL, packages)
    assert done.stderr.splitlines()[-1] == message


def test_says_what_to_install_where_apt_fails(bare: Path) -> None:
    fake(bare, "id", "echo 0")
    fake(bare, "apt-get", 'echo "called $*"; exit 100')
    done = setup(env={"PATH": str(bare)})
    assert done.returncode == 1
    assert "called install -y --no-install-recommends pypy3 pypy3-venv liblmdb0" in done.stdout
    assert INSTALL in done.stderr


needs_pypy = pytest.mark.skipif(shutil.which("pypy3") is None, reason="there is no pypy3")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A separate project with a pypy3 that logs to ``calls`` instead of installing.

    Where there is a file ``offline``, its pip prints that and fails.
    """
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    (tmp_path / "pns").symlink_to(ROOT / "pns")
    (tmp_path / "bin").mkdir()
    pypy3 = """
case "$1 $2" in
"-m venv") echo venv >>calls; rm -rf .venv; mkdir -p .venv/bin; cp "$0" .venv/bin/python ;;
"-m pip") echo pip >>calls; ! cat offline 2>/dev/null ;;
*) exec %s "$@" ;;
esac"""
    fake(tmp_path / "bin", "pypy3", pypy3 % shutil.which("pypy3"))
    return tmp_path


ALL = ["venv", "pip", "pip"]
"""The calls of a set-up: what builds packages is installed before the others."""


def calls(project: Path, *arguments: str) -> Tuple[int, List[str]]:
    """Run setup.sh in a project: its exit status, and the programs it called."""
    env = dict(os.environ, PATH="%s:%s" % (project / "bin", os.environ["PATH"]))
    status = setup(*arguments, script=project / "scripts" / "setup.sh", env=env).returncode
    log = project / "calls"
    called = log.read_text().split() if log.exists() else []
    log.unlink(missing_ok=True)
    return status, called


@needs_pypy
def test_installs_once_and_repairs(project: Path) -> None:
    (project / ".venv").mkdir()
    (project / "offline").touch()
    assert calls(project) == (1, ["venv", "pip"])
    (project / "offline").unlink()
    assert calls(project) == (0, ALL)
    assert calls(project) == (0, [])
    (project / ".venv" / "bin" / "python").unlink()
    assert calls(project) == (0, ALL)


@needs_pypy
def test_leaves_alone_what_is_installed(project: Path) -> None:
    assert calls(project) == (0, ALL)
    installed = project / ".venv" / "installed"
    before = installed.stat().st_mtime_ns
    env = dict(os.environ, PATH="%s:%s" % (project / "bin", os.environ["PATH"]))
    done = setup(script=project / "scripts" / "setup.sh", cwd=project / "bin", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("setup: ready: the command is .venv/bin/pns. Try\n")
    assert installed.stat().st_mtime_ns == before


@needs_pypy
def test_installs_again_when_the_locked_versions_change(project: Path) -> None:
    assert calls(project) == (0, ALL)
    lock = project / "scripts" / "requirements" / "main.txt"
    lock.write_text(lock.read_text().replace("pyzmq==", "pyzmq==1."))
    assert calls(project) == (0, ALL)


RETRYING = """\
WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError': /simple/x/
ERROR: Could not find a version that satisfies the requirement x (from versions: none)
ERROR: No matching distribution found for x
"""
UNTRUSTED = """\
WARNING: Retrying (Retry(total=0)) after connection broken by 'SSLError(certificate verify failed)'
ERROR: No matching distribution found for x
"""
CHANGED = "  a line\nERROR: THESE PACKAGES DO NOT MATCH THE HASHES\n    x"


@needs_pypy
@pytest.mark.parametrize(
    "printed, reason",
    [
        (RETRYING, "the index of packages is not reached"),
        (UNTRUSTED, "the certificate of the index, or of a proxy, is not trusted"),
        (CHANGED, "THESE PACKAGES DO NOT MATCH THE HASHES"),
        ("", "no reason given"),
    ],
)
def test_says_in_a_line_why_pip_failed(project: Path, printed: str, reason: str) -> None:
    (project / "offline").write_text(printed)
    env = dict(os.environ, PATH="%s:%s" % (project / "bin", os.environ["PATH"]))
    done = setup(script=project / "scripts" / "setup.sh", env=env)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("setup: pip cannot install the packages: %s. " % reason)
    assert {"HTTPS_PROXY", "PIP_CERT", "PIP_INDEX_URL"} <= set(line.split())
    assert (project / ".venv" / "pip.log").read_text() == printed


@needs_pypy
def test_two_at_once_install_once(project: Path) -> None:
    with ThreadPoolExecutor() as pool:
        both = list(pool.map(calls, [project, project]))
    assert [status for status, _ in both] == [0, 0]
    assert sum([called for _, called in both], []) == ALL


@needs_pypy
def test_native_needs_a_compiler(project: Path) -> None:
    fake(project / "bin", "cc", "exit 1")
    assert calls(project, "--native") == (0, ALL)


@needs_pypy
def test_leaves_the_command(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """It runs from an empty directory, and what the last lines name runs in the clone."""
    env = dict(os.environ, PATH="%s:%s" % (project / "bin", os.environ["PATH"]))
    done = setup(script=project / "scripts" / "setup.sh", env=env)
    ready, *tries = done.stdout.splitlines()[1:]
    assert ready == "setup: ready: the command is .venv/bin/pns. Try"
    assert [line.split()[:2] for line in tries] == [
        [".venv/bin/pns", word] for word in ("solve", "draw", "play", "explore", "--help")
    ]
    empty = tmp_path_factory.mktemp("empty")
    words = [str(project / ".venv" / "bin" / "pns"), "solve", "--no-db", "0*5"]
    ran = subprocess.run(words, cwd=empty, env=env, capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "") and "0*5 is a win" in ran.stdout


PACKAGES = ROOT / ".venv" / "lib" / "pypy3.9" / "site-packages"


@needs_pypy
@pytest.mark.parametrize("command", [[".venv/bin/pns"], ["pypy3", "-m", "pns"]])
def test_the_command_finds_the_packages(project: Path, command: List[str], tmp_path: Path) -> None:
    """What `pns doctor` lists after set-up, in the clone."""
    if not PACKAGES.is_dir():
        pytest.skip("setup.sh has not run here")
    assert calls(project) == (0, ALL)
    (project / ".venv" / "lib" / PACKAGES.parent.name).mkdir(parents=True)
    (project / ".venv" / "lib" / PACKAGES.parent.name / PACKAGES.name).symlink_to(PACKAGES)
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    done = subprocess.run(
        [*command, "doctor"], cwd=project, env=env, capture_output=True, text=True
    )
    assert "starlette      here" in done.stdout and "missing" not in done.stdout


def copy_scripts(project: Path, *names: str) -> None:
    """Copy scripts, and what of the package they import first."""
    for name in [*["scripts/" + name for name in names], *START]:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, project / name)


def sys_path(script: str, cwd: Path, project: Path) -> List[str]:
    """sys.path after bootstrap.py of a project, in a process in another directory."""
    code = "import sys; sys.path.insert(0, sys.argv[1]); %s; print('\\n'.join(sys.path))" % script
    command = [sys.executable, "-c", code, str(project / "scripts")]
    return subprocess.check_output(command, cwd=cwd, text=True).splitlines()


def test_bootstrap_finds_the_packages(tmp_path: Path) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    elsewhere.mkdir()
    copy_scripts(project, "bootstrap.py")
    name = "pypy" if sys.implementation.name == "pypy" else "python"
    packages = project / ".venv/lib" / (name + "%d.%d" % sys.version_info[:2]) / "site-packages"

    without = sys_path("import bootstrap", elsewhere, project)
    assert str(project) in without and str(packages) not in without
    packages.mkdir(parents=True)
    assert str(packages) in sys_path("import bootstrap", elsewhere, project)
    twice = "import bootstrap, importlib; importlib.reload(bootstrap)"
    assert sys_path(twice, elsewhere, project).count(str(packages)) == 1


def test_programs_run_from_anywhere(tmp_path: Path) -> None:
    command = [sys.executable, os.path.relpath(ROOT / "scripts" / "solve.py", tmp_path)]
    done = subprocess.run(command + ["--version"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout.split()[0]) == (0, "pns")


def test_test_program_says_that_pytest_is_missing(tmp_path: Path) -> None:
    copy_scripts(tmp_path, "bootstrap.py", "test.py")
    command = [sys.executable, "-S", str(tmp_path / "scripts" / "test.py")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == "test.py: pytest is missing: run sh scripts/setup.sh\n"


@pytest.mark.parametrize("words", [["-m", "pns", "--version"], ["scripts/solve.py", "--version"]])
def test_windows_is_refused_in_a_line(words: List[str], tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\nos.name, sys.platform = 'nt', 'win32'\n"
        "sys.modules.update(dict.fromkeys(['fcntl', 'resource']))\n"
    )
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, *words], cwd=ROOT, env=env, capture_output=True, text=True
    )
    line = "pns: this system is win32; expected Linux or another Unix: on Windows, run pns in WSL\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", line)


def test_says_how_to_install_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_pip = "%s -m pip install 'starlette<1' 'uvicorn<1'" % sys.executable
    monkeypatch.setattr(common, "ROOT", str(tmp_path))
    monkeypatch.setattr(common, "IS_CHECKOUT", False)
    assert common.how_to_install("web") == "run " + by_pip
    monkeypatch.setattr(common, "IS_CHECKOUT", True)
    assert common.how_to_install("web") == "run sh scripts/setup.sh, or " + by_pip
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "installed").touch()
    monkeypatch.setattr(common, "packages", lambda: "of another interpreter")
    command = "%s/.venv/bin/pns" % tmp_path
    assert common.how_to_install("web") == "start %s, whose PyPy has it, or run %s" % (
        command,
        by_pip,
    )


def test_missing_packages_are_named_as_in_the_extras() -> None:
    config = configparser.ConfigParser(interpolation=None)
    config.read(ROOT / "setup.cfg")
    for extra, words in common.EXTRAS.items():
        lines = config["options.extras_require"][extra].strip().splitlines()
        newest = ["'%s'" % re.sub(">=.*,", "", line) for line in lines]
        assert words == " ".join(newest)


def test_programs_restart_with_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only if a script is the main program, and again only under a new limit."""
    started: List[Tuple[str, List[bytes], str]] = []

    def execve(path: str, command: List[bytes], env: Dict[str, str]) -> None:
        started.append((path, command, env.get("PYPY_GC_NURSERY", "")))

    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    monkeypatch.setattr(os, "execve", execve)
    monkeypatch.setattr(start, "expect_signals", lambda: None)
    import bootstrap

    program = bootstrap.prepare
    monkeypatch.setattr(sys, "implementation", SimpleNamespace(name="pypy"))
    for name in ("PYPY_GC_NURSERY", "PYPY_GC_MAX", "MALLOC_ARENA_MAX"):
        monkeypatch.delenv(name, raising=False)
    solve = str(ROOT / "scripts" / "solve.py")
    program(str(ROOT / "tests" / "solve.py"))
    program("")
    assert not started
    program(solve)
    if not os.path.exists("/proc/self/cmdline"):
        pytest.skip("this system does not tell how a program was started")
    assert len(started) == 1 and started[0][0] == sys.executable
    assert started[0][1] and started[0][2] == start.NURSERY
    monkeypatch.setenv("PYPY_GC_NURSERY", "1M")
    program(solve)
    assert len(started) == 1
    limit = (10**9, resource.RLIM_INFINITY)
    monkeypatch.setattr(resource, "getrlimit", lambda _: limit)
    program(solve)  # the nursery is inherited, the limit is new
    assert len(started) == 2 and started[1][2] == "1M"
    for name in start.wanted_settings():
        monkeypatch.setenv(name, "1")
    program(solve)
    assert len(started) == 2
    monkeypatch.delenv("PYPY_GC_NURSERY")
    monkeypatch.setattr(sys, "implementation", SimpleNamespace(name="cpython"))
    program(solve)
    assert len(started) == 2
    monkeypatch.delenv("MALLOC_ARENA_MAX")
    program(solve)
    assert len(started) == 3 and not started[2][2]
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY,) * 2)
    program(solve)
    assert len(started) == 3
