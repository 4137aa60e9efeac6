"""Checkpoints of dfpn, pdfpn and spdfpn: stopping and resuming, kills, full disks, other files."""

from __future__ import annotations

import json
import os
import random
import struct
import subprocess
import sys
import zlib
from array import array
from hashlib import blake2b
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

import pytest
from helpers.processes import run_python
from helpers.searches import SPROUTS, search_of
from helpers.solver import command, solve, solve_json

import pns
from pns import table_checkpoint
from pns.bounds import INF, MAX_NUMBER, are_of_table
from pns.checkpoint import DIGEST_BYTES, TABLE_TITLE, Checkpointer, CheckpointError, Steps
from pns.choices import PARALLEL
from pns.couple import Couples
from pns.facts import Contradiction, Facts, open_facts
from pns.game import find_game
from pns.table import WORK, Table
from pns.table_checkpoint import ENTRIES, FACTS, WINS, SavedTable, save

SPOTS = "0*10"
TABLES = ["dfpn", *PARALLEL]
CAPACITY = 50_000
Blocks = List[Tuple[int, int, bytes]]


def options_of(algorithm: str, processes: int = 1) -> Dict[str, Any]:
    more = {} if algorithm == "dfpn" else {"processes": processes}
    return {"algorithm": algorithm, "capacity": CAPACITY, **more}


def stopped(path: Path, expansions: int = 1687, **options: Any) -> pns.Result:
    """A search that a budget stopped, with its checkpoint."""
    options = {"capacity": CAPACITY, **options}
    result = pns.solve(SPOTS, max_expansions=expansions, checkpoint=str(path), every=1e6, **options)
    assert (result.solved, result.unsaved) == (False, None)
    return result


def empty(facts: Optional[Facts] = None) -> Couples:
    return Couples(SPROUTS, facts or Facts("sprouts"))


def restored(path: Path, capacity: int = CAPACITY) -> Tuple[Table, Facts]:
    table, couples = Table(capacity), empty()
    SavedTable(str(path), SPROUTS, SPOTS).restore(table, couples)
    return table, couples.facts


def wins_of(path: Path, facts: Optional[Facts] = None) -> Set[Tuple[bytes, int]]:
    couples = empty(facts)
    SavedTable(str(path), SPROUTS, SPOTS).restore(Table(CAPACITY), couples)
    return set(couples.wins())


def entries_of(table: Table) -> Dict[int, Tuple[int, int, int]]:
    keys, *numbers = table.entries(0, table.buckets)
    return dict(zip(keys, zip(*numbers)))


# Stopping and resuming.


@pytest.mark.parametrize("algorithm", TABLES)
def test_a_resumed_search_goes_on(tmp_path: Path, algorithm: str) -> None:
    path, options = tmp_path / "table", options_of(algorithm)
    fresh = pns.solve(SPOTS, **options)
    budget = 3 * fresh.usage.expansions // 4
    before = stopped(path, budget, **options).usage
    assert before.expansions >= budget
    after = pns.solve(SPOTS, resume=str(path), **options)
    assert after.outcome == fresh.outcome == "win"
    assert 0 < after.usage.expansions - before.expansions < fresh.usage.expansions
    assert after.usage.children_generated > before.children_generated
    with pytest.raises(CheckpointError, match="is there already"):
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
        assert any(empty(facts).code(child) == number for child in SPROUTS.children(land))
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
        result = pns.solve(SPOTS, resume=str(path), checkpoint=str(path), every=0.0, **again)
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
    monkeypatch.setattr("pns.checkpoint.SLICE_SECONDS", 0.0)
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
        full.setattr("pns.files.os.fsync", fail)
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
from pns.cli import common, solve
from pns import table_checkpoint
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
    words: List[Any] = ["--no-db", "--quiet", "--algorithm", algorithm, "--every", "0"]
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
    words: List[Any] = ["--no-db", "--quiet", "--checkpoint", path, "--every", "0", "0*16"]
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
        words = [*words[:6], "--resume", path, "0*16"]


# Files of others.


def blocks_of(content: bytes) -> Tuple[bytes, Blocks]:
    """The header and the blocks of a file, END left out."""
    start = content.index(b"\n", len(TABLE_TITLE)) + 1
    blocks: Blocks = []
    i = start
    while True:
        kind, count, size = struct.unpack_from("<BII", content, i)
        if not kind:
            return content[:start], blocks
        blocks.append((kind, count, content[i + 9 : i + 9 + size]))
        i += 9 + size


def with_digest(content: bytes) -> bytes:
    return content + blake2b(content, digest_size=DIGEST_BYTES).digest()


def file_of(header: bytes, blocks: Blocks) -> bytes:
    parts = [struct.pack("<BII", kind, count, len(data)) + data for kind, count, data in blocks]
    return with_digest(b"".join([header, *parts, bytes(9)]))


def entries(*found: Tuple[int, int, int, int]) -> Tuple[int, int, bytes]:
    """A block of (key, pn, dn, work)."""
    numbers = b"".join([array("I", [e[i] for e in found]).tobytes() for i in (1, 2, 3)])
    data = array("q", [e[0] for e in found]).tobytes() + zlib.compress(numbers)
    return ENTRIES, len(found), data


