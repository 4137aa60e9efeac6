"""`read_facts` and `audit_facts`: the same facts from every kind of file, nothing left behind."""

from __future__ import annotations

import gc
import tempfile
from pathlib import Path
from typing import Any, Dict

import pytest
from helpers.paths import CERTIFICATES
from helpers.searches import brute_grundy

import pns
from pns.facts.spr import write_spr

FOUR = CERTIFICATES / "sprouts-4.cert.gz"


@pytest.fixture
def files(lmdb: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Dict[str, str]:
    """The same facts in three files, and their kinds."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    with pns.read_facts(str(FOUR)) as facts:
        found = [(land.encode(), number) for land, number in facts]
    database, text = str(tmp_path / "facts"), str(tmp_path / "facts.spr")
    with pns.open_facts(database, "sprouts") as store:
        for land, number in found:
            store.add(land, number)
    write_spr(text, found)
    return {"database": database, ".spr file": text, "certificate": str(FOUR)}


def test_every_kind_of_file_gives_the_same_facts(files: Dict[str, str], tmp_path: Path) -> None:
    for kind, path in files.items():
        with pns.read_facts(path) as facts:
            assert (facts.kind, facts.game, facts.path) == (kind, "sprouts", path)
            assert facts.claim == (("0*4", "win") if kind == "certificate" else None)
            found = dict(facts)
            assert len(found) == len(facts) > 5 and facts.bad == []
            for land, number in found.items():
                assert number == brute_grundy(land.encode()) == facts.grundy_number(land)
            statistics = facts.statistics()
            assert statistics.facts == len(found)
            assert sum(statistics.by_size.values()) == sum(statistics.by_number.values())
            assert statistics.by_number[0] == list(found.values()).count(0)
            assert list(statistics.by_size) == sorted(statistics.by_size)
            assert facts.outcome("0*4") == facts.why("0*4").outcome == "win"
            assert facts.outcome("0*9") is None and facts.grundy_number("0*9") is None
            assert facts.grundy_number("0*9+0*9") == 0
        facts.close()
        report = pns.audit_facts(path, claim=("0*4", True))
        assert not report.faults and not report.why_unproved and report.checked == len(found)
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_reader_that_is_forgotten_is_closed(files: Dict[str, str], tmp_path: Path) -> None:
    facts = pns.read_facts(files[".spr file"])
    assert list((tmp_path / "temporary").iterdir())
    del facts
    for _ in range(3):
        gc.collect()
    assert list((tmp_path / "temporary").iterdir()) == []


def test_bad_records_count_as_unknown(files: Dict[str, str]) -> None:
    with pns.open_facts(files["database"], "sprouts") as store:
        store.add(b"no land", 1)
    with pns.read_facts(files["database"]) as facts:
        assert len(dict(facts)) == len(facts) - 1
        assert [entry.land for entry in facts.bad] == [b"no land"]
        assert facts.statistics().facts == len(facts) - 1


def test_what_cannot_be_read(files: Dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(pns.FactsError, match="holds facts of sprouts, not of nim"):
        pns.read_facts(files["database"], "nim")
    with pytest.raises(pns.FactsError, match="a certificate for sprouts; expected one for nim"):
        pns.read_facts(files["certificate"], "nim")
    with pytest.raises(
        ValueError, match="unknown game 'chess'; expected one of clobber, cram, .*sprouts"
    ):
        pns.read_facts(files[".spr file"], "chess")
    with pytest.raises(pns.FactsError):
        pns.read_facts(str(tmp_path / "missing"))
    assert list((tmp_path / "temporary").iterdir()) == []
