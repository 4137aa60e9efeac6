"""Proofs that rest on simpler positions: made, listed in certificates, checked, and refused."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Dict, List, Tuple

import pytest
from damage import damaged, holds, load_checker
from helpers.certificates import rewritten, with_exchanges
from helpers.tools import call

import pns
from pns.checker import sprouts as plain
from pns.checker import sprouts_tails as plain_tails
from pns.facts import Facts
from pns.facts.spr import SprError, write_spr
from pns.finding import find_game
from pns.proofs import certify
from pns.proofs.audit import audit
from pns.proofs.certificate import Certificate, read_certificate, write_certificate
from pns.proofs.exchanges import NeedsMore, needed_exchanges
from pns.proofs.rules import find_rules
from pns.proofs.sources import open_source
from pns.sprouts.plain_rules import PlainRules
from pns.sprouts.small_lands import small_lands

pytestmark = pytest.mark.search

GAME = find_game("sprouts")
checker = load_checker()


@pytest.fixture(scope="module")
def seven(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate that 7 spots are lost, by simpler positions."""
    path = tmp_path_factory.mktemp("exchanges") / "7.cert.gz"
    pns.solve("0*7", simplify=True).certificate(str(path), cycles=2)
    return path


def follows(path: object) -> List[bool]:
    """Whether each of the two audits, and the checker, finds that a certificate holds."""
    verdicts = []
    for independent in (False, True):
        found = audit(open_source(str(path), None), independent=independent)
        verdicts.append(not found.faults and not found.why_unproved)
    return [*verdicts, checker.check(str(path), None, 0)]


# What they prove


def test_certificates_of_searches_with_simpler_positions(tmp_path: Path) -> None:
    for spots in (1, 3, 4, 6):
        path = tmp_path / ("%d.cert.gz" % spots)
        found = pns.solve("0*%d" % spots, simplify=True)
        header = found.certificate(str(path))
        assert (header.wins, header) == (
            found.outcome == "win",
            read_certificate(str(path))[0],
        )
        assert follows(path) == [True] * 3
        first = gzip.decompress(path.read_bytes()).split(b"\n", 1)[0]
        assert first == b"pns certificate %d" % (2 if header.exchanges else 1)
        assert bool(header.exchanges) == (spots > 3)


def test_an_audit_counts_what_rests_on_exchanges(seven: Path) -> None:
    found = audit(open_source(str(seven), None))
    assert 0 < found.simplified < found.entries
    assert found.cancelling == found.equivalent == 0


@pytest.mark.parametrize("step", [15, pytest.param(5, marks=pytest.mark.slow)])
def test_without_its_exchanges_a_proof_does_not_hold(
    seven: Path, tmp_path: Path, step: int
) -> None:
    exchanges = read_certificate(str(seven))[0].exchanges
    path = tmp_path / "less.gz"
    assert follows(with_exchanges(path, seven, ())) == [False] * 3
    needed = 0
    tried = exchanges[::step]
    for exchange in tried:
        left = [other for other in exchanges if other != exchange]
        verdicts = set(follows(with_exchanges(path, seven, left)))
        assert len(verdicts) == 1
        needed += verdicts == {False}
    assert needed >= len(tried) // 2


def test_both_rules_need_the_same_of_a_damaged_proof(seven: Path) -> None:
    header, entries = read_certificate(str(seven))
    rng = random.Random(1)
    for _ in range(60):
        _, changed = damaged(entries, rng)
        fast = find_rules("sprouts", simplify=True, exchanges=header.exchanges)
        if holds(changed, header, fast):
            assert holds(changed, header, PlainRules(True, header.exchanges))


# Exchanges that are none


SAME = b"1A", b"1A"
WRONG = [(b"0*9.A", b"2A"), SAME, (b"2", b"2A"), (b"2B|AC|BC", b"2A"), (b"x", b"A")]


def test_wrong_exchanges_are_bad_though_nothing_needs_them(seven: Path, tmp_path: Path) -> None:
    exchanges = read_certificate(str(seven))[0].exchanges
    path = with_exchanges(tmp_path / "bad.gz", seven, [*exchanges, *WRONG])
    lands = [b" ".join(pair) for pair in WRONG]
    found = audit(open_source(path, None))
    assert [fault.land for fault in found.faults] == lands
    assert not found.why_unproved
    done = call("audit.py", path, "--quiet")
    assert done.status == 1
    for land in lands:
        assert "bad: %s: play does not show" % land.decode() in done.output

    lands.remove(b" ".join(SAME))  # to leave a tail as it is does no harm
    by_other_rules = audit(open_source(path, None), independent=True)
    assert [fault.land for fault in by_other_rules.faults] == lands
    assert not checker.check(path, None, 0)
    certificate = checker.read_certificate(path)
    bad = checker.Checker(certificate.entries, "sprouts", certificate.exchanges).bad_exchanges
    assert [" ".join(pair).encode() for pair in bad] == lands


