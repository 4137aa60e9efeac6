"""Bounds on certificates: the unpacked size, and the work for an entry."""

from __future__ import annotations

import gzip
import io
import os
import threading
from contextlib import suppress
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, List, Optional, Tuple

import damage
import pytest
from damage import edits, load_checker
from helpers.paths import ROOT, TEST_DATA

import pns.checker.work
import pns.proofs.rules
from pns.checker import sprouts as plain
from pns.checker.work import MOST_WORK, Work, limited
from pns.facts.spr import TITLE, SprError
from pns.finding import find_game
from pns.game import TooLarge
from pns.proofs import certificate
from pns.proofs.audit import audit
from pns.proofs.certificate import read_certificate, write_certificate
from pns.proofs.check import Checker
from pns.proofs.rules import MOST_CHILDREN, FastRules, TooExpensive
from pns.proofs.sources import open_source
from pns.sprouts import moves
from pns.sprouts.canonical import rename_two_region
from pns.sprouts.code import BARS, NOT_TWO, TWO, encode
from pns.sprouts.plain_rules import PlainRules

GAME = find_game("sprouts")

EQUAL = "0." + ".".join(["12"] * 40)
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWX"
SINGLES = "|".join([".".join(LETTERS)] * 2)
TRIPLES = "|".join([".".join(LETTERS[i : i + 3] for i in range(0, 24, 3))] * 2)
DISTINCT = "1.2.11.12.22.111.112.122.222.1111.1112.1122.1222.2222.11111.11112"
SIXTY = ("0*60", "0*30.AB|0*28.AB", "0*14.AB.CD|0*10.1a1a.EF|0*7.CD|0*4.AB.EF")
"""Lands of games from 60 spots."""


checker: Any = load_checker()


def packed(path: Path, entries: List[Tuple[str, int]], claimed: int = -1, end: bytes = b"") -> str:
    """A certificate that may claim a wrong number of entries, and have bytes after them."""
    body = TITLE + b"".join([b"%s %d\n" % (land.encode(), n) for land, n in entries]) + end
    count = claimed if claimed >= 0 else len(entries)
    head = "pns certificate 1\ngame sprouts\nclaim 0*2=loss\nentries %d\ntool x\nsha256 %s\n"
    text = (head % (count, sha256(body).hexdigest())).encode() + body
    path.write_bytes(gzip.compress(text))
    return str(path)


# The bounds


def test_both_implementations_have_the_same_bounds() -> None:
    names = "MOST_ENTRIES MOST_EXCHANGES LONGEST_HEADER_LINE LONGEST_LAND BYTES BYTES_FOR_AN_ENTRY"
    for name in names.split():
        assert getattr(checker, name) == getattr(certificate, name)
    assert checker.MOST_WORK == MOST_WORK
    text = (ROOT / "docs" / "certificates.md").read_text()
    for bound in (
        checker.MOST_ENTRIES,
        checker.MOST_EXCHANGES,
        checker.LONGEST_LAND,
        checker.BYTES,
        checker.MOST_WORK,
        MOST_CHILDREN,
        moves.MOST_MOVES,
    ):
        assert "{:,}".format(bound) in text


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("bomb", "entries too long; expected at most"),
        ("many", "entries too long; expected at most"),
        ("count", "; expected a whole number from 0 to 1000000"),
        ("long", "land too long; expected at most 1000 characters"),
        ("unsorted", "unsorted; expected "),
    ],
)
def test_files_that_are_too_large_are_refused(tmp_path: Path, name: str, wrong: str) -> None:
    path = tmp_path / name
    if name == "bomb":
        packed(path, [("0", 0)], end=bytes(1_000_000))
    elif name == "many":
        lands = ["0*%d%s" % (n, more) for n in range(2, 1000) for more in ("", ".1a1a")]
        packed(path, [(land, 0) for land in sorted(lands)], claimed=5)
    elif name == "count":
        packed(path, [], claimed=10**9)
    elif name == "long":
        packed(path, [("12" * 501, 0)])
    else:
        packed(path, [("0*2", 0), ("0", 0)])
    with pytest.raises(ValueError, match=wrong):
        checker.read_certificate(str(path))
    with pytest.raises(SprError, match=wrong):
        read_certificate(str(path))


class Endless(io.BytesIO):
    """A stream with zeros after its first bytes; no read may ask for 1 MB or more."""

    def __init__(self, start: bytes) -> None:
        super().__init__(start + bytes(1_000_000))

    def read(self, size: Optional[int] = -1) -> bytes:
        assert size is not None and 0 <= size < 1_000_000
        return super().read(size)

    def readline(self, size: Optional[int] = -1) -> bytes:
        assert size is not None and 0 <= size < 1_000_000
        return super().readline(size)


def test_no_more_is_unpacked_than_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = packed(tmp_path / "c.gz", [("0", 0)])
    for size in (0, 30, 10**6):
        start = gzip.decompress(Path(path).read_bytes())[:size]
        monkeypatch.setattr(gzip, "open", lambda *_, start=start: Endless(start))
        for read in (checker.read_certificate, read_certificate):
            with pytest.raises(ValueError, match="at most|first line|cut off|line 9|line 2"):
                read(path)


def test_files_that_readers_refuse_are_not_written(tmp_path: Path) -> None:
    path = str(tmp_path / "c.gz")
    for entries in ({b"12" * 501: 0}, {b"12" * 400 + b"%d" % n: 0 for n in range(1000, 1100)}):
        with pytest.raises(ValueError, match="can hold|land too long; expected at most"):
            write_certificate(path, "sprouts", "0*2", False, entries, "x")
    assert not os.path.exists(path)


