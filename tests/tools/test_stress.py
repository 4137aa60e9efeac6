"""The chaos suite: a short run of every kind, and tests that its checks notice failures."""

from __future__ import annotations

import mmap
import os
import re
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import List, Set

import pytest
from helpers.paths import ROOT
from helpers.solver import needs_lmdb

pytest.importorskip("zmq", reason="pyzmq is missing")
from chaos import tree
from chaos.run import Run
from chaos.truth import check_database, check_kept, entries_of, write_entries

STRESS = ROOT / "tests" / "tools" / "stress.py"

pytestmark = [
    needs_lmdb,
    pytest.mark.skipif(
        not Path("/proc/self/task/%d/children" % os.getpid()).exists(),
        reason="no list of children here",
    ),
]


def stress(*words: object) -> None:
    """Run the suite, which must not fail."""
    command = [sys.executable, str(STRESS), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.search
def test_a_short_run_of_every_kind() -> None:
    stress("--rounds", 1, "--scale", 0.05, "--seed", os.environ["PNS_CHAOS_SEED"])


@pytest.mark.slow
@pytest.mark.timeout(0)
def test_a_long_run_of_every_kind() -> None:
    stress("--seconds", os.environ.get("PNS_STRESS_SECONDS", "600"))


def test_every_promise_has_a_check_that_exists() -> None:
    text = (ROOT / "docs" / "robustness.md").read_text()
    promises = text.partition("## Checkpoints of a transposition table")[0]
    rows = re.findall(r"^\| (.*) \| (.*) \| (.*) \|$", promises, re.MULTILINE)
    rows = [row for row in rows if "---" not in row and "check" not in row]
    names = {name for _, _, check in rows for name in re.findall(r"`([a-zR][a-z.A-Z_]*)`", check)}
    assert len(rows) > 25 and all(["`" in check for _, _, check in rows])
    kinds = set(re.findall(r"^\| `([a-z]+)` \|", text, re.MULTILINE))
    assert kinds == set(found_kinds())
    for name in names - {"decode", "replaced"}:
        module, _, function = name.partition(".")
        if module == "Run":
            assert hasattr(Run, function), name
        elif module in kinds:
            assert not function or hasattr(import_module("chaos." + module), function), name


def found_kinds() -> List[str]:
    """The names of the modules of tests/chaos that are kinds."""
    paths = (ROOT / "tests" / "chaos").glob("*.py")
    return [path.stem for path in paths if "\ndef run(run: Run)" in path.read_text()]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run("kills", 1, tmp_path / "run")


def sorts(run: Run) -> List[str]:
    return [sort for sort, _ in run.failures]


def test_wrong_and_lost_facts_are_noticed(run: Run) -> None:
    path, entries = run.work / "facts.lmdb", dict(entries_of(4))
    write_entries(path, entries)
    check_database(run, path, "0*4")
    check_kept(run, entries, entries, "all")
    assert not run.failures and run.counts["entries"] == len(entries)
    entries[b"0*2"] = 1
    write_entries(run.work / "wrong.lmdb", entries)
    check_database(run, run.work / "wrong.lmdb", "0*3")
    assert set(sorts(run)) == {"wrong"} and len(run.failures) > 2
    del run.failures[:]
    check_kept(run, entries, {b"0*2": 1}, "some")
    assert sorts(run) == ["lost"]


CODE = "import os, signal, sys; sys.stdout.close(); %s"


@pytest.mark.parametrize(
    "code, found",
    [
        ("os._exit(3)", {"status"}),
        ("{}[0]", {"status", "traceback"}),
        ("os.kill(os.getpid(), signal.SIGSEGV)", {"crash"}),
        ("os.kill(os.getpid(), signal.SIGKILL)", {"crash", "status"}),
        ("signal.pause()", {"hang", "status"}),
    ],
)
def test_crashes_hangs_and_wrong_statuses_are_noticed(
    run: Run, monkeypatch: pytest.MonkeyPatch, code: str, found: Set[str]
) -> None:
    monkeypatch.setattr("chaos.run.ROOT", run.place)
    (run.place / "scripts").mkdir()
    (run.place / "scripts" / "program.py").write_text(CODE % code)
    program = run.start("program.py")
    program.expect(0, seconds=2.0 if "hang" in found else 60.0)
    assert set(sorts(run)) == found


def test_leftovers_are_noticed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chaos.run.ORPHAN_SECONDS", 0.1)
    (run.temporary / "left").touch()
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as segment:
        segment.truncate(4096)
        run.note_memory([os.getpid()])
        assert not run.memory
        holder = mapped(segment.name)
        run.note_memory([os.getpid()])
        holder.close()
    assert run.memory == {segment.name}
    monkeypatch.setattr(tree, "reap", lambda: None)  # the test reaps the child itself
    run.check_leftovers()
    child.communicate()
    assert sorts(run) == ["leftover"] * 3
    assert child.returncode == -9


def mapped(path: str) -> "mmap.mmap":
    with open(path, "r+b") as stream:
        return mmap.mmap(stream.fileno(), 0)


def test_a_failed_run_keeps_its_files_and_prints_how_to_repeat_it(tmp_path: Path) -> None:
    command = [sys.executable, str(STRESS), "--keep", str(tmp_path)]
    code = "import sys; sys.argv[0] = %r; sys.path.insert(0, %r); import stress; %s"
    broken = "stress.Run.check_leftovers = lambda run: run.fail('lost', 'all'); "
    broken += "stress.KINDS['damage'] = 1.0; sys.exit(stress.main())"
    words = [sys.executable, "-c", code % (command[1], str(STRESS.parent), broken)]
    words += ["--replay", "damage:7", *command[2:]]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1, done.stderr
    assert "again: python tests/tools/stress.py --replay damage:7\n" in done.stdout
    assert "lost: all" in done.stdout and (tmp_path / "damage-7" / "log").exists()
