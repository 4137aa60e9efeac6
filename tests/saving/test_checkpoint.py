"""Checkpoints: saving and resuming, also after kills and full disks; refusal of other files."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from array import array
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, List, Set

import pytest
from helpers.masters import master_of
from helpers.paths import ROOT
from helpers.searches import SPROUTS
from helpers.solver import command, solve, solve_json
from helpers.tree_searches import MUCH, search_of

from pns.facts import Contradiction, LmdbFacts, open_facts
from pns.finding import find_game
from pns.front.options import Options
from pns.pn2 import LimitedSearch
from pns.proofs.audit import audit
from pns.proofs.sources import open_source
from pns.saving import tree_checkpoint
from pns.saving.checkpoint import TITLE, CheckpointError
from pns.saving.tree_checkpoint import load, save
from pns.search.counted_search import Stopped
from pns.solver import solve as solve_position

SPOTS = "0*10"


def saved(path: Path, expansions: int = 700) -> LimitedSearch:
    search = search_of(SPROUTS, 100_000, most_expansions=expansions)
    with pytest.raises(Stopped):
        search.outcome(SPROUTS.parse(SPOTS))
    save(str(path), search, SPOTS)
    return search


@pytest.mark.search
def test_a_loaded_search_continues_the_saved_one(tmp_path: Path) -> None:
    whole = search_of(SPROUTS, 100_000)
    assert whole.outcome(SPROUTS.parse(SPOTS))
    path = tmp_path / "tree"
    before = saved(path)
    after = search_of(SPROUTS, 50_000)
    load(str(path), after, SPOTS)
    assert after.nodes.used == before.nodes.used and after.expansions == 700
    assert list(after.couples.facts.items()) == list(before.couples.facts.items())
    assert after.outcome(SPROUTS.parse(SPOTS))
    assert after.expansions == whole.expansions
    assert list(after.couples.facts.items()) == list(whole.couples.facts.items())


def test_a_checkpoint_of_the_other_byte_order(tmp_path: Path) -> None:
    path = tmp_path / "tree"
    saved(path)
    stream = path.open("rb")
    stream.readline()
    header = json.loads(stream.readline())
    pieces: List[bytes] = []
    for _, typecode, count in header["arrays"]:
        data = array(typecode)
        data.fromfile(stream, count)
        data.byteswap()
        pieces.append(data.tobytes())
    header["byteorder"] = {"little": "big", "big": "little"}[sys.byteorder]
    content = b"".join([TITLE, json.dumps(header).encode(), b"\n", *pieces])
    path.write_bytes(content + blake2b(content, digest_size=32).digest())
    search = search_of(SPROUTS, 50_000)
    load(str(path), search, SPOTS)
    assert search.outcome(SPROUTS.parse(SPOTS))


@pytest.mark.search
def test_loading_merges_facts(tmp_path: Path) -> None:
    path = tmp_path / "tree"
    before = saved(path)
    solved = search_of(SPROUTS, 100_000)
    assert solved.outcome(SPROUTS.parse(SPOTS))
    search = LimitedSearch(solved.couples, 50_000, MUCH)
    load(str(path), search, SPOTS)
    assert set(before.couples.facts.items()) <= set(search.couples.facts.items())
    assert search.outcome(SPROUTS.parse(SPOTS))
    assert search.expansions - 700 < 100  # all facts that it needs are known
    wrong = search_of(SPROUTS, 50_000)
    land, number = next(before.couples.facts.items())
    wrong.couples.facts.add(land, number + 1)
    with pytest.raises(Contradiction):
        load(str(path), wrong, SPOTS)


def damage(content: bytes, kind: str) -> bytes:
    if kind == "cut off":
        return content[:-1000]
    if kind == "longer":
        return content + b"x"
    if kind == "empty":
        return b""
    if kind == "text":
        return b"[Positions+Nimber]\n0*2 0\n"
    if kind == "title only":
        return TITLE
    place = {"header": len(TITLE) + 5, "middle": len(content) // 2, "end": len(content) - 1}[kind]
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


@pytest.mark.parametrize(
    "kind", ["cut off", "longer", "empty", "text", "title only", "header", "middle", "end"]
)
def test_damaged_files_are_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "tree"
    saved(path)
    path.write_bytes(damage(path.read_bytes(), kind))
    with pytest.raises(CheckpointError, match="%s: (not a|a damaged) checkpoint" % path):
        load(str(path), search_of(SPROUTS, 50_000), SPOTS)


@pytest.mark.parametrize("land, number", [("xyz", 0), ("00", 1), ("0*2", 7)])
def test_impossible_facts_are_refused(tmp_path: Path, land: str, number: int) -> None:
    """Even with a right checksum: they would be stored in the database."""
    path = tmp_path / "tree"
    search = search_of(SPROUTS, 1000)
    couples = search.couples
    couples.numbers[couples.land(land.encode())] = number
    save(str(path), search, SPOTS)
    loaded = search_of(SPROUTS, 1000)
    with pytest.raises(CheckpointError, match="%s: a damaged checkpoint: '%s" % (path, land[0])):
        load(str(path), loaded, SPOTS)
    assert not len(loaded.couples.facts)


def test_a_malformed_state_of_a_master_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tree"
    for name, value in (("jobs", {"last": 1, "jobs": [[1, "w", 1 << 40, []]]}), ("counts", 7)):
        master = master_of(SPOTS)
        state = {**master.state(0.0), "seconds": 1.0, name: value}
        save(str(path), master.knowledge.tree.search, SPOTS, state)
        done = solve("--no-db", "--algorithm", "pns-pdfpn", "--resume", path, SPOTS)
        assert (done.status, done.output, len(done.errors)) == (2, [], 1), done
        assert done.errors[0].startswith("solve.py: %s: a damaged checkpoint: " % path)


def test_checkpoints_of_other_searches_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "tree"
    saved(path)
    with pytest.raises(CheckpointError, match="position 0.10; expected one for 0.11"):
        load(str(path), search_of(SPROUTS, 50_000), "0*11")
    with pytest.raises(CheckpointError, match="game sprouts; expected one for nim"):
        load(str(path), search_of(find_game("nim"), 50_000), "3")
    with pytest.raises(CheckpointError, match="larger capacity"):
        load(str(path), search_of(SPROUTS, 100), SPOTS)


def test_a_full_disk_leaves_the_previous_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "tree"
    search = saved(path)
    content = path.read_bytes()

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pns.saving.tree_checkpoint.os.fsync", fail)
    with pytest.raises(OSError, match="No space") as caught:
        save(str(path), search, SPOTS)
    assert caught.value.filename == str(path)
    assert path.read_bytes() == content and list(tmp_path.iterdir()) == [path]


@pytest.mark.slow
def test_a_killed_program_leaves_a_whole_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "tree"
    arguments: List[Any] = ["--no-db", "--quiet", "--algorithm", "pns", "0*12"]
    arguments += ["--checkpoint", path, "--every", "0.001"]
    expansions = 0
    for _ in range(2):
        child = subprocess.Popen(
            command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        times: Set[int] = set()
        limit = time.monotonic() + 100
        while len(times) < 4:  # the first may be of the last run, the second has no progress
            assert child.poll() is None and time.monotonic() < limit
            if path.exists():
                times.add(path.stat().st_mtime_ns)
        child.kill()
        child.communicate()
        if "--resume" not in arguments:
            arguments += ["--resume", path]
        search = search_of(SPROUTS, 200_000)
        load(str(path), search, "0*12")
        assert search.expansions > expansions
        expansions = search.expansions
    done = solve_json(*arguments[:5], "--resume", path)
    assert done["outcome"] == "loss" and done["expansions"] > expansions
    assert done["nodes"] > 1000 and 20 < done["bytes_per_node"] < 200


def test_a_search_stopped_by_a_budget_saves_its_tree(tmp_path: Path) -> None:
    path = tmp_path / "tree"
    options = ["--no-db", "--algorithm", "pns"]
    done = solve(*options, "--checkpoint", path, "--max-expansions", 300, "0*9")
    assert done.status == 3 and any("--resume %s" % path in line for line in done.errors)
    again = solve(*options, "--checkpoint", path, "0*9")
    assert again.status == 2 and "exists already" in again.errors[0]
    result = solve_json("--quiet", *options, "--resume", path, "--checkpoint", path, "0*9")
    assert result["outcome"] == "win" and result["expansions"] > 300


@pytest.mark.parametrize(
    "arguments, reason",
    [
        (["--resume", "none", "0*3"], "none: No such file"),
        (["--checkpoint", "/no/where", "0*3"], "/no/where: No such file"),
        (["--when-full", "dfpn", "0*3"], "only pns has it, not dfpn"),
        (["--algorithm", "pns", "--capacity", "10", "0*3"], "of at least 100"),
        (["--algorithm", "pns", "--resume", "none", "0*3"], "none: No such file"),
        (["--algorithm", "pns", "--resume", ROOT / "README.md", "0*3"], "not a checkpoint"),
        (["--algorithm", "pns", "--checkpoint", "/no/where", "0*3"], "/no/where: No such file"),
    ],
)
def test_refusals(arguments: List[Any], reason: str) -> None:
    done = solve("--no-db", *arguments)
    assert (done.status, done.output, len(done.errors)) == (2, [], 1)
    assert done.errors[0].startswith("solve.py: ") and reason in done.errors[0]


@pytest.mark.search
def test_a_checkpoint_rests_on_facts_that_are_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a kill: the database as it was when the checkpoint was written."""
    pytest.importorskip("cffi")
    options = Options(algorithm="pns", capacity=1000, when_full="dfpn", seed=1)
    path, killed = tmp_path / "tree.pns", tmp_path / "killed.lmdb"
    monkeypatch.setattr(LmdbFacts, "tick", lambda self: None)  # so that facts wait
    save = tree_checkpoint.save

    def save_and_copy(*args: Any, **named: Any) -> None:
        save(*args, **named)
        shutil.copy(tmp_path / "facts.lmdb", killed)

    monkeypatch.setattr(tree_checkpoint, "save", save_and_copy)
    with open_facts(str(tmp_path / "facts.lmdb"), "sprouts") as facts:
        found = solve_position(
            "0*10", options=replace(options, checkpoint=str(path), max_expansions=1100), facts=facts
        )
    assert not found.solved
    with open_facts(str(killed), "sprouts") as facts:
        again = solve_position("0*10", options=replace(options, resume=str(path)), facts=facts)
    assert again.outcome == "win"
    report = audit(open_source(str(killed), "sprouts"), claim=("0*10", True))
    assert (report.faults, report.why_unproved) == ([], "")
