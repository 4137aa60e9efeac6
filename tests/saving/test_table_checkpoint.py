"""Checkpoints of dfpn, pdfpn and spdfpn: stopping and resuming, kills, full disks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List, Set

import pytest
from helpers.processes import run_python
from helpers.searches import SPROUTS, search_of
from helpers.solver import command, solve_json
from helpers.table_checkpoints import (
    CAPACITY,
    SPOTS,
    TABLES,
    blocks_of,
    empty,
    entries_of,
    facts_block,
    options_of,
    restored,
    stopped,
    wins_of,
)

import pns
from pns.facts import Facts, open_facts
from pns.positions.simplify import Simplified
from pns.saving import table_checkpoint
from pns.saving.checkpoint import CheckpointError
from pns.saving.checkpointer import Checkpointer, Steps
from pns.saving.table_checkpoint import SavedTable, save
from pns.search.table import WORK, Table

pytestmark = pytest.mark.search

SIMPLE = Simplified(SPROUTS)
"""What searches play by default."""

# Stopping and resuming.


@pytest.mark.parametrize("algorithm", TABLES)
def test_a_resumed_search_goes_on(tmp_path: Path, algorithm: str) -> None:
    path, options = tmp_path / "table", options_of(algorithm)
    fresh = pns.solve(SPOTS, **options)
    budget = fresh.usage.expansions // 2
    before = stopped(path, budget, **options).usage
    assert before.expansions >= budget
    after = pns.solve(SPOTS, resume=str(path), **options)
    assert after.outcome == fresh.outcome == "win"
    assert 0 < after.usage.expansions - before.expansions < fresh.usage.expansions
    assert after.usage.children_generated > before.children_generated
    with pytest.raises(CheckpointError, match="exists already"):
        pns.solve(SPOTS, checkpoint=str(path), **options)


def test_the_table_saves_more_than_the_facts_alone(tmp_path: Path) -> None:
    path, facts = tmp_path / "table", Facts("sprouts")
    fresh = pns.solve(SPOTS, capacity=CAPACITY).usage.expansions
    before = stopped(path, facts=facts).usage.expansions
    table = pns.solve(SPOTS, resume=str(path)).usage.expansions - before
    alone = pns.solve(SPOTS, facts=facts, capacity=CAPACITY).usage.expansions
    assert table < alone < fresh and before + table < fresh * 5 // 4


@pytest.mark.parametrize("first", TABLES)
def test_wins_are_kept(tmp_path: Path, first: str) -> None:
    """Each is true; they are given to the search that goes on, and it saves them again."""
    path, again = tmp_path / "table", tmp_path / "again"
    options = options_of(first, 2)
    stopped(path, 900, **options)
    saved, facts = wins_of(path), restored(path)[1]
    assert len(saved) > 100
    for land, number in sorted(saved)[:50]:
        assert any(empty(facts).code(child) == number for child in SIMPLE.children(land))
    pns.solve(SPOTS, resume=str(path), checkpoint=str(again), max_expansions=1, **options)
    known = restored(again)[1]
    assert {win for win in saved if known.get(win[0]) < 0} <= wins_of(again)


def test_wins_count_only_with_the_facts_that_they_rest_on(lmdb: Any, tmp_path: Path) -> None:
    path, database = tmp_path / "table", str(tmp_path / "facts")
    with open_facts(database, "sprouts") as facts:
        stopped(path, 900, facts=facts)
        assert len(wins_of(path, facts)) > 100 and not wins_of(path)
        facts.withdraw(list(facts.items())[:1])
        assert not wins_of(path, facts)
    with open_facts(str(tmp_path / "other"), "sprouts") as other:
        assert not wins_of(path, other)


@pytest.mark.parametrize("first", TABLES)
def test_the_three_algorithms_resume_each_other(tmp_path: Path, first: str) -> None:
    path = tmp_path / "table"
    stopped(path, 300, **options_of(first, 2))
    for second in TABLES:
        again = options_of(second, 2)
        result = pns.solve(SPOTS, resume=str(path), checkpoint=str(path), every=0.001, **again)
        assert result.outcome == "win" and result.usage.expansions > 300
    assert os.listdir(tmp_path) == ["table"]


@pytest.mark.parametrize("position", ["0*5", "0*4+0*5"])
def test_a_search_for_the_number_resumes_one_for_the_outcome(tmp_path: Path, position: str) -> None:
    path = str(tmp_path / "table")
    pns.solve(position, max_expansions=3, checkpoint=path)
    for grundy in (True, False):
        result = pns.solve(position, resume=path, grundy=grundy)
        assert result.outcome == pns.solve(position).outcome
        assert not grundy or result.grundy_number == pns.grundy_number(position)


def test_another_capacity_keeps_the_entries_with_the_most_work(tmp_path: Path) -> None:
    path = tmp_path / "table"
    stopped(path)
    whole = entries_of(restored(path)[0])
    assert len(whole) > 500
    assert entries_of(restored(path, 3 * CAPACITY)[0]) == whole
    few = restored(path, 100)[0]
    assert few.used == 100 and entries_of(few).items() < whole.items()
    most: Dict[int, int] = {}
    for key, (_, _, work) in whole.items():
        most[key % 25] = max(work, most.get(key % 25, 0))
    kept = entries_of(few)
    for bucket, work in most.items():
        assert work == max(entry[2] for key, entry in kept.items() if key % 25 == bucket)
    assert SavedTable(str(path), SPROUTS, SPOTS).capacity(None) == CAPACITY
    for capacity in (100, 3 * CAPACITY, None):
        assert pns.solve(SPOTS, resume=str(path), capacity=capacity).outcome == "win"


@pytest.mark.parametrize("algorithm", TABLES)
def test_all_facts_are_in_the_database_or_in_the_checkpoint(
    lmdb: Any, tmp_path: Path, algorithm: str
) -> None:
    options = options_of(algorithm, 2)
    path, other = tmp_path / "table", tmp_path / "other"
    known = stopped(path, 900, **options).usage.facts_known
    assert len(restored(path)[1]) == known > 20
    with open_facts(str(tmp_path / "facts"), "sprouts") as facts:
        stopped(other, 900, facts=facts, **options)
        assert not len(restored(other)[1]) and facts.stored == len(facts) > 20
        with pytest.MonkeyPatch.context() as full:
            full.setattr(type(facts), "flush", lambda _: None)
            facts.add(b"zzz", 5)
            list(save(str(other), Table(4), empty(facts), SPOTS, 0))
        assert blocks_of(other.read_bytes())[1] == [facts_block((b"zzz", 5))]
        facts.withdraw(facts.in_memory())


# Writing.


def test_a_checkpoint_is_written_in_steps(tmp_path: Path) -> None:
    """The file appears whole; what is abandoned leaves nothing."""
    path = tmp_path / "table"
    search = search_of(SPROUTS, capacity=100_000)
    assert not search.outcome(SPROUTS.parse("0*7"))

    def write() -> Steps:
        return save(str(path), search.table, search.couples, "0*7", 5)

    for _ in write():
        assert not path.exists()
    content = path.read_bytes()
    steps = write()
    next(steps)
    assert path.read_bytes() == content and len(list(tmp_path.iterdir())) == 2
    steps.close()
    assert list(tmp_path.iterdir()) == [path]
    saved = SavedTable(str(path), SPROUTS, "0*7")
    generated = search.couples.children_generated
    assert (saved.expansions, saved.children_generated) == (5, generated)
    table, couples = Table(100_000), empty()
    saved.restore(table, couples)
    assert set(couples.wins()) == set(search.couples.wins()) != set()
    assert entries_of(table) == entries_of(search.table) and table.used == search.table.used
    assert dict(couples.facts.items()) == dict(search.couples.facts.items())


def test_the_search_goes_on_between_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pns.saving.checkpointer.SLICE_SECONDS", 0.0)
    done: List[str] = []

    def write() -> Steps:
        for step in "abc":
            done.append(step)
            yield
        if len(done) == 9:
            raise OSError(28, "No space left on device")

    warnings: List[str] = []
    checkpointer = Checkpointer("none", write, 0.0, warnings.append)
    assert "".join(done) == "abc"
    checkpointer.tick()
    assert "".join(done) == "abca"
    checkpointer.tick()
    checkpointer.abandon()
    checkpointer.tick()
    assert "".join(done) == "abcaba"
    done.append("x")
    for _ in range(3):
        checkpointer.tick()
    assert "".join(done) == "abcabaxbc" and "No space" in checkpointer.unsaved
    assert len(warnings) == 1
    checkpointer.tick()
    assert checkpointer.unsaved
    checkpointer.save()
    assert not checkpointer.unsaved and "".join(done) == "abcabaxbcaabc"


def test_a_file_of_a_nearly_empty_table_is_small(tmp_path: Path) -> None:
    path = tmp_path / "table"
    stopped(path, 500, capacity=2_000_000)
    table, facts = restored(path, 2_000_000)
    assert path.stat().st_size < 40 * table.used + 60 * len(facts) + 500


def test_a_mixture_of_two_entries_is_not_saved() -> None:
    table, other = Table(4000), Table(4000)
    key = (1 << 62) + 5
    table.store(key, 3, 7, 1)
    other.store(key, 4, 9, 1)
    first = table.find(key)
    for i in range(first, first + WORK):
        whole = table.words[i]
        table.words[i] = other.words[i]
        assert key not in table.entries(0, table.buckets)[0]
        table.words[i] = whole
    assert entries_of(table) == {key: (3, 7, 1)}


def test_the_other_byte_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns are swapped where they are written and where they are read."""
    path, swapped = tmp_path / "table", tmp_path / "swapped"
    stopped(path, 300)
    there = {"little": "big", "big": "little"}[sys.byteorder]
    table, facts = restored(path)
    with monkeypatch.context() as other:
        other.setattr(sys, "byteorder", there)
        list(save(str(swapped), table, empty(facts), SPOTS, 0))
        again, facts_again = restored(swapped)
    assert entries_of(again) == entries_of(table) != {}
    assert dict(facts_again.items()) == dict(facts.items()) != {}
    with pytest.raises(CheckpointError):
        restored(swapped)


