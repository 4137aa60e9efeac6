"""Files from untrusted sources: no regular files, huge lines and counts, deep nesting, junk.

Every reader ends soon, in an error of its own that names the file, or the line.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from argparse import Namespace
from hashlib import blake2b
from pathlib import Path
from typing import Any, Callable, Dict, Tuple

import pytest
from helpers.paths import ROOT
from helpers.searches import SPROUTS
from helpers.tree_searches import search_of

from pns.cli.reports.forecast import Forecaster
from pns.facts import formats
from pns.facts.spr import read_spr
from pns.positions import prior
from pns.proofs.sources import open_source
from pns.saving import tree_checkpoint
from pns.saving.checkpoint import DIGEST_BYTES, TITLE, CheckpointError
from pns.saving.table_checkpoint import SavedTable
from pns.strong.blocks import BlockFile
from pns.strong.folder import read_object
from pns.strong.samples import read_samples
from pns.system.files import load_json
from pns.tools.mcgs import questions

sys.path.insert(0, str(ROOT / "scripts"))
import bench

from pns.cli.reports import simulated_runs
from pns.cli.reports.records import Records

try:
    from pns.distributed.keys import read_keys
except ImportError:  # ZeroMQ is missing
    read_keys = None  # type: ignore[assignment]

Reader = Callable[[str], object]


def load_checkpoint(path: str) -> object:
    return tree_checkpoint.load(path, search_of(SPROUTS, 1000), "0*3")


READERS: Dict[str, Reader] = {
    ".spr": lambda path: list(read_spr(path, SPROUTS)),
    "check": lambda path: formats.check(path, SPROUTS, lambda _: None),
    "repair": formats.repair,
    "convert": lambda path: list(formats.read_any(path, SPROUTS)),
    "source": lambda path: open_source(path, None),
    "prior": lambda path: prior.load("sprouts", path),
    "checkpoint": load_checkpoint,
    "table": lambda path: SavedTable(path, SPROUTS, "0*3"),
    "bench": bench.load,
    "simulate": simulated_runs.read,
    "test file": lambda path: list(questions(path)),
    "samples": read_samples,
    "solution": read_object,
    "blocks": BlockFile,
    "statistics": lambda path: Records(path, Namespace(), Forecaster()),
}
if read_keys is not None:
    READERS["keys"] = read_keys
REFUSALS: Tuple[Any, ...] = (OSError, ValueError, SystemExit)
LINE_READERS = [".spr", "check", "convert"]


def in_time(read: Callable[[], object]) -> None:
    """Run a reader that has to end within seconds, not wait for a pipe or read for ever."""
    errors = []

    def run() -> None:
        try:
            read()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(20.0)
    assert not thread.is_alive()
    if errors:
        raise errors[0]


@pytest.mark.parametrize("name", READERS)
def test_pipes_devices_and_directories_are_refused_at_once(name: str, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo.csv"
    os.mkfifo(fifo)
    paths = [str(fifo), str(tmp_path)]
    if name != "statistics":  # which needs a name that ends in .csv
        paths.append("/dev/zero")
    for path in paths:
        if name == "source" and path == str(tmp_path):
            continue  # a directory may be a database
        with pytest.raises(REFUSALS):
            in_time(lambda path=path: READERS[name](path))  # type: ignore[misc]


JUNK = {
    "empty": b"",
    "zeros": bytes(3_000_000),
    "one long line": b"0" * 3_000_000,
    "deep": b"[" * 1_000_000,
    "deep object": b'{"a":' * 200_000,
    "not UTF-8": b"\xff\xfe\x00{" * 100,
}


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("junk", JUNK)
def test_junk_is_refused(name: str, junk: str, tmp_path: Path) -> None:
    path = tmp_path / "junk.csv"
    path.write_bytes(JUNK[junk])
    if (name, junk) in (("statistics", "empty"), ("convert", "empty"), ("test file", "empty")):
        READERS[name](str(path))
        return
    with pytest.raises(REFUSALS) as error:
        in_time(lambda: READERS[name](str(path)))
    assert len(str(error.value)) < 500 and "\n" not in str(error.value)


@pytest.mark.parametrize(
    "land",
    [
        *["0*999999999", "0*" + "9" * 100_000, "0*1000." * 9 + "0", "1" * 500_000, "0\0", "\0"],
        *["n(%s)" % ("9" * 50_000), "A|" * 4_000 + "A", "12." * 100_000 + "12", "(" * 100_000],
        *["0." + "}" * 300_000, "]" * 9_999, "0|" * 4_900 + "0", ".".join(["1a1a"] * 2_400)],
    ],
    ids=lambda land: ascii(land[:12]),
)
def test_huge_lands_are_refused_with_their_line(land: str, tmp_path: Path) -> None:
    path = tmp_path / "f.spr"
    path.write_bytes(b"[Positions+Nimber]\n0 0\n%s 0\n" % land.encode())
    reported = []
    for name in LINE_READERS:
        try:
            in_time(lambda name=name: reported.append(READERS[name](str(path))))  # type: ignore[misc]
        except ValueError as error:
            assert "line 3: " in str(error) and len(str(error)) < 500
    in_time(lambda: formats.check(str(path), SPROUTS, reported.append))
    assert all(len(str(line)) < 1_000_000 for line in reported)


# JSON


def test_json_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    path.write_bytes(b"[%s1]" % (b"1," * 1000))
    assert len(load_json(str(path))) == 1001
    with pytest.raises(ValueError, match="more than 100 bytes"):
        load_json(str(path), 100)
    path.write_bytes(b"[" * 100_000)
    with pytest.raises(ValueError, match="nested too deeply"):
        load_json(str(path))


RUN = {"position": "0*2", "solved": True, "outcome": "win", "seconds": 1.0}


@pytest.mark.parametrize(
    "runs",
    [
        *[
            5,
            [5],
            ["x"],
            [[]],
            {"a": 1},
            [{}],
            [{**RUN, "position": []}],
            [{**RUN, "seconds": "x"}],
        ],
        *[[{**RUN, "seconds": None}], [{**RUN, "outcome": 7, "seconds": [1]}], "runs", None],
    ],
    ids=str,
)
def test_measurements_of_another_shape_are_refused(
    runs: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "f.json"
    path.write_text(json.dumps({"runs": runs}))
    for read, wrong in (
        (bench.load, "is not a measurement"),
        (simulated_runs.read, "not a file of runs"),
    ):
        with pytest.raises(SystemExit):
            read(str(path))
        errors = capsys.readouterr().err
        assert wrong in errors and errors.count("\n") == 1


# Checkpoints: a malicious one may have a right checksum


HEADER: Dict[str, Any] = {
    "version": "1",
    "game": "sprouts",
    "position": "0*3",
    "expansions": 1,
    "children_generated": 1,
    "byteorder": sys.byteorder,
    "master": None,
    "high_bits": [],
    "arrays": [],
}


@pytest.mark.parametrize(
    "change",
    [
        *[{"arrays": 5}, {"arrays": [5]}, {"arrays": [["a", "B", 10**15]]}, {"expansions": "x"}],
        *[{"arrays": [["a", "B", -1]]}, {"arrays": [["a", "?", 1]]}, {"arrays": [[[], "B", 0]]}],
        *[{"arrays": [["a", "B", "1"]]}, {"arrays": []}, {"byteorder": 1}, {"high_bits": 1}],
    ],
    ids=str,
)
def test_a_checkpoint_with_a_strange_header_is_refused(
    change: Dict[str, Any], tmp_path: Path
) -> None:
    data = TITLE + json.dumps({**HEADER, **change}).encode() + b"\n"
    path = tmp_path / "tree"
    path.write_bytes(data + blake2b(data, digest_size=DIGEST_BYTES).digest())
    with pytest.raises(CheckpointError, match="tree: a damaged checkpoint|tree: a checkpoint"):
        in_time(lambda: load_checkpoint(str(path)))
