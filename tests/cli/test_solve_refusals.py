"""Refusals of scripts/solve.py."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import List, Tuple, Union

import pytest
from helpers.solver import (
    command,
    needs_lmdb,
    solve,
)

from pns.facts import open_facts

pytestmark = [pytest.mark.usefixtures("home"), pytest.mark.programs]


# --- bad input ---------------------------------------------------------------------

BAD_POSITIONS = [
    "",
    "abc",
    "A",
    "aaa",
    "A|A|A",
    "0*",
    "0*-1",
    "0*3 1",
    "0*3;0*4",
    "00",
    "ZZ",
    "#0",
    "n(0)",
    "n(x)",
    "0*99999999999999",
    "0\u00b73",
    "\u0660*3",
    "0*3\n",
    "junk+" * 26_000,
]


@pytest.mark.parametrize("text", BAD_POSITIONS, ids=lambda text: ascii(text[:20]))
def test_bad_position(home: Path, text: str) -> None:
    done = solve(text)
    assert (done.status, done.output) == (2, [])
    assert done.errors[0].startswith("solve.py: offset ") and len(done.errors[0]) < 200
    assert [line.strip() for line in done.errors[2:]] == ["^"]
    assert not home.exists()


def test_bytes_that_are_not_text(home: Path) -> None:
    done = subprocess.run([*command(), b"0*3\xff\xfe"], capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"solve.py: offset 3: ")
    assert not home.exists()


BAD_ARGUMENTS = [
    [],
    ["0*3", "0*4"],
    ["0*3", "--capacity", "0"],
    ["0*3", "--capacity=-1"],
    ["0*3", "--capacity", "1e6"],
    ["0*3", "--capacity", "900000G"],
    ["0*3", "--epsilon=-0.5"],
    ["0*3", "--epsilon", "nan"],
    ["0*3", "--epsilon", "inf"],
    ["0*3", "--seed", "x"],
    ["0*3", "--max-expansions=-1"],
    ["0*3", "--max-seconds", "soon"],
    ["0*3", "--max-memory", "2GB"],
    ["0*3", "--max-memory", "50M", "--algorithm", "pns"],
    ["0*3", "--max-memory", "1k", "--algorithm", "pn2"],
    ["0*3", "--algorithm", "magic"],
    ["0*3", "--game", "chess"],
    ["3x", "--game", "nim"],
    ["0*3", "--db", "f", "--no-db"],
    ["0*3", "--db", ""],
    ["0*3", "--db", "directory"],
    ["0*3", "--db", "foreign"],
    ["0*3", "--db", "foreign/below"],
    ["0*3", "--db", "/proc/pns/f"],
    ["0*3", "--db", os.devnull],
    ["0*3", "--db", "other.lmdb"],
    ["0*3", "--db", "cut.lmdb"],
]


@needs_lmdb
@pytest.mark.parametrize("arguments", BAD_ARGUMENTS, ids=" ".join)
def test_bad_arguments(tmp_path: Path, arguments: List[str]) -> None:
    place = tmp_path / "place"
    (place / "directory").mkdir(parents=True)
    (place / "foreign").write_text("a letter to a friend, not a database\n")
    with open_facts(str(place / "other.lmdb"), "nim") as facts:
        facts.add(b"3", 3)
    (place / "cut.lmdb").write_bytes((place / "other.lmdb").read_bytes()[:5000])
    (place / "other.lmdb-lock").unlink()
    before = snapshot(tmp_path)
    done = solve(*arguments, cwd=place)
    assert (done.status, done.output) == (2, [])
    assert done.errors[0].startswith("solve.py: ") and len(done.errors[0]) < 300
    assert len(done.errors) == (3 if arguments[0:1] == ["3x"] else 1)
    assert snapshot(tmp_path) == before


def snapshot(place: Path) -> List[Tuple[str, bytes]]:
    """Every file below a directory, and its contents."""
    paths = [path for path in sorted(place.rglob("*")) if not path.name.endswith("-lock")]
    return [(str(path), path.read_bytes() if path.is_file() else b"") for path in paths]


# --- output and progress -----------------------------------------------------------


def test_output_that_cannot_be_written() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command("--no-db", "0*2"), stdout=full, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (
        2,
        b"solve.py: standard output: No space left on device\n",
    )
    line = '{ "$@"; echo $? >&2; } | :'  # a reader that no other process can have inherited
    words: List[Union[str, bytes]] = ["sh", "-c", line, "sh", *command("--no-db", "0*2")]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, b"141\n")


def test_closed_streams(tmp_path: Path) -> None:
    line = '"$@" >&-'
    closed = subprocess.run(["sh", "-c", line, "sh", *command("0*2")], capture_output=True)
    assert (closed.returncode, closed.stderr) == (2, b"solve.py: standard output is closed\n")
    line = '"$@" 2>&- <&-'
    closed = subprocess.run(
        ["sh", "-c", line, "sh", *command("0*5", "--quiet")], capture_output=True
    )
    assert closed.returncode == 0
    assert closed.stdout == b"0*5 is a win: the player to move wins.\n"


def test_seconds_between_checkpoints_need_a_checkpoint() -> None:
    done = solve("0*2", "--no-db", "--every", 5)
    assert (done.status, done.errors) == (
        2,
        ["solve.py: argument --every: allowed only with --checkpoint"],
    )


def test_a_position_with_too_many_moves_is_refused_before_they_are_generated() -> None:
    position = "1.2.11.12.22.111.112.122.222.1111.1112.1122.1222"
    for options in ((), ("--algorithm", "pns"), ("--algorithm", "pdfpn", "--processes", 2)):
        done = solve(position, "--no-db", "--max-seconds", 60, *options)
        assert (done.status, done.output) == (1, [])
        assert done.errors[-1].endswith("a region with more than 100000 moves is too large")
