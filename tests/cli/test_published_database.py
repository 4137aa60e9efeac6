"""The road of docs/guides/audit.md from a database that others publish to a checked certificate."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, List, Optional

import pytest
from helpers.solver import needs_lmdb
from helpers.tools import Done, call

from pns.cli.commands import audit as audit_command
from pns.cli.commands import database_certify
from pns.facts import Fact, spr
from pns.facts.spr import read_line
from pns.game import Game
from pns.proofs import certificate
from pns.proofs.audit import AuditReport, audit
from pns.proofs.check import Fault
from pns.proofs.sources import open_entries

pytestmark = [pytest.mark.search, needs_lmdb]


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """A file with the facts of a search of 5 spots, a win."""
    database, file = tmp_path / "five.lmdb", tmp_path / "published.spr"
    quiet = ("--no-known", "--quiet", "--no-simplify")
    assert call("pns", "solve", "0*5", "--db", database, *quiet).status == 0
    assert call("pns", "db", "export", "--db", database, "--no-known", file).status == 0
    return file


def test_a_published_file_becomes_a_checked_certificate(published: Path, tmp_path: Path) -> None:
    database, small = tmp_path / "published.lmdb", tmp_path / "5.spr"
    certificate, fast = tmp_path / "5.cert.gz", ("--no-simplify", "--cycles", 1, "--quiet")

    def run(*words: Any) -> Done:
        done = call("pns", *words)
        assert done.status == 0, (words, done.errors)
        return done

    run("db", "import", "--db", database, published)
    assert "all hold" in run("audit", database, "--claim", "0*5=win").output
    run("db", "reduce", "--no-known", "--db", database, "--out", small, "0*5", *fast)
    run("certify", "0*5=win", small, certificate, "--quiet")
    run("check", certificate)
    assert len(small.read_bytes()) <= len(published.read_bytes())
    assert call("check_certificate.py", certificate).status == 0


NAMES = ["sprouts-%d.cert.gz" % n for n in range(1, 6)]


def certificates(directory: Path) -> Dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir())}


def test_one_command_certifies_all_that_a_file_decides(published: Path, tmp_path: Path) -> None:
    out = tmp_path / "certificates"
    words = ("db", "certify", "--db", published, out, "--cycles", 1, "--quiet")
    done = call("pns", *words)
    assert (done.status, done.errors) == (0, "")
    written = certificates(out)
    assert list(written) == NAMES
    for name in NAMES:
        assert call("check_certificate.py", out / name).status == 0
    (out / NAMES[2]).write_bytes(b"mine")
    assert call("pns", *words).output == "".join(
        ["%s: there already\n" % (out / name) for name in NAMES]
    )
    assert certificates(out) == {**written, NAMES[2]: b"mine"}


def test_wrong_numbers_of_a_file_are_corrected(tmp_path: Path) -> None:
    file, out = tmp_path / "wrong.spr", tmp_path / "certificates"
    file.write_bytes(spr.TITLE + b"0*2 1\n")
    done = call("pns", "db", "certify", "--db", file, out, "0*2", "--cycles", 1, "--quiet")
    assert done.status == 0 and done.output.endswith("; 1 numbers were wrong\n")
    assert call("check_certificate.py", out / NAMES[1]).status == 0


def test_a_certificate_that_does_not_hold_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def find_a_fault(*given: Any, **options: Any) -> AuditReport:
        return audit(*given, **options)._replace(faults=[Fault(b"0*2", 0, "wrong")])

    monkeypatch.setattr(database_certify, "audit", find_a_fault)
    file, out = tmp_path / "two.spr", tmp_path / "certificates"
    file.write_bytes(spr.TITLE + b"0*2 0\n")
    done = call("pns", "db", "certify", "--db", file, out, "0*2", "--cycles", 1, "--quiet")
    assert done.status == 1 and "does not hold; removed" in done.output
    assert certificates(out) == {}


def test_what_cannot_be_certified_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "none.spr"
    file.write_bytes(spr.TITLE + b"0*3.AB|AB 0\n")
    done = call("pns", "db", "certify", "--db", file, tmp_path / "out", "--spots", "5-9")
    assert done.status == 1 and "no number of spots is decided; name a position" in done.errors
    done = call("pns", "db", "certify", "--db", file, file)
    assert done.status == 2 and done.errors.count("\n") == 1
    assert "File exists; name a directory that can be made" in done.errors


def test_a_proof_too_large_for_a_certificate_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, out = tmp_path / "two.spr", tmp_path / "certificates"
    file.write_bytes(spr.TITLE + b"0*2 0\n")
    monkeypatch.setattr(certificate, "MOST_ENTRIES", 2)
    done = call("pns", "db", "certify", "--db", file, out, "0*2", "--cycles", 1, "--quiet")
    assert (done.status, done.errors.count("\n")) == (2, 1)
    assert "3 entries of 22 bytes are more than a certificate can hold" in done.errors
    assert certificates(out) == {}


def test_too_many_entries_are_refused_before_they_are_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, database, out = tmp_path / "two.spr", tmp_path / "two.lmdb", tmp_path / "two.cert.gz"
    file.write_bytes(spr.TITLE + b"0 0\n0*2 0\nABCD|ABCD 0\n")
    assert call("pns", "db", "import", "--db", database, file).status == 0
    for source in (file, database):
        monkeypatch.setattr(audit_command, "MOST_ENTRIES", 2)
        done = call("pns", "certify", "0*2=loss", source, out, "--quiet")
        wrong = "too many entries, 3; expected at most 2, as pns db reduce writes them"
        assert (done.status, done.output) == (2, "") and wrong in done.errors and not out.exists()
        monkeypatch.setattr(audit_command, "MOST_ENTRIES", 3)
        assert call("pns", "certify", "0*2=loss", source, out, "--quiet").status == 0
        out.unlink()


def test_each_line_is_checked_once_however_the_store_grows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: List[bytes] = []
    read: List[bytes] = []

    def count_checks(game: Game, land: bytes) -> None:
        checked.append(land)

    def count_lines(line: bytes, game: Optional[Game]) -> Fact:
        read.append(line)
        return read_line(line, game)

    monkeypatch.setattr(spr, "check_land", count_checks)
    monkeypatch.setattr(spr, "read_line", count_lines)
    file = tmp_path / "rows.spr"
    file.write_bytes(spr.TITLE + b"".join([b"%d 1\n" % row for row in range(1, 40_001)]))
    with open_entries(str(file), "kayles") as entries:
        assert len(entries) == 40_000
    assert len(checked) == 40_000 and len(read) > 80_000
