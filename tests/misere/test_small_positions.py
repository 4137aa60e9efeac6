"""Misère play of small positions: each of every impartial game, and lands beside test games."""

from __future__ import annotations

import random
from functools import lru_cache
from typing import Dict, List

import pytest
from helpers.misere import GameTree, is_won

import pns
from pns.choices import GAMES
from pns.facts import Facts
from pns.finding import find_game
from pns.game import Game, NotationError, Sum, children_of
from pns.misere.game import MOST_TEXT, MisereGame
from pns.misere.trees import parts_of

pytestmark = pytest.mark.search

STARTS: Dict[str, List[str]] = {
    "sprouts": ["0*3", "0*2+0", "0.AB|0.AB", "1a1a.1+0"],
    "clobber": ["XOX|OXO|XOX", "XXO.OX", "XO|OX"],
    "cram": ["....|....", "..#..|.....|.#...", "..|..+....."],
    "kayles": ["12", "5+5", "3+4+2"],
    "nim": ["5+4+3", "3+2+2+1"],
    "node-kayles": ["0-1,1-2,2-3,3-4,4-5,1-4", "0-1,1-2,2-3,3-0", "EEno"],
    "nogo": ["......", "...|...", "..X.O.."],
    "octal": ["0.77:12", "0.137:11", "0.07:5+9", "4.3:6"],
    "queens": ["4", "5"],
}
"""Positions of each impartial game of the package."""


def positions_from(game: Game, text: str) -> List[Sum]:
    """All positions that play can reach."""
    start = game.parse(text)
    found, left = {start}, [start]
    while left:
        for child in children_of(game, left.pop()):
            if child not in found:
                found.add(child)
                left.append(child)
    return sorted(found)


def outcomes(game: Game, positions: List[Sum]) -> Dict[Sum, bool]:
    """Whether the player to move wins each position in misère play, by plain search."""

    @lru_cache(maxsize=None)
    def search(position: Sum) -> bool:
        moves = children_of(game, position)
        return not moves or not all([search(move) for move in moves])

    return {position: search(position) for position in positions}


def test_there_are_positions_of_every_impartial_game() -> None:
    assert set(STARTS) == {name for name in GAMES if find_game(name).decomposes}


@pytest.mark.parametrize("most_size", [0, 4, 8])
@pytest.mark.parametrize("name", STARTS)
def test_all_positions_have_the_outcome_of_plain_search(
    name: str, most_size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever lands are replaced by trees, and with the children that a search has."""
    monkeypatch.setattr("pns.finding._registered", {})
    game = find_game(name)
    misere = MisereGame(game)
    misere._most_size = most_size
    misere.name = "tried-misere"
    pns.register(misere)
    facts = Facts(misere.name)
    for start in STARTS[name]:
        for position, wins in outcomes(game, positions_from(game, start)).items():
            text = misere.format(misere.parse(game.format(position)))
            found = pns.solve(text, misere.name, facts=facts).outcome
            assert (found == "win") == wins, (game.format(position), text)


def as_options(game: Game, position: Sum) -> GameTree:
    """A position as the set of its options, each a set of options."""

    @lru_cache(maxsize=None)
    def options(position: Sum) -> GameTree:
        return frozenset([options(child) for child in children_of(game, position)])

    return options(position)


@lru_cache(maxsize=None)
def game_of(tree: str) -> GameTree:
    """The game that the text of a tree stands for."""
    options = list(map(str, range(int(tree)))) if tree.isdigit() else parts_of(tree)
    return frozenset(map(game_of, options))


def test_lands_have_the_same_tree_exactly_if_no_test_game_tells_them_apart() -> None:
    """14,196 pairs of lands of all impartial games, beside sums of two games."""
    rng = random.Random(6)
    trees: List[str] = []
    games: List[GameTree] = []
    for name, starts in STARTS.items():
        game, misere = find_game(name), MisereGame(find_game(name))
        reached = {land for start in starts for one in positions_from(game, start) for land in one}
        lengths = {land: misere.trees.lengths[misere.tree_of((land,))] for land in reached}
        small = sorted([land for land in reached if lengths[land] <= MOST_TEXT])
        for land in rng.sample(small, min(len(small), 25)):
            games.append(as_options(game, (land,)))
            trees.append(misere.trees.text(misere.tree_of((land,))))
    assert len(games) == 169 and len(set(trees)) == 13
    tests = [(x, y) for x in sorted(set(trees)) for y in sorted(set(trees)) if x <= y]
    beside = [(game_of(x), game_of(y)) for x, y in tests if len(x + y) < 40]
    outcomes = [tuple([is_won(one, *two) for two in beside]) for one in games]
    for i, first in enumerate(outcomes):
        for j, second in enumerate(outcomes[:i]):
            assert (first == second) == (trees[i] == trees[j]), (trees[i], trees[j])


@pytest.mark.parametrize("text", ["0.07:5+9", "0.07:5+0.07:9", "0.07:5+9+*(2)+0.07:3+2"])
def test_lands_are_read_as_the_game_writes_sums_and_as_facts_have_them(text: str) -> None:
    game = MisereGame(find_game("octal"))
    game._most_size = 1
    lands = game.parse(text)
    assert b"0.07:5+0.07:9" in lands[0] and game.parse(game.format(lands)) == lands
    with pytest.raises(NotationError) as caught:
        game.parse("*1+0.07:5+x")
    assert caught.value.offset == 10
