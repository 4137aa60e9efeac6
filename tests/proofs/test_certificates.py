"""Certificates: their format, the checker in one file, and those in data/certificates."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path
from typing import Dict, List

import pytest
from damage import holds
from helpers.certificates import rewritten
from helpers.paths import CERTIFICATES, ROOT
from helpers.published import published, spots_of

from pns.checker import sprouts as plain
from pns.facts.spr import SprError
from pns.finding import find_game
from pns.proofs.audit import audit
from pns.proofs.certificate import read_certificate, write_certificate
from pns.proofs.rules import FastRules
from pns.proofs.sources import open_source
from pns.proofs.walk import needed
from pns.sprouts.plain_rules import PlainRules

DIRECTORY = CERTIFICATES
GAME = find_game("sprouts")
CHECKER = ROOT / "scripts" / "check_certificate.py"
FILES = sorted(DIRECTORY.glob("sprouts-*.cert.gz"), key=lambda path: (len(path.name), path.name))
SMALL = 120
"""Certificates of up to this number of entries are checked wholly, others by a sample.

All entries together are audited in tests/facts/test_known.py."""
SAMPLE = 12
LARGE = 15_000
"""Bytes above which a certificate is slow to read and to check."""
PARAMETERS = [
    pytest.param(path, marks=[pytest.mark.slow] * (path.stat().st_size > LARGE)) for path in FILES
]


def check(*arguments: object) -> "subprocess.CompletedProcess[str]":
    """Run the checker by a bare interpreter: no packages, no environment, another directory."""
    words = [sys.executable, "-I", "-S", str(CHECKER), *map(str, arguments)]
    return subprocess.run(words, cwd="/", capture_output=True, text=True, timeout=200)


# What is in data/certificates


def test_the_first_positions_have_small_certificates() -> None:
    assert len(FILES) >= 12
    names = {path.name for path in FILES}
    assert names >= {"sprouts-%d.cert.gz" % n for n in range(1, 13)}
    assert sum(path.stat().st_size for path in FILES) < 3_000_000


def test_they_claim_what_is_known() -> None:
    outcomes = published()
    for path in FILES:
        spots = spots_of(path)
        certificate, _ = read_certificate(str(path))
        assert certificate.claim() == "0*%d=%s" % (spots, outcomes[spots])


@pytest.mark.search
@pytest.mark.parametrize("path", PARAMETERS, ids=lambda path: path.name)
def test_they_hold_by_both_move_generators(path: Path) -> None:
    source = open_source(str(path), None)
    whole = len(source.entries) <= SMALL
    for independent, sample in ((False, 2 * SAMPLE), (True, SAMPLE)):
        found = audit(source, independent=independent, sample=None if whole else sample)
        assert (found.faults, found.why_unproved, found.equivalent) == ([], "", 0)
        assert found.checked == (found.entries if whole else min(sample, found.entries))


@pytest.mark.search
def test_the_checker_proves_the_small_ones() -> None:
    counts = [(path, read_certificate(str(path))[0].entries) for path in FILES]
    small = [(path, count) for path, count in counts if count <= SMALL // 2]
    done = check(*[path for path, _ in small])
    assert (done.returncode, len(small) > 5) == (0, True), done.stderr  # which may show progress
    lines = done.stdout.splitlines()
    assert len(lines) == len(small)
    for (path, count), line in zip(small, lines):
        assert line.startswith("%s: " % path) and ": proved. %d of %d " % (count, count) in line


@pytest.mark.search
@pytest.mark.parametrize("files", [FILES[:20:3], pytest.param(FILES[20:], marks=pytest.mark.slow)])
def test_the_checker_samples_the_others(files: List[Path]) -> None:
    done = check(*files, "--sample", 1)
    assert done.returncode == 0
    assert done.stdout.count(": a sample holds. 1 of ") >= len(files) - 1


@pytest.mark.search
@pytest.mark.parametrize("path", FILES[:9], ids=lambda path: path.name)
def test_no_entry_can_be_removed(path: Path) -> None:
    certificate, entries = read_certificate(str(path))
    lands = GAME.parse(certificate.position)
    assert needed(GAME, lands, certificate.wins, entries) == entries
    for land in sorted(entries)[:: len(entries) // 20 + 1]:
        left = {other: number for other, number in entries.items() if other != land}
        assert not holds(left, certificate, FastRules(GAME)), land


@pytest.mark.search
def test_the_checker_misses_every_entry_but_a_second_text_of_a_land() -> None:
    certificate, entries = read_certificate(str(DIRECTORY / "sprouts-6.cert.gz"))
    keys = [PlainRules().key(land) for land in sorted(entries)]
    second = [land for land, key in zip(sorted(entries), keys) if keys.count(key) > 1]
    assert second == [b"0*2.A.B|0.A|1aBa", b"0*2.A.B|0.B|1aAa"]
    for land in [*second, *sorted(entries)[::10]]:
        left = {other: number for other, number in entries.items() if other != land}
        assert holds(left, certificate, PlainRules()) == (land in second), land


# The checker


def test_the_checker_imports_the_standard_library_only() -> None:
    code = (
        "import runpy, sys; sys.argv = ['x', '--help']\n"
        "try: runpy.run_path(%r, run_name='__main__')\n"
        "except SystemExit: print([m for m in sys.modules if m.startswith('pns')])"
    )
    words = [sys.executable, "-I", "-S", "-c", code % str(CHECKER)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.stdout.endswith("[]\n") and "usage:" in done.stdout


ENTRIES = {b"0*2": 0, b"0": 0, b"ABCD|ABCD": 0}


def write(path: Path, entries: Dict[bytes, int], position: str = "0*2", wins: bool = False) -> str:
    write_certificate(str(path), "sprouts", position, wins, entries, "pns test")
    return str(path)


@pytest.mark.parametrize(
    ("entries", "wins", "message"),
    [
        ({**ENTRIES, b"0*2": 1}, False, "0*2 1: no option is known to have Grundy number 0"),
        ({b"0*2": 0, b"0": 0}, False, "0*2 0: its option 1a1a is not known and has no answer"),
        ({**ENTRIES, b"1a1a": 0}, False, "0*2 0: its option 1a1a has this number too"),
        (ENTRIES, True, "NOT PROVED. 3 of 3 entries checked, 0 bad"),
        ({b"0": 0, b"ABCD|ABCD": 0}, False, "NOT PROVED. 2 of 2 entries checked, 0 bad"),
    ],
)
def test_the_checker_and_the_audit_find_what_does_not_hold(
    tmp_path: Path, entries: Dict[bytes, int], wins: bool, message: str
) -> None:
    path = write(tmp_path / "c.gz", entries, wins=wins)
    done = check(path)
    assert done.returncode == 1 and message in done.stdout
    for independent in (False, True):
        found = audit(open_source(path, None), independent=independent)
        assert bool(found.faults) == ("0 bad" not in message)
        assert found.faults or found.why_unproved


def test_sums_and_wins(tmp_path: Path) -> None:
    assert check(write(tmp_path / "a.gz", ENTRIES, "0*2+1a1a", True)).returncode == 0
    assert check(write(tmp_path / "b.gz", ENTRIES, "0*2+0", False)).returncode == 0
    assert check(write(tmp_path / "c.gz", {}, "!", False)).returncode == 0
    assert check(write(tmp_path / "d.gz", {}, "!", True)).returncode == 1


# The format


def test_round_trip(tmp_path: Path) -> None:
    path = write(tmp_path / "c.gz", ENTRIES)
    certificate, entries = read_certificate(path)
    assert entries == ENTRIES
    assert certificate.claim() == "0*2=loss" and certificate.tool == "pns test"
    text = gzip.decompress(Path(path).read_bytes())
    assert text.endswith(b"\n[Positions+Nimber]\n0 0\n0*2 0\nABCD|ABCD 0\n")
    again = write(tmp_path / "d.gz", ENTRIES)
    assert Path(again).read_bytes() == Path(path).read_bytes()


@pytest.mark.parametrize(
    ("i", "line", "message"),
    [
        (
            0,
            b"pns certificate 2\n",
            "line 5: invalid header line; expected 'exchanges' and its value",
        ),
        (0, b"pns certificate 3\n", "line 1: invalid first line; expected 'pns certificate 1' or"),
        (0, b"", "line 1: "),
        (1, b"game chess\n", "line 2: unknown game 'chess'"),
        (2, b"claim 0*2\n", "line 3: invalid claim '0*2'; expected one such as"),
        (2, b"claim 0*x=loss\n", "line 3: offset 2"),
        (3, b"entries 4\n", "line 4: found 3 entries; expected 4"),
        (3, b"entries x\n", "line 4: invalid count 'x'"),
        (4, b"", "line 5: invalid header line; expected 'tool' and its value"),
        (5, b"sha256 00\n", "line 6: wrong SHA-256 of the entries"),
        (6, b"", "line 7: invalid first line; expected [Positions+Nimber]"),
        (8, b"0*2 x\n", "line 9: 'x' is not a Grundy number"),
        (8, b"0*2\n", "line 9: not a land"),
        (8, b"0.0 0\n", "line 9: '0.0' is not canonical"),
        (9, b"0 0\n", "line 10: repeated land"),
        (9, b"ABCD|ABCD 0", "line 10: cut off"),
        (9, b"", "line 4: found 2 entries; expected 3"),
    ],
)
def test_bad_certificates(tmp_path: Path, i: int, line: bytes, message: str) -> None:
    text = gzip.decompress(Path(write(tmp_path / "c.gz", ENTRIES)).read_bytes())
    bad = tmp_path / "bad.gz"
    bad.write_bytes(gzip.compress(rewritten(text.splitlines(keepends=True), i, line)))
    with pytest.raises(SprError) as error:
        read_certificate(str(bad))
    assert str(error.value).startswith("%s, %s" % (bad, message))
    if line not in (b"0.0 0\n", b"0 0\n"):  # these mean something, if they are not canonical
        done = check(bad)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("%s: " % bad) and done.stderr.count("\n") == 1


def test_damaged_bytes(tmp_path: Path) -> None:
    good = Path(write(tmp_path / "c.gz", ENTRIES)).read_bytes()
    bad = tmp_path / "bad.gz"
    for data in (good[:-4], good[:30], good[:20] + b"xxxx" + good[24:], good + b"tail"):
        bad.write_bytes(data)
        with pytest.raises(SprError, match="damaged"):
            read_certificate(str(bad))
        assert check(bad).returncode == 2
    assert check(tmp_path / "none").returncode == 2


@pytest.mark.search
def test_all_checkers_count_texts_of_an_isomorphic_land_as_one(tmp_path: Path) -> None:
    header, entries = read_certificate(str(CERTIFICATES / "sprouts-6.cert.gz"))
    dropped, kept = b"0*2.A.B|0.A|1aBa", b"0*2.A.B|0.B|1aAa"
    assert plain.canonical(plain.read(dropped.decode())) == plain.canonical(
        plain.read(kept.decode())
    )
    assert entries.pop(dropped) == entries[kept]
    path = str(tmp_path / "fewer.cert.gz")
    write_certificate(path, "sprouts", header.position, header.wins, entries, "test")
    for independent in (False, True):
        found = audit(open_source(path, None), independent=independent)
        assert (found.faults, found.why_unproved) == ([], "")
    assert check(path).returncode == 0
