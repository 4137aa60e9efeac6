"""What `pns db` answers from a database, a .spr file and a certificate, without a search."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, List

import pytest
from helpers.grundy import LINES, make_database
from helpers.inprocess import Answer, Caller
from helpers.paths import CERTIFICATES

import pns
from pns.cli.commands.database import main
from pns.facts import database
from pns.facts.spr import TITLE
from pns.proofs.certificate import read_certificate

pytestmark = pytest.mark.skipif(database.LMDB is None, reason="no LMDB here")
FOUR = CERTIFICATES / "sprouts-4.cert.gz"


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Caller:
    return Caller(capsys, monkeypatch, "pns db")


@pytest.fixture(params=["lmdb", "spr"])
def db(request: Any, tmp_path: Path) -> Path:
    """The same facts as a database and as a .spr file."""
    if request.param == "lmdb":
        return make_database(tmp_path / "f.lmdb")
    path = tmp_path / "f.spr"
    path.write_text(TITLE.decode() + "".join([line + "\n" for line in LINES]))
    return path


def listed(call: Caller, db: Path, *words: object) -> List[str]:
    answer = call(main, "list", "--db", db, *words)
    assert (answer.status, answer.errors) == (0, [])
    return answer.output


def test_filters(call: Caller, db: Path) -> None:
    assert listed(call, db) == LINES
    assert listed(call, db, "--limit", 2) == LINES[:2]
    assert listed(call, db, "--limit", 0) == []
    assert listed(call, db, "--lives", "9-12") == ["0*3 1", "0*4 1"]
    assert listed(call, db, "--lives", "9") == ["0*3 1"]
    assert listed(call, db, "--number", 1) == ["0*3 1", "0*4 1", "0.2 1"]
    assert listed(call, db, "--spots", "1-2") == ["0*2 0", "0.2 1"]
    assert listed(call, db, "--spots", 10) == ["0*10 0", "0*7.A|0*3.1aAa 0"]
    assert listed(call, db, "--contains", ".A|") == ["0*7.A|0*3.1aAa 0"]
    assert listed(call, db, "--match", r"^0\*[2-9]$") == ["0*2 0", "0*3 1", "0*4 1"]
    assert listed(call, db, "--number", "0", "--spots", "3-99", "--limit", 1) == ["0*10 0"]
    assert listed(call, db, "--number", 1, "--count") == ["3"]
    assert listed(call, db, "--number", 7) == []


def test_stats(call: Caller, db: Path) -> None:
    answer = call(main, "stats", "--db", db)
    assert (answer.status, answer.errors) == (0, [])
    words = [line.split() for line in answer.output]
    for line in (["database", str(db)], ["game", "sprouts"], ["facts", "6"]):
        assert line in words
    rows = [line for line in words if len(line) == 3 and line[0].isdigit()]
    assert [line[:2] for line in rows[:2]] == [["0", "3"], ["1", "3"]]
    assert len(rows[0][2]) == len(rows[1][2]) == 40
    found = json.loads(call(main, "stats", "--db", db, "--json").output[0])
    assert found["numbers"] == {"0": 3, "1": 3} and sum(found["lives"].values()) == 6
    assert found["spots"] == {"1": 1, "2": 1, "3": 1, "4": 1, "10": 2}


def test_a_certificate_is_read_like_a_database(call: Caller) -> None:
    entries = read_certificate(str(FOUR))[1]
    lines = ["%s %d" % (land.decode(), number) for land, number in sorted(entries.items())]
    assert listed(call, FOUR) == lines
    assert (
        call(main, "get", "0*2+0*2.AB|0.AB", "--no-known", "--db", FOUR).output[-1].endswith(" 0")
    )


def test_the_table_of_n_spots(call: Caller) -> None:
    answer = call(main, "table", "--no-known", "--db", FOUR, "--json")
    rows = [json.loads(line) for line in answer.output]
    assert {row["spots"] for row in rows} >= {1, 2, 4}
    for row in rows:
        start = "0*%d" % row["spots"]
        assert row["outcome"] == pns.solve(start).outcome
        if row["move"]:
            assert row["move"] in pns.children(start) and row["outcome"] == "win"
        assert row["grundy_number"] in (None, pns.grundy_number(start))
    text = call(main, "table", "--no-known", "--db", FOUR, "--spots", "2-3").output
    assert text[:2] == [
        "  spots  outcome  number  winning move  source",
        "      2  loss          0                certificate",
    ]


def test_the_table_of_the_conjecture(call: Caller) -> None:
    answer = call(main, "conjecture", "--no-known", "--db", FOUR)
    assert (answer.status, answer.errors) == (0, [])
    assert answer.output == [
        "  n mod 6  conjectured  Grundy number known  only outcome known",
        "        0  loss, 0",
        "        1  loss, 0      1",
        "        2  loss, 0      2",
        "        3  win, 1                            3",
        "        4  win, 1                            4",
        "        5  win, 1",
        "4 numbers of spots are known here; all agree.",
    ]


def test_departures_from_the_conjecture(call: Caller, tmp_path: Path) -> None:
    path = tmp_path / "wrong.spr"
    path.write_text(TITLE.decode() + "0*2 0\n0*3 0\n0*4 2\n0*5 1\n0*6 1\n")
    answer = call(main, "conjecture", "--no-known", "--db", path)
    assert answer.status == 1
    rows = {line.split()[0]: line.split()[3:] for line in answer.output[1:7]}
    assert rows == {"0": ["6!"], "1": [], "2": ["2"], "3": ["3!"], "4": ["4!"], "5": ["5"]}
    assert answer.output[7:] == [
        "5 numbers of spots are known here; 3 depart:",
        "  0*3 refutes the Sprouts conjecture: loss, where win is conjectured",
        "  0*4 refutes the extended conjecture: Grundy number 2, where 1 is conjectured",
        "  0*6 refutes the Sprouts conjecture: win, where loss is conjectured",
    ]
    found = [
        json.loads(line)
        for line in call(main, "conjecture", "--no-known", "--db", path, "--json").output
    ]
    assert [row["spots"] for row in found if row["refutes"]] == [3, 4, 6]
    assert call(main, "conjecture", "--no-known", "--db", path, "--spots", 5).status == 0


def test_refusals(call: Caller, tmp_path: Path) -> None:
    def refused(*words: object) -> str:
        answer: Answer = call(main, *words)
        assert (answer.status, answer.output, len(answer.errors)) == (2, [], 1)
        return answer.errors[0]

    assert "invalid regular expression '*'" in refused("list", "--match", "*")
    assert "invalid range 'x'" in refused("list", "--number", "x")
    for verb in ("table", "conjecture"):
        assert "only sprouts has isolated" in refused(verb, "--game", "nim", "--db", "x")
    assert "no such database; solve a position first" in refused("stats", "--db", tmp_path / "x")
    assert "a certificate for sprouts; expected one for nim" in refused(
        "list", "--game", "nim", "--db", FOUR
    )
