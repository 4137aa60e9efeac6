"""The road of docs/guides/audit.md from a database that others publish to a checked certificate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.solver import needs_lmdb
from helpers.tools import Done, call

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
