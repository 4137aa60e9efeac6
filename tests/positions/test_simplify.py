"""Searches that put simpler positions in place of children: answers, proofs, refusals."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.searches import SPROUTS, brute_grundy
from helpers.solver import solve as run_solve

import pns
from pns.checker import sprouts_tails as plain_tails
from pns.choices import ALGORITHMS, PARALLEL, WITH_MASTER
from pns.facts import Facts
from pns.facts.spr import write_spr
from pns.finding import find_game
from pns.game import children_of
from pns.positions.simplify import Simplified
from pns.proofs.audit import AuditReport, audit
from pns.proofs.sources import open_source
from pns.sprouts import canonical, plain_rules, tails

pytestmark = pytest.mark.search

ALONE = [name for name in ALGORITHMS if name not in WITH_MASTER]
LOST = (0, 1, 2)
"""n mod 6 of the lost numbers of spots, by the Sprouts conjecture."""


def proved(spots: int, directory: Path) -> str:
    """The path of a file with the facts of a search with simpler positions."""
    facts = Facts("sprouts")
    result = pns.solve("0*%d" % spots, facts=facts, simplify=True)
    assert result.outcome == ("loss" if spots % 6 in LOST else "win")
    path = str(directory / ("%d.spr" % spots))
    write_spr(path, sorted(facts.items()))
    return path


def audited(path: str, spots: int, independent: bool = False) -> AuditReport:
    return audit(
        open_source(path, "sprouts"),
        claim=("0*%d" % spots, spots % 6 not in LOST),
        independent=independent,
    )


@pytest.mark.parametrize("algorithm", ALONE)
def test_outcomes_and_winning_moves(algorithm: str) -> None:
    processes = 2 if algorithm in PARALLEL else None
    for spots in (1, 3, 5, 7):
        facts = Facts("sprouts")
        found = pns.solve(
            "0*%d" % spots, algorithm=algorithm, facts=facts, simplify=True, processes=processes
        )
        assert found.outcome == ("loss" if spots % 6 in LOST else "win")
        for land, number in facts.items():
            if SPROUTS.estimate(land)[0] <= 8:
                assert number == brute_grundy(land)
        if found.winning_move:
            lands = SPROUTS.parse(found.winning_move)
            assert lands in children_of(SPROUTS, SPROUTS.parse(found.position))
            assert pns.solve(found.winning_move).outcome == "loss"


def test_it_takes_fewer_expansions() -> None:
    plainly, simply = (
        pns.solve("0*8", simplify=simplify).usage.expansions for simplify in (False, True)
    )
    assert simply < 0.8 * plainly


def test_grundy_numbers() -> None:
    for text in ("0*3.A|0.A", "0*2.A|22A+1", "0*5", "0*2.A|0.2A+0*3", "0.A|AB|0.B"):
        number = pns.solve(text, grundy=True, simplify=True).grundy_number
        assert number == pns.solve(text, grundy=True).grundy_number


@pytest.mark.slow
def test_both_audits_follow_and_count_what_rests_on_simpler_positions(tmp_path: Path) -> None:
    path = proved(7, tmp_path)
    found = audited(path, 7)
    assert (found.faults, found.why_unproved) == ([], "") and found.simplified > 10
    also = audited(path, 7, independent=True)
    assert (also.faults, also.why_unproved) == ([], "") and also.simplified > 10


def test_facts_of_a_search_without_simpler_positions_need_none(tmp_path: Path) -> None:
    facts = Facts("sprouts")
    pns.solve("0*9", facts=facts, simplify=False)
    path = str(tmp_path / "9.spr")
    write_spr(path, sorted(facts.items()))
    found = audited(path, 9)
    assert (found.faults, found.simplified) == ([], 0)


@pytest.mark.slow
def test_the_plain_audit_finds_what_a_wrong_table_claims(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1A and 2A differ by 1, not by 0."""
    facts = Facts("sprouts")
    wrong = plain_tails.proposals([("1A", "2A")])
    monkeypatch.setattr(tails, "PACKAGE", tails.Simplifier(lambda: {b"1A": (b"2A", 0)}))
    monkeypatch.setattr(plain_rules, "package_proposals", lambda: wrong)
    pns.solve("0*7", facts=facts, simplify=True)
    path = str(tmp_path / "wrong.spr")
    write_spr(path, sorted(facts.items()))
    assert audited(path, 7).faults == []  # it trusts the table
    assert len(audited(path, 7, independent=True).faults) > 0


def test_where_it_is_refused() -> None:
    for algorithm in ("dfpn", "pns-pdfpn"):
        words = ("--simplify", "--game", "nim", "3+4", "--algorithm", algorithm)
        done = run_solve("--no-db", *words)
        assert (done.status, len(done.errors)) == (2, 1)
        assert "nim does not define simpler positions" in done.errors[0]
    with pytest.raises(ValueError, match="kayles does not define simpler positions"):
        Simplified(find_game("kayles"))
    with pytest.raises(pns.OptionError, match="simplify: nim does not define simpler positions"):
        pns.solve("1+2", game="nim", simplify=True)


def test_caches_stay_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canonical, "most_entries", 50)
    game = Simplified(SPROUTS)
    for lands in list(game.children(b"0*6.AB|0*4.A|2B"))[:40]:
        for land in lands:
            list(game.children(land))
    assert 0 < len(tails.PACKAGE._simpler) <= 50
    assert 0 < len(tails.PACKAGE._simpler_of_split) <= 50
