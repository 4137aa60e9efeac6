"""The table of trees that comes with Sprouts: it holds, and an audit does without it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Dict

import pytest
from helpers.solver import needs_lmdb

import pns
from pns.facts import open_facts
from pns.finding import find_game
from pns.game import Land, recomputing
from pns.misere.game import MisereGame
from pns.misere.kept import KeptTrees, kept_trees, table_text
from pns.misere.trees import Trees
from pns.sprouts import Sprouts

SPROUTS = find_game("sprouts")
TABLE = kept_trees(Sprouts.misere_table)


def wrong_lands(table: KeptTrees, share: float) -> int:
    """How many lands of a sample do not have the tree that follows from those of their children.

    All that can follow are in the table, so that by induction none is wrong if all are tried.
    """
    trees = Trees()
    numbers = table.interned(trees)
    assert len(set(numbers)) == len(numbers)
    rng, wrong = random.Random(6), 0
    for land, number in table.lands.items():
        if rng.random() < share:
            options = set()
            for child in SPROUTS.children(land):
                tree = trees.heap(0)
                for one in child:
                    tree = trees.sum(tree, numbers[table.lands[one]])
                options.add(tree)
            wrong += trees.reduced(options) != numbers[number]
    return wrong


@pytest.mark.search
def test_a_sample_of_lands_has_the_trees_of_their_children() -> None:
    assert len(TABLE.lands) > 10_000 and not wrong_lands(TABLE, 0.03)


@pytest.mark.slow
def test_all_lands_have_the_trees_of_their_children() -> None:
    assert not wrong_lands(TABLE, 1)


def test_a_wrong_table_is_noticed() -> None:
    numbers = list(TABLE.lands.values())
    random.Random(7).shuffle(numbers)
    shuffled = KeptTrees(TABLE.options, dict(zip(TABLE.lands, numbers)))
    assert wrong_lands(shuffled, 0.005) > 10


def test_a_table_is_read_as_it_was_written(monkeypatch: pytest.MonkeyPatch) -> None:
    trees = Trees()
    lands: Dict[Land, int] = {b"1a1a": trees.tree("(2)"), b"0": 0, b"0*3": trees.tree("(3,(2))")}
    data = table_text(trees, lands.items())
    assert data == table_text(trees, sorted(lands.items(), reverse=True))
    monkeypatch.setattr("pns.misere.kept.read_data", lambda name: data)
    again, table = Trees(), kept_trees("tried.trees")
    numbers = table.interned(again)
    assert {land: again.text(numbers[n]) for land, n in table.lands.items()} == {
        b"0": "0",
        b"1a1a": "(2)",
        b"0*3": "(3,(2))",
    }


def test_trees_are_the_same_without_the_table() -> None:
    misere = MisereGame(SPROUTS)
    computed = misere.recomputing()
    assert computed is misere.recomputing() is computed.recomputing()
    for text in ("0*2", "0*3", "1a1a.2", "0*2.AB|0.AB"):
        lands = SPROUTS.parse(text)
        found = [game.trees.text(game.tree_of(lands)) for game in (misere, computed)]
        assert found[0] == found[1]
    assert len(computed.known_trees()) > len(misere.known_trees())
    nim = find_game("nim-misere")
    assert recomputing(nim) is nim


@needs_lmdb
def test_an_audit_does_not_believe_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In this table all small lands are *0."""
    everything_is_zero = KeptTrees(TABLE.options, dict.fromkeys(TABLE.lands, 0))
    monkeypatch.setattr("pns.misere.game.kept_trees", lambda name: everything_is_zero)
    wrong = MisereGame(SPROUTS)
    monkeypatch.setattr("pns.finding._misere", lambda name: wrong)
    path = str(tmp_path / "wrong.lmdb")
    with open_facts(path, "sprouts-misere") as facts:
        outcome = pns.solve("0*7", "sprouts-misere", facts=facts).outcome
    report = pns.audit_facts(path, "sprouts-misere", claim=("0*7", outcome == "win"))
    assert report.faults or report.why_unproved