def test_a_full_disk_leaves_the_previous_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "table"
    stopped(path, 300)
    content = path.read_bytes()
    calls: List[int] = []

    def fail(descriptor: int) -> None:
        calls.append(descriptor)
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr("pns.system.files.os.fsync", fail)
        with pytest.raises(OSError, match="No space"):
            pns.solve(SPOTS, resume=str(path), checkpoint=str(path))
        full.setattr(table_checkpoint, "SYNC_BYTES", 1000)
        for _ in range(2):
            with pytest.raises(OSError, match="No space") as caught:
                list(save(str(path), restored(path)[0], empty(), SPOTS, 0))
            assert caught.value.filename == str(path)
    assert len(calls) == 3
    assert path.read_bytes() == content and list(tmp_path.iterdir()) == [path]


KILLED = """
import os, sys
from pns.cli import common
from pns.cli.commands import solve
from pns.saving import table_checkpoint
compress, save, saved, now = table_checkpoint.zlib.compress, table_checkpoint.save, 0, 0
def count(*arguments):
    global saved, now
    saved, now = now, arguments[-1]
    return save(*arguments)
def kill(*arguments):
    if saved:  # expansions of the checkpoint before this one
        os.kill(os.getpid(), 9)
    return compress(*arguments)
table_checkpoint.zlib.compress, table_checkpoint.save = kill, count
common.run(solve.main)
"""