def packed(kind: int, count: int, data: bytes) -> Tuple[int, int, bytes]:
    return kind, count, zlib.compress(data, 1)


def facts_block(*found: Tuple[bytes, int], kind: int = FACTS) -> Tuple[int, int, bytes]:
    lengths = array("I", [len(land) for land, _ in found]).tobytes()
    texts = b"".join([land for land, _ in found])
    return packed(kind, len(found), bytes([n for _, n in found]) + lengths + texts)


def regions(content: bytes) -> Iterator[int]:
    """A place in the title, in the header, in every part of every block, and in the digest."""
    header, blocks = blocks_of(content)
    yield from (3, len(TABLE_TITLE) + 5, len(header) - 2)
    i = len(header)
    for kind, count, data in blocks:
        columns = (8 * count, len(data)) if kind == ENTRIES else (len(data) // 2, len(data))
        yield from (i, i + 2, i + 6)
        yield from [i + 9 + end - 1 for end in columns]
        i += 9 + len(data)
    yield from (i, i + 5, len(content) - DIGEST_BYTES, len(content) - 1)


def test_damage_anywhere_is_refused(tmp_path: Path) -> None:
    path, bad = tmp_path / "table", tmp_path / "bad"
    stopped(path, 600)
    content = path.read_bytes()
    assert {kind for kind, _, _ in blocks_of(content)[1]} == {ENTRIES, WINS, FACTS}
    damaged = [
        content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
        for place in regions(content)
    ]
    damaged += [content[:-1000], content[: len(TABLE_TITLE)], b"", content + b"x"]
    assert len(damaged) > 20
    for data in damaged:
        bad.write_bytes(data)
        with pytest.raises(CheckpointError, match="bad: (no|a damaged) checkpoint: ") as error:
            restored(bad)
        assert "\n" not in str(error.value)
    done = solve("--no-db", "--resume", bad, SPOTS)
    assert (done.status, done.output, len(done.errors)) == (2, [], 1)
    assert done.errors[0].startswith("solve.py: %s: a damaged checkpoint: " % bad)


def test_no_content_with_a_right_digest_crashes(tmp_path: Path) -> None:
    path, bad = tmp_path / "table", tmp_path / "bad"
    stopped(path, 600)
    content = path.read_bytes()
    header, _ = blocks_of(content)
    refused = 0
    for seed in range(300):
        rng = random.Random(seed)
        data = bytearray(content[:-DIGEST_BYTES])
        for _ in range(rng.choice((1, 1, 3, 50))):
            data[rng.randrange(len(header), len(data))] = rng.choice(
                (0, 1, 255, rng.randrange(256))
            )
        if seed % 5 == 0:
            del data[rng.randrange(len(header), len(data)) :]
        bad.write_bytes(with_digest(bytes(data)))
        try:
            restored(bad)
        except (CheckpointError, Contradiction) as error:
            refused += 1
            assert "\n" not in str(error) and len(str(error)) < 500
    assert 50 < refused < 300


EXTREMES = (1, 2, MAX_NUMBER // 2, MAX_NUMBER - 1, MAX_NUMBER)


@pytest.mark.search
@pytest.mark.parametrize("algorithm", TABLES)
@pytest.mark.parametrize("kind", ["extremes", "all wins", "random", "impossible"])
def test_a_table_of_lies_proves_nothing(tmp_path: Path, algorithm: str, kind: str) -> None:
    """The keys are those of the search itself; whatever their numbers, no outcome is wrong."""
    path = tmp_path / "table"
    rng = random.Random(1)

    def numbers() -> Tuple[int, int]:
        if kind == "extremes":
            return rng.choice(EXTREMES), rng.choice(EXTREMES)
        if kind == "random":
            return rng.randint(1, MAX_NUMBER), rng.randint(1, MAX_NUMBER)
        if kind == "all wins":
            return 0, INF
        return rng.choice(((INF, 0), (0, 0), (0, 5), (INF, INF), (5, 0), (5, INF)))

    positions = (("0*6", "loss"), ("0*8", "loss"), ("0*9", "win"))
    for position, outcome in positions if algorithm == "dfpn" else positions[:1]:
        solved = search_of(SPROUTS, capacity=CAPACITY)
        assert solved.outcome(SPROUTS.parse(position)) == (outcome == "win")
        list(save(str(path), solved.table, empty(), position, 0))
        header, _ = blocks_of(path.read_bytes())
        lies = [
            (key, *numbers(), rng.choice((1, 100, (1 << 32) - 1)))
            for key in entries_of(solved.table)
        ]
        path.write_bytes(file_of(header, [entries(*lies)]))
        table = Table(CAPACITY)
        SavedTable(str(path), SPROUTS, position).restore(table, empty())
        assert table.used == (0 if kind == "impossible" else len(lies))
        assert all(are_of_table(pn, dn) for pn, dn, _ in entries_of(table).values())
        options = {"max_expansions": 1500, **options_of(algorithm, 2)}
        result = pns.solve(position, resume=str(path), **options)
        assert result.outcome in (outcome, None)  # lies may cost any time
    path.unlink()


def bomb(kind: int, count: int) -> Tuple[int, int, bytes]:
    packer = zlib.compressobj(9)
    content = b"".join([packer.compress(bytes(1 << 20)) for _ in range(100)]) + packer.flush()
    return kind, count, bytes(8 * count) + content if kind == ENTRIES else content


STRANGE: Dict[str, Blocks] = {
    "zlib bomb": [bomb(ENTRIES, 10)],
    "zlib bomb of facts": [bomb(FACTS, 10)],
    "facts without zlib": [(FACTS, 1, b"no zlib")],
    "other zlib": [(ENTRIES, 1, bytes(8) + b"no zlib")],
    "too short": [(ENTRIES, 1, b"")],
    "bytes after zlib": [(ENTRIES, 1, bytes(8) + zlib.compress(bytes(12)) + b"x")],
    "huge count": [(ENTRIES, (1 << 32) - 1, b"")],
    "more than the capacity": [entries(*[(i, 1, 1, 1) for i in range(16_000)])] * 5,
    "unknown kind": [(7, 0, b"")],
    "facts without texts": [packed(FACTS, 5, bytes(25) + b"x")],
    "facts beyond the block": [packed(FACTS, 1, b"\0" + b"\xff" * 4 + b"0*2")],
    "too few lengths": [packed(FACTS, 9, bytes(11))],
    "no land": [facts_block((b"xyz", 0))],
    "not ASCII": [facts_block((b"\xff\xfe", 0))],
    "not canonical": [facts_block((b"00", 1))],
    "a number that cannot be": [facts_block((b"0*2", 7))],
    "a win of no land": [facts_block((b"xyz", 0), kind=WINS)],
    "a win by a number that cannot be": [facts_block((b"0*2", 6), kind=WINS)],
    "a number that cannot be stored": [facts_block((b"0*2", 255))],
}


@pytest.mark.parametrize("name", STRANGE)
def test_strange_blocks_are_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "table"
    stopped(path, 10)
    header, _ = blocks_of(path.read_bytes())
    path.write_bytes(file_of(header, STRANGE[name]))
    with pytest.raises(CheckpointError, match="table: a damaged checkpoint: "):
        restored(path)


def test_what_memory_does_not_hold_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "table"
    stopped(path, 600)
    monkeypatch.setattr(table_checkpoint, "total_memory", lambda: 1000)
    with pytest.raises(
        CheckpointError, match="table of 50000 entries is more than memory .* 50 at"
    ):
        pns.solve(SPOTS, resume=str(path))
    with pytest.raises(CheckpointError, match="its facts are more than memory holds"):
        pns.solve(SPOTS, resume=str(path), capacity=100)


@pytest.mark.parametrize(
    "change",
    [
        *[{"capacity": -1}, {"capacity": "x"}, {"capacity": 10**30}, {"expansions": -1}],
        *[{"children_generated": 1 << 70}, {"position": 5}, {"game": None}],
    ],
    ids=str,
)
def test_strange_headers_are_refused(tmp_path: Path, change: Dict[str, Any]) -> None:
    path = tmp_path / "table"
    stopped(path, 10)
    header, blocks = blocks_of(path.read_bytes())
    content = {**json.loads(header[len(TABLE_TITLE) :]), **change}
    path.write_bytes(file_of(TABLE_TITLE + json.dumps(content).encode() + b"\n", blocks))
    with pytest.raises(CheckpointError, match="table: a damaged checkpoint: "):
        restored(path)


def test_checkpoints_of_other_searches_are_refused(tmp_path: Path) -> None:
    path, tree, newer = tmp_path / "table", tmp_path / "tree", tmp_path / "newer"
    stopped(path, 10)
    pns.solve(SPOTS, algorithm="pns", max_expansions=10, checkpoint=str(tree))
    newer.write_bytes(path.read_bytes().replace(b"table 1]", b"table 2]"))
    for resumed, position, options, wrong in (
        (path, "0*11", {}, "a checkpoint for position 0*10, not 0*11"),
        (path, "3", {"game": "nim"}, "a checkpoint for game sprouts, not nim"),
        (path, SPOTS, {"algorithm": "pns"}, "a checkpoint of dfpn, pdfpn or spdfpn"),
        (tree, SPOTS, {}, "a checkpoint of pns, pn2 or pns-pdfpn"),
        (newer, SPOTS, {}, "no checkpoint: the first line is not [Proof-number table 1]"),
    ):
        with pytest.raises(CheckpointError) as error:
            pns.solve(position, resume=str(resumed), **options)  # type: ignore[arg-type]
        assert str(error.value) == "%s: %s" % (resumed, wrong)
    with pytest.raises(CheckpointError, match="game sprouts, not nim"):
        SavedTable(str(path), find_game("nim"), "3")


def test_contradicting_facts_end_the_search(tmp_path: Path) -> None:
    path = tmp_path / "table"
    stopped(path)
    land, number = next(restored(path)[1].items())
    facts = Facts("sprouts")
    facts.add(land, number + 1)
    with pytest.raises(Contradiction):
        pns.solve(SPOTS, resume=str(path), facts=facts)
