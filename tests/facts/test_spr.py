"""Text files of facts: round trips, every kind of bad line, files replaced wholly or not."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Iterator, List, Tuple

import pytest
from helpers.paths import ROOT

from pns.facts.spr import LONGEST_LINE, TITLE, SprError, read_spr, write_spr
from pns.finding import find_game

SPROUTS = find_game("sprouts")
GOOD = TITLE + b"0*2 0\n0.1 0\n"


def read(path: Path, content: bytes) -> List[Tuple[bytes, int]]:
    path.write_bytes(content)
    return list(read_spr(str(path), SPROUTS))


def test_round_trip(tmp_path: Path) -> None:
    rng, path = random.Random(5), tmp_path / "f.spr"
    for count in (0, 1, 500):
        known = {b"0*%d" % rng.randrange(2, 999): rng.randrange(251) for _ in range(count)}
        items = sorted(known.items())
        assert write_spr(str(path), items) == len(items)
        assert list(read_spr(str(path), SPROUTS)) == items
        assert path.read_bytes() == TITLE + b"".join([b"%s %d\n" % item for item in items])
    assert os.listdir(tmp_path) == ["f.spr"]


def test_a_file_may_have_any_order(tmp_path: Path) -> None:
    assert read(tmp_path / "f", TITLE + b"0*3 1\n0*2 0\n") == [(b"0*3", 1), (b"0*2", 0)]


def test_cr_lf_is_read_and_lf_written(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(GOOD.replace(b"\n", b"\r\n"))
    facts = list(read_spr(str(path), SPROUTS))
    assert facts == read(tmp_path / "g", GOOD)
    write_spr(str(path), sorted(facts))
    assert b"\r" not in path.read_bytes()


BAD_LINES = {
    b"": "first line",
    b"0*2 0\n": "first line",
    b"[Positions+Nimber]": "first line",
    GOOD + b"0*3 1": "line 4: cut off",
    GOOD + b"0*3": "line 4: cut off",
    GOOD + b"\n": "line 4: not a land, one space and a number",
    GOOD + b"0*3\n": "line 4: not a land",
    GOOD + b"0*3 \n": "line 4: not a land",
    GOOD + b" 1\n": "line 4: not a land",
    GOOD + b"0*3  1\n": "line 4: ' 1' is not a Grundy number",
    GOOD + b"0*3 1 \n": "line 4: '1 ' is not a Grundy number",
    GOOD + b"0*3\t1\n": "line 4: not a land",
    GOOD + b"0*3 01\n": "line 4: '01' is not",
    GOOD + b"0*3 -1\n": "line 4: '-1' is not",
    GOOD + b"0*3 x\n": "line 4: 'x' is not",
    GOOD + b"0*3 251\n": "line 4: Grundy number 251 is above 250",
    GOOD + b"0*3 9999999999\n": "line 4: '9999999999' is not",
    GOOD + "0*3 \u0661\n".encode(): "line 4: not ASCII",
    GOOD + b"\xff 1\n": "line 4: not ASCII",
    GOOD + b"abc 1\n": "line 4: 'abc': offset 0: ",
    GOOD + b"! 0\n": "line 4: '!' is not one land but 0",
    GOOD + b"0*2+0*3 1\n": r"line 4: '0\*2\+0\*3' is not one land but 2",
    GOOD + b"0.0 0\n": r"line 4: '0.0' is not canonical; '0\*2' is",
    GOOD + b"0" * LONGEST_LINE + b" 0\n": "line 4: the line is too long",
}


@pytest.mark.parametrize("content", BAD_LINES, ids=lambda content: ascii(content[19:60]))
def test_bad_lines(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "f"
    with pytest.raises(SprError, match=BAD_LINES[content]) as caught:
        read(path, content)
    assert str(caught.value).startswith("%s, line %d: " % (path, caught.value.line))
    assert len(str(caught.value)) < 400 and "\n" not in str(caught.value)


def test_lands_are_not_checked_without_a_game(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(TITLE + b"abc 250\n")
    assert list(read_spr(str(path), None)) == [(b"abc", 250)]


def test_missing_files_directories_and_pipes(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("none", ".", "pipe"):
        with pytest.raises(OSError):
            list(read_spr(str(tmp_path / name), SPROUTS))


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt, OSError])
def test_a_failure_leaves_the_old_file(tmp_path: Path, error: type) -> None:
    def items() -> Iterator[Tuple[bytes, int]]:
        yield b"0*2", 0
        raise error

    path = tmp_path / "f.spr"
    path.write_bytes(GOOD)
    with pytest.raises(error):
        write_spr(str(path), items())
    assert path.read_bytes() == GOOD
    for unsorted in ([(b"2", 0), (b"1", 0)], [(b"2", 0), (b"2", 0)]):
        with pytest.raises(ValueError, match="not sorted"):
            write_spr(str(path), unsorted)
    assert os.listdir(tmp_path) == ["f.spr"]


def test_a_link_is_written_through_and_a_device_refused(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "f")
    write_spr(str(link), [(b"1", 1)])
    assert link.is_symlink() and (tmp_path / "f").read_bytes() == TITLE + b"1 1\n"
    for path in (os.devnull, str(tmp_path), str(tmp_path / "none" / "f")):
        with pytest.raises(OSError) as caught:
            write_spr(path, [(b"1", 1)])
        assert caught.value.filename == path


SLOW_EXPORT = """
import sys, time
sys.path.insert(0, sys.argv[1])
from pns.facts.spr import write_spr
def items():
    for i in range(10**9):
        yield b"%020d" % i, 0
        if i == 100000:
            print("on the way", flush=True)
write_spr(sys.argv[2], items())
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_export_leaves_the_old_file(tmp_path: Path, number: signal.Signals) -> None:
    path = tmp_path / "f.spr"
    path.write_bytes(GOOD)
    command = [sys.executable, "-c", SLOW_EXPORT, str(ROOT), str(path)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert child.stdout is not None
    assert child.stdout.readline() == b"on the way\n"
    time.sleep(0.05)
    child.send_signal(number)
    child.communicate(timeout=60)
    assert path.read_bytes() == GOOD
    if number == signal.SIGINT:
        assert os.listdir(tmp_path) == ["f.spr"]
