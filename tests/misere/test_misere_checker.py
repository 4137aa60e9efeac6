"""The checker's own rules of misère play, against plain search and the trees of the search."""

from __future__ import annotations

import random
from functools import lru_cache
from pathlib import Path
from typing import Dict

import pytest

import pns
from pns.checker.check import Checker
from pns.checker.misere import MisereSprouts
from pns.checker.reading import read_certificate as read_for_check
from pns.checker.reduced_games import ReducedGames
from pns.checker.sprouts import children
from pns.facts import Facts
from pns.misere.trees import Trees, parts_of
from pns.proofs.certificate import write_certificate

pytestmark = pytest.mark.search

SMALL = ("0", "0*2", "0*3", "1a1a", "0*2+0", "0*2.AB|0.AB", "1a1a.2+0", "0*2+0*2")
FOUR = "0*4"


@lru_cache(maxsize=None)
def is_won(position: str) -> bool:
    """Whether the player to move wins in misère play, by plain search of unsimplified positions."""
    moves = children(position, flat=False)
    return not moves or not all([is_won(move) for move in moves])


def outcome_of(rules: MisereSprouts, form: str) -> bool:
    """Whether the player to move wins a form."""

    @lru_cache(maxsize=None)
    def search(form: str) -> bool:
        moves = set(rules.child_texts(form))
        return bool(moves) and not all([search(move) for move in moves])

    return search(form)


@pytest.mark.parametrize("few_lives", [0, 5, 10])
def test_outcomes_are_those_of_plain_search(
    few_lives: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pns.checker.misere.FEW_LIVES", few_lives)
    rules = MisereSprouts()
    for text in SMALL:
        assert outcome_of(rules, rules.canonical(text)) == is_won(text), text


def random_tree(rng: random.Random, depth: int) -> str:
    """The text of a game that need not be reduced."""
    if depth == 0 or rng.random() < 0.2:
        return str(rng.randint(0, 3))
    parts = {random_tree(rng, depth - 1) for _ in range(rng.randint(1, 3))}
    return "(%s)" % ",".join(sorted(parts))


def test_games_reduce_to_one_exactly_where_the_search_reduces_them_to_one() -> None:
    rng, games, trees = random.Random(4), ReducedGames(), Trees()
    partner: Dict[int, int] = {}
    for _ in range(2000):
        text = random_tree(rng, 3)
        if len(text) <= 60:
            found = games.read(text)
            tree = reduced_by_search(trees, text)
            assert partner.setdefault(found, tree) == tree
            assert games.won[found] == trees.won[tree]
    assert len(partner) == len(set(partner.values())) > 30
    known = list(partner.items())
    for _ in range(300):
        (a, first), (b, second) = rng.sample(known, 2)
        assert games.won[games.sum(a, b)] == trees.won[trees.sum(first, second)]


def reduced_by_search(trees: Trees, text: str) -> int:
    """The tree of a text that need not be reduced."""
    if text.isdigit():
        return trees.heap(int(text))
    return trees.reduced([reduced_by_search(trees, part) for part in parts_of(text)])


def test_without_the_proviso_it_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ReducedGames, "player_wins", lambda *_: True)
    games = ReducedGames()
    assert games.sum(games.heap(2), games.heap(2)) == 0


@pytest.mark.parametrize(
    "text", ["", "(", ")", "(1", "1)", "()", "1,2", "(1,)", "x", "99", "2 ", "(" * 99]
)
def test_texts_that_are_no_trees_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="invalid tree"):
        ReducedGames().read(text)


def test_a_certificate_is_checked_and_a_false_entry_is_bad(tmp_path: Path) -> None:
    path = str(tmp_path / "4.cert.gz")
    facts = Facts("sprouts-misere")
    assert pns.solve(FOUR, "sprouts", misere=True, facts=facts).outcome == "loss"
    write_certificate(path, "sprouts-misere", FOUR, False, dict(facts.items()), "test")
    entries = read_for_check(path).entries
    checker = Checker(entries, "sprouts-misere")
    assert checker.proves(FOUR, False) and not checker.proves(FOUR, True)
    assert not any([checker.why_bad(land, number) for land, number in entries])
    assert not Checker([], "sprouts-misere").proves(FOUR, False)
    false = Checker([(FOUR + "+*1", 0), *entries], "sprouts-misere")
    assert false.why_bad(FOUR + "+*1", 0).endswith("has this number too")


def test_an_entry_of_small_lands_alone_is_decided_by_their_games() -> None:
    """The search keeps a small land whose tree has a long text, and stores what it proves of it."""
    lost, won = "0*2.12.2+*(1,3,(1,2,(2,3)))", "0*2.12.2"
    checker = Checker([(lost, 0)], "sprouts-misere")
    assert not checker.why_bad(lost, 0) and checker.proves(lost, False)
    assert Checker([(won, 0)], "sprouts-misere").why_bad(won, 0).endswith("has this number too")
    assert Checker([(lost, 1)], "sprouts-misere").why_bad(lost, 1).startswith("no option")
    with pytest.raises(ValueError, match="several lands or none"):
        Checker([("3", 0)], "sprouts")