@pytest.mark.slow
@pytest.mark.parametrize("wrong", WRONG, ids=lambda pair: pair[0].decode())
def test_one_wrong_exchange_is_enough(
    wrong: Tuple[bytes, bytes], seven: Path, tmp_path: Path
) -> None:
    exchanges = read_certificate(str(seven))[0].exchanges
    path = with_exchanges(tmp_path / "bad.gz", seven, [*exchanges, wrong])
    assert follows(path) == [False, wrong == SAME, wrong == SAME]


def test_proofs_cannot_go_round_in_a_circle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An option that is not listed is worth the land itself, but for *1, by a larger tail."""
    land, option, larger = b"1A|2B|AB", b"2A|2B|AB", (b"2A", b"1A")
    entries = {other: plain.grundy(other.decode()) for other in small_lands(4) if other != option}
    entries[land] = 2
    assert plain.grundy(land.decode()) == 3
    path = str(tmp_path / "circle.gz")
    write_certificate(path, "sprouts", land.decode(), False, entries, "x", [larger])
    found = audit(open_source(path, None), independent=True)
    for independent in (False, True):
        found = audit(open_source(path, None), independent=independent)
        assert [fault.land for fault in found.faults] == [b"2A 1A", land]
    assert not checker.check(path, None, 0)
    monkeypatch.setattr(plain_tails, "gives_way", plain_tails.are_equal)  # whatever their lives
    assert audit(open_source(path, None), independent=True).faults == []


def test_work_on_exchanges_is_bounded(seven: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker, "MOST_WORK", 50)
    with pytest.raises(ValueError, match="this takes more work than is allowed"):
        checker.Checker([], "sprouts", [("0.ABC|BD|CD", "2ABC|BC")])


# Their format


@pytest.mark.parametrize(
    ("i", "line", "message"),
    [
        (0, b"pns certificate 1\n", "line 5: invalid header line; expected 'tool' and its value"),
        (0, b"pns certificate 3\n", "line 1: invalid first line; expected 'pns certificate 1' or"),
        (4, b"exchanges x\n", "line 5: invalid count 'x'; expected a whole number from 0 to 10000"),
        (
            4,
            b"exchanges 10001\n",
            "line 5: invalid count '10001'; expected a whole number from 0 to 10000",
        ),
        (4, b"exchanges 0\n", "line 8: invalid first line; expected [Positions+Nimber]"),
        (
            4,
            b"exchanges 9999\n",
            ": invalid exchange; expected two texts with one space between them",
        ),
        (7, b"[Tails]\n", "line 8: invalid title; expected [Exchanges]"),
        (8, b"0.A\n", "line 9: invalid exchange; expected two texts with one space between them"),
        (
            8,
            b"0.A 2A 0\n",
            "line 9: invalid exchange; expected two texts with one space between them",
        ),
        (
            8,
            b"\xff.A 2A\n",
            "line 9: invalid exchange; expected two texts with one space between them",
        ),
        (8, b"ZZ 2A\n", "line 10: unsorted; expected lines in order"),
        (6, b"sha256 00\n", "line 7: wrong SHA-256 of the entries"),
    ],
)
def test_bad_files(seven: Path, tmp_path: Path, i: int, line: bytes, message: str) -> None:
    bad = tmp_path / "bad.gz"
    lines = gzip.decompress(seven.read_bytes()).splitlines(keepends=True)
    bad.write_bytes(gzip.compress(rewritten(lines, i, line, header=7)))
    with pytest.raises(SprError) as error:
        read_certificate(str(bad))
    assert message in str(error.value)
    with pytest.raises(ValueError):
        checker.read_certificate(str(bad))
    for words in (("audit.py", bad), ("check_certificate.py", bad)):
        done = call(*words)
        assert (done.status, done.output, done.errors.count("\n")) == (2, "", 1)


def test_other_games_have_no_exchanges(tmp_path: Path) -> None:
    path = str(tmp_path / "nim.gz")
    write_certificate(path, "cram", "..", True, {b"..": 1}, "x", [(b"a", b"b")])
    with pytest.raises(SprError, match="line 5: invalid exchanges; expected none for cram"):
        read_certificate(path)
    with pytest.raises(ValueError, match="invalid exchanges; expected them for Sprouts only"):
        checker.read_certificate(path)


def test_no_more_are_written_than_are_read(tmp_path: Path) -> None:
    path = tmp_path / "many.gz"
    many = [(b"%d" % i, b"2A") for i in range(10_001)]
    with pytest.raises(ValueError, match="too many exchanges; expected at most 10000"):
        write_certificate(str(path), "sprouts", "0*2", False, {b"0*2": 0}, "x", many)
    assert not path.exists()


# Which are needed, and the commands


def test_entries_that_hold_by_no_exchange() -> None:
    with pytest.raises(NeedsMore, match="0\\*2 0 does not hold"):
        needed_exchanges(GAME, {b"0*2": 0}, (b"0*2",), False)
    with pytest.raises(NeedsMore, match="the claim does not follow"):
        needed_exchanges(GAME, {}, (b"0*2",), True)


def facts_of(spots: int, simplify: bool = True) -> Facts:
    facts = Facts("sprouts")
    pns.solve("0*%d" % spots, facts=facts, simplify=simplify)
    return facts


@pytest.mark.slow
def test_from_a_search_to_a_certificate(tmp_path: Path) -> None:
    facts, proof, out = [tmp_path / name for name in ("7.spr", "small.spr", "7.cert.gz")]
    write_spr(str(facts), sorted(facts_of(7).items()))
    words = ("reduce", "--simplify", "--no-known", "--cycles", 3, "--db", facts, "--out", proof)
    assert call("grundy.py", *words, "0*7").status == 0
    done = call("audit.py", "certify", "0*7=loss", proof, out, "--quiet", "--json")
    assert done.status == 0
    fields = json.loads(done.output)
    header, entries = read_certificate(str(out))
    assert fields["certificate"] == {
        "path": str(out),
        "entries": len(entries),
        "exchanges": len(header.exchanges),
        "bytes": out.stat().st_size,
    }
    assert len(entries) < len(facts_of(7)) and header.exchanges
    assert follows(out) == [True] * 3
    done = call("audit.py", "certify", "0*7=loss", out, tmp_path / "again.gz", "--quiet")
    assert "written: %d entries and %d exchanges" % (len(entries), len(header.exchanges)) in (
        done.output
    )


def test_a_proof_with_simpler_positions_is_smaller() -> None:
    from pns.positions.simplify import Simplified
    from pns.proofs.reduce import Reducer

    sizes: Dict[bool, int] = {}
    for simplify in (False, True):
        game = Simplified(GAME) if simplify else GAME
        reducer = Reducer(game, (b"0*8",), facts_of(8, simplify))
        sizes[simplify] = len(reducer.reduce(3).entries)
    assert sizes[True] < 0.9 * sizes[False]


def test_a_certificate_holds_without_that_lands_cancel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An audit counts an entry that needs this and simpler positions with those that need these."""
    path, out = tmp_path / "8.spr", tmp_path / "8.cert.gz"
    write_spr(str(path), sorted(facts_of(8).items()))

    def fail(*_: object) -> None:
        raise NeedsMore("0*2 0 does not hold")

    monkeypatch.setattr(certify, "needed_exchanges", fail)
    done = call("audit.py", "certify", "0*8=loss", path, out, "--quiet")
    assert done.status == 1 and not out.exists()
    assert "certificates cannot cancel equal lands; reduce the facts first" in done.output


