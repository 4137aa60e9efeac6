"""Failures to write, as on a full disk: they are reported, and writing is tried again."""

from __future__ import annotations

import errno
import json
import os
import resource
import subprocess
from pathlib import Path
from typing import Any, Callable, List

import pytest
from helpers.processes import run_python
from helpers.solver import command, contents, solve

import pns
from pns.facts import FactsError, database, lmdb_facts, open_facts
from pns.positions import prior
from pns.saving import tree_checkpoint
from pns.saving.checkpointer import Checkpointer
from pns.system import files

NO_SPACE = os.strerror(errno.ENOSPC)


class Disk:
    """A function that writes, but fails as on a full disk at calls chosen by their number."""

    def __init__(self, write: Callable[..., Any], is_full: Callable[[int], bool]) -> None:
        self.count = 0
        self._write, self._is_full = write, is_full

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        self.count += 1
        if self._is_full(self.count):
            raise OSError(errno.ENOSPC, NO_SPACE)
        return self._write(*arguments, **options)


def full_database(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no process write to any database."""

    def write(self: Any, fill: Any) -> int:
        raise FactsError("%s: no room" % self.path)

    monkeypatch.setattr(database.Database, "write", write)
    monkeypatch.setattr(lmdb_facts, "COMMIT_SECONDS", 0.0)


# Checkpoints.


def test_a_checkpoint_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(files, "monotonic", lambda: now)
    warnings: List[str] = []
    disk = Disk(lambda: None, lambda count: 1 < count < 6)
    checkpointer = Checkpointer("none", disk, 0.0, warnings.append)
    checkpointer.tick()
    checkpointer.tick()
    assert checkpointer.unsaved == "none: %s" % NO_SPACE
    assert warnings == ["checkpoint not written: none: %s; the previous one is kept" % NO_SPACE]
    now += 59.0
    checkpointer.tick()
    now += 1.0
    checkpointer.tick()
    assert (len(warnings), disk.count) == (2, 5)
    checkpointer.tick()
    assert not checkpointer.unsaved and len(warnings) == 2
    with pytest.raises(OSError, match=NO_SPACE):
        Checkpointer("none", Disk(lambda: None, bool), 0.0, warnings.append)


@pytest.mark.parametrize("budget", [None, 300])
def test_a_search_goes_on_without_its_checkpoints(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, budget: Any
) -> None:
    path = tmp_path / "tree"
    disk = Disk(tree_checkpoint.save, lambda count: count > 2)
    monkeypatch.setattr(tree_checkpoint, "save", disk)
    warnings: List[str] = []
    result = pns.solve(
        "0*9",
        algorithm="pns",
        checkpoint=str(path),
        every=0.001,
        max_expansions=budget,
        warn=warnings.append,
    )
    assert disk.count > 3 and len(warnings) == 1 and "the previous one is kept" in warnings[0]
    assert result.solved == (budget is None)
    assert result.unsaved == (None if result.solved else "%s: %s" % (path, NO_SPACE))
    again = pns.solve("0*9", algorithm="pns", resume=str(path))
    assert again.outcome == "win"


def limit_files(size: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize(
    "algorithm, most", [("pns", 24_000), ("pns-pdfpn", 24_000), ("dfpn", 2000), ("pdfpn", 2000)]
)
def test_the_exit_status_shows_that_a_checkpoint_is_missing(
    tmp_path: Path, algorithm: str, most: int
) -> None:
    path = tmp_path / "tree"
    words: List[Any] = ["--no-db", "--quiet", "--algorithm", algorithm, "--checkpoint", path]
    words += ["--every", "0.001", "--max-expansions", "600"]
    words += ["--workers", "1", "--iterations", "20"] if algorithm == "pns-pdfpn" else []
    done = solve(*words, "0*20", preexec_fn=limit_files(most))
    assert (done.status, done.output) == (4, [])
    lines = [
        line for line in done.errors if "checkpoint not written: %s: File too large" % path in line
    ]
    assert len(lines) == 2 and not any(["--resume" in line for line in done.errors])
    assert 100 < path.stat().st_size <= most and os.listdir(tmp_path) == ["tree"]


# Facts.


def test_facts_wait_until_there_is_room(
    lmdb: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_facts(str(tmp_path / "f"), "nim") as store:
        with monkeypatch.context() as full:
            full_database(full)
            store.add(b"1", 1)
            store.tick()
            assert store.trouble == "%s: no room" % (tmp_path / "f")
            assert (store.waiting, store.get(b"1")) == (1, 1)
            child, _ = store.fork()
            if not child:
                status = 1
                try:
                    store.flush()  # which only reads here
                    status = int(store.get(b"1") != 1)
                finally:
                    os._exit(status)
            assert os.waitpid(child, 0)[1] == 0
            with pytest.raises(FactsError, match="no room"):
                store.flush()
        store.try_flush()
        assert (store.trouble, store.waiting, store.stored) == ("", 0, 1)


@pytest.mark.parametrize("algorithm", ["dfpn", "pdfpn", "pns"])
def test_a_search_goes_on_when_the_disk_is_full(
    lmdb: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, algorithm: str
) -> None:
    path = tmp_path / "f"
    warnings: List[str] = []
    with open_facts(str(path), "sprouts") as store:
        with monkeypatch.context() as full:
            full_database(full)
            result = pns.solve("0*7", algorithm=algorithm, facts=store, warn=warnings.append)
        assert result.solved and store.waiting == len(store) > 20
        assert warnings == ["facts wait in memory: %s: no room" % path]
    assert len(contents(path)) == result.usage.facts_known


FULL = """
from pns.cli import common
from pns.cli.commands import solve
from pns.facts import database
def write(self, fill):
    raise database.FactsError("%s: no room" % self.path)
begin = database.Database.__init__
def begin_and_fill(self, *arguments):
    begin(self, *arguments)
    database.Database.write = write
database.Database.__init__ = begin_and_fill
common.run(solve.main)
"""


@pytest.mark.skipif(database.LMDB is None, reason="no LMDB here")
@pytest.mark.parametrize("budget", ["9999", "60"])
def test_the_exit_status_shows_that_facts_are_lost(tmp_path: Path, budget: str) -> None:
    words = ["--quiet", "--db", tmp_path / "f", "--no-known", "--max-expansions", budget, "0*6"]
    done = run_python(FULL, *words)
    lines = [line for line in done.stderr.splitlines() if "wait in memory" not in line]
    assert "facts could not be stored: %s: no room" % (tmp_path / "f") in lines[0]
    solved = done.stdout != ""
    assert (done.returncode, solved, len(lines)) == (4, budget == "9999", 1 if solved else 2)


def test_a_database_too_large_for_the_address_space(
    lmdb: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_facts(str(tmp_path / "f"), "nim") as store:
        with monkeypatch.context() as small:
            small.setattr("pns.system.machine.reservable", lambda: 1 << 20)
            for i in range(30_000):
                store.add(b"%d" % i + b"0" * 300, 0)
            store.try_flush()
            assert "no memory for the map of the database" in store.trouble
            assert store.get(b"7" + b"0" * 300) == 0
        store.try_flush()
        assert not store.trouble and store.stored == 30_000


# What other programs write.


def test_a_prior_stays_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "prior"
    prior.save(prior.Prior(), "nim", str(path))
    before = path.read_bytes()
    monkeypatch.setattr("pns.system.files.os.fsync", Disk(os.fsync, bool))
    with pytest.raises(OSError, match=NO_SPACE):
        prior.save(prior.load("sprouts"), "sprouts", str(path))
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


def test_a_measurement_goes_on_while_it_cannot_be_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = """
import os, bench, pns.system.files
from pns.cli import common
fsync, count = os.fsync, 0
def fail_at_the_second_save(descriptor):
    global count
    count += 1
    if count == 3:  # a file and its directory each time
        raise OSError(28, "No space left on device")
    fsync(descriptor)
pns.system.files.os.fsync = fail_at_the_second_save
common.run(bench.main)
"""
    path = tmp_path / "saved.json"
    done = run_python(code, "--save", path, "0*2", "0*3")
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines() == ["-c: %s: %s; the runs go on" % (path, NO_SPACE)]
    assert len(json.loads(path.read_text())["runs"]) == 2


# Standard output and standard error.


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_full_disk_behind_the_streams() -> None:
    with open("/dev/full", "wb") as full:
        words = command("--no-db", "0*5")
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, timeout=100)
        assert done.returncode == 2
        assert done.stderr.splitlines()[-1] == b"solve.py: standard output: " + NO_SPACE.encode()
        words = command("--no-db", "--quiet", "--max-expansions", "10", "0*9")
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=full, timeout=100)
        assert (done.returncode, done.stdout) == (3, b"")