def test_pipes_devices_and_directories_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    done = []

    def look() -> None:
        for path in (str(tmp_path / "fifo"), "/dev/zero", str(tmp_path)):
            for read in (checker.read_certificate, read_certificate):
                with pytest.raises((OSError, ValueError), match="not a regular file"):
                    read(path)
        done.append(True)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    thread.join(20.0)
    assert done


# The work


def plain_work(land: str, most: int) -> int:
    """The work of finding the texts of a land and of its children by the plain rules."""
    plain.least_text.cache_clear()
    with limited(most):
        plain.children(plain.canonical(plain.read(land)))
        return most - Work.left


@pytest.mark.parametrize("land", [EQUAL, "|".join([SINGLES[:23]] * 2)])
def test_equal_boundaries_and_symmetric_names_are_quick_by_the_plain_rules(land: str) -> None:
    assert plain_work(land, 1_000_000) < 1_000_000


def test_symmetric_names_have_one_text() -> None:
    for names in (LETTERS, LETTERS[7:] + LETTERS[:7]):
        land = "|".join([".".join(names), ".".join(sorted(names))])
        assert plain.canonical(plain.read(land)) == SINGLES


def test_the_bounds_are_far_above_lands_of_sixty_spots() -> None:
    for land in SIXTY:
        for region in encode(land.encode()).split(BARS):
            assert moves.count_curves(region) < moves.MOST_MOVES // 50
        assert plain_work(land, MOST_WORK) < MOST_WORK // 20


@pytest.mark.parametrize("land", [TRIPLES, DISTINCT])
@pytest.mark.parametrize("independent", [False, True])
def test_an_entry_that_takes_too_much_work_is_named_by_both(
    tmp_path: Path, land: str, independent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pns.checker.work, "MOST_WORK", 9_000)
    monkeypatch.setattr(pns.proofs.rules, "MOST_CHILDREN", 100)
    monkeypatch.setattr(checker, "MOST_WORK", 9_000)
    path = packed(tmp_path / "c.gz", [(GAME.format(GAME.parse(land)), 0)])
    for processes in (1, 2):
        with pytest.raises(TooExpensive) as error:
            audit(open_source(path, None), independent=independent, processes=processes)
        assert str(error.value).startswith("%s: entry " % path)
        assert "this takes more work" in str(error.value) or "too large" in str(error.value)
        if independent and processes == 1:
            with pytest.raises(ValueError, match="entry .*: this takes more work than is allowed"):
                checker.check(path, None, 0)


@pytest.mark.parametrize("land", ["0", TRIPLES])
def test_an_audit_bounds_no_work_but_its_own(
    tmp_path: Path, land: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pns.checker.work, "MOST_WORK", 9_000)
    path = packed(tmp_path / "c.gz", [(GAME.format(GAME.parse(land)), 0)])
    with suppress(TooExpensive):
        audit(open_source(path, None), independent=True)
    assert Work.left > 1 << 61  # from 1 << 62, less what was done outside of the bound


def test_the_claim_is_bounded_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker, "MOST_WORK", 5_000)
    path = str(tmp_path / "c.gz")
    write_certificate(path, "sprouts", DISTINCT, True, {b"0": 0}, "x")
    with pytest.raises(ValueError, match="the claim 1.2.11.*: this takes more work than is"):
        checker.check(path, None, 0)
    for rules in (FastRules(GAME), PlainRules()):
        monkeypatch.setattr(pns.checker.work, "MOST_WORK", 5_000)
        monkeypatch.setattr(pns.proofs.rules, "MOST_CHILDREN", 50)
        key = rules.key(GAME.format(GAME.parse(DISTINCT)).encode())
        with pytest.raises(TooExpensive, match="the claim .*1.2.11"):
            Checker(rules, lambda land: -1).why_unproved((key,), True)


def test_work_is_counted_for_each_entry_from_its_beginning() -> None:
    rules = FastRules(GAME)
    for _ in range(3):
        with rules.limited():
            assert len(list(rules.children(b"0*20"))) == len(list(GAME.children(b"0*20")))
        left = rules.children_left
    assert left == MOST_CHILDREN - len(list(GAME.children(b"0*20")))


# Curves are counted before they are drawn


def test_curves_are_counted_rightly() -> None:
    rows = (TEST_DATA / "children.tsv").read_text().splitlines()
    texts = {t for row in rows[1::3] for t in row.split("\t") if not t.isdigit()}
    regions = {
        rename_two_region(region)
        for text in [*sorted(texts)[::4], "0*20.12.12.12.2.2", "12.12.1a1a.1a1a.1a1a"]
        for land in GAME.parse(text)
        for region in encode(land).split(BARS)
    }
    for region in regions:
        old = TWO + len(region.translate(None, NOT_TWO))
        drawn = sum(1 for _ in moves.draw_curves(region, old))
        assert drawn <= moves.count_curves(region) <= drawn + drawn // 4 + 5, region


def test_a_region_with_too_many_curves_is_refused_before_any_is_drawn() -> None:
    (land,) = GAME.parse(DISTINCT)
    with pytest.raises(TooLarge, match="a region with more than 100000 moves"):
        next(iter(GAME.children(land)))
    (land,) = GAME.parse(EQUAL)
    assert len(list(islice(GAME.children(land), 50))) == 50


# Edits at random


@pytest.mark.search
def test_no_edit_makes_a_certificate_prove_what_is_false() -> None:
    verdicts = edits(60, 1)
    assert sum(verdicts.values()) == 60
    assert {verdict for _, verdict in verdicts} == {"proved", "not proved", "refused"}


def test_a_checker_that_accepts_any_number_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    careless = load_checker()
    monkeypatch.setattr(careless.Checker, "why_bad", lambda *_: "")
    monkeypatch.setattr(damage, "load_checker", lambda: careless)
    with pytest.raises(AssertionError):
        edits(60, 1)
