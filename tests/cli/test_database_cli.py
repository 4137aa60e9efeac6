"""scripts/grundy.py, run from outside."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
from helpers.grundy import LINES, command, contents, make_database
from helpers.paths import CERTIFICATES
from helpers.solver import Done, run

from pns.facts import database, open_facts
from pns.facts.spr import TITLE
from pns.finding import find_game

SUM = find_game("sprouts").format((b"0*2", b"0*3"))

pytestmark = [
    pytest.mark.skipif(database.LMDB is None, reason="no LMDB here"),
    pytest.mark.programs,
]


def grundy(*arguments: object) -> Done:
    return run("grundy.py", *arguments)


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return make_database(tmp_path / "f.lmdb")


def test_get(db: Path) -> None:
    assert grundy("--db", db, "get", "--no-known", "0*3.1aAa|0*7.A", SUM, "!") == (
        0,
        ["0*7.A|0*3.1aAa 0", "0*2 0", "0*3 1", "%s 1" % SUM, "! 0"],
        [],
    )
    status, output, _ = grundy("get", "--no-known", "0*3", "0*5", SUM.replace("2", "5"), "--db", db)
    assert status == 1
    assert output[:2] == ["0*3 1", "0*5 unknown"]
    five = find_game("sprouts").format((b"0*3", b"0*5"))
    assert sorted(output[2:]) == sorted(["0*3 1", "0*5 unknown", "%s unknown" % five])


def test_export_and_import(db: Path, tmp_path: Path) -> None:
    spr, new = tmp_path / "f.spr", tmp_path / "new" / "g.lmdb"
    new.parent.mkdir()
    assert grundy("export", spr, "--db", db)[0] == 0
    assert spr.read_bytes() == TITLE + "".join([line + "\n" for line in LINES]).encode()
    for added in (6, 0):
        output = ["6 facts read, %d of them new" % added]
        assert grundy("import", spr, "--db", new) == (0, output, [])
    assert contents(new) == LINES


def test_merge(db: Path, tmp_path: Path) -> None:
    other, spr = tmp_path / "other.lmdb", tmp_path / "other.spr"
    with open_facts(str(other), "sprouts") as facts:
        facts.add(b"0*2", 0)
        facts.add(b"0*5", 1)
    spr.write_bytes(TITLE + b"0*6 0\n")
    assert grundy("merge", other, "--db", db)[1] == ["2 facts read, 1 of them new"]
    assert grundy("merge", spr, "--db", db)[1] == ["1 facts read, 1 of them new"]
    assert contents(db) == sorted([*LINES, "0*5 1", "0*6 0"])


def test_a_contradiction_changes_nothing(db: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.spr"
    other.write_bytes(TITLE + b"0*6 0\n0*3 2\n")
    status, output, errors = grundy("import", other, "--db", db)
    assert (status, output, len(errors)) == (2, [], 1)
    assert "%s: contradiction: 0*3 has Grundy number 2, but 1 is known" % other in errors[0]
    assert contents(db) == LINES


@pytest.mark.parametrize("name", ["other.spr", "other.lmdb"])
def test_all_contradictions_of_a_merge_are_reported(db: Path, tmp_path: Path, name: str) -> None:
    other, third = tmp_path / name, tmp_path / "third.spr"
    third.write_bytes(TITLE + b"0*3 2\n0*7 0\n")
    wrong = {b"0*2": 3, b"0*3": 2, b"0*6": 0}
    if name.endswith("spr"):
        other.write_bytes(TITLE + b"".join([b"%s %d\n" % fact for fact in wrong.items()]))
    else:
        with open_facts(str(other), "sprouts") as facts:
            facts.add_all(wrong.items)
    reported = [
        "contradiction: 0*2: 0 in %s; 3 in %s" % (db, other),
        "contradiction: 0*3: 1 in %s; 2 in %s, %s" % (db, other, third),
        "2 contradictions: nothing was stored",
    ]
    assert grundy("merge", other, third, "--db", db) == (1, reported, [])
    assert contents(db) == LINES
    out = tmp_path / "out.spr"
    assert grundy("merge", other, third, "--out", out) == (
        0,
        ["5 facts read, 4 written to %s" % out],
        [],
    )
    assert grundy("merge", db, third, "--out", out)[:2] == (
        1,
        [
            "contradiction: 0*3: 1 in %s; 2 in %s" % (db, third),
            "1 contradictions: nothing was stored",
        ],
    )
    assert out.read_bytes() == TITLE + b"0*2 3\n0*3 2\n0*6 0\n0*7 0\n"


def test_diff(db: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.spr"
    assert grundy("export", other, "--db", db)[0] == 0
    same = "6 in both, 0 only in %s, 0 only in %s, 0 contradictions" % (db, other)
    assert grundy("diff", db, other) == (0, [same], [])
    other.write_bytes(TITLE + b"0*7 0\n0*2 0\n0*3 2\n")
    status, output, errors = grundy("diff", db, other)
    assert (status, errors) == (1, [])
    assert output == [
        "- 0*10 0",
        "contradiction: 0*3: 1 in %s; 2 in %s" % (db, other),
        "- 0*4 1",
        "+ 0*7 0",
        "- 0*7.A|0*3.1aAa 0",
        "- 0.2 1",
        "1 in both, 4 only in %s, 1 only in %s, 1 contradictions" % (db, other),
    ]


def test_check_and_repair(tmp_path: Path) -> None:
    spr = tmp_path / "f.spr"
    spr.write_bytes(TITLE + b"0*2 0\n0*3 1")
    assert grundy("check", spr)[:2] == (
        1,
        [
            "line 3: cut off: no LF at its end",
            "1 facts; sorted; 1 bad lines, 0 repeated, 0 contradictions",
        ],
    )
    dropped = "%s: dropped 5 bytes, '0*3 1'; before: %s.bak" % (spr, spr)
    assert grundy("repair", spr) == (0, [dropped], [])
    assert grundy("repair", spr) == (0, ["%s: not cut off; nothing was done" % spr], [])
    fine = ["1 facts; sorted; 0 bad lines, 0 repeated, 0 contradictions"]
    assert grundy("check", spr) == (0, fine, [])


def test_convert(tmp_path: Path) -> None:
    spr, old = tmp_path / "f.spr", tmp_path / "old"
    spr.write_bytes(TITLE + b"0*3 1\n0*2 0\n")
    written = ["2 facts written to %s" % old]
    assert grundy("convert", spr, old, "--to", "glop1") == (0, written, [])
    assert old.read_bytes() == TITLE + b"0*2.}]! 0\n0*3.}]! 1\n"
    assert grundy("convert", old, spr) == (0, ["2 facts written to %s" % spr], [])
    assert spr.read_bytes() == TITLE + b"0*2 0\n0*3 1\n"
    old.write_bytes(TITLE + b"0*2 0\n0.0 1\n")
    status, output, _ = grundy("convert", old, spr)
    contradiction = "contradiction: 0*2: 0, 1 in %s" % old
    assert (status, output) == (1, [contradiction, "nothing was written"])


# Proofs


def test_reduce(tmp_path: Path) -> None:
    out, wrong = tmp_path / "out.spr", tmp_path / "wrong.spr"
    proof = CERTIFICATES / "sprouts-4.cert.gz"
    words = ("reduce", "0*4", "--out", out, "--cycles", 10, "--quiet")
    status, output, errors = grundy(*words, "--db", proof)
    assert (status, errors) == (0, [])
    assert output == ["0*4 is a win: 12 entries written to %s" % out]
    text = out.read_text().replace("ABCD|ABCD 0", "ABCD|ABCD 1")
    wrong.write_text("".join([line for line in text.splitlines(True) if line != "0*2 0\n"]))
    status, output, errors = grundy(*words, "--db", wrong, "--no-known")
    assert (status, errors) == (0, [])
    assert output[1].startswith("The database was incomplete: ")
    assert output[2:] == ["The database was wrong: ABCD|ABCD has Grundy number 0."]


def test_reduce_from_a_start(tmp_path: Path) -> None:
    """With what other certificates know, a start may be smaller than the database's own proof."""
    out, wrong, empty = tmp_path / "out.spr", tmp_path / "wrong.spr", tmp_path / "empty.spr"
    proof = CERTIFICATES / "sprouts-4.cert.gz"
    empty.write_bytes(TITLE)
    words = ("reduce", "0*4", "--out", out, "--cycles", 1, "--quiet", "--db", empty)
    line = "0*4 is a win: 12 entries written to %s" % out
    assert grundy(*words, "--no-known", "--start", proof) == (0, [line], [])
    text = out.read_text()
    assert grundy(*words, "--start", out) == (0, [line], [])
    wrong.write_text(text.replace("ABCD|ABCD 0", "ABCD|ABCD 1"))
    status, output, errors = grundy(*words, "--no-known", "--start", wrong)
    assert (status, errors) == (0, [])
    source = "The database or %s was wrong" % wrong
    assert output[-1] == source + ": ABCD|ABCD has Grundy number 0."
    assert proof.exists() and wrong.read_text() != out.read_text()


