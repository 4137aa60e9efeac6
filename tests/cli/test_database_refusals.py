"""Refusals of scripts/grundy.py, and output that nobody can read."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import List

import pytest
from helpers.grundy import LINES, command, contents, make_database
from helpers.solver import run

from pns.facts import database, open_facts
from pns.finding import find_game

pytestmark = [
    pytest.mark.skipif(database.LMDB is None, reason="no LMDB here"),
    pytest.mark.programs,
]


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return make_database(tmp_path / "f.lmdb")


BAD_INPUT = [
    ["get", "0*3 1"],
    ["get", ""],
    ["get", "\u00e9"],
    ["get", "0" * 100_000],
    ["get"],
    [],
    ["other"],
    ["list", "--lives", "5-x"],
    ["list", "--limit", "-1"],
    ["list", "--game", "chess"],
    ["list", "--game", "nim"],
    ["stats", "--db", os.sep],
    ["stats", "--db", __file__],
    ["stats", "--db", os.path.join(__file__, "below")],
    ["stats", "--db", "none"],
    ["export", "none/f.spr"],
    ["export", os.devnull],
    ["import", "none.spr"],
    ["import", os.sep],
    ["import", __file__],
    ["merge", "none"],
    ["merge", "f.lmdb"],
    ["merge"],
    ["merge", "f.lmdb", "--out", "none/f.spr"],
    ["diff", "f.lmdb", "none"],
    ["diff", "f.lmdb"],
    ["diff", "f.lmdb", __file__],
    ["check", "none"],
    ["check", "f.lmdb"],
    ["repair", "f.lmdb"],
    ["repair", os.devnull],
    ["convert", "f.lmdb", "out"],
    ["convert", "none", "out"],
    ["convert", "f.lmdb", "out", "--to", "other"],
    ["convert", "f.lmdb", "out", "--game", "nim"],
    ["reduce", "0*4"],
    ["reduce", "0*4", "--out", "out", "--cycles", "-1"],
    ["reduce", "0*4", "--out", "none/out", "--db", "none"],
    ["reduce", "0*4", "--out", "out", "--start", "none"],
    ["reduce", "0*4", "--out", "out", "--start", __file__],
    ["extend"],
    ["extend", "0*4", "--processes", "0"],
    ["extend", "0*4", "--capacity", "0"],
    ["extend", "0*4", "--capacity", "999999999999999999"],
    ["extend", "0*4", "--db", __file__],
    ["extend", "3+4", "--game", "nim"],
]


@pytest.mark.parametrize("arguments", BAD_INPUT, ids=lambda arguments: " ".join(arguments)[:40])
def test_bad_input(db: Path, arguments: List[str]) -> None:
    done = run("grundy.py", "--db", db, *arguments, cwd=db.parent)
    errors = done.errors
    assert (done.status, done.output) == (2, [])
    assert errors[0].startswith("grundy.py: ") and len(errors[0]) < 500
    if arguments[:1] == ["get"] and len(arguments) > 1:
        assert len(errors) == 3 and errors[2].strip() == "^"
    else:
        assert len(errors) == 1
    assert contents(db) == LINES


def many_lands() -> List[bytes]:
    """Lands whose list is longer than a pipe holds."""
    game = find_game("sprouts")
    texts = ["0*%d.AB|0*%d.AB" % (i, j) for i in range(2, 130) for j in range(2, i + 1)]
    lands = sorted({game.parse(text)[0] for text in texts})
    assert sum(map(len, lands)) > 1 << 16
    return lands


def test_output_that_nobody_reads(db: Path) -> None:
    with open_facts(str(db), "sprouts") as facts:
        facts.add_all(lambda: [(land, 0) for land in many_lands()])
    child = subprocess.Popen(
        command("list", "--db", db), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stdout is not None and child.stderr is not None
    assert child.stdout.readline() == b"0*10 0\n"
    child.stdout.close()
    assert child.stderr.read() == b""
    assert child.wait() == 141
    child.stderr.close()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_output_that_has_no_room(db: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command("list", "--db", db), stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 2
    assert done.stderr == "grundy.py: standard output: No space left on device\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped(db: Path, number: signal.Signals) -> None:
    with open_facts(str(db), "sprouts") as facts:
        facts.add_all(lambda: [(land, 0) for land in many_lands()])
    child = subprocess.Popen(
        command("list", "--db", db), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stdout is not None
    child.stdout.readline()  # it runs; now it waits for the pipe to be read
    child.send_signal(number)
    _, errors = child.communicate(timeout=60)
    assert (child.returncode, errors) == (130, b"")
