"""Cram, NoGo and Clobber: brute force by plain rules, published numbers, parsers."""

from __future__ import annotations

import random
from itertools import product
from typing import Iterator, List, Tuple

import pytest
from helpers.boards import Board, is_legal, plain_grundy
from helpers.grundy_of import grundy_of
from helpers.paths import TEST_DATA
from helpers.searches import search_of

from pns.finding import find_game
from pns.game import NotationError
from pns.games.clobber import is_mirrored

pytestmark = pytest.mark.search

LETTERS = {"cram": ".#", "clobber": ".XO", "nogo": ".XO"}
FILES = ("cram", "nogo", "nogo-line", "clobber", "clobber-line")


def boards(letters: str, height: int, width: int) -> Iterator[Board]:
    """All boards of a size."""
    for cells in product(letters, repeat=height * width):
        text = "".join(cells)
        yield tuple(text[i : i + width] for i in range(0, len(text), width))


SMALL = [
    ("cram", 1, 9),
    ("cram", 2, 5),
    ("cram", 3, 3),
    ("clobber", 1, 7),
    ("clobber", 3, 2),
    ("nogo", 1, 7),
    ("nogo", 2, 3),
]


@pytest.mark.parametrize("name, height, width", SMALL)
def test_all_small_boards(name: str, height: int, width: int) -> None:
    game = find_game(name)
    for board in boards(LETTERS[name], height, width):
        if name == "nogo" and not is_legal(board):
            with pytest.raises(NotationError, match="no liberty"):
                game.parse("|".join(board))
        else:
            assert grundy_of(game, "|".join(board)) == plain_grundy(name, board), board


@pytest.mark.parametrize("name, height, width", [("cram", 4, 4), ("clobber", 3, 4), ("nogo", 3, 3)])
def test_larger_boards_at_random(name: str, height: int, width: int) -> None:
    game, rng = find_game(name), random.Random(height)
    checked = 0
    while checked < 30:
        letters = LETTERS[name] + "#" * (name == "nogo")
        text = "".join([rng.choice(letters) for _ in range(height * width)])
        board = tuple(text[i : i + width] for i in range(0, len(text), width))
        if name == "nogo" and not is_legal(board):
            continue
        checked += 1
        assert grundy_of(game, "|".join(board)) == plain_grundy(name, board), board


@pytest.mark.parametrize("height, width, least", [(1, 8, 10), (2, 4, 20), (3, 3, 10)])
def test_mirrored_lands_of_clobber_are_lost(height: int, width: int, least: int) -> None:
    game = find_game("clobber")
    lands = {
        land
        for board in boards(".XO", height, width)
        for land in game.parse("|".join(board))
        if is_mirrored(land)
    }
    assert len(lands) >= least
    for land in lands:
        assert plain_grundy("clobber", tuple(land.decode().split("|"))) == 0, land


def rows_of(name: str) -> List[Tuple[str, int]]:
    """The positions and Grundy numbers of a table."""
    lines = (TEST_DATA / "games" / (name + ".tsv")).read_text().splitlines()[2:]
    return [(text, int(number)) for text, number in (line.split("\t") for line in lines)]


def check_row(name: str, text: str, number: int) -> None:
    """Check the Grundy number of a position by DFPN, land by land."""
    game = find_game(name.replace("-line", ""))
    search = search_of(game, capacity=1 << 18)
    found = 0
    for land in game.parse(text):
        found ^= search.grundy_number(land)
    assert found == number, text


@pytest.mark.parametrize("name", FILES)
def test_published_numbers_at_random(name: str) -> None:
    short = [row for row in rows_of(name) if len(row[0]) <= 14]
    for text, number in random.Random(1).sample(short, 4):
        check_row(name, text, number)


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_published_numbers(name: str) -> None:
    for text, number in rows_of(name):
        check_row(name, text, number)
