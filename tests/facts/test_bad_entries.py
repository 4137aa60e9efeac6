"""Bad entries of a database, not lands or without a number: they are named and left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, List, Tuple

import pytest
from helpers.tools import Done, call

from pns.facts import BadEntry, FactsError, database, open_facts
from pns.facts.spr import TITLE, read_spr

pytestmark = pytest.mark.search

GOOD = {b"0": 0, b"0*2": 0, b"1a1a": 2, b"0*6": 1}
BAD = {
    b"xyz": b"\3",
    b"0*2+0*2": b"\0",
    b"!": b"\0",
    b"0.0": b"\0",
    b"0 0": b"\0",
    b"\xff\xfe": b"\1",
    b"0*3": b"\xfb",
    b"0*4": b"",
    b"1": b"\1\1",
    b"\1short": b"\2text",
    b"\0other": b"\2",
}
SLOW = [
    pytest.param(words, marks=pytest.mark.slow) for words in (("--processes", 2), ("--sample", 2))
]
SHOWN = [
    "'xyz': offset 0: ",
    "'0*2+0*2' is not one land but 2",
    "'!' is not one land but 0",
    "'0.0' is not canonical; '0*2' is",
    "'0 0': offset 1: ",
    "'\\xff\\xfe' is not ASCII",
    "'0*3': Grundy number 251 is above 250",
    "'0*4': its value has 0 bytes, not 1",
    "'1': its value has 2 bytes, not 1",
    "'\\x01short': its key is neither a land nor the digest of one",
    "'\\x00other': its key is neither a land nor the digest of one",
]


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    return write(tmp_path / "f.lmdb", {**{k: bytes([n]) for k, n in GOOD.items()}, **BAD})


def write(path: Path, records: Dict[bytes, bytes]) -> Path:
    """Make a database with any records."""
    if database.LMDB is None:
        pytest.skip("no LMDB here")
    env = database.LMDB.open(str(path), map_size=1 << 20, subdir=False)
    header = {"format": database.FORMAT, "game": "sprouts"}
    with env.begin(write=True) as txn:
        for key, value in {**records, database.HEADER: json.dumps(header).encode()}.items():
            txn.put(key, value)
    env.close()
    return path


def check_named(done: Done, path: Path, shown: List[str]) -> None:
    """Check for exit status 1, and for one line that names each bad entry."""
    lines = done.errors.splitlines()
    assert done.status == 1, done
    assert sorted(lines) == sorted(set(lines)) and len(lines) == len(shown), done
    for text in shown:
        start = "grundy.py: %s: entry %s" % (path, text)
        assert [line for line in lines if line.startswith(start)], (text, lines)


def test_verbs_that_read_all_entries(db: Path, tmp_path: Path) -> None:
    spr, other = tmp_path / "f.spr", tmp_path / "other.lmdb"
    lines = ["%s %d" % (land.decode(), number) for land, number in sorted(GOOD.items())]

    done = call("grundy.py", "list", "--db", db)
    check_named(done, db, SHOWN)
    assert done.output.splitlines() == lines

    done = call("grundy.py", "stats", "--db", db)
    check_named(done, db, SHOWN)
    assert "  facts     4\n  bad       11\n" in done.output

    done = call("grundy.py", "export", spr, "--db", db)
    check_named(done, db, SHOWN)
    assert done.output == "4 facts written to %s; 11 bad entries left out\n" % spr
    assert dict(read_spr(str(spr), None)) == GOOD

    done = call("grundy.py", "diff", db, spr)
    check_named(done, db, SHOWN)
    assert done.output.startswith("4 in both, 0 only in ")
    assert done.output.endswith("0 contradictions; 11 bad entries left out\n")

    for words in (("--out", spr), ("--db", other)):
        done = call("grundy.py", "merge", db, *words)
        check_named(done, db, SHOWN)
        assert done.output.startswith("4 facts read, 4 ")
        assert done.output.endswith("; 11 bad entries left out\n")
    assert dict(read_spr(str(spr), None)) == GOOD
    with open_facts(str(other), "sprouts", readonly=True) as facts:
        assert dict(facts.items()) == GOOD and len(facts) == 4


def test_merging_into_a_database_with_bad_entries(db: Path, tmp_path: Path) -> None:
    spr = tmp_path / "f.spr"
    spr.write_bytes(TITLE + b"0*2 0\n0*4 1\n1AB|2AB 3\n")
    done = call("grundy.py", "merge", spr, "--db", db)
    check_named(done, db, SHOWN)
    assert done.output == "3 facts read, 1 of them new; 11 bad entries left out\n"


def test_verbs_that_look_up_entries(db: Path, tmp_path: Path) -> None:
    done = call("grundy.py", "get", "--no-known", "0*3", "0*2", "0*3", "--db", db)
    check_named(done, db, ["'0*3': Grundy number 251"])
    assert done.output == "0*3 unknown\n0*2 0\n0*3 unknown\n"

    done = call("grundy.py", "why", "--no-known", "0*4", "--db", db)
    check_named(done, db, ["'0*4': its value has 0 bytes"])

    out = tmp_path / "out.spr"
    words = ("0*3", "--out", out, "--cycles", 2, "--quiet")
    done = call("grundy.py", "reduce", *words, "--db", db)
    assert done.status == 1 and "f.lmdb: entry '0*3': Grundy number 251" in done.errors
    assert "0*3 is a win: " in done.output and b"0*3 251" not in out.read_bytes()


@pytest.mark.parametrize("more", [(), ("--independent",), *SLOW])
def test_audit(db: Path, tmp_path: Path, more: Tuple[Any, ...]) -> None:
    done = call("audit.py", db, "--quiet", *more)
    assert (done.status, done.errors) == (1, "")
    bad = [line for line in done.output.splitlines() if line.startswith("bad: ")]
    for text in SHOWN:
        assert [line for line in bad if text in line], (text, bad)
    assert "bad: 0*3 251: " in done.output and "bad: 0*4: " in done.output
    assert all(line.isprintable() for line in done.output.splitlines())


def test_audit_as_json_and_a_certificate(db: Path, tmp_path: Path) -> None:
    found = json.loads(call("audit.py", db, "--json", "--quiet").output)
    assert found["entries"] == found["checked"] == 15
    assert ["0*4", -1, "'0*4': its value has 0 bytes, not 1"] in found["bad"]
    assert [land for land, _, _ in found["bad"] if land == "\\xff\\xfe"]
    out = tmp_path / "out.gz"
    done = call("audit.py", "certify", "0*2=loss", db, out, "--quiet")
    assert done.status == 1 and not out.exists()


@pytest.mark.parametrize("more", [(), ("--algorithm", "pdfpn", "--processes", 2)])
def test_a_search_refuses_a_bad_number(tmp_path: Path, db: Path, more: Tuple[Any, ...]) -> None:
    done = call("solve.py", "0*5", "--no-known", "--quiet", "--db", db, *more)
    wrong = "solve.py: %s: entry '1': its value has 2 bytes, not 1\n" % db
    assert (done.status, done.output, done.errors) == (2, "", wrong)


def test_facts_raise_without_a_handler(db: Path) -> None:
    with open_facts(str(db), "sprouts") as facts:
        with pytest.raises(BadEntry) as caught:
            facts.get(b"0*3")
        assert (caught.value.land, caught.value.number) == (b"0*3", 251)
        with pytest.raises(FactsError):
            list(facts.items())
        bad: List[BadEntry] = []
        assert len(list(facts.items(bad.append))) == len(GOOD) + len(BAD) - 5
        assert len(bad) == 5
