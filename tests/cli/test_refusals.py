"""Refusals of files by all scripts: one line that names the script and the file once."""

from __future__ import annotations

import gzip
import os
import shutil
import struct
from pathlib import Path
from typing import Callable, Dict, List, Tuple

import pytest
from breakage import PAGE
from helpers.solver import needs_lmdb
from helpers.tools import call

from pns.facts import open_facts
from pns.facts.spr import TITLE

pytestmark = pytest.mark.programs

NAME = "strange"
INSIDE = NAME + "/inside"
"""The file, and a file below it as if it were a directory."""

COMMANDS: List[Tuple[str, ...]] = [
    ("grundy.py", "stats", "--db", NAME),
    ("grundy.py", "import", NAME),
    ("grundy.py", "merge", NAME),
    ("grundy.py", "diff", NAME, "good.lmdb"),
    ("grundy.py", "check", NAME),
    ("grundy.py", "repair", NAME),
    ("grundy.py", "convert", NAME, "out"),
    ("grundy.py", "export", INSIDE, "--db", "good.lmdb"),
    ("audit.py", NAME, "--quiet", "--processes", "1"),
    ("audit.py", "certify", "0=loss", NAME, "out", "--quiet"),
    ("solve.py", "0*3", "--quiet", "--db", NAME),
    ("solve.py", "0*3", "--quiet", "--db", INSIDE),
    ("solve.py", "0*3", "--quiet", "--no-db", "--algorithm", "pns", "--resume", NAME),
    ("solve.py", "0*3", "--quiet", "--no-db", "--algorithm", "pns", "--checkpoint", INSIDE),
]
WITH_WIRE: List[Tuple[str, ...]] = [
    ("solve.py", "0*3", "--quiet", "--no-db", "--algorithm", "pns-pdfpn", "--keys", NAME),
    ("worker.py", "--connect", "127.0.0.1:9", "--keys", NAME),
]


def altered_lmdb(path: Path, offset: int, form: str, value: int) -> None:
    """A database with a number replaced in both meta pages."""
    data = bytearray(Path("good.lmdb").read_bytes())
    for page in (0, 1):
        struct.pack_into(form, data, page * PAGE + offset, value)
    path.write_bytes(data)


def locked(path: Path) -> None:
    """A database whose lock file cannot be made."""
    shutil.copy("good.lmdb", path)
    Path(str(path) + "-lock").mkdir()


FILES: Dict[str, Callable[[Path], object]] = {
    "none": lambda path: None,
    "directory": os.mkdir,
    "pipe": os.mkfifo,
    "empty": Path.touch,
    "text": lambda path: path.write_text("a letter\n"),
    "bytes": lambda path: path.write_bytes(bytes(range(256)) * 9),
    "cut off": lambda path: path.write_bytes(Path("good.lmdb").read_bytes()[: PAGE + 99]),
    "large map": lambda path: altered_lmdb(path, 32, "=Q", 1 << 46),
    "version": lambda path: altered_lmdb(path, 20, "=I", 2),
    "root": lambda path: altered_lmdb(path, 128, "=Q", 1),
    "locked": locked,
    "contradiction": lambda path: path.write_bytes(TITLE + b"0*2 0\n0*2 1\n"),
    "bad line": lambda path: path.write_bytes(TITLE + b"0*2 9\nxyz 3\n"),
    "certificate": lambda path: path.write_bytes(gzip.compress(b"pns certificate 1\ngame chess\n")),
    "cut off certificate": lambda path: path.write_bytes(
        gzip.compress(b"pns certificate 1\n")[:15]
    ),
}


@needs_lmdb
@pytest.mark.parametrize("kind", FILES)
def test_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    place = tmp_path / "place"
    place.mkdir()
    monkeypatch.chdir(place)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    with open_facts("good.lmdb", "sprouts") as facts:
        facts.add(b"0", 0)
    FILES[kind](Path(NAME))
    wire = []
    try:
        import zmq  # noqa: F401

        wire = WITH_WIRE
    except ImportError:
        pass
    refused = 0
    if kind == "pipe":  # keys may come through a pipe, so programs wait for them
        wire = []
    for command in [*COMMANDS, *wire]:
        done = call(*command)
        assert done.status in (0, 1, 2) and "Traceback" not in done.errors, (command, done)
        if done.status == 2:
            refused += 1
            check_line(command, done.errors, kind)
    assert refused > 4


def check_line(command: Tuple[str, ...], errors: str, kind: str) -> None:
    script = command[0]
    assert errors.startswith(script + ": ") and errors.count("\n") == 1, (command, errors)
    assert len(errors) < 400, (command, errors)
    assert (errors.count(script + ": "), errors.count(NAME)) == (1, 1), (command, errors)
    parts = errors.split(": ")
    assert len(set(parts)) == len(parts), (command, errors)


def test_an_address_in_use_is_named_once(tmp_path: Path) -> None:
    zmq = pytest.importorskip("zmq")
    keys = tmp_path / "keys"
    keys.mkdir()
    assert call("worker.py", "keygen", keys).status == 0
    context = zmq.Context()
    socket = context.socket(zmq.ROUTER)
    try:
        port = socket.bind_to_random_port("tcp://127.0.0.1")
        listen = ("--listen", "127.0.0.1:%d" % port, "--keys", keys / "master.key")
        words = ("0*3", "--no-db", "--no-known", "--quiet", "--algorithm", "pns-pdfpn", *listen)
        done = call("solve.py", *words)
        wrong = "solve.py: argument --listen: 127.0.0.1:%d: Address already in use\n" % port
        assert (done.status, done.errors) == (2, wrong)
    finally:
        socket.close()
        context.term()
