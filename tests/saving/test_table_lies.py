"""Checkpoints of tables that are damaged, made by hand or of other searches: none misleads."""

from __future__ import annotations

import json
import random
import zlib
from pathlib import Path
from typing import Any, Dict, Iterator, Tuple

import pytest
from helpers.searches import SPROUTS, search_of
from helpers.solver import solve
from helpers.table_checkpoints import (
    CAPACITY,
    SPOTS,
    TABLES,
    Blocks,
    blocks_of,
    empty,
    entries,
    entries_of,
    facts_block,
    file_of,
    options_of,
    packed,
    restored,
    stopped,
    with_digest,
)

import pns
from pns.facts import Contradiction, Facts
from pns.finding import find_game
from pns.saving import table_checkpoint
from pns.saving.checkpoint import DIGEST_BYTES, TABLE_TITLE, CheckpointError
from pns.saving.table_checkpoint import ENTRIES, FACTS, WINS, SavedTable, save
from pns.search.bounds import INF, MAX_NUMBER, are_of_table
from pns.search.table import Table

pytestmark = pytest.mark.search


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
        with pytest.raises(CheckpointError, match="bad: (not a|a damaged) checkpoint: ") as error:
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
        CheckpointError, match="table of 50000 entries does not fit into memory, which holds 50;"
    ):
        pns.solve(SPOTS, resume=str(path))
    with pytest.raises(CheckpointError, match="its facts do not fit into memory"):
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
        (path, "0*11", {}, "a checkpoint for position 0*10; expected one for 0*11"),
        (path, "3", {"game": "nim"}, "a checkpoint for game sprouts; expected one for nim"),
        (path, SPOTS, {"algorithm": "pns"}, "a checkpoint of dfpn, pdfpn or spdfpn"),
        (tree, SPOTS, {}, "a checkpoint of pns, pn2 or pns-pdfpn"),
        (newer, SPOTS, {}, "not a checkpoint: invalid first line; expected [Proof-number table 1]"),
    ):
        with pytest.raises(CheckpointError) as error:
            pns.solve(position, resume=str(resumed), **options)  # type: ignore[arg-type]
        assert str(error.value) == "%s: %s" % (resumed, wrong)
    with pytest.raises(CheckpointError, match="game sprouts; expected one for nim"):
        SavedTable(str(path), find_game("nim"), "3")


def test_contradicting_facts_end_the_search(tmp_path: Path) -> None:
    path = tmp_path / "table"
    stopped(path)
    land, number = next(restored(path)[1].items())
    facts = Facts("sprouts")
    facts.add(land, number + 1)
    with pytest.raises(Contradiction):
        pns.solve(SPOTS, resume=str(path), facts=facts)
