"""Proofs of misère Sprouts that rest on simpler positions: listed, checked, and refused."""

from __future__ import annotations

from pathlib import Path
from typing import List, Tuple

import pytest
from damage import load_checker
from helpers.certificates import with_exchanges

import pns
from pns.game import Land
from pns.proofs.audit import audit
from pns.proofs.certificate import read_certificate, write_certificate
from pns.proofs.sources import open_source

pytestmark = pytest.mark.search

NAME = "sprouts-misere"
checker = load_checker()


@pytest.fixture(scope="module")
def nine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate that 9 spots are lost, by simpler positions."""
    path = tmp_path_factory.mktemp("exchanges") / "9.cert.gz"
    pns.solve("0*9", misere=True).certificate(str(path), cycles=2)
    return path


def follows(path: object) -> List[bool]:
    """Whether the audit, and the single-file checker, find that a certificate holds."""
    found = audit(open_source(str(path), None))
    return [not found.faults and not found.why_unproved, checker.check(str(path), None, 0)]


def test_a_proof_by_exchanges_is_checked(nine: Path) -> None:
    header, entries = read_certificate(str(nine))
    assert follows(nine) == [True] * 2
    assert 3 < len(header.exchanges) < 20 and 20 < len(entries) < 60
    found = audit(open_source(str(nine), None))
    assert 0 < found.simplified < found.entries


def test_without_its_exchanges_it_does_not_hold(nine: Path, tmp_path: Path) -> None:
    exchanges = read_certificate(str(nine))[0].exchanges
    assert follows(with_exchanges(tmp_path / "none.gz", nine, ())) == [False] * 2
    for one in exchanges[::3]:
        left = [other for other in exchanges if other != one]
        assert len(set(follows(with_exchanges(tmp_path / "less.gz", nine, left)))) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        (b"0*9.A", b"2A"),
        (b"2", b"2A"),
        (b"2A", b"1A"),  # equal beside a heap, but with more lives
        (b"2B|AC|BC", b"2A"),  # not equal
        (b"1aBa.2|2AB", b"2A"),  # equal in normal play alone, as far as play shows
        (b"x", b"A"),
    ],
    ids=lambda pair: pair[0].decode(),
)
def test_wrong_exchanges_are_bad(wrong: Tuple[Land, Land], nine: Path, tmp_path: Path) -> None:
    exchanges = read_certificate(str(nine))[0].exchanges
    path = with_exchanges(tmp_path / "bad.gz", nine, [*exchanges, wrong])
    assert [fault.land for fault in audit(open_source(path, None)).faults] == [b" ".join(wrong)]
    certificate = checker.read_certificate(path)
    found = checker.Checker(certificate.entries, NAME, certificate.exchanges)
    assert found.bad_exchanges == [tuple(text.decode() for text in wrong)]


def test_other_games_in_misere_play_have_none(tmp_path: Path) -> None:
    path = str(tmp_path / "nim.gz")
    write_certificate(path, "nim-misere", "1", False, {}, "test", [(b"0.A", b"2A")])
    with pytest.raises(ValueError, match="invalid exchanges; expected none for nim-misere"):
        read_certificate(path)