@pytest.mark.parametrize("algorithm", TABLES)
def test_a_kill_during_the_write_leaves_a_whole_checkpoint(tmp_path: Path, algorithm: str) -> None:
    path = tmp_path / "table"
    words: List[Any] = [
        "--no-db",
        "--no-known",
        "--quiet",
        "--algorithm",
        algorithm,
        "--every",
        "0.001",
    ]
    words += ["--checkpoint", path] + ([] if algorithm == "dfpn" else ["--processes", "2"])
    done = run_python(KILLED, *words, "0*14")
    assert done.returncode == -9 and len(list(tmp_path.iterdir())) == 2
    saved = SavedTable(str(path), SPROUTS, "0*14")
    table, couples = Table(CAPACITY), empty()
    saved.restore(table, couples)
    assert saved.expansions > 0 and table.used
    words += ["--resume", path, "--max-expansions", "50", "0*14"]
    result = solve_json(*words, status=3)
    assert result["expansions"] >= saved.expansions + 50 and result["facts_known"] >= len(
        couples.facts
    )
    assert list(tmp_path.iterdir()) == [path]  # the next run removes what the killed one left


def test_a_killed_program_leaves_a_whole_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "table"
    words: List[Any] = ["--no-db", "--no-known", "--quiet", "--checkpoint", path]
    words += ["--every", "0.001", "0*16"]
    expansions = -1
    for _ in range(2):
        child = subprocess.Popen(command(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        times: Set[int] = set()
        while len(times) < 3:
            assert child.poll() is None, child.communicate()
            if path.exists():
                times.add(path.stat().st_mtime_ns)
        child.kill()
        child.communicate()
        saved = SavedTable(str(path), SPROUTS, "0*16")
        saved.restore(Table(CAPACITY), empty())
        assert saved.expansions > expansions
        expansions = saved.expansions
        words = [*words[:7], "--resume", path, "0*16"]