@pytest.mark.slow
def test_a_reduction_that_is_stopped_keeps_its_best(tmp_path: Path) -> None:
    out = tmp_path / "out.spr"
    proof = CERTIFICATES / "sprouts-4.cert.gz"
    words = ("reduce", "0*4", "--out", out, "--cycles", 10**6, "--db", proof)
    child = subprocess.Popen(command(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stderr is not None
    assert b"entries" in child.stderr.readline()  # the first line of progress comes after 10 s
    child.send_signal(signal.SIGINT)
    output, errors = child.communicate(timeout=60)
    assert child.returncode == 130
    assert output == b"0*4 is a win: 13 entries written to %s\n" % str(out).encode()
    assert errors.startswith(b"grundy.py: stopped in cycle ")
    assert out.read_bytes().count(b"\n") == 14


def test_a_bad_file_changes_nothing(db: Path, tmp_path: Path) -> None:
    spr = tmp_path / "bad.spr"
    for wrong in (b"0*6 0\n0.0 0\n", b"0*6 0\n0*7 0", b"0*6 0\n0*6 1\n"):
        spr.write_bytes(TITLE + wrong)
        for path in (db, tmp_path / "new"):
            status, output, errors = grundy("import", spr, "--db", path)
            assert (status, output, len(errors)) == (2, [], 1)
    assert contents(db) == LINES


def test_while_a_solver_writes(db: Path) -> None:
    with open_facts(str(db), "sprouts") as facts:
        facts.add(b"0*5", 1)
        facts.flush()
        facts.add(b"0*6", 0)
        for words, lines in (("get", "0*5"), ["0*5 1"]), (("list",), sorted([*LINES, "0*5 1"])):
            child = command(
                *words, "--no-known", "--db", db
            )  # a fork would have the database open already
            found = subprocess.check_output(child, text=True)
            assert found.splitlines() == lines


def test_the_default_database(tmp_path: Path) -> None:
    environment = dict(os.environ, XDG_DATA_HOME=str(tmp_path))
    spr = tmp_path / "f.spr"
    spr.write_bytes(TITLE + b"7 7\n")
    arguments = command("import", spr, "--game", "nim")
    subprocess.run(arguments, env=environment, check=True, stdout=subprocess.DEVNULL)
    assert (tmp_path / "pns" / "nim.lmdb").exists()


def test_extend(db: Path) -> None:
    """Two processes; what is stored is sound, and answers the next call at once."""
    words = ("extend", "0*8", "--no-known", "--db", db.parent / "new.lmdb", "--quiet")
    status, (line,), errors = grundy(*words, "--processes", 2)
    assert (status, errors) == (0, [])
    assert line.startswith("0*8 is a loss: ") and line.endswith("; stored in %s" % words[4])
    assert run("audit.py", words[4], "--processes", 1).status == 0
    again = grundy(*words, "--processes", 2).output
    assert again == [
        "0*8 is a loss: 0 claims proved, 0 facts found by 0 searches; stored in %s" % words[4]
    ]


@pytest.mark.slow
def test_an_extension_that_is_stopped_keeps_its_facts(tmp_path: Path) -> None:
    new = tmp_path / "new.lmdb"
    words = ("extend", "0*60", "--no-known", "--db", new, "--processes", 2)
    child = subprocess.Popen(command(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stderr is not None
    assert b" claims, " in child.stderr.readline()  # the first line of progress comes after 10 s
    child.send_signal(signal.SIGINT)
    output, errors = child.communicate(timeout=60)
    assert (child.returncode, output) == (130, b"")
    last = errors.splitlines()[-1]
    assert last.startswith(b"grundy.py: stopped by Ctrl-C; ")
    assert last.endswith(b" new facts are stored")
    with open_facts(str(new), "sprouts", readonly=True) as facts:
        assert len(facts) == int(last.split()[-5])
