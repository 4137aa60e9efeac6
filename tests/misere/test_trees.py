"""Reduced canonical trees: known identities, and equality beside test games."""

from __future__ import annotations

import random
from typing import List

import pytest
from helpers.misere import GameTree, is_won, random_game, tree_of

from pns.misere.trees import EMPTY, Trees


def all_games(depth: int) -> List[GameTree]:
    """All games of a height up to `depth`."""
    if not depth:
        return [frozenset()]
    smaller = all_games(depth - 1)
    return [
        frozenset([game for i, game in enumerate(smaller) if bits >> i & 1])
        for bits in range(1 << len(smaller))
    ]


def test_known_identities() -> None:
    """[conway1976], chapter 12: 1 + 1 = 0, 2 + 2 is not 0, and {2} is no heap."""
    trees = Trees()
    one, two, three = trees.heap(1), trees.heap(2), trees.heap(3)
    assert trees.sum(one, one) == EMPTY and trees.sum(two, one) == three
    assert trees.text(trees.sum(two, two)) == "(2,3)"
    assert trees.reduced([one]) == EMPTY and trees.text(trees.reduced([two])) == "(2)"
    assert trees.reduced([EMPTY, two, three]) == one  # the mex, since 0 is an option
    assert not trees.won[one] and trees.won[EMPTY] and trees.won[two]


def test_all_games_of_height_three_have_the_winner_of_their_tree() -> None:
    """These games have five classes, those of *0 to *3 and {2} [siegel2013]."""
    trees = Trees()
    games = all_games(3)
    assert len(games) == 16
    found = {tree_of(trees, game) for game in games}
    assert all([trees.won[tree_of(trees, game)] == is_won(game) for game in games])
    assert len(found) == 5


def test_trees_are_equal_exactly_if_no_test_game_tells_games_apart() -> None:
    trees, rng = Trees(), random.Random(7)
    tests = all_games(3) + [random_game(rng, 4) for _ in range(40)]
    games = [random_game(rng, 4) for _ in range(140)]
    equal = 0
    for i, first in enumerate(games):
        for second in games[:i]:
            same = all([is_won(first, test) == is_won(second, test) for test in tests])
            assert same == (tree_of(trees, first) == tree_of(trees, second)), (first, second)
            equal += same
    assert 100 < equal < 9000


def test_sums_are_those_of_games() -> None:
    trees, rng = Trees(), random.Random(8)
    for _ in range(300):
        first, second = random_game(rng, 4), random_game(rng, 3)
        total = trees.sum(tree_of(trees, first), tree_of(trees, second))
        assert trees.won[total] == is_won(first, second)


def test_without_the_proviso_it_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """(2,3) would become 0, though its winner is another one."""
    monkeypatch.setattr("pns.misere.trees.Trees._is_won", lambda *_: True)
    trees = Trees()
    assert trees.sum(trees.heap(2), trees.heap(2)) == EMPTY


def test_texts_are_read_as_they_are_written() -> None:
    trees, rng = Trees(), random.Random(9)
    for _ in range(300):
        tree_of(trees, random_game(rng, 5))
    again = Trees()
    for tree in range(len(trees)):
        text = trees.text(tree)
        assert again.text(again.tree(text)) == text == trees.text(trees.tree(text))
    for text in (
        "",
        "(",
        ")",
        "(1",
        "1)",
        "()",
        "(1)",
        "(0,1)",
        "(3,2)",
        "01",
        "256",
        "x",
        "(2))(",
    ):
        with pytest.raises(ValueError):
            again.tree(text)
