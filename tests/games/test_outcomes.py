"""Games that have outcomes only: every algorithm, audit, certificates, draws, refusals."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any, Dict

import pytest
from helpers.outcomes import MISERE, TIC_TAC_TOE, value
from helpers.paths import ROOT
from helpers.solver import needs_lmdb

import pns
from pns.facts import Facts, open_facts
from pns.facts.spr import SprError
from pns.finding import find_game, place_of, register
from pns.game import Game
from pns.jobs.vetting import Vetting
from pns.proofs.audit import audit
from pns.proofs.certificate import read_certificate, write_certificate
from pns.proofs.check import Checker
from pns.proofs.reduce import Reducer
from pns.proofs.rules import FastRules
from pns.proofs.sources import open_source
from pns.tools.laws import LawBroken, check_laws, check_position

pytestmark = pytest.mark.search

register(MISERE)
register(TIC_TAC_TOE)

POSITIONS = ["0", "1", "11", "2", "22", "112", "123", "333", "1234", "2255", "345"]
DRAWN = ["x...o....", "xxo.o....", "xox.o....", "xo.x.....", "xoxoxo...", "oxxxoo.x."]
VALUES = {1: "win", 0: "draw", -1: "loss"}


@pytest.mark.parametrize("game", [MISERE, TIC_TAC_TOE])
def test_laws(game: Any) -> None:
    for text in game.examples:
        for seed in range(3):
            assert check_laws(game, game.parse(text), random.Random(seed)) > 0
    with pytest.raises(LawBroken, match="does not decompose"):
        check_position(game, (b"1", b"2"))


@pytest.mark.parametrize("algorithm", ["dfpn", "pns", "pn2", "pns-tree"])
def test_every_position(algorithm: str) -> None:
    facts = Facts("misere-nim")
    for text in POSITIONS:
        (land,) = MISERE.parse(text)
        result = pns.solve(text, "misere-nim", algorithm=algorithm, facts=facts)
        assert (result.outcome == "win") == MISERE.wins(land), text
        assert result.grundy_number is None
        if result.winning_move not in (None, "!"):
            assert not MISERE.wins(str(result.winning_move).encode())
    assert {number for _, number in facts.items()} == {0}
    assert not any(MISERE.wins(land) for land, _ in facts.items())


@pytest.mark.parametrize("algorithm", ["pdfpn", "spdfpn"])
def test_processes(algorithm: str) -> None:
    facts = Facts("misere-nim")
    for text in ("345", "246"):
        result = pns.solve(text, "misere-nim", algorithm=algorithm, processes=2, facts=facts)
        assert (result.outcome == "win") == MISERE.wins(text.encode())
    assert {number for _, number in facts.items()} == {0}


def test_draws_by_two_questions() -> None:
    for squares in DRAWN:
        mover = "o" if squares.count("x") > squares.count("o") else "x"
        text = mover + mover + squares
        assert pns.value(text, "tic-tac-toe") == VALUES[value(squares, mover)], squares
    with pytest.raises(pns.OptionError, match="kayles has no draws"):
        pns.value("3", "kayles")


def test_grundy_numbers_are_refused() -> None:
    for call in (pns.solve, pns.grundy_number):
        options: Dict[str, Any] = {"grundy": True} if call is pns.solve else {}
        with pytest.raises(pns.OptionError, match="misere-nim has outcomes and no Grundy numbers"):
            call("12", "misere-nim", **options)
    vetting = Vetting(MISERE, Facts("misere-nim"), 1.0)
    assert "cannot have Grundy number 1" in vetting.why_impossible(b"12", 1, True)
    assert not vetting.why_impossible(b"11", 0, True)


def solved(game: Game, text: str) -> Facts:
    facts = Facts(game.name)
    pns.solve(text, game.name, facts=facts)
    return facts


@pytest.mark.parametrize("text", ["345", "246", "1", "11"])
def test_proofs_are_reduced_audited_and_certified(text: str, tmp_path: Path) -> None:
    lands, wins = MISERE.parse(text), MISERE.wins(text.encode())
    wrong = Facts("misere-nim")
    for land in (b"33", b"12", text.encode()):
        wrong.add(land, 0)  # 33 is lost, 12 is not
    for advice in (solved(MISERE, text), wrong, Facts("misere-nim")):
        proof = Reducer(MISERE, lands, advice).reduce(30)
        assert proof.wins == wins and set(proof.entries.values()) <= {0}
        entries = proof.entries
        checker = Checker(FastRules(MISERE), lambda land: entries.get(land, -1))  # noqa: B023
        assert not checker.why_unproved(lands, wins)
        assert not any(checker.why_bad(*entry) for entry in proof.entries.items())
    path = str(tmp_path / "proof.gz")
    write_certificate(path, "misere-nim", text, wins, proof.entries, "test")
    found = audit(open_source(path, None))
    assert (found.faults, found.why_unproved) == ([], "")
    bad = {**proof.entries, b"12": 0}
    assert Checker(FastRules(MISERE), lambda land: bad.get(land, -1)).why_bad(b"12", 0)


def test_a_certificate_does_not_say_what_to_import(tmp_path: Path) -> None:
    path = str(tmp_path / "proof.gz")
    for name, why in (("os:path", "invalid name of a game"), ("chess", "unknown game 'chess'")):
        write_certificate(path, name, "1", True, {}, "test")
        with pytest.raises(SprError, match=why):
            read_certificate(path)


@needs_lmdb
def test_workers_find_a_game_by_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("zmq", reason="pyzmq is missing")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(ROOT / "tests")]))
    assert place_of("misere-nim") == "misere-nim"
    game = find_game("helpers.outcomes:MISERE")
    assert game is MISERE and place_of("misere-nim") == "helpers.outcomes:MISERE"
    with open_facts(str(tmp_path / "facts.lmdb"), "misere-nim") as facts:
        result = pns.solve(
            "357", "misere-nim", algorithm="pns-pdfpn", workers=1, iterations=20, facts=facts
        )
        assert (result.outcome == "win") == MISERE.wins(b"357")
        assert {number for _, number in facts.items()} <= {0}
    register(MISERE)
