"""The command `pns`: its subcommands, what it refuses, and how little it imports."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import List

import pytest
from helpers.paths import CERTIFICATES, ROOT
from helpers.processes import run_python
from helpers.tools import call

from pns import choices
from pns.cli import foreign
from pns.cli.main import COMMANDS, find, run_command
from pns.cli.options import simulate as simulate_options
from pns.cli.reference import commands
from pns.facts import formats
from pns.front.options import PRESET_OPTIONS, Options
from pns.simulation.studies import STUDIES
from pns.version import VERSION

pytestmark = pytest.mark.programs


def pns(*words: object, **more: str) -> "subprocess.CompletedProcess[str]":
    """Run `python -m pns` from a directory that does not contain the package."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]), **more}
    command = [sys.executable, "-m", "pns", *map(str, words)]
    return subprocess.run(command, cwd="/", env=env, capture_output=True, text=True, timeout=200)


def script(name: str, *words: object) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(ROOT / "scripts" / name), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=200)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_subcommand(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    make_parser, function, _ = COMMANDS[name]
    assert callable(find(function))
    text = find(make_parser)("pns " + name).format_help()
    assert text.startswith("usage: pns %s [" % name)
    assert max(map(len, text.splitlines())) <= 100
    if name != "check":  # a program of its own
        assert "positional arguments" not in text or name in BRIEF
        assert "\nexit status: " in text
        assert 2 <= text.count("\n  pns %s " % name) <= 5 and "\nexamples:\n" in text


@pytest.mark.parametrize("name", ["solve", "worker", "audit"])
def test_searches_are_compiled_sooner(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given: List[bool] = []
    monkeypatch.setattr(
        "pns.cli.common.run_loaded", lambda load, searches=False: given.append(searches)
    )
    monkeypatch.setattr(sys, "argv", ["pns", name])
    run_command(name, 2)
    assert given == [name != "audit"]


def test_help_and_version() -> None:
    done = pns("--help")
    assert (done.returncode, done.stderr) == (0, "")
    for name, (_, _, text) in COMMANDS.items():
        assert not text or "\n  %-10s %s\n" % (name, text) in done.stdout
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
    assert ours == {"pns", "pns.cli", "pns.cli.main", *STARTING}
    assert not {"argparse", "json", "re", "typing"} & set(loaded)


NURSERY = {**os.environ, "PYPY_GC_NURSERY": "4M"}
"""The environment of a program that PyPy does not start twice."""
CHECKER = {"pns.checker", "pns.checker.work"}
"""Its rules play positions that are too large for those of the search."""
BRIEF = ("db", "strong", "worker keygen")
STARTING = {"pns.system", "pns.system.platform", "pns.system.start", "pns.version"}
PARSING = {"pns", "pns.choices", "pns.cli", "pns.cli.common", "pns.cli.main", "pns.cli.parser"}
PARSING |= {"pns.cli.options", "pns.cli.options.variants", "pns.system.program", *STARTING}


HELPS = {
    "solve": {"solve"},
    "worker": {"worker"},
    "simulate": {"simulate"},
    "audit": {"audit"},
    "db": {"database", "why"},
    "why": {"why"},
    "estimate": {"estimate"},
}


@pytest.mark.parametrize("name", HELPS)
def test_a_help_imports_no_search(name: str) -> None:
    loaded = set(run_python(LOADED, name, "--help").stderr.splitlines()[-1].split())
    ours = {name for name in loaded if name.startswith("pns")}
    assert ours <= PARSING | {"pns.cli.options." + module for module in HELPS[name]}
    assert not {"dataclasses", "inspect", "json", "shutil", "typing"} & loaded


def test_a_search_imports_no_other() -> None:
    done = run_python(LOADED, "solve", "--no-db", "--quiet", "0*1", env=NURSERY)
    assert done.stdout.startswith("0 is a loss")
    loaded = set(done.stderr.splitlines()[-1].split())
    assert "pns.dfpn" in loaded
    if "psutil" not in loaded:  # which imports them
        assert not {"socket", "subprocess", "tempfile"} & loaded
    others = {"pns.tree", "pns.parallel.processes", "pns.distributed.solver", "pns.proofs.audit"}
    assert not others & loaded


def test_names_are_those_of_what_they_choose() -> None:
    assert tuple(sorted(formats.DIALECTS)) == choices.DIALECTS
    assert tuple(sorted(STUDIES)) == simulate_options.STUDIES
    assert tuple(PRESET_OPTIONS) == choices.PRESETS
    assert set(choices.ALGORITHMS_WITH) - set(Options.__dataclass_fields__) == {
        "no_prior",
        "statistics",
        "table",
        "metrics",
        "timeline",
    }


def test_a_bad_position_is_refused_by_the_game_alone() -> None:
    done = run_python(LOADED, "solve", "0*x")
    loaded = set(done.stderr.splitlines()[-1].split())
    ours = {name for name in loaded if name.startswith("pns") and "sprouts" not in name}
    assert ours == PARSING | {"pns.cli.options.solve", "pns.finding", "pns.game", *CHECKER}


@pytest.mark.parametrize(
    "words, line",
    [
        ([], "pns: a command is missing; see pns --help"),
        (["slove", "0*3"], "pns: unknown command 'slove'; did you mean solve? See pns --help"),
        (["help"], "pns: unknown command 'help'; did you mean --help? See pns --help"),
        (["0*5"], "pns: unknown command '0*5'; did you mean pns solve '0*5'? See pns --help"),
        (["xyzzy"], "pns: unknown command 'xyzzy'; see pns --help"),
        (["\n" * 99], "pns: unknown command '%s'; see pns --help" % ("\\n" * 60)),
        (["--quiet", "solve"], "pns: unknown option '--quiet'; see pns --help"),
        (["solve", "0*x"], "pns solve: offset 2: expected a positive number"),
        (["solve", "0*3", "--capacity", "x"], "pns solve: argument --capacity: invalid count 'x'"),
        (["solve", "--gruny"], "pns solve: unknown option '--gruny'; did you mean --grundy? See"),
        (["solve", "0*3", "--grund"], "pns solve: unknown option '--grund'; did you mean"),
        (
            ["solve", "0*3", "--timeout=5"],
            "pns solve: unknown option '--timeout'; did you mean --max-s",
        ),
        (
            ["play", "--time-limit", "5"],
            "pns play: unknown option '--time-limit'; did you mean --seco",
        ),
        (
            ["solve", "--threads", "2"],
            "pns solve: unknown option '--threads'; did you mean --processes",
        ),
        (
            ["solve", "-j", "2"],
            "pns solve: unknown option '-j'; did you mean --processes? See --help",
        ),
        (["solve", "-x"], "pns solve: unknown option '-x'; see --help"),
        (
            ["solve", "--misère"],
            "pns solve: unknown option '--mis\\xe8re'; did you mean --misere? See",
        ),
        (["solve", "--verbose"], "pns solve: unknown option '--verbose'; see --help"),
        (
            ["solve", "--spots", "5"],
            "pns solve: unknown option '--spots': the number of spots is part",
        ),
        (
            ["draw", "0", "--outfile", "x"],
            "pns draw: unknown option '--outfile'; did you mean --out? ",
        ),
        (["solve", "0*3", "--xyzzy=1"], "pns solve: unknown option '--xyzzy'; see --help"),
        (
            ["solve", "0*3", "--game", "sprout"],
            "pns solve: argument --game: invalid choice 'sprout'; did you",
        ),
        (
            ["solve", "0*3", "--algorithm", "magic"],
            "pns solve: argument --algorithm: invalid choice 'magic'; ",
        ),
        (
            ["db", "stat"],
            "pns db: argument VERB: invalid choice 'stat'; did you mean stats? Expected ",
        ),
        (["db", "list", "--limti"], "pns db: unknown option '--limti'; did you mean --limit? See"),
        (["why", "0*3", "--db", "/no/such"], "pns why: /no/such: "),
        (["why"], "pns why: the following arguments are required: POSITION, as in pns why '0*11'"),
        (["db", "stats", "--db", "/no/such"], "pns db: /no/such: "),
        (["db", "get"], "pns db: the following arguments are required: POSITION"),
        (["audit", "/no/such"], "pns audit: "),
        (["audit", "certify", "x"], "pns audit certify: argument POSITION=win|loss"),
        (["certify", "x"], "pns certify: argument POSITION=win|loss"),
        (["worker"], "pns worker: the following arguments are required: --connect"),
        (["cluster", "--connect", "h"], "pns cluster: argument --connect: invalid address 'h'"),
        (
            ["simulate", "0*4", "--paper"],
            "pns simulate: argument --paper: allowed only with --draw",
        ),
    ],
)
def test_refusals_name_the_command(words: List[str], line: str) -> None:
    done = call("pns", *words)
    assert (done.status, done.output) == (2, "")
    assert done.errors.startswith(line), done.errors
    assert done.errors.count("\n") == (3 if "0*x" in words else 1)


def test_words_for_options_mean_options_that_there_are() -> None:
    flags = {flag for command in commands() for option in command.options for flag in option.flags}
    assert set(foreign.OWN_NAMES) <= flags
    assert "misere" not in foreign.NOT_THERE and "--misere" in flags


def test_scripts_keep_their_names() -> None:
    assert script("solve.py", "0*x").stderr.startswith("solve.py: offset 2")
    assert script("grundy.py", "why").stderr.startswith("grundy.py: the following")
    assert call("grundy.py", "why", "--help").output.startswith("usage: grundy.py why [")
    assert call("audit.py", "certify", "-h").output.startswith("usage: audit.py certify [")
    assert script("audit.py", "certify", "x").stderr.startswith("audit.py: argument POSITION")
    assert script("worker.py", "keygen", "-h").stdout.startswith("usage: worker.py keygen [")


def test_usage_of_verbs() -> None:
    assert call("pns", "db", "why", "-h").output.startswith("usage: pns db why [")
    assert call("pns", "audit", "certify", "-h").output.startswith("usage: pns audit certify [")
    assert call("pns", "worker", "keygen", "-h").output.startswith("usage: pns worker keygen [")


@pytest.mark.slow
def test_a_proof_from_the_search_to_the_certificate(tmp_path: Path) -> None:
    pytest.importorskip("cffi")
    db, small, out = tmp_path / "db", tmp_path / "small.spr", tmp_path / "5.cert.gz"
    done = pns("solve", "--no-known", "--db", db, "--json", "--grundy", "0*5")
    assert (done.returncode, json.loads(done.stdout)["outcome"]) == (0, "win")
    asked = call("pns", "db", "get", "--no-known", "--db", db, "0*5")
    assert (asked.status, asked.output) == (0, "0*5 1\n")
    words = ("reduce", "0*5", "--db", db, "--out", small, "--cycles", 5, "--quiet")
    assert call("pns", "db", *words).status == 0
    env = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}
    assert call("pns", "audit", small, env=env).status == 0
    written = call("pns", "certify", "0*5=win", small, out, env=env)
    assert written.status == 0 and "written" in written.output
    assert ": proved. " in pns("check", out).stdout
    assert call("pns", "why", "0*5", "--db", out).output.startswith("0*5 is a win: move to ")


def test_exit_statuses_are_those_of_the_scripts(tmp_path: Path) -> None:
    assert pns("solve", "--no-db", "--no-known", "--max-expansions", 1, "0*7").returncode == 3
    certificate = CERTIFICATES / "sprouts-2.cert.gz"
    assert call("pns", "why", "0*9", "--no-known", "--db", certificate).status == 1
    bad = tmp_path / "bad.cert.gz"
    bad.write_bytes(b"no certificate")
    assert call("pns", "check", bad).status == 2 == script("check_certificate.py", bad).returncode


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


@pytest.mark.parametrize("name", [*COMMANDS, "db list", "strong look"])
def test_a_help_that_cannot_be_written(name: str) -> None:
    command = [sys.executable, "-m", "pns", *name.split(), "--help"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True)
    program = name if name in COMMANDS else name.split()[0]
    wrong = "pns %s: standard output: No space left on device\n" % program
    assert (done.returncode, done.stderr) == (2, wrong)


@pytest.mark.parametrize("option", ["--help", "--sample=0"])
def test_the_checker_alone_says_it_in_one_line(option: str) -> None:
    command = [sys.executable, str(ROOT / "scripts" / "check_certificate.py"), option, "x"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr


@pytest.mark.skipif(sys.implementation.name != "pypy", reason="only PyPy has a nursery to set")
def test_a_subcommand_runs_with_the_nursery(tmp_path: Path) -> None:
    report = "import os, sys; sys.stderr.write(os.environ.get('PYPY_GC_NURSERY', 'none') + '\\n')"
    (tmp_path / "sitecustomize.py").write_text(report)
    env = {key: value for key, value in os.environ.items() if key != "PYPY_GC_NURSERY"}
    env["PYTHONPATH"] = "%s:%s" % (tmp_path, ROOT)
    for words, starts in ((["--no-db", "0*1"], ["none", "4M"]), (["--help"], ["none"])):
        command = [sys.executable, "-m", "pns", "solve", "--quiet", *words]
        done = subprocess.run(command, cwd="/", env=env, capture_output=True, text=True)
        assert (done.returncode, done.stderr.split()) == (0, starts)


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
