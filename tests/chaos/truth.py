"""Reference results for Sprouts, and the comparison of databases with them."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Dict, Tuple

from helpers.paths import CERTIFICATES

from chaos.run import Run
from pns.dfpn import Search
from pns.facts import Facts, FactsError, open_facts
from pns.facts.spr import write_spr
from pns.finding import find_game
from pns.positions.couple import Couples
from pns.proofs.certificate import read_certificate
from pns.proofs.check import Checker
from pns.proofs.rules import find_rules
from pns.search.table import Table

SPROUTS = find_game("sprouts")
RULES = find_rules("sprouts", simplify=True)
"""By which what searches have proved holds."""
POSITIONS = "0*6 0*7 0*8 0*9 0*10 0*11 0*5+0*3 0*4+0*5+1a1a 0*6+0*3".split()
"""Positions whose search takes seconds."""
QUICK = "0*2 0*3 0*4 0*5".split()
Entries = Dict[bytes, int]


@lru_cache(maxsize=None)
def _search() -> Search:
    """The sequential search that decides what is true."""
    return Search(Couples(SPROUTS, Facts("sprouts")), Table(1 << 18))


def warm_up() -> None:
    """Compute what most runs need, once for all runs that are forked afterwards."""
    for position in POSITIONS:
        is_win(position)
    for spots in (9, 12):
        entries_of(spots)


def is_win(position: str) -> bool:
    return bool(_search().outcome(SPROUTS.parse(position)))


def outcome_of(position: str) -> str:
    return "win" if is_win(position) else "loss"


def number_of(land: bytes) -> int:
    """The Grundy number of a land."""
    return _search().grundy_number(land)


@lru_cache(maxsize=None)
def certificate_of(spots: int) -> Tuple[str, Entries]:
    """(claim, entries) of a shipped certificate."""
    path = CERTIFICATES / ("sprouts-%d.cert.gz" % spots)
    certificate, entries = read_certificate(str(path))
    return certificate.claim(), entries


def entries_of(spots: int) -> Entries:
    """The entries of a shipped certificate."""
    return certificate_of(spots)[1]


def write_entries(path: Path, entries: Entries) -> None:
    """Write entries to a .spr file or, if the name ends otherwise, to a database."""
    if path.suffix == ".spr":
        write_spr(str(path), sorted(entries.items()))
        return
    with open_facts(str(path), "sprouts") as facts:
        facts.add_all(lambda: sorted(entries.items()))


def contents(path: Path) -> Entries:
    """The facts in a database, {} if it is missing or empty."""
    if not path.exists() or not path.stat().st_size:
        return {}
    try:
        with open_facts(str(path), "sprouts", readonly=True) as facts:
            return dict(facts.items())
    except FactsError as error:
        if "empty" in str(error):
            return {}
        raise


def check_contents(run: Run, found: Entries, name: str) -> None:
    """Check that each entry agrees with the search and follows from the others."""
    checker = Checker(RULES, lambda land: found.get(land, -1), cancel=True)
    for land, number in found.items():
        run.counts["entries"] += 1
        if number_of(land) != number:
            run.fail("wrong", "%s: %r is not %d" % (name, land, number))
        why = checker.why_bad(land, number)
        if why:
            run.fail("wrong", "%s: %r, %d does not hold: %s" % (name, land, number, why))


def check_database(run: Run, path: Path, position: str = "") -> Entries:
    """Check all entries, and that they prove the outcome of a position; the entries."""
    found = contents(path)
    check_contents(run, found, path.name)
    if position:
        checker = Checker(RULES, lambda land: found.get(land, -1), cancel=True)
        claim = checker.why_unproved(SPROUTS.parse(position), is_win(position))
        if claim:
            run.fail("wrong", "%s: %s is not proved: %s" % (path.name, position, claim))
    return found


def check_kept(run: Run, before: Entries, after: Entries, name: str) -> None:
    """Check that all stored facts are still there."""
    run.counts["kept"] += len(before)
    lost = [land for land, number in before.items() if after.get(land) != number]
    if lost:
        run.fail("lost", "%s: %d of %d facts, as %r" % (name, len(lost), len(before), lost[0]))