def test_where_reduce_refuses() -> None:
    done = call("grundy.py", "reduce", "--game", "nim", "--simplify", "--out", "x.spr", "1+2")
    assert (done.status, done.output) == (2, "")
    assert "argument --simplify: nim does not define simpler positions" in done.errors


def test_a_claim_alone_may_need_an_exchange(tmp_path: Path) -> None:
    """Each entry holds without, and the position is none of them."""
    land, simpler = b"0*2.A|0.A", b"0*2.A|2A"
    facts = Facts("sprouts")
    pns.solve(simpler.decode(), facts=facts, grundy=True)
    number = pns.solve(simpler.decode(), grundy=True).grundy_number
    assert number is not None
    entries = {other: value for other, value in facts.items() if other != land}
    path, out = tmp_path / "claim.spr", tmp_path / "claim.cert.gz"
    write_spr(str(path), sorted(entries.items()))
    claim = "%s=%s" % (land.decode(), "win" if number else "loss")
    assert call("audit.py", "certify", claim, path, out, "--quiet").status == 0
    assert follows(out) == [True] * 3


def test_headers_compare_with_their_exchanges(seven: Path) -> None:
    header = read_certificate(str(seven))[0]
    assert isinstance(header, Certificate) and header.exchanges == tuple(sorted(header.exchanges))
