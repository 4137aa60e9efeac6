"""The command `pns`: its subcommands, what it refuses, and how little it imports."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import List

import pytest
from helpers.paths import CERTIFICATES, ROOT
from helpers.processes import run_python

from pns.cli.main import COMMANDS
from pns.version import VERSION


def pns(*words: object, **more: str) -> "subprocess.CompletedProcess[str]":
    """Run `python -m pns` from a directory that does not contain the package."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]), **more}
    command = [sys.executable, "-m", "pns", *map(str, words)]
    return subprocess.run(command, cwd="/", env=env, capture_output=True, text=True, timeout=200)


def script(name: str, *words: object) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(ROOT / "scripts" / name), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=200)


def test_every_subcommand_exists() -> None:
    for module, function, _ in COMMANDS.values():
        assert callable(getattr(import_module(module), function))


@pytest.mark.parametrize("name", COMMANDS)
def test_help_names_the_subcommand(name: str) -> None:
    done = pns(name, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: pns %s [" % name)


def test_help_and_version() -> None:
    done = pns("--help")
    assert (done.returncode, done.stderr) == (0, "")
    for name, (_, _, text) in COMMANDS.items():
        assert "\n  %-10s %s\n" % (name, text) in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert pns("-h").stdout == done.stdout
    assert pns("--version").stdout == "pns %s\n" % VERSION == pns("solve", "--version").stdout


LOADED = """
sys.argv = ["pns", *sys.argv[1:]]
before = set(sys.modules)
try:
    import pns.cli.main
    pns.cli.main.main()
finally:
    sys.stderr.write(" ".join(sorted(set(sys.modules) - before)))
"""


@pytest.mark.parametrize("word", ["--help", "--version", "-x", ""])
def test_without_a_subcommand_nothing_is_imported(word: str) -> None:
    loaded = run_python(LOADED, word).stderr.splitlines()[-1].split()
    ours = {name for name in loaded if name.startswith("pns")}
    assert ours == {"pns", "pns.cli", "pns.cli.main", "pns.start", "pns.version"}
    assert not {"argparse", "json", "re", "typing"} & set(loaded)


def test_a_subcommand_imports_no_other() -> None:
    loaded = run_python(LOADED, "check", "--help").stderr.splitlines()[-1].split()
    commands = {module for module, *_ in COMMANDS.values()}
    assert commands & set(loaded) == {"pns.cli.check"}


@pytest.mark.parametrize(
    "words, line",
    [
        ([], "pns: a command is missing; see pns --help"),
        (["slove", "0*3"], "pns: 'slove' is no command; did you mean solve? See pns --help"),
        (["xyzzy"], "pns: 'xyzzy' is no command; see pns --help"),
        (["\n" * 99], "pns: '%s' is no command; see pns --help" % ("\\n" * 60)),
        (["--quiet", "solve"], "pns: unknown option '--quiet'; see pns --help"),
        (["solve", "0*x"], "pns solve: offset 2: expected a positive number"),
        (["solve", "0*3", "--capacity", "x"], "pns solve: argument --capacity: 'x' is no count"),
        (["why", "0*3", "--db", "/no/such"], "pns why: /no/such: "),
        (["why"], "pns why: the following arguments are required: POSITION"),
        (["db", "stats", "--db", "/no/such"], "pns db: /no/such: "),
        (["db", "get"], "pns db: the following arguments are required: POSITION"),
        (["audit", "/no/such"], "pns audit: "),
        (["audit", "certify", "x"], "pns audit: argument POSITION=win|loss"),
        (["certify", "x"], "pns certify: argument POSITION=win|loss"),
        (["worker"], "pns worker: the following arguments are required: --connect"),
        (["cluster", "--connect", "h"], "pns cluster: argument --connect: 'h' is no address"),
        (["simulate", "0*4", "--paper"], "pns simulate: --paper needs --draw"),
    ],
)
def test_refusals_name_the_command(words: List[str], line: str) -> None:
    done = pns(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(line), done.stderr


def test_scripts_keep_their_names() -> None:
    assert script("solve.py", "0*x").stderr.startswith("solve.py: offset 2")
    assert script("grundy.py", "why").stderr.startswith("grundy.py: the following")
    assert script("grundy.py", "why", "--help").stdout.startswith("usage: grundy.py why [")
    assert script("audit.py", "certify", "-h").stdout.startswith("usage: audit.py certify [")
    assert script("audit.py", "certify", "x").stderr.startswith("audit.py: argument POSITION")
    assert script("worker.py", "keygen", "-h").stdout.startswith("usage: worker.py keygen [")


def test_usage_of_verbs() -> None:
    assert pns("db", "why", "-h").stdout.startswith("usage: pns db why [")
    assert pns("audit", "certify", "-h").stdout.startswith("usage: pns audit certify [")
    assert pns("worker", "keygen", "-h").stdout.startswith("usage: pns worker keygen [")


def test_a_proof_from_the_search_to_the_certificate(tmp_path: Path) -> None:
    pytest.importorskip("cffi")
    db, small, out = tmp_path / "db", tmp_path / "small.spr", tmp_path / "5.cert.gz"
    done = pns("solve", "--db", db, "--json", "--grundy", "0*5")
    assert (done.returncode, json.loads(done.stdout)["outcome"]) == (0, "win")
    asked = pns("db", "get", "--db", db, "0*5")
    assert (asked.returncode, asked.stdout) == (0, "0*5 1\n")
    reduced = pns("db", "reduce", "0*5", "--db", db, "--out", small, "--cycles", 5, "--quiet")
    assert reduced.returncode == 0
    assert pns("audit", small, XDG_DATA_HOME=str(tmp_path)).returncode == 0
    written = pns("certify", "0*5=win", small, out, XDG_DATA_HOME=str(tmp_path))
    assert written.returncode == 0 and "written" in written.stdout
    assert ": proved. " in pns("check", out).stdout
    assert pns("why", "0*5", "--db", out).stdout.startswith("0*5 is a win: move to ")


def test_exit_statuses_are_those_of_the_scripts(tmp_path: Path) -> None:
    assert pns("solve", "--no-db", "--max-expansions", 1, "0*7").returncode == 3
    certificate = CERTIFICATES / "sprouts-2.cert.gz"
    assert pns("why", "0*9", "--db", certificate).returncode == 1
    bad = tmp_path / "bad.cert.gz"
    bad.write_bytes(b"no certificate")
    assert pns("check", bad).returncode == 2 == script("check_certificate.py", bad).returncode


def test_a_closed_or_full_output() -> None:
    command = [sys.executable, "-m", "pns", "--help"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (
        2,
        "pns: standard output: No space left on device\n",
    )
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(command, cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.skipif(sys.implementation.name != "pypy", reason="only PyPy has a nursery to set")
def test_a_subcommand_runs_with_the_nursery(tmp_path: Path) -> None:
    report = "import os, sys; sys.stderr.write(os.environ.get('PYPY_GC_NURSERY', 'none') + '\\n')"
    (tmp_path / "sitecustomize.py").write_text(report)
    env = {key: value for key, value in os.environ.items() if key != "PYPY_GC_NURSERY"}
    env["PYTHONPATH"] = "%s:%s" % (tmp_path, ROOT)
    for word, starts in (("solve", ["none", "4M"]), ("--version", ["none"])):
        command = [sys.executable, "-m", "pns", word, "--version"]
        done = subprocess.run(command, cwd="/", env=env, capture_output=True, text=True)
        assert (done.stdout, done.stderr.split()) == ("pns %s\n" % VERSION, starts)


SIGNALLED = """
import builtins, os
find = builtins.__import__
def look(name, *rest, **more):
    if name == "pns.version":
        os.environ["PYPY_GC_NURSERY"] = "4M"
    if name == "argparse":
        os.kill(os.getpid(), {number})
    return find(name, *rest, **more)
builtins.__import__ = look
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_the_start_ends_it(number: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(SIGNALLED.format(number=int(number)))
    done = pns("solve", "--help", PYTHONPATH="%s:%s" % (tmp_path, ROOT))
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
