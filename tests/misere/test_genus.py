"""The genus, and tame trees: brute force beside Nim heaps, published values."""

from __future__ import annotations

import random
from typing import List

import pytest
from helpers.misere import GameTree, is_won, random_game, tree_of

from pns.finding import find_game
from pns.misere.game import MisereGame
from pns.misere.genus import Genera, number_at, pair_of_sum
from pns.misere.trees import EMPTY, Trees

SPROUTS = ["0^120", "0^120", "0^02", "1^031", "1^02"]
"""The genera of 0 to 4 spots; their first two numbers are published by Lemoine and Viennot."""


def heap(size: int) -> GameTree:
    return frozenset([heap(smaller) for smaller in range(size)])


def number_of(games: List[GameTree]) -> int:
    """The misère number of a sum: the size of the Nim heap beside which it is lost."""
    size = 0
    while is_won(heap(size), *games):
        size += 1
    return size


def test_misere_numbers_are_those_of_brute_force_beside_heaps() -> None:
    trees, rng = Trees(), random.Random(1)
    genera = Genera(trees)
    seen = set()
    for _ in range(150):
        game = random_game(rng, 4)
        tree = tree_of(trees, game)
        numbers = genera.misere_numbers(tree)
        assert len(numbers) == 2 or numbers[-1] != numbers[-3]
        for place in range(4):
            assert number_of([game, *[heap(2)] * place]) == number_at(numbers, place)
        assert trees.won[tree] == (numbers[0] != 0)
        seen.add(genera.text(tree))
    assert len(seen) > 5


def test_numbers_that_are_repeated_are_those_of_the_sums() -> None:
    trees, rng = Trees(), random.Random(2)
    genera = Genera(trees)
    for _ in range(60):
        total = tree_of(trees, random_game(rng, 5))
        numbers = genera.misere_numbers(total)
        for place in range(len(numbers) + 4):
            assert genera.misere_numbers(total)[0] == number_at(numbers, place)
            total = trees.sum(total, trees.heap(2))


def wrong_sums(rng: random.Random, count: int) -> int:
    """How many sums of tame trees have other outcomes than their pairs say."""
    trees = Trees()
    genera = Genera(trees)
    games = [random_game(rng, 5) for _ in range(count)]
    tame = [game for game in games if genera.tame_pair(tree_of(trees, game))]
    assert count // 4 < len(tame) < count
    wrong = 0
    for _ in range(count):
        some = rng.choices(tame, k=rng.randint(1, 3))
        numbers = [tree_of(trees, game) for game in some]
        pairs = [pair for pair in map(genera.tame_pair, numbers) if pair]
        grundy, misere = pair_of_sum(pairs)
        total = EMPTY
        for number in numbers:
            total = trees.sum(total, number)
        wrong += (genera.grundy_number(total), trees.won[total]) != (grundy, misere != 0)
    return wrong


def test_sums_of_tame_trees_are_decided_by_their_pairs() -> None:
    assert not wrong_sums(random.Random(3), 1500)


def test_a_tree_with_a_wild_option_is_tame_only_if_a_move_restores_its_pair(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Genera, "_restores", lambda *_: True)
    assert wrong_sums(random.Random(3), 1500)


def test_a_tame_tree_has_the_numbers_of_a_position_of_nim() -> None:
    trees, rng = Trees(), random.Random(4)
    genera = Genera(trees)
    found = set()
    for _ in range(500):
        tree = tree_of(trees, random_game(rng, 5))
        pair = genera.tame_pair(tree)
        if pair:
            found.add(genera.text(tree))
            assert (genera.grundy_number(tree), genera.misere_numbers(tree)[0]) == pair
    assert found <= {"0^120", "1^031", "0^02", "1^13", "2^20", "3^31", "4^46", "5^57"}
    assert len(found) > 5


def spots(game: MisereGame, count: int) -> int:
    """The tree of isolated spots."""
    return game.tree_of(
        game.original.parse("+".join(["0*%d" % count] if count > 1 else ["0"] * count) or "!")
    )


@pytest.mark.search
def test_genera_of_spots() -> None:
    game = MisereGame(find_game("sprouts"))
    genera = Genera(game.trees)
    assert [genera.text(spots(game, count)) for count in range(5)] == SPROUTS
    assert spots(game, 1) == EMPTY and spots(game, 3) == game.trees.heap(1)
    pairs = [genera.tame_pair(spots(game, count)) for count in range(5)]
    assert pairs == [(0, 1), (0, 1), (0, 0), (1, 0), None]


@pytest.mark.slow
def test_five_spots_are_tame_and_a_win() -> None:
    game = MisereGame(find_game("sprouts"))
    genera = Genera(game.trees)
    tree = spots(game, 5)
    assert (genera.text(tree), genera.tame_pair(tree)) == ("1^13", (1, 1))
    assert len(set(game.known_trees().values())) == 1196
